"""Reliability: how often decisions are right, against how sure the interview said it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from odm_tui.errors import BadArgument

BINS = 10
"""How many bins of the same width a reliability curve has."""


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """The decisions that were said to be right with a probability from ``low`` to ``high``.

    ``said`` is the mean of what was said, ``right`` the share that was right, ``count`` how many there are; counts
    may be weights.
    """

    low: float
    high: float
    count: float
    said: float
    right: float


def find_reliability(
    said: npt.ArrayLike, right: npt.ArrayLike, weights: npt.ArrayLike | None = None, bins: int = BINS
) -> tuple[ReliabilityBin, ...]:
    """Return the reliability curve of decisions, without empty bins.

    ``said`` is how sure each decision was, from 0 to 1; ``right`` whether it was right.

    >>> curve = find_reliability([0.9, 0.92, 0.98, 0.55], [True, True, False, True])
    >>> [(round(bin.said, 3), round(bin.right, 3), bin.count) for bin in curve]
    [(0.55, 1.0, 1.0), (0.933, 0.667, 3.0)]
    """
    p, hit = np.asarray(said, dtype=np.float64), np.asarray(right, dtype=np.float64)
    weight = np.ones(p.shape) if weights is None else np.asarray(weights, dtype=np.float64)
    if p.shape != hit.shape or p.shape != weight.shape or p.ndim != 1:
        raise BadArgument("A reliability curve needs as many results as statements, in one row each.")
    if not ((p >= 0) & (p <= 1)).all():
        raise BadArgument("What was said must be probabilities from 0 to 1.")
    place = np.minimum((p * bins).astype(np.intp), bins - 1)
    count, sums, hits = (
        np.bincount(place, each, minlength=bins) for each in (weight, weight * p, weight * hit)
    )
    return tuple(
        ReliabilityBin(
            b / bins, (b + 1) / bins, float(count[b]), float(sums[b] / count[b]), float(hits[b] / count[b])
        )
        for b in np.flatnonzero(count > 0)
    )


def calibration_error(curve: Sequence[ReliabilityBin]) -> float:
    """Return the expected calibration error: the mean of |said − right| over the bins, weighted by their counts.

    >>> round(calibration_error(find_reliability([0.9, 0.9, 0.6, 0.6], [1, 1, 1, 0])), 9)
    0.1
    """
    total = sum(each.count for each in curve)
    return sum(each.count * abs(each.said - each.right) for each in curve) / total if total else 0.0
