"""Shared shapes: for yes/no questions, a prior that is learned from all questions and outcomes together.

The questions of a bank are often alike: most symptoms are rare under most outcomes, or each question has a right answer
that is now and then given wrongly. So the answers to one question say what to expect of another one. How
theta_i1 … theta_im are spread is the shape c of question i:

- around a base rate: theta_ij ~ Beta(s · p, s · (1 − p)), with a weight s and a rate p;
- on two levels: theta_ij ~ Beta(k · (1 − e), k · e) with chance w, otherwise Beta(k · e, k · (1 − e)): an answer that is
  nearly always right, but for a share e of errors.

Each question has one shape, drawn from chances h_c that all questions share. Each question learns them from the others,
so that nothing counts twice; from the chance of its own counts under each shape,
L_ic = Π_j ∫ P(counts_ij | theta) dF_c(theta), follow its shapes:

- r_ic ∝ h_ic · L_ic, with h_ic ∝ 4 · base_c + Σ_k r_kc over the other questions k that were answered

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
_LEVELED = 0.2
"""The chance of two levels before any answer."""
_EDGES: Floats = np.concatenate([[0.0], (RATES[1:] + RATES[:-1]) / 2, [1.0]])
BASE: Floats = np.concatenate(
    [
        np.tile((1.0 - _LEVELED) * np.diff(_EDGES) / len(WEIGHTS), len(WEIGHTS)),
        np.full(SHAPES - AROUND, _LEVELED / (SHAPES - AROUND)),
    ]
)
"""The chance of each shape before any answer: all rates from 0 to 1 are equally likely, each stands for those around it."""
KNOWN = 4.0
"""How many questions these chances are worth."""
OPEN = 0.25
"""In which share of draws a question's shape follows from these chances and its own answers alone."""
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
    chances = _find_chances(evidence)
    shapes = _normalise(BASE * chances)
    for _ in range(ROUNDS):
        shapes = _normalise(_learn_from_others(evidence, shapes) * chances)
    return shapes


def open_shapes(evidence: Floats, shapes: Floats) -> Floats:
    """The chances by which shapes are drawn, (..., n, SHAPES), given r_ic: a draw may be unlike all other questions.

    Otherwise a question that was never asked would hardly be tried where all others tell nothing.
    """
    before = _normalise(_learn_from_others(evidence, shapes))
    return _normalise(((1.0 - OPEN) * before + OPEN * BASE) * _find_chances(evidence))


def _learn_from_others(evidence: Floats, shapes: Floats) -> Floats:
    """h_ic up to a factor, (..., n, SHAPES): what the other questions say of a question's shape."""
    answered = np.where((evidence != 0.0).any(axis=-1, keepdims=True), shapes, 0.0)
    return np.asarray(KNOWN * BASE + (answered.sum(axis=-2, keepdims=True) - answered))


def _find_chances(evidence: Floats) -> Floats:
    """L_ic up to a factor, (..., n, SHAPES)."""
    return np.asarray(np.exp(evidence - evidence.max(axis=-1, keepdims=True)))


def match_moments(counts: Floats, shapes: Floats) -> Floats:
    """The Beta parameters with the mean and the variance of theta_ij, (R, m, 2).

    ``counts`` are of no and yes, (R, m, 2), and ``shapes`` r_ic, (R, SHAPES).
    """
    rows, m = counts.shape[:2]
    distinct, place = _distinct(counts.reshape(-1, 2))
    # What is known of a pair follows from its question and its counts: equal ones are computed once.
    keys, back = np.unique(np.repeat(np.arange(rows), m) * len(distinct) + place, return_inverse=True)
    row, pair = keys // len(distinct), distinct[keys % len(distinct)]
    no, yes = pair[:, :1], pair[:, 1:]
    by_weight = shapes[row, :AROUND].reshape(len(row), len(WEIGHTS), len(RATES))
    # Sums over the rates p of r, r · (1 − p), r · p and r · p · (1 − p), by weight.
    whole, low, high, both = (
        by_weight @ each for each in (RATES**0, 1.0 - RATES, RATES, RATES * (1.0 - RATES))
    )
    total = no + yes + WEIGHTS
    levels = shapes[row, AROUND:].reshape(len(row), len(ERRORS), len(SHARES))
    upper = _upper_chances(pair)
    on_level = np.concatenate([(levels * upper).sum(axis=-1), (levels * (1.0 - upper)).sum(axis=-1)], axis=1)
    after = pair[:, None, :] + np.concatenate([_UPPER, _LOWER])
    size = after.sum(axis=-1)
    # No and yes apart: a difference from 1 would lose digits where one of them is rare.
    mean_no, mean_yes = (
        ((whole * count + WEIGHTS * rate) / total).sum(axis=-1, keepdims=True)
        + (on_level * after[..., side] / size).sum(axis=-1, keepdims=True)
        for side, count, rate in ((0, no, low), (1, yes, high))
    )
    # The variance is that within each part, and that of the parts' means around the mean of all.
    within = whole * no * yes + WEIGHTS * (yes * low + no * high) + WEIGHTS**2 * both
    gap = yes * mean_no - no * mean_yes
    apart = high * mean_no**2 + low * mean_yes**2 - both
    between = whole * gap**2 + 2.0 * gap * WEIGHTS * (high * mean_no - low * mean_yes) + WEIGHTS**2 * apart
    variance = ((within / (total + 1.0) + between) / total**2).sum(axis=-1, keepdims=True)
    within = after[..., 0] * after[..., 1] / (size + 1.0)
    between = (after[..., 1] * mean_no - after[..., 0] * mean_yes) ** 2
    variance = variance + (on_level * (within + between) / size**2).sum(axis=-1, keepdims=True)
    even, surest = mean_no * mean_yes, no + yes + WEIGHTS[-1]
    # No shape is surer than its own counts and the largest weight, so the mixture is not either.
    sure = np.minimum(even / np.maximum(variance, even / (surest + 1.0)) - 1.0, surest)
    matched = np.concatenate([mean_no, mean_yes], axis=1) * sure
    return np.asarray(matched[back.ravel()].reshape(counts.shape))


def draw_parameters(counts: Floats, shapes: Floats, rng: np.random.Generator, draws: int) -> Floats:
    """Draw the Beta parameters of theta, (draws, n, m, 2): a shape for each question, then a level for each outcome.

    ``shapes`` are those of :func:`open_shapes`, (n, SHAPES).
    """
    n, m = counts.shape[:2]
    shape = (rng.random((draws, n, 1)) > np.cumsum(shapes, axis=-1)[None, :, :-1]).sum(axis=-1)
    levels = rng.random((draws, n, m))
    around = shape < AROUND
    error, share = np.divmod(np.where(around, 0, shape - AROUND), len(SHARES))
    distinct, place = _distinct(counts.reshape(-1, 2))
    upper = _upper_chances(distinct)[place.reshape(n, m), error[..., None], share[..., None]]
    leveled = np.where((levels < upper)[..., None], _UPPER[error][:, :, None], _LOWER[error][:, :, None])
    spread = _SPREAD[np.where(around, shape, 0)][:, :, None]
    return np.asarray(counts + np.where(around[..., None, None], spread, leveled))


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
