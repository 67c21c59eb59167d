"""The rows of a benchmark, and how times are measured."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter


@dataclass(frozen=True)
class Row:
    """One line of the table: name, figure, unit, and in ``target`` what the figure should reach, if anything."""

    name: str
    measured: float
    unit: str
    target: str = ""


def folder_on_disk() -> tempfile.TemporaryDirectory[str]:
    """A folder for what must reach a disk: that of other temporary files is often in memory."""
    build = Path("build")
    build.mkdir(exist_ok=True)
    return tempfile.TemporaryDirectory(dir=build.resolve())


TURN = 0.02
"""How many seconds each call is repeated before the next one has its turn, so that its own caches are warm."""


def measure_in_turns(*calls: Callable[[], object], least: float = 0.6) -> list[float]:
    """Return the best time of one call of each, in seconds. The calls take turns, after a first one that warms caches.

    The best of many is the time without other load on the core. Taking turns gives all calls the same share of the
    load that there is.
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


def measure_seconds(call: Callable[[], object]) -> float:
    """Return the best time of one call."""
    return measure_in_turns(call)[0]
