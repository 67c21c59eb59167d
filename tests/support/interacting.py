"""A bank whose answers interact, and logs of confirmed interviews with it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from odm_tui.banks.bank import Bank
from odm_tui.store.events import Answered, Confirmed, Decided, Event, Started, Unknown
from odm_tui.store.integrity.chain import identify
from odm_tui.store.log_writer import Log
from odm_tui.store.paths import StatePaths
from tests.support.sample_banks import loaded

TEXT = """
format = 1
title = "Lamp"
stakes = 60
{more}
[[outcomes]]
id = "same"
label = "Both alike"
[[outcomes]]
id = "different"
label = "Both different"
[[questions]]
id = "left"
text = "Is the left one on?"
[[questions]]
id = "right"
text = "Is the right one on?"
[[questions]]
id = "colour"
text = "Which colour?"
type = "choice"
answers = [{{ id = "red", label = "Red" }}, {{ id = "blue", label = "Blue" }}, {{ id = "none", label = "None" }}]
[[questions]]
id = "age"
text = "How old is it?"
type = "number"
unit = "years"
range = [0, 50]
thresholds = [5, 10]
"""
_START = datetime(2026, 3, 1, 8, tzinfo=UTC)


def interacting_bank(folder: Path, more: str = "") -> Bank:
    """A bank in which two answers are equal or not, and nothing else tells the outcome."""
    folder.mkdir(parents=True, exist_ok=True)
    return loaded(folder, TEXT.format(more=more))


def interviews(count: int, seed: int = 0, first: int = 0) -> list[list[Event]]:
    """The events of confirmed interviews, one list for each."""
    rng = np.random.default_rng(seed)
    return [_interview(rng, first + number) for number in range(count)]


def _interview(rng: np.random.Generator, number: int) -> list[Event]:
    left, differs = int(rng.integers(2)), int(rng.integers(2))
    right = left ^ differs if rng.random() < 0.95 else left
    colour = ("red", "blue", "none")[int(rng.integers(3))]
    events: list[Event] = []

    def add(kind: type[Event], **values: object) -> None:
        time = _START + timedelta(hours=number, minutes=len(events))
        events.append(
            kind(
                interview=f"{number:016x}",
                n=len(events) + 1,
                time=time.isoformat(timespec="microseconds").replace("+00:00", "Z"),
                after=identify(events[-1]) if events else "",
                **values,
            )
        )

    add(
        Started,
        bank="sample",
        bank_hash="x",
        policy="all",
        seed=number,
        operator="op",
    )
    step = {"cost": 1.0, "seconds": 1.0, "proposed": None}
    for question, answer in (("left", left), ("right", right)):
        add(Answered, question=question, answer=("no", "yes")[answer], **step)
    if rng.random() < 0.5:
        add(Answered, question="colour", answer=colour, **step)
    else:
        add(Unknown, question="colour", **step)
    if rng.random() < 0.7:
        add(Answered, question="age", answer=float(rng.integers(0, 20)), **step)
    outcome = ("same", "different")[differs]
    add(Decided, outcome=outcome, belief=0.8, reason="so", rule="value")
    add(Confirmed, outcome=outcome, operator="op")
    return events


def write_log(paths: StatePaths, held: Sequence[Sequence[Event]]) -> None:
    """Append interviews to a log."""
    paths.folder.mkdir(parents=True, exist_ok=True)
    log = Log(paths)
    try:
        log.append([event for events in held for event in events])
    finally:
        log.close()
