"""Pooling: a prior for each question that is learned from all outcomes together.

With Beta(2, 2) for every pair of question and outcome, every symptom is as likely as not under an outcome that was
never seen. But most symptoms are rare whatever the cause, as the answers under all other outcomes show. So
the prior of question i is Dirichlet(s_i · p_i) for all outcomes alike: p_i is the question's base rate over all
outcomes, and the weight s_i is chosen by evidence. A question whose answers hardly depend on the outcome gets
a large weight; one that tells outcomes apart, a small one.

The pooled prior follows from the counts alone, so only counts are stored.
"""

from __future__ import annotations

import numpy as np

from odm_tui.engine.problem import PSEUDO_COUNT, Bools, Floats, Problem

WEIGHTS: Floats = np.exp2(np.arange(-2.0, 8.0))
"""The weights s that are compared: from a quarter of an observation to 128."""


def pooled_prior(problem: Problem, counts: Floats) -> Floats:
    """The Dirichlet parameters before an outcome's own answers, (n, m, K), given all counts.

    Pairs of question and outcome with expectations of their own keep them. s_i is the geometric
    mean of the weights under their evidence: the likelihood of the counts of all outcomes without
    expectations, Π_j DirichletMultinomial(counts_ij | s · p_i), with all weights
    equally likely beforehand. p_i is the mean of :func:`base_rates` under the same evidence.
    """
    if not unknown_pairs(problem).any():
        return problem.pseudo
    return average_priors(problem, *weigh_evidence(problem, counts))


def weigh_evidence(problem: Problem, counts: Floats) -> tuple[Floats, Floats]:
    """The base rates p_i for every weight, (weights, n, K), and how likely each weight is by the evidence, (weights, n)."""
    unknown, valid = unknown_pairs(problem), problem.valid
    rates = base_rates(counts, valid)
    log_evidence = _log_evidence(rates, np.where(unknown[..., None], counts, 0.0), valid)
    chances = np.exp(log_evidence - log_evidence.max(axis=0))
    return np.asarray(rates), np.asarray(chances / chances.sum(axis=0))


def average_priors(problem: Problem, rates: Floats, chances: Floats) -> Floats:
    """The pooled prior, (n, m, K), with the geometric mean of the weights."""
    weights = np.exp(np.log(WEIGHTS) @ chances)
    pooled = weights[:, None, None] * np.einsum("si,siq->iq", chances, rates)[:, None, :]
    return np.where(unknown_pairs(problem)[..., None], pooled, problem.pseudo)


def draw_priors(
    problem: Problem, rates: Floats, chances: Floats, rng: np.random.Generator, count: int
) -> Floats:
    """Several pooled priors, (count, n, m, K): each has, for each question, a weight drawn by its evidence."""
    n = chances.shape[1]
    levels = rng.random((count, n))
    drawn = (levels[None] > np.cumsum(chances, axis=0)[:-1, None]).sum(axis=0)
    pooled = WEIGHTS[drawn][..., None, None] * rates[drawn, np.arange(n)][:, :, None, :]
    return np.where(unknown_pairs(problem)[..., None], pooled, problem.pseudo)


def base_rates(counts: Floats, valid: Bools) -> Floats:
    """How often each answer is given whatever the outcome, for every weight s, (weights, n, K).

    The answers under one outcome are draws from that outcome's own theta, which is one draw from Dirichlet(s · p). So
    N of them vary like N · (s + 1) / (s + N) draws from p itself: N answers for a single one, and never more than
    s + 1. Counted as they are, one frequent outcome would make its answers the base rate of all others. One
    observation of each answer is added.
    """
    totals = counts.sum(axis=-1)
    weights = WEIGHTS[:, None, None]
    worth = (weights + 1.0) / (weights + totals)
    seen = np.einsum("sim,imq->siq", worth, counts) + valid
    return np.asarray(seen / seen.sum(axis=-1, keepdims=True))


def unknown_pairs(problem: Problem) -> Bools:
    """The pairs of question and outcome without expectations, (n, m)."""
    if problem.expects is not None:
        return ~problem.expects
    plain = np.where(problem.valid, PSEUDO_COUNT, 0.0)[:, None, :]
    return np.asarray((problem.pseudo == plain).all(axis=-1))


def _log_evidence(rates: Floats, counts: Floats, valid: Bools) -> Floats:
    """log P(counts | s, rates of s) for every weight s and question, (weights, n)."""
    prior = np.where(valid, WEIGHTS[:, None, None] * rates, 1.0)[:, :, None, :]
    answers = (log_gamma(prior + counts) - log_gamma(prior)).sum(axis=(-1, -2))
    totals = counts.sum(axis=-1)
    weights = WEIGHTS[:, None, None]
    answered = (log_gamma(weights + totals) - log_gamma(weights)).sum(axis=-1)
    return np.asarray(answers - answered)


def log_gamma(x: Floats) -> Floats:
    """log Γ(x) for x > 0: Stirling's series at x + 8, brought back by Γ(x + 1) = x · Γ(x).

    >>> log_gamma(np.array([1.0, 5.0])).round(9).tolist()       # log 0! and log 4!
    [0.0, 3.17805383]
    """
    shift = np.ones_like(x)
    for step in range(8):
        shift = shift * (x + step)
    far = x + 8.0
    inverse = 1.0 / far**2
    series = (
        1 / 12 - inverse * (1 / 360 - inverse * (1 / 1260 - inverse * (1 / 1680 - inverse / 1188)))
    ) / far
    return np.asarray((far - 0.5) * np.log(far) - far + 0.5 * np.log(2 * np.pi) + series - np.log(shift))
