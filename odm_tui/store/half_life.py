"""How much an old interview counts in a bank with a half-life.

Time is divided into generations of the half-life's length, and an interview of generation g counts 2^(g - G), where
G is the newest generation. What is stored is Σ 2^g, a whole number: it can be added and subtracted exactly in any
order, and is divided by 2^G only when it is used. The counts therefore follow from the log alone, never from the
clock. Without a half-life all interviews are of generation 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from functools import cache

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_DAY = timedelta(days=1) // _MICROSECOND


def find_generation(time: str, half_life_days: float | None) -> int:
    """Return how many half-lives after 1970 a time is; 0 without a half-life.

    >>> find_generation("1970-02-05T00:00:00Z", half_life_days=10)
    3
    """
    if half_life_days is None:
        return 0
    half_life = _in_microseconds(half_life_days)
    try:
        moment = (datetime.fromisoformat(time) - _EPOCH) // _MICROSECOND
    except ValueError:  # not a date of the calendar: the oldest generation
        return 0
    return max(0, moment * half_life.denominator // half_life.numerator)


@cache
def _in_microseconds(half_life_days: float) -> Fraction:
    return Fraction(half_life_days) * _DAY


def full_weight(generations: Iterable[int]) -> int:
    """Return what one interview of the newest of these generations adds to a count.

    >>> full_weight([2, 5]), full_weight([])
    (32, 1)
    """
    return 1 << max(generations, default=0)
