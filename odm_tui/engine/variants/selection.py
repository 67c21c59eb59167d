"""Choose among candidates by folds: how well does each predict the confirmed outcome of cases that it has not seen?

Naive Bayes, one variant for each outcome, is the one to beat.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from odm_tui.engine.problem import Bools, Floats, Ints
from odm_tui.engine.variants.cases import LearningCases

FLOOR = 0.001
"""A confirmed outcome counts as at least this likely, so that one surprise does not decide."""
REPEATED = 2.0
"""How many standard errors a gain must exceed if all cases had the same answers; see :func:`needed_errors`."""
SELECTED = 2.5
"""How many standard errors a gain must exceed if almost nothing was asked; see :func:`needed_errors`."""
_TIE = 1e-9


@dataclass(frozen=True, eq=False)
class VariantCandidate:
    """One way to divide the outcomes into variants, fitted in each weighting of the cases.

    ``outcome`` is (s,), ``weight`` (B, s), ``parameters`` (B, s, P). ``errors`` is how many standard errors its gain on naive
    Bayes must exceed.
    """

    name: str
    outcome: Ints
    weight: Floats
    parameters: Floats
    errors: float = 0.0


@dataclass(frozen=True)
class FoldScore:
    """How a candidate predicts unseen cases: the sum of log P(confirmed), and how many are right."""

    log_chance: Floats
    right: Bools


def score_candidate(cases: LearningCases, candidate: VariantCandidate, log_prior: Floats) -> FoldScore:
    """FoldScore each case with the weighting that leaves its fold out; ``log_prior`` is log P(y) in each weighting, (B, m)."""
    count, starts = len(cases.outcomes), np.flatnonzero(np.diff(candidate.outcome, prepend=-1))
    log_chance, right = np.zeros(count), np.zeros(count, dtype=bool)
    for fold in np.unique(cases.folds):
        held = np.flatnonzero(cases.folds == fold)
        parameters = candidate.parameters[fold]
        total = np.add.reduceat(parameters, cases.first_pairs, axis=-1)[:, cases.question_of]
        exists = parameters > 0
        logs = np.log(np.where(exists, parameters, 1.0) / np.where(exists, total, 1.0))
        with np.errstate(divide="ignore"):
            joint = cases.pairs[held] @ logs.T + np.log(candidate.weight[fold])
        top = joint.max(axis=1, keepdims=True)
        with np.errstate(divide="ignore"):
            by_outcome = np.log(np.add.reduceat(np.exp(joint - top), starts, axis=1)) + log_prior[fold]
        best = by_outcome.max(axis=1, keepdims=True)
        chances = np.exp(by_outcome - best)
        true = cases.outcomes[held]
        own = chances[np.arange(len(held)), true] / chances.sum(axis=1)
        log_chance[held] = np.log(np.maximum(own, FLOOR))
        right[held] = (chances >= 1.0 - _TIE).argmax(axis=1) == true
    return FoldScore(log_chance, right)


def choose(
    cases: LearningCases, candidates: Sequence[VariantCandidate], log_prior: Floats
) -> VariantCandidate:
    """Return the candidate that predicts best, or the first one, naive Bayes, if none beats it.

    A candidate must gain on naive Bayes by more than its number of standard errors, at least :func:`needed_errors`, and be
    right at least as often.
    """
    needed = needed_errors(cases)
    plain, best, most = candidates[0], candidates[0], 0.0
    usual = score_candidate(cases, plain, log_prior)
    for candidate in candidates[1:]:
        score = score_candidate(cases, candidate, log_prior)
        gains = score.log_chance - usual.log_chance
        gain = float(gains @ cases.weights)
        error = standard_error(gains * cases.weights, cases.answer_sets)
        as_right = float((score.right.astype(float) - usual.right) @ cases.weights) >= 0.0
        if as_right and gain > max(candidate.errors, needed) * error and gain > most:
            best, most = candidate, gain
    return best


def needed_errors(cases: LearningCases) -> float:
    """Return how many standard errors any candidate must gain: the larger one of two.

    - 2 · (1 - distinct sets of answers / cases). Folds leave out whole sets of answers, and say little about new cases,
      which have sets that are known.
    - 2.5 · (1 - answers / (cases · questions)). Where a policy chose what was asked, folds compare candidates on the questions
      that naive Bayes wanted to ask. With variants it asks others, of which less is known.

    >>> from odm_tui.engine.problem import Problem
    >>> problem = Problem.build(["fever", "cough"], ["flu", "cold"])
    >>> needed_errors(LearningCases.of(problem, [[0, 0], [0, 1], [1, 0]], [0, 0, 1]))
    0.0
    >>> needed_errors(LearningCases.of(problem, [[0, -1], [-1, 0], [1, -1]], [0, 0, 1]))
    1.25
    """
    total = cases.weights.sum()
    distinct = min(1.0, len(np.unique(cases.answer_sets)) / total)
    asked = float((cases.answers >= 0).mean(axis=1) @ cases.weights / total)
    return float(max(REPEATED * (1.0 - distinct), SELECTED * (1.0 - asked)))


def standard_error(gains: Floats, answer_sets: Ints) -> float:
    """The standard error of a sum of gains; gains of cases with the same answers go together."""
    together = np.bincount(answer_sets, gains)
    if len(together) < 2:
        return float("inf")
    return float(np.sqrt(len(together) * together.var(ddof=1)))
