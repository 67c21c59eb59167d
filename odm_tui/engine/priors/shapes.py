"""Shared shapes: for yes/no questions, a prior that is learned from all questions and outcomes together.

The questions of a bank are often alike: most symptoms are rare under most outcomes, or each question has a right answer
that is now and then given wrongly. So the answers to one question say what to expect of another one. How
theta_i1 … theta_im are spread is the shape c of question i:

- around a base rate: theta_ij ~ Beta(s · p, s · (1 − p)), with a weight s and a rate p;
- on two levels: theta_ij ~ Beta(k · (1 − e), k · e) with chance w, otherwise Beta(k · e, k · (1 − e)): an answer that is
  nearly always right, but for a share e of errors.

Each question has one shape, drawn from chances h_c that all questions share. These are estimated by EM from the
chance of each question's counts under each shape, L_ic = Π_j ∫ P(counts_ij | theta) dF_c(theta):

- r_ic ∝ h_c · L_ic, then h_c ∝ 4 · base_c + Σ_i r_ic

Given its shape and its counts, theta_ij has a Beta posterior, or one of two. Its mixture over the shapes by r_ic
is what is known of theta_ij. All of it follows from the counts alone, so only counts are stored.
"""

from __future__ import annotations

import numpy as np

from odm_tui.engine.priors.base_rates import WEIGHTS, log_gamma
from odm_tui.engine.problem import Floats, Ints

RATES: Floats = np.array([0.01, 0.03, 0.07, 0.15, 0.25, 0.35, 0.5, 0.65, 0.75, 0.85, 0.93, 0.97, 0.99])
ERRORS: Floats = np.array([0.01, 0.04, 0.1, 0.2, 0.35])
SHARES: Floats = np.array([0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9])
"""The shares w of the upper level."""
SURE = 20.0
"""How many observations an error rate is worth: k."""
ROUNDS = 20
AROUND = len(WEIGHTS) * len(RATES)
"""How many shapes are around a base rate. They come first, by weight, then by rate."""
SHAPES = AROUND + len(ERRORS) * len(SHARES)
BASE: Floats = np.repeat([0.5 / AROUND, 0.5 / (SHAPES - AROUND)], [AROUND, SHAPES - AROUND])
"""The chance of each shape before any answer."""
KNOWN = 4.0
"""How many questions these chances are worth."""
_SPREAD: Floats = np.stack([np.outer(WEIGHTS, 1.0 - RATES), np.outer(WEIGHTS, RATES)], axis=-1).reshape(-1, 2)
"""The Beta parameters around a base rate, no and yes."""
_LOWER: Floats = SURE * np.stack([1.0 - ERRORS, ERRORS], axis=-1)
_UPPER: Floats = _LOWER[:, ::-1].copy()
_AT_ONCE = 20_000
"""How many pairs of question and outcome are looked at together, so that large banks need little memory."""


def find_evidence(counts: Floats) -> Floats:
    """log L_ic, (R, SHAPES), of questions with these counts of no and yes by outcome, (R, m, 2)."""
    evidence = np.zeros((len(counts), SHAPES))
    step = max(1, _AT_ONCE // counts.shape[1])
    for first in range(0, len(counts), step):
        part = counts[first : first + step]
        # A pair without answers says nothing.
        row, outcome = np.nonzero(part.any(axis=-1))
        if len(row):
            distinct, place = _distinct(part[row, outcome])
            starts = np.flatnonzero(np.diff(row, prepend=-1))
            evidence[first + row[starts]] = np.add.reduceat(_log_chances(distinct)[place], starts, axis=0)
    return evidence


def weigh_shapes(evidence: Floats) -> Floats:
    """r_ic, (..., n, SHAPES): how likely each question has each shape, by the evidence of all questions."""
    chances = np.exp(evidence - evidence.max(axis=-1, keepdims=True))
    shared = np.broadcast_to(BASE, (*evidence.shape[:-2], SHAPES))
    for _ in range(ROUNDS):
        shared = _normalise(KNOWN * BASE + _normalise(shared[..., None, :] * chances).sum(axis=-2))
    return _normalise(shared[..., None, :] * chances)


def match_moments(counts: Floats, chances: Floats) -> Floats:
    """The Beta parameters with the mean and the variance of theta_ij, (R, m, 2).

    ``counts`` are of no and yes, (R, m, 2), and ``chances`` r_ic, (R, SHAPES).
    """
    rows, m = counts.shape[:2]
    distinct, place = _distinct(counts.reshape(-1, 2))
    # What is known of a pair follows from its question and its counts: equal ones are computed once.
    keys, back = np.unique(np.repeat(np.arange(rows), m) * len(distinct) + place, return_inverse=True)
    row, pair = keys // len(distinct), distinct[keys % len(distinct)]
    mean, square = _around_moments(pair, chances[row, :AROUND])
    levels = chances[row, AROUND:].reshape(len(row), len(ERRORS), len(SHARES))
    upper = _upper_chances(pair)
    for weights, parameters in (
        ((levels * upper).sum(axis=-1), _UPPER),
        ((levels * (1.0 - upper)).sum(axis=-1), _LOWER),
    ):
        yes, total = pair[:, 1:] + parameters[:, 1], pair.sum(axis=-1, keepdims=True) + SURE
        mean = mean + (weights * yes / total).sum(axis=-1)
        square = square + (weights * yes * (yes + 1.0) / (total * (total + 1.0))).sum(axis=-1)
    even = mean * (1.0 - mean)
    # No shape is surer than its own counts and the largest weight, so the mixture is not either.
    surest = pair.sum(axis=-1) + WEIGHTS[-1]
    total = np.minimum(even / np.maximum(square - mean**2, even / (surest + 1.0)) - 1.0, surest)
    matched = np.stack([(1.0 - mean) * total, mean * total], axis=-1)
    return np.asarray(matched[back.ravel()].reshape(counts.shape))


def draw_parameters(counts: Floats, chances: Floats, rng: np.random.Generator, draws: int) -> Floats:
    """Draw the Beta parameters of theta, (draws, n, m, 2): a shape for each question, then a level for each outcome."""
    n, m = counts.shape[:2]
    shape = (rng.random((draws, n, 1)) > np.cumsum(chances, axis=-1)[None, :, :-1]).sum(axis=-1)
    levels = rng.random((draws, n, m))
    around = shape < AROUND
    error, share = np.divmod(np.where(around, 0, shape - AROUND), len(SHARES))
    distinct, place = _distinct(counts.reshape(-1, 2))
    upper = _upper_chances(distinct)[place.reshape(n, m), error[..., None], share[..., None]]
    leveled = np.where((levels < upper)[..., None], _UPPER[error][:, :, None], _LOWER[error][:, :, None])
    spread = _SPREAD[np.where(around, shape, 0)][:, :, None]
    return np.asarray(counts + np.where(around[..., None, None], spread, leveled))


def _around_moments(pair: Floats, chances: Floats) -> tuple[Floats, Floats]:
    """The parts of E[theta] and E[theta²] of shapes around a base rate, (P,) each, for pairs with counts (P, 2)."""
    by_weight = chances.reshape(-1, len(WEIGHTS), len(RATES))
    whole, rate, rate_square = by_weight.sum(axis=-1), by_weight @ RATES, by_weight @ RATES**2
    yes, total = pair[:, 1:], pair.sum(axis=-1, keepdims=True) + WEIGHTS
    mean = (whole * yes + WEIGHTS * rate) / total
    square = whole * yes * (yes + 1.0) + (2.0 * yes + 1.0) * WEIGHTS * rate + WEIGHTS**2 * rate_square
    return mean.sum(axis=-1), (square / (total * (total + 1.0))).sum(axis=-1)


def _upper_chances(counts: Floats) -> Floats:
    """How likely pairs with these counts, (P, 2), are on the upper level of each shape, (P, ERRORS, SHARES)."""
    # Both levels have the same sum of parameters, so only these differ.
    upper = log_gamma(counts[:, None, :] + _UPPER).sum(axis=-1)
    lower = log_gamma(counts[:, None, :] + _LOWER).sum(axis=-1)
    odds = (upper - lower)[..., None] + np.log(SHARES / (1.0 - SHARES))
    return np.asarray(0.5 + 0.5 * np.tanh(0.5 * odds))


def _log_chances(pairs: Floats) -> Floats:
    """log ∫ P(counts | theta) dF_c(theta) of pairs with these counts, (P, 2), under each shape, (P, SHAPES)."""
    levels = np.logaddexp(
        _log_beta(pairs, _LOWER)[:, :, None] + np.log(1.0 - SHARES),
        _log_beta(pairs, _UPPER)[:, :, None] + np.log(SHARES),
    )
    return np.concatenate([_log_beta(pairs, _SPREAD), levels.reshape(len(pairs), -1)], axis=1)


def _log_beta(pairs: Floats, parameters: Floats) -> Floats:
    """log B(no + b, yes + a) − log B(b, a) for each pair (P, 2) and each b and a, (P, A)."""
    after = pairs[:, None, :] + parameters
    gammas = log_gamma(after) - log_gamma(parameters)
    total = parameters.sum(axis=-1)
    return np.asarray(gammas.sum(axis=-1) - log_gamma(after.sum(axis=-1)) + log_gamma(total))


def _distinct(pairs: Floats) -> tuple[Floats, Ints]:
    """The distinct pairs of numbers, (D, 2), and the place of each pair among them."""
    found, place = np.unique(pairs[:, 0] + 1j * pairs[:, 1], return_inverse=True)
    return np.stack([found.real, found.imag], axis=-1), place.ravel()


def _normalise(weights: Floats) -> Floats:
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))
