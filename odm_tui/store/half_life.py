"""How much an old interview counts in a bank with a half-life.

Time is divided into periods of a sixteenth of the half-life, and an interview belongs to the period of its
confirmation. At a moment t it counts 2^(-(t - m) / half-life), where m is the middle of its period, and never more
than 1: an interview that is dated later than t, by a clock that was wrong, counts as one of now. The moment is the
start of the interview that asks, which is in the log. So the counts by period follow from the log alone, weights
fall smoothly, and the date of one interview never changes what another one counts.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from fractions import Fraction
from functools import cache

PERIODS = 16
"""Periods in a half-life; the rounding of dates changes no weight by more than 2.2 %."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_DAY = timedelta(days=1) // _MICROSECOND


def find_period(time: str, half_life_days: float | None) -> int:
    """Return how many whole periods after 1970 a time is; 0 without a half-life.

    >>> find_period("1970-02-05T00:00:00Z", half_life_days=10)
    56
    """
    if half_life_days is None:
        return 0
    half_life = _in_microseconds(half_life_days)
    return max(0, _moment(time) * PERIODS * half_life.denominator // half_life.numerator)


def find_moment(time: str, half_life_days: float) -> float:
    """Return how many half-lives after 1970 a time is.

    >>> find_moment("1970-01-06T00:00:00Z", half_life_days=10)
    0.5
    """
    return float(_moment(time) / _in_microseconds(half_life_days))


def middle_of(period: int) -> float:
    """Return the middle of a period, in half-lives after 1970.

    >>> middle_of(8)
    0.53125
    """
    return (period + 0.5) / PERIODS


def period_weight(period: int, moment: float) -> float:
    """Return what an interview of a period counts at a moment, in half-lives after 1970.

    >>> period_weight(8, 1.53125), period_weight(800, 1.0)
    (0.5, 1.0)
    """
    return float(2.0 ** min(0.0, middle_of(period) - moment))


def _moment(time: str) -> int:
    try:
        return (datetime.fromisoformat(time) - _EPOCH) // _MICROSECOND
    except ValueError:  # not a date of the calendar: the oldest period
        return 0


@cache
def _in_microseconds(half_life_days: float) -> Fraction:
    return Fraction(half_life_days) * _DAY
