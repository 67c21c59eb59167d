"""95 % intervals of means and ratios: of independent values, and of learning runs that share their scenarios.

What a policy costs differs between scenarios and between learning runs: one run learns a little faster than another, and
all its later interviews profit. So the interviews of one run are not independent. The unit is the run, and runs that use
the same scenarios are one cluster: their errors may point the same way. Intervals are t intervals over clusters.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from odm_tui.engine.problem import Floats

Interval = tuple[float, float]
NO_INTERVAL: Interval = (float("nan"), float("nan"))
LEVEL = 0.95


@dataclass(frozen=True)
class ClusterEstimate:
    """A mean, difference or ratio over learning runs, with its 95 % interval over clusters."""

    value: float
    low: float
    high: float

    def excludes(self, value: float) -> bool:
        """Return whether the interval supports that the figure is not this value.

        >>> ClusterEstimate(0.5, 0.1, 0.9).excludes(0.0), ClusterEstimate(0.5, -0.1, 0.9).excludes(0.0)
        (True, False)
        """
        return self.low > value or self.high < value


def estimate_mean(values: npt.ArrayLike, clusters: Sequence[object]) -> ClusterEstimate:
    """Return the mean over runs; ``clusters`` says which scenarios each run used.

    >>> estimate_mean([1.0, 2.0, 3.0], ["a", "b", "c"])      # 2 ± 4.303 · 1 / sqrt(3)
    ClusterEstimate(value=2.0, low=-0.484, high=4.484)
    >>> estimate_mean([1.0, 1.0, 3.0, 3.0], ["a", "a", "b", "b"])      # two clusters, so one degree of freedom
    ClusterEstimate(value=2.0, low=-10.706, high=14.706)
    """
    return estimate_ratio(values, np.ones(len(clusters)), clusters)


def estimate_ratio(above: npt.ArrayLike, below: npt.ArrayLike, clusters: Sequence[object]) -> ClusterEstimate:
    """Return Σ above / Σ below over runs, by the delta method; with one cluster, the interval is NaN.

    Without anything below, so is the ratio.
    """
    upper, lower = np.asarray(above, dtype=np.float64), np.asarray(below, dtype=np.float64)
    total = float(lower.sum())
    if total == 0:
        return ClusterEstimate(math.nan, *NO_INTERVAL)
    ratio = float(upper.sum()) / total
    names = {name: number for number, name in enumerate(dict.fromkeys(clusters))}
    count = len(names)
    if count < 2:
        return ClusterEstimate(ratio, *NO_INTERVAL)
    sums = np.bincount([names[name] for name in clusters], weights=upper - ratio * lower, minlength=count)
    error = float(np.sqrt((sums**2).sum() * count / (count - 1))) / abs(total)
    return ClusterEstimate(ratio, *around(ratio, error, count - 1))


def mean_interval(values: Floats, freedom: float) -> tuple[float, Interval]:
    """Return the mean of independent values with its interval.

    >>> mean, (low, high) = mean_interval(np.array([1.0, 2.0, 3.0]), freedom=2)
    >>> mean, round(low, 3), round(high, 3)      # 2 ± 4.303 · 1 / sqrt(3)
    (2.0, -0.484, 4.484)
    """
    mean = float(values.mean())
    if len(values) < 2:
        return mean, NO_INTERVAL
    return mean, around(mean, float(values.std(ddof=1)) / len(values) ** 0.5, freedom)


def ratio_interval(weight: Floats, seen: Floats, freedom: float) -> tuple[float, Interval]:
    """Return Σ w · x / Σ w of independent values with its interval, by the delta method.

    >>> ratio, (low, high) = ratio_interval(np.ones(3), np.array([1.0, 2.0, 3.0]), freedom=2)
    >>> ratio, round(low, 3), round(high, 3)     # with equal weights the same as the mean's
    (2.0, -0.484, 4.484)
    """
    total, count = float(weight.sum()), len(weight)
    ratio = float((weight * seen).sum()) / total
    if count < 2:
        return ratio, NO_INTERVAL
    spread = float((weight**2 * (seen - ratio) ** 2).sum()) * count / (count - 1)
    return ratio, around(ratio, spread**0.5 / total, freedom)


def around(middle: float, error: float, freedom: float) -> Interval:
    """Return the t interval around a figure with this standard error."""
    from scipy.special import stdtrit

    half = float(stdtrit(freedom, (1 + LEVEL) / 2)) * error
    return middle - half, middle + half
