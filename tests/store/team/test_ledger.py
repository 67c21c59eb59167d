"""The index of a log for the sync: which interviews it has and has forgotten, at a cost that does not grow with the log."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest

from odm_tui.store.events import Forgotten
from odm_tui.store.log_writer import Log
from odm_tui.store.paths import StatePaths
from odm_tui.store.team.ledger import Ledger
from tests.support.faults.samples import many, paths_in, write

GONE = "feedbeef"


def filled(folder: Path, interviews: int) -> StatePaths:
    """A log with some interviews, and one that was forgotten."""
    paths = paths_in(folder)
    write(paths, many(interviews))
    with contextlib.closing(Log(paths)) as log:
        log.append([Forgotten(interview=GONE)])
    return paths


def count_steps(ledger: Ledger, names: list[str]) -> int:
    """How many instructions SQLite needs to say which of these interviews were forgotten."""
    steps = 0

    def step() -> int:
        nonlocal steps
        steps += 1
        return 0

    ledger._database.set_progress_handler(step, 1)
    assert ledger.forgotten_among(names) == {GONE}
    ledger._database.set_progress_handler(None, 1)
    return steps


def opened(paths: StatePaths) -> contextlib.closing[Ledger]:
    ledger = Ledger(paths)
    with contextlib.closing(Log(paths)) as log:
        ledger.read_log(log.end())
    return contextlib.closing(ledger)


def test_it_says_which_interviews_are_there_and_which_were_forgotten(tmp_path: Path) -> None:
    paths = filled(tmp_path, 4)
    here = [events[0].interview for events in many(5)]
    with opened(paths) as ledger:
        assert ledger.present_among([*here, GONE]) == set(here[:4])
        assert ledger.forgotten_among([*here, GONE]) == {GONE}
        assert ledger.present_among([]) == ledger.forgotten_among([]) == set()


@pytest.mark.parametrize("file", ["a new file", "a file of an earlier version"])
def test_looking_for_forgotten_interviews_takes_as_long_in_a_long_log(tmp_path: Path, file: str) -> None:
    steps = []
    for interviews in (5, 200):
        paths = filled(tmp_path / str(interviews), interviews)
        with opened(paths):
            pass
        if file == "a file of an earlier version":
            with contextlib.closing(sqlite3.connect(paths.ledger)) as database:
                database.execute("DROP INDEX forgotten")
        with opened(paths) as ledger:
            steps.append(count_steps(ledger, [GONE, *(events[0].interview for events in many(5))]))
    assert steps[1] <= steps[0] + 5
