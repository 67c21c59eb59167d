"""Fit variants to the cases of a log or a table: candidates, choice by folds, and what is kept.

An outcome's variants start from its own theta, so that thin data stay with naive Bayes. The result is a function of the cases
alone: their order does not matter.
"""

from __future__ import annotations

import numpy as np

from odm_tui.engine.belief import safe_log
from odm_tui.engine.problem import Floats, Ints, Problem
from odm_tui.engine.variants.cases import FOLDS, LearningCases
from odm_tui.engine.variants.mixture import Mixture, OutcomeCases, expect, fit_levels, fit_steps, run_em
from odm_tui.engine.variants.selection import VariantCandidate, choose
from odm_tui.engine.variants.variants import Variants

MOST_VARIANTS = 16
FEWEST_CASES = 150
"""Before so many cases, every outcome has one variant."""
NAMED_WORTH = 8.0
"""How many observations the weights of named variants are worth where the problem does not say."""
_DIGITS = 6
_WEIGHT_DIGITS = 9
"""Parameters and weights are rounded, so that they are the same after they were written down."""


def fit_variants(cases: LearningCases) -> Variants | None:
    """Fit variants to cases; None if one variant for each outcome predicts as well.

    If the problem names variants, these are fitted, and no others.
    """
    problem = cases.problem
    if problem.named_variants is not None:
        return _learn_named(cases, problem.named_variants)
    if (problem.most_variants or MOST_VARIANTS) < 2:
        return None
    weightings = _weightings(cases)
    learned = [cases.posterior(weights) for weights in weightings]
    means = np.stack([_by_pair(cases, each.mean()) for each in learned])
    alphas = np.stack([_by_pair(cases, each.alpha) for each in learned])
    prior = safe_log(np.stack([each.outcome_prior() for each in learned]))
    candidates = list_candidates(cases, weightings, means, alphas)
    chosen = choose(cases, candidates, prior)
    if chosen is candidates[0]:
        return None
    found = _kept(cases, chosen)
    # With one variant each there is nothing hidden, and pooled counts are the better estimate of a single theta.
    return found if len(found.outcome) > problem.shape[1] else None


def list_candidates(
    cases: LearningCases, weightings: Floats, means: Floats, alphas: Floats
) -> list[VariantCandidate]:
    """Fit naive Bayes, the equal mixture of 1, 2, 4 and 8 variants, 8 variants, and 16; fewer where the problem caps them."""
    problem = cases.problem
    m, most = problem.shape[1], problem.most_variants or MOST_VARIANTS
    ones = np.ones((len(weightings), m))
    candidates = [VariantCandidate("naive Bayes", np.arange(m), ones, alphas)]
    parts = [_of_outcome(cases, weightings, j) for j in range(m)]
    steady = [fit_levels(part, means[:, j], 4.0, min(most, 8)) for j, part in enumerate(parts)]
    together = max(1, (most + 1).bit_length() - 1)  # 1 + 2 + 4 + … variants are at most so many
    if together > 1:
        candidates.append(_gather("mixture", [_mixed(levels[:together]) for levels in steady], 0.0))
    found = [fit_steps(part, means[:, j], 4.0, min(most, 8)) for j, part in enumerate(parts)]
    candidates.append(_gather("steps", found, 1.0))
    candidates.append(_gather("largest", [levels[-1] for levels in steady], 1.0))
    if most >= 16:
        eager = [fit_levels(part, means[:, j], 1.0, 16)[-1] for j, part in enumerate(parts)]
        candidates.append(_gather("eager", eager, 1.0))
    return candidates


def _weightings(cases: LearningCases) -> Floats:
    """The weights without each fold, and all of them last, (FOLDS + 1, N)."""
    kept = np.arange(FOLDS + 1)[:, None] != cases.folds
    return np.asarray(kept * cases.weights)


def _of_outcome(cases: LearningCases, weightings: Floats, outcome: int) -> OutcomeCases:
    mine = cases.outcomes == outcome
    return OutcomeCases(cases.pairs[mine], weightings[:, mine], cases.question_of, cases.first_pairs)


def _by_pair(cases: LearningCases, values: Floats) -> Floats:
    """Values by question, outcome and answer as (m, P)."""
    return np.ascontiguousarray(values[cases.question_of, :, cases.answer_of].T)


def _mixed(levels: list[Mixture]) -> Mixture:
    """The equal mixture of all levels."""
    return Mixture(
        np.concatenate([level.parameters for level in levels], axis=1),
        np.concatenate([level.weight for level in levels], axis=1) / len(levels),
        np.concatenate([level.shares for level in levels], axis=1),
    )


def _gather(name: str, by_outcome: list[Mixture], errors: float) -> VariantCandidate:
    outcome = np.repeat(np.arange(len(by_outcome)), [each.weight.shape[1] for each in by_outcome])
    weight = np.concatenate([each.weight for each in by_outcome], axis=1)
    parameters = np.concatenate([each.parameters for each in by_outcome], axis=1)
    return VariantCandidate(name, outcome, weight, parameters, errors)


def _kept(cases: LearningCases, chosen: VariantCandidate) -> Variants:
    """The chosen candidate as it was fitted to all cases, without variants of no weight, equal ones as one."""
    outcomes: list[int] = []
    weights: list[float] = []
    parameters: list[Floats] = []
    for s in np.flatnonzero(chosen.weight[-1]):
        own = chosen.parameters[-1, s]
        same = [
            at
            for at, known in enumerate(outcomes)
            if known == chosen.outcome[s] and np.array_equal(parameters[at], own)
        ]
        if same:
            weights[same[0]] += float(chosen.weight[-1, s])
        else:
            outcomes.append(int(chosen.outcome[s]))
            weights.append(float(chosen.weight[-1, s]))
            parameters.append(own)
    return make_variants(
        cases.problem, np.array(outcomes, dtype=np.intp), np.array(weights), np.stack(parameters)
    )


def make_variants(
    problem: Problem, outcome: Ints, weight: Floats, parameters: Floats, order: Ints | None = None
) -> Variants:
    """Round weights and parameters by pair, (s, P), the heaviest variant of each outcome first, or in this order."""
    if order is None:
        order = np.lexsort((-weight, outcome))
    n, _, width = problem.shape
    counts = np.zeros((n, len(outcome), width))
    question_of, answer_of = np.nonzero(problem.valid)
    smallest = 10.0**-_DIGITS
    counts[question_of, :, answer_of] = np.maximum(parameters[order].T.round(_DIGITS), smallest)
    return Variants(outcome[order], weight[order].round(_WEIGHT_DIGITS), counts)


def _learn_named(cases: LearningCases, named: Variants) -> Variants:
    """Learn the parameters and weights of variants that the author names; they stay in the author's order.

    Where the author expects nothing of a variant, its prior is the one of its outcome, and past cases of the problem are
    shared in proportion to the weights.
    """
    problem = cases.problem
    parameters = _by_pair(cases, _named_prior(cases, named))
    weights, worth = named.weight.copy(), problem.variant_worth
    for j in range(problem.shape[1]):
        own = named.outcome == j
        part = _of_outcome(cases, cases.weights[None], j)
        if not len(part.pairs):
            continue
        counted = NAMED_WORTH if worth is None or not worth[j] > 0 else worth[j]
        prior, mass = parameters[own][None], (named.weight[own] * counted)[None]
        start = np.broadcast_to(named.weight[own][:, None], (own.sum(), len(part.pairs)))[None]
        fitted = run_em(part, _first_shares(part, prior, named.weight[own], start), prior, mass)
        parameters[own], weights[own] = fitted.parameters[0], fitted.weight[0]
    if problem.named_expects is not None:
        # An outcome with one variant learns as it would without variants, also where it shares what is learned.
        single = np.bincount(named.outcome)[named.outcome] == 1
        free = (~problem.named_expects & single)[cases.question_of].T
        plain = cases.posterior(cases.weights).alpha[:, named.outcome]
        parameters = np.where(free, _by_pair(cases, plain), parameters)
    return make_variants(problem, named.outcome, weights, parameters, np.arange(len(weights)))


def _named_prior(cases: LearningCases, named: Variants) -> Floats:
    """The parameters of named variants before their answers are counted, (n, s, K)."""
    problem = cases.problem
    if problem.named_expects is None:
        return named.counts
    plain = cases.posterior(cases.weights).prior[:, named.outcome]
    if problem.cases is not None:
        plain = plain + problem.cases[:, named.outcome] * named.weight[:, None]
    return np.where(problem.named_expects[..., None], named.counts, plain)


def _first_shares(part: OutcomeCases, prior: Floats, weight: Floats, start: Floats) -> Floats:
    """What the named variants say of each case before anything is learned."""
    return expect(part, Mixture(prior, weight[None], start))[0]
