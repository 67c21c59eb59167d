"""Certainty that can be believed: what is shown as sure, from how often such decisions were right.

What was said at a decision is counted in bins of ¼ of its logit, with whether the decision was right. The model is

- logit(right) = a + τ · logit(said)

Half of the prior weight is on "unchanged" (a = 0, τ = 1), the other half on a grid of a and ln τ, both normal with the
standard deviation 1. What is shown is the posterior mean of the share that is right; before any evidence it is what
is said. Only what people see changes: plans, stop rules and decisions use the belief itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Self

import numpy as np
import numpy.typing as npt

from odm_tui.engine.calibration import ReliabilityBin
from odm_tui.engine.problem import Floats

BINS_PER_LOGIT = 4
LARGEST_BIN = 40
"""The bins are from -40 to 40: logits of -10 to 10."""
SPREAD = 1.0
"""The prior standard deviation of a and of ln τ."""
UNCHANGED = 0.5
"""The prior weight of a = 0, τ = 1."""
_STEPS, _REACH = 19, 3.0
_LEAST, _MOST = 0.02, 50.0
"""How far a belief may be flattened or sharpened: the least and the largest exponent."""
_HALVINGS = 32


def find_bin(said: float) -> int:
    """Return the bin of what was said: the number of quarters of its logit, rounded.

    >>> find_bin(0.5), find_bin(0.9), find_bin(0.1), find_bin(1.0)
    (0, 9, -9, 40)
    """
    if said <= 0.0 or said >= 1.0:
        return LARGEST_BIN if said >= 1.0 else -LARGEST_BIN
    place = round(BINS_PER_LOGIT * math.log(said / (1.0 - said)))
    return max(-LARGEST_BIN, min(LARGEST_BIN, place))


def middle_of_bin(place: int) -> float:
    """Return the probability in the middle of a bin.

    >>> middle_of_bin(0), round(middle_of_bin(9), 3)
    (0.5, 0.905)
    """
    return 1.0 / (1.0 + math.exp(-place / BINS_PER_LOGIT))


@dataclass(frozen=True, eq=False)
class Certainty:
    """What past decisions say about how sure to be: the weights of the grid's points; None without evidence."""

    weights: Floats | None = None

    @classmethod
    def of(cls, said: npt.ArrayLike | None) -> Self:
        """Fit the grid to the evidence: for each bin how many decisions were wrong and right, (81, 2)."""
        if said is None:
            return cls()
        counts = np.asarray(said, dtype=np.float64)
        bins = np.flatnonzero(counts.sum(axis=1) > 0)
        if not bins.size:
            return cls()
        shift, slope, log_prior = _grid()
        logits = shift[:, None] + slope[:, None] * ((bins - LARGEST_BIN) / BINS_PER_LOGIT)
        log_weights = log_prior - np.logaddexp(0.0, logits) @ counts[bins, 0]
        log_weights -= np.logaddexp(0.0, -logits) @ counts[bins, 1]
        weights = np.exp(log_weights - log_weights.max())
        return cls(weights / weights.sum())

    def share_right(self, said: npt.ArrayLike) -> Floats:
        """Return the share of decisions that are right where this was said.

        >>> Certainty().share_right([0.25, 0.9]).tolist()
        [0.25, 0.9]
        """
        p = np.asarray(said, dtype=np.float64)
        if self.weights is None:
            return p
        edge = 1.0 / (1.0 + math.exp(LARGEST_BIN / BINS_PER_LOGIT))
        inside = np.clip(p, edge, 1.0 - edge)
        shift, slope, _ = _grid()
        logits = shift + slope * np.log(inside / (1.0 - inside))[..., None]
        return np.asarray(_logistic(logits) @ self.weights)

    def shown(self, belief: Floats) -> Floats:
        """Return the beliefs as they are shown, (…, m): b^κ, normalised, so that the largest is its share right.

        The order of the outcomes stays, and an outcome that is impossible stays so.
        """
        if self.weights is None:
            return belief
        top = belief.max(axis=-1, keepdims=True)
        wanted = self.share_right(top)
        with np.errstate(divide="ignore"):
            ratio = np.log(belief / top)  # -inf where it is impossible, so that its power is 0
        low = np.full(top.shape, math.log(_LEAST))
        high = np.full(top.shape, math.log(_MOST))
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            too_low = np.add.reduce(np.exp(np.exp(middle) * ratio), axis=-1, keepdims=True) * wanted > 1.0
            low, high = np.where(too_low, middle, low), np.where(too_low, high, middle)
        powers = np.exp(np.exp((low + high) / 2) * ratio)
        return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def curve_of(said: npt.ArrayLike) -> tuple[ReliabilityBin, ...]:
    """Return the reliability curve of the evidence of :meth:`Certainty.of`, in steps of 10 %, without empty ones."""
    counts = np.asarray(said, dtype=np.float64)
    rows: dict[int, list[float]] = {}
    for place in np.flatnonzero(counts.sum(axis=1) > 0):
        wrong, right = (float(count) for count in counts[place])
        middle = middle_of_bin(int(place) - LARGEST_BIN)
        row = rows.setdefault(min(int(middle * 10), 9), [0.0, 0.0, 0.0])
        for at, more in enumerate((wrong + right, (wrong + right) * middle, right)):
            row[at] += more
    return tuple(
        ReliabilityBin(step / 10, (step + 1) / 10, count, total / count, right / count)
        for step, (count, total, right) in sorted(rows.items())
    )


def evidence_of(counts: Iterable[tuple[int, bool, float]]) -> Floats:
    """Return the evidence of :meth:`Certainty.of` from bins, whether the decisions were right, and how many there are."""
    said = np.zeros((2 * LARGEST_BIN + 1, 2))
    for place, right, count in counts:
        said[place + LARGEST_BIN, int(right)] += count
    return said


@cache
def _grid() -> tuple[Floats, Floats, Floats]:
    """The points of the grid, a, τ and the logarithm of the prior weight; the first one is "unchanged"."""
    steps = np.linspace(-_REACH, _REACH, _STEPS)
    shift, slope = (each.ravel() for each in np.meshgrid(steps, steps, indexing="ij"))
    weights = np.exp(-(shift**2 + slope**2) / 2)
    return (
        np.concatenate([[0.0], SPREAD * shift]),
        np.concatenate([[1.0], np.exp(SPREAD * slope)]),
        np.log(np.concatenate([[UNCHANGED], (1 - UNCHANGED) * weights / weights.sum()])),
    )


def _logistic(logits: Floats) -> Floats:
    return np.asarray(np.exp(-np.logaddexp(0.0, -logits)))
