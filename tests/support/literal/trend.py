"""The smoothed mean of a series and its interval, summed over every value as it is defined."""

from __future__ import annotations

import math
from collections.abc import Sequence


def smooth(values: Sequence[float], place: int, is_share: bool) -> tuple[float, float, float]:
    """The mean around a place, counted from 0, and the ends of its 90 % interval."""
    width = max(4.0, len(values) / 12)
    weight = [math.exp(-((k - place) ** 2) / (2 * width * width)) for k in range(len(values))]
    for k in range(len(values)):
        if abs(k - place) > math.ceil(4 * width):
            weight[k] = 0.0
    mean = sum(w * x for w, x in zip(weight, values, strict=True)) / sum(weight)
    n = sum(weight) ** 2 / sum(w**2 for w in weight)
    z = 1.645
    if is_share:  # the two solutions p of |mean − p| = z √(p (1 − p) / n)
        a, b, c = 1 + z * z / n, -(2 * mean + z * z / n), mean * mean
        root = math.sqrt(max(0.0, b * b - 4 * a * c))
        return mean, (-b - root) / (2 * a), (-b + root) / (2 * a)
    if n <= 1 + 1e-9:
        return mean, mean, mean
    variance = sum(w * (x - mean) ** 2 for w, x in zip(weight, values, strict=True)) / sum(weight)
    half = z * math.sqrt(variance * n / (n - 1)) / math.sqrt(n)
    return mean, mean - half, mean + half
