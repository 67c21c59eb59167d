"""Means over random splits of one data set, with intervals that know that the splits share their rows.

Two random halves of the same rows have half of their rows in common, so their results are alike even where another data
set would give others. An interval that takes the splits as independent shrinks with every further split, although
nothing new is seen. The corrected resampled t of Nadeau and Bengio (2003) does not.
"""

from __future__ import annotations

from odm_tui.engine.problem import Floats
from odm_tui.evaluation.intervals import NO_INTERVAL, Interval, around

HALVES = 1.0
"""n_test / n_train where one half of the rows teaches and the other half calls."""


def find_ratio(half: int, rows: int) -> float:
    """Return what stands for n_test / n_train where a split takes two halves out of more rows; 1 if it takes all of them.

    Two splits of ``rows`` rows have about ``half / rows`` of their halves in common. That is the correlation ρ of their
    results, and the ratio is ρ / (1 − ρ).

    >>> find_ratio(500, 1_000), round(find_ratio(500, 8_472), 3)
    (1.0, 0.063)
    """
    return half / (rows - half)


def split_interval(values: Floats, ratio: float) -> tuple[float, Interval]:
    """Return the mean over J splits with its interval: variance × (1 / J + n_test / n_train), J − 1 degrees of freedom.

    With ratio 0 the splits are independent, and the interval is the usual one.

    >>> import numpy as np
    >>> mean, (low, high) = split_interval(np.array([1.0, 2.0, 3.0]), HALVES)
    >>> mean, round(low, 3), round(high, 3)      # 2 ± 4.303 · sqrt(1 / 3 + 1)
    (2.0, -2.968, 6.968)
    """
    mean, count = float(values.mean()), len(values)
    if count < 2:
        return mean, NO_INTERVAL
    error = float(values.std(ddof=1)) * (1 / count + ratio) ** 0.5
    return mean, around(mean, error, count - 1)


def format_split_mean(
    values: Floats,
    digits: int,
    ratio: float = HALVES,
    bounds: tuple[float, float] = (float("-inf"), float("inf")),
) -> str:
    """Return the mean over splits with its 95 % interval, cut at the bounds of the figure.

    >>> import numpy as np
    >>> format_split_mean(np.array([0.8, 0.9, 1.0]), 2, bounds=(0.0, 1.0))
    '0.90 [0.40, 1.00]'
    """
    mean, (low, high) = split_interval(values, ratio)
    return f"{mean:.{digits}f} [{max(low, bounds[0]):.{digits}f}, {min(high, bounds[1]):.{digits}f}]"


def format_split_difference(values: Floats, digits: int, ratio: float = HALVES) -> str:
    """Return a paired difference with its interval; it is called noise if the interval does not exclude 0.

    A difference that is 0 in every split is no noise: both did the same.

    >>> import numpy as np
    >>> format_split_difference(np.array([1.0, 2.0, 3.0]), 1)
    '2.0 [-3.0, 7.0] (noise)'
    >>> format_split_difference(np.zeros(3), 1)
    '0.0 [0.0, 0.0]'
    """
    _, (low, high) = split_interval(values, ratio)
    excludes = low > 0 or high < 0 or not values.any()
    return format_split_mean(values, digits, ratio) + ("" if excludes else " (noise)")
