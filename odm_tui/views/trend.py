"""A series of values as a smooth line with a band around it: how cost and accuracy change over the interviews."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import mul
from typing import NamedTuple

_NINETY = 1.645
"""Standard errors to each side that include 90 % of a normal distribution."""
_MOST_POINTS = 120
_NARROWEST = 4.0
_SHARE = 12
"""The kernel's width is this part of the series, but never below ``_NARROWEST`` values."""
_REACH = 4
"""Values further away than this many widths weigh nothing."""


class TrendPoint(NamedTuple):
    """The smoothed value at one place of the series, counted from 1, and the 90 % interval around it."""

    at: int
    mean: float
    low: float
    high: float


def smooth_trend(values: Sequence[float], is_share: bool = False) -> tuple[TrendPoint, ...]:
    """The mean around each place, weighted by a normal kernel, with its 90 % interval, at up to 120 places.

    With weights w_k = exp(−½ ((k − t) / b)²), the mean is m = Σ w x / Σ w. It counts as the mean of
    n = (Σ w)² / Σ w² values. The interval is m ± z · s / √n with s² = Σ w (x − m)² / Σ w · n / (n − 1); for a share,
    whose values are 0 or 1, it is Wilson's.

    >>> [round(point.mean, 1) for point in smooth_trend([4, 4, 4])]
    [4.0, 4.0, 4.0]
    """
    many = len(values)
    width = max(_NARROWEST, many / _SHARE)
    reach = math.ceil(_REACH * width)
    kernel = [math.exp(-0.5 * (distance / width) ** 2) for distance in range(-reach, reach + 1)]
    points = []
    for place in _choose_places(many):
        first, last = max(0, place - reach), min(many, place + reach + 1)
        near, weights = values[first:last], kernel[first - place + reach : last - place + reach]
        total = sum(weights)
        mean = sum(map(mul, weights, near)) / total
        count = total * total / sum(map(mul, weights, weights))
        low, high = _wilson(mean, count) if is_share else _normal(near, weights, mean, count)
        points.append(TrendPoint(place + 1, mean, low, high))
    return tuple(points)


def _choose_places(many: int) -> list[int]:
    """At most 120 places, evenly spread, with the first and the last."""
    if many <= _MOST_POINTS:
        return list(range(many))
    return [round(i * (many - 1) / (_MOST_POINTS - 1)) for i in range(_MOST_POINTS)]


def _normal(
    near: Sequence[float], weights: Sequence[float], mean: float, count: float
) -> tuple[float, float]:
    if count < 1 + 1e-9:
        return mean, mean
    variance = sum(w * (x - mean) ** 2 for w, x in zip(weights, near, strict=True)) / sum(weights)
    half = _NINETY * math.sqrt(variance / (count - 1))
    return mean - half, mean + half


def _wilson(share: float, count: float) -> tuple[float, float]:
    spread = _NINETY**2 / count
    half = _NINETY * math.sqrt(share * (1 - share) / count + spread / (4 * count)) / (1 + spread)
    centre = (share + spread / 2) / (1 + spread)
    return max(0.0, centre - half), min(1.0, centre + half)
