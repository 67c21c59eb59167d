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


def seconds(call: Callable[[], object], least: float = 0.3, most_calls: int = 200) -> float:
    """The best time of one call, after a first one that warms caches.

    The best of many is what the code takes when nothing else runs on the core.
    """
    call()
    best, spent, calls = float("inf"), 0.0, 0
    while spent < least and calls < most_calls or calls < 3:
        start = perf_counter()
        call()
        took = perf_counter() - start
        best, spent, calls = min(best, took), spent + took, calls + 1
    return best
