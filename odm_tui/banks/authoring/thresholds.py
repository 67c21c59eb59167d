"""Choose thresholds for a column of numbers: where the outcome changes, or else into parts of the same size."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

FindThresholds = Callable[[Sequence[float], Sequence[int], int], list[float]]
"""Return thresholds from the values, the outcome of each, and how many there may be."""
Counts = np.ndarray[tuple[int, int], np.dtype[np.float64]]


def find_thresholds(values: Sequence[float], outcomes: Sequence[int], most: int) -> list[float]:
    """Return at most ``most`` thresholds: those that tell the outcome, else equal parts, else the usual value.

    >>> find_thresholds([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], [0, 0, 0, 0, 0, 0, 0, 1, 1, 1], 3)
    [7.5]
    """
    return find_telling_thresholds(values, outcomes, most) or find_equal_parts(values, outcomes, most)


def find_equal_parts(values: Sequence[float], outcomes: Sequence[int], most: int) -> list[float]:
    """Return at most ``most`` thresholds that cut into equal parts, whatever the outcomes, else at the usual value."""
    ordered = sorted(values)
    return find_quantile_thresholds(ordered, most) or _around_usual_value(ordered)


def find_telling_thresholds(values: Sequence[float], outcomes: Sequence[int], most: int) -> list[float]:
    """Return the thresholds that are worth their description: the entropy method of Fayyad and Irani (1993).

    A part S of N values is cut at the boundary with the highest information gain about the outcome, if
    gain > [log2(N - 1) + log2(3^k - 2) - k·H(S) + k1·H(S1) + k2·H(S2)] / N, where k, k1 and k2 are the numbers of
    outcomes in S and its two sides. Then both sides are cut in the same way. Of more than ``most`` cuts, those with
    the most gain, weighted by the size of their part, are made first.
    """
    order = np.argsort(np.asarray(values, dtype=float), kind="stable")
    numbers = np.asarray(values, dtype=float)[order]
    labels = np.asarray(outcomes)[order]
    _, codes = np.unique(labels, return_inverse=True)
    counts = np.zeros((len(numbers) + 1, int(codes.max(initial=0)) + 1))
    counts[np.arange(1, len(numbers) + 1), codes] = 1
    below: Counts = counts.cumsum(axis=0)
    cuts: list[float] = []
    waiting = [found for found in [_best_cut(numbers, below, 0, len(numbers))] if found is not None]
    while waiting and len(cuts) < most:
        best = max(waiting, key=lambda cut: cut.gain)
        waiting.remove(best)
        cut = shorten_between(float(numbers[best.at - 1]), float(numbers[best.at]))
        if cut not in cuts:
            cuts.append(cut)
        for start, end in ((best.start, best.at), (best.at, best.end)):
            found = _best_cut(numbers, below, start, end)
            if found is not None:
                waiting.append(found)
    return sorted(cuts)


@dataclass(frozen=True, slots=True)
class _Cut:
    """A cut of the values from ``start`` to ``end`` before the value ``at``, and what it gains in bits in all."""

    start: int
    at: int
    end: int
    gain: float


def _best_cut(numbers: np.ndarray, below: Counts, start: int, end: int) -> _Cut | None:
    """Return the best cut of a part, if it is worth its description."""
    places = start + 1 + np.flatnonzero(numbers[start + 1 : end] > numbers[start : end - 1])
    size = end - start
    if not len(places):
        return None
    low, high = below[places] - below[start], below[end] - below[places]
    h_low, h_high = _entropies(low), _entropies(high)
    whole = _entropies((below[end] - below[start])[None])[0]
    gains = whole - (low.sum(axis=1) * h_low + high.sum(axis=1) * h_high) / size
    best = int(gains.argmax())
    k = int(((below[end] - below[start]) > 0).sum())
    k_low, k_high = int((low[best] > 0).sum()), int((high[best] > 0).sum())
    # log2(3^k - 2) without the overflow of 3^k for a thousand outcomes
    described = k * math.log2(3) + math.log2(1 - 2 * 3.0**-k)
    price = math.log2(size - 1) + described - k * whole + k_low * h_low[best] + k_high * h_high[best]
    if gains[best] * size <= price:
        return None
    return _Cut(start, int(places[best]), end, float(gains[best] * size))


def _entropies(counts: Counts) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return the entropy in bits of each row of counts."""
    shares = counts / counts.sum(axis=1, keepdims=True)
    logs = np.log2(np.where(shares > 0, shares, 1.0))
    return np.asarray(-(shares * logs).sum(axis=1))


def find_quantile_thresholds(values: Sequence[float], wanted: int) -> list[float]:
    """Return thresholds with few digits that split sorted values into parts of about the same size.

    >>> find_quantile_thresholds([0, 1, 2, 3, 4, 5, 6, 7], 3)
    [1.5, 3.5, 5.5]
    """
    cuts: list[float] = []
    for part in range(1, wanted + 1):
        place = part * len(values) // (wanted + 1)
        # Halfway to the next smaller value, so that no value is equal to the threshold.
        upper = values[place]
        below = bisect_left(values, upper)
        if below:
            cut = shorten_between(values[below - 1], upper)
            if cut not in cuts:
                cuts.append(cut)
    return sorted(cuts)


def _around_usual_value(values: Sequence[float]) -> list[float]:
    """Return the threshold that parts the lowest value, which is nearly all of them, from the rest."""
    above = next((value for value in values if value > values[0]), None)
    return [] if above is None else [shorten_between(values[0], above)]


def shorten_between(low: float, high: float) -> float:
    """Return the middle of two numbers, rounded to as few digits as still separate them."""
    middle = low + (high - low) / 2
    for digits in range(2, 10):
        rounded = float(f"{middle:.{digits}g}")
        if low <= rounded < high:
            return rounded
    return low
