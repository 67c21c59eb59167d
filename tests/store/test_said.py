"""What was said at decisions is counted with whether it was right, exactly, and taken back exactly."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from odm_tui.engine.certainty import find_bin
from odm_tui.errors import BadData
from odm_tui.store.events import Corrected, Decided, Event, Retracted
from odm_tui.store.forget_interview import forget
from odm_tui.store.merging import merge
from odm_tui.store.state_file import decode_counts, seal
from odm_tui.store.state_update import read_snapshot, update_state
from tests.support.faults.samples import interview_events, paths_in, rebuilt, sample_index, state_bytes, write

TIME = "2026-01-01T00:00:00.000000Z"


def said_by(interview: str, outcome: str | None = "flu", **changes: Any) -> list[Event]:
    """The events of an interview that decided for flu, with another decision."""
    events = interview_events(interview, {"fever": "yes"}, outcome)
    return [replace(event, **changes) if isinstance(event, Decided) else event for event in events]


def test_right_and_wrong_decisions_are_counted_by_what_was_said(tmp_path: Path) -> None:
    where = paths_in(tmp_path / "a")
    write(where, [said_by("00000001"), said_by("00000002", "cold"), said_by("00000003", belief=0.5)])
    state = json.loads(state_bytes(where))
    assert state["decisions"] == {"0": {"right": 1, "wrong": 0}, "2.25": {"right": 1, "wrong": 1}}
    counts = read_snapshot(where, sample_index()).counts
    assert counts.said == {(0, True): 1, (9, True): 1, (9, False): 1}
    posterior = counts.posterior(sample_index().problem)
    assert posterior.said is not None
    assert posterior.said[49].tolist() == [1, 1]


@pytest.mark.parametrize("rule", ["red_flag", "refer"])
def test_red_flags_and_handing_over_say_nothing_about_certainty(tmp_path: Path, rule: str) -> None:
    where = paths_in(tmp_path / "a")
    write(where, [said_by("00000001", rule=rule)])
    update_state(where, sample_index())
    counts = read_snapshot(where, sample_index()).counts
    assert (counts.interviews, counts.said) == (1, {})


def test_a_decision_for_an_outcome_that_the_bank_no_longer_has_is_neither_right_nor_wrong(
    tmp_path: Path,
) -> None:
    where = paths_in(tmp_path / "a")
    removed = [
        replace(event, outcome="removed") if isinstance(event, Decided) else event
        for event in interview_events("00000001", {"fever": "yes"}, "cold")
    ]
    write(where, [removed, said_by("00000002")])
    counts = update_state(where, sample_index()).counts
    assert (counts.interviews, counts.said) == (2, {(9, True): 1})


@pytest.mark.parametrize("half_life", [None, 30.0])
def test_what_is_corrected_retracted_or_forgotten_is_taken_back(
    tmp_path: Path, half_life: float | None
) -> None:
    index = sample_index(half_life_days=half_life)
    where = paths_in(tmp_path / "a")
    write(where, [said_by("00000001"), said_by("00000002"), said_by("00000003", belief=0.6)])
    assert update_state(where, index).counts.said == {(9, True): 2, (find_bin(0.6), True): 1}
    write(where, [[Corrected(interview="00000002", n=6, time=TIME, outcome="cold")]])
    expected = {(9, True): 1, (9, False): 1, (find_bin(0.6), True): 1}
    assert update_state(where, index).counts.said == expected
    write(where, [[Retracted(interview="00000001", n=6, time=TIME)]])
    assert update_state(where, index).counts.said == {(9, False): 1, (find_bin(0.6), True): 1}
    forget(where, ["00000003"])
    now = update_state(where, index)
    assert now.counts.said == {(9, False): 1}
    assert sum(sum(part.said.values()) for part in now.counts.by_period.values()) == (half_life is not None)
    before = where.state.read_bytes()
    where.state.unlink()
    update_state(where, index)
    assert where.state.read_bytes() == before


def test_merged_folders_have_the_decisions_of_both(tmp_path: Path) -> None:
    here, there = paths_in(tmp_path / "a"), paths_in(tmp_path / "b")
    write(here, [said_by("00000001")])
    write(there, [said_by("00000001"), said_by("00000002", "cold", belief=0.7)])
    merge(here, there)
    assert update_state(here, sample_index()).counts.said == {(9, True): 1, (find_bin(0.7), False): 1}


def test_a_state_of_an_older_version_is_counted_again(tmp_path: Path) -> None:
    where = paths_in(tmp_path / "a")
    write(where, [said_by("00000001")])
    now = state_bytes(where)
    old = json.loads(now)
    old["said"] = old.pop("decisions")  # of an earlier version
    del old["crc"]
    body = json.dumps(old, indent=2)
    where.state.write_bytes(seal(body[: body.rindex("\n}")]))
    assert state_bytes(where) == now == rebuilt(where)


def test_a_state_with_an_impossible_bin_is_refused() -> None:
    state = {"interviews": 0, "outcomes": {}, "posteriors": {}, "decisions": {"99": {"right": 1, "wrong": 0}}}
    with pytest.raises(BadData, match="99"):
        decode_counts(state, sample_index(), "state")
