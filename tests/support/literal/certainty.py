"""The share that is right where something was said, from past decisions: sums over the grid, one term at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence

GRID = [-3 + k / 3 for k in range(19)]


def share_right(said: float, past: Sequence[tuple[float, bool]]) -> float:
    """logit(right) = a + τ · logit(said); half of the prior on a = 0, τ = 1; past are the bins' middles."""
    normal = [(u, math.exp(v), math.exp(-(u * u + v * v) / 2)) for u in GRID for v in GRID]
    total = sum(weight for _, _, weight in normal)
    points = [(0.0, 1.0, 0.5)] + [(a, t, 0.5 * weight / total) for a, t, weight in normal]
    above = below = 0.0
    for a, t, weight in points:
        for p, right in past:
            chance = _logistic(a + t * _logit(p))
            weight *= chance if right else 1 - chance
        above += weight * _logistic(a + t * _logit(said))
        below += weight
    return above / below


def _logit(p: float) -> float:
    return math.log(p / (1 - p))


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x))
