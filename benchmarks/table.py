"""What a benchmark is: rows with a name, a measured figure, its unit, and what it should reach."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter


@dataclass(frozen=True)
class Row:
    """One line of the table. ``target`` says in words what the figure should reach, "" if nothing."""

    name: str
    measured: float
    unit: str
    target: str = ""


TURN = 0.02
"""Seconds that each call goes on in its turn, so that it is not measured with the other's caches."""


def side_by_side(*calls: Callable[[], object], least: float = 0.6) -> list[float]:
    """The best time of one call of each, in seconds, taken in turns after a first call that warms caches.

    The best of many is what the code takes when nothing else runs on the core; taking turns gives all of
    them the same share of what else does run.
    """
    best = [float("inf")] * len(calls)
    for call in calls:
        call()
    spent, rounds = 0.0, 0
    while rounds < 3 or spent < least:
        for at, call in enumerate(calls):
            turn = 0.0
            while turn < TURN:
                start = perf_counter()
                call()
                took = perf_counter() - start
                best[at], turn = min(best[at], took), turn + took
            spent += turn
        rounds += 1
    return best


def seconds(call: Callable[[], object]) -> float:
    """The best time of one call."""
    return side_by_side(call)[0]
