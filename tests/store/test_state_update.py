"""The state on disk follows the log, and is rebuilt from it when anything is wrong."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from odm_tui.store import state_update
from odm_tui.store.counts import Counts
from odm_tui.store.events import Corrected, Event, Retracted, timestamp
from odm_tui.store.log import START, Position, read_log, valid_entries
from odm_tui.store.log_writer import Log
from odm_tui.store.paths import StatePaths
from odm_tui.store.state_update import counts_between, read_snapshot, update_state
from tests.support.faults.samples import (
    interview_events,
    many,
    paths_in,
    rebuilt,
    sample_index,
    state_bytes,
    write,
)


def shuffled_events(count: int, seed: int) -> list[Event]:
    """Build interviews that run at the same time, with corrections and retractions in between."""
    rng = random.Random(seed)
    running = many(count)
    for k, events in enumerate(running):
        late = {"interview": events[0].interview, "time": timestamp(1e6 + k)}
        if k % 3 == 0:
            events.append(Corrected(**late, n=len(events) + 1, outcome="cold"))
        if k % 7 == 0:
            events.append(Retracted(**late, n=len(events) + 1))
    made = []
    while running:
        events = rng.choice(running)
        made.append(events.pop(0))
        running = [events for events in running if events]
    return made


@pytest.mark.parametrize("seed", range(4))
def test_the_state_read_on_is_the_state_counted_again_byte_for_byte(tmp_path: Path, seed: int) -> None:
    where = paths_in(tmp_path)
    log = Log(where)
    events = shuffled_events(12, seed)
    rng = random.Random(seed)
    while events:
        size = rng.randint(1, 9)
        log.append(events[:size])
        del events[:size]
        assert state_bytes(where) == rebuilt_elsewhere(where, tmp_path / "again")
    log.close()


def rebuilt_elsewhere(where: StatePaths, folder: Path) -> bytes:
    again = paths_in(folder)
    again.log.write_bytes(where.log.read_bytes())
    return rebuilt(again)


def test_reading_on_does_not_count_everything_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    where = paths_in(tmp_path)
    write(where, many(10))
    update_state(where, sample_index())
    monkeypatch.setattr(state_update, "count_and_index", None)
    write(where, many(5, first=10))
    update_state(where, sample_index())
    monkeypatch.undo()
    assert where.state.read_bytes() == rebuilt(where)


def test_what_was_known_before_any_line_is_found_again(tmp_path: Path) -> None:
    where = paths_in(tmp_path)
    log = Log(where)
    log.append(shuffled_events(9, seed=5))
    log.close()
    now = read_snapshot(where, sample_index())
    for entry in [None, *valid_entries(read_log(where.log))]:
        before = START if entry is None else Position(entry.end, entry.line)
        since = counts_between(where, before, None, sample_index(), {})
        then = now.counts.plus(since, -1)
        expected = Counts().plus(counts_between(where, START, before.bytes, sample_index(), {}))
        assert then == expected


def test_looking_changes_nothing_on_disk(tmp_path: Path) -> None:
    where = paths_in(tmp_path)
    write(where, many(3))
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    read_snapshot(where, sample_index())
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_corrupt_state_is_set_aside_and_made_again_and_the_operator_is_told(tmp_path: Path) -> None:
    where = paths_in(tmp_path)
    write(where, many(6))
    good = state_bytes(where)
    where.state.write_bytes(good.replace(b"alpha", b"alpah", 1))
    told = update_state(where, sample_index()).notices
    assert where.state.read_bytes() == good
    aside = where.state.with_name("sample.json.set-aside-1")
    assert aside.read_bytes() != good
    assert len(told) == 1
    assert aside.name in told[0]


def test_a_state_that_knows_more_than_the_log_is_kept_aside(tmp_path: Path) -> None:
    where = paths_in(tmp_path)
    write(where, many(6))
    good = state_bytes(where)
    where.log.unlink()
    notices = update_state(where, sample_index()).notices
    assert where.state.with_name("sample.json.set-aside-1").read_bytes() == good
    assert "more interviews" in notices[0]


@pytest.mark.parametrize("damage", [b"", b"{}", b"\xff" * 40])
def test_without_a_good_position_everything_is_counted_again(tmp_path: Path, damage: bytes) -> None:
    where = paths_in(tmp_path)
    write(where, many(4))
    update_state(where, sample_index())
    where.position.write_bytes(damage)
    write(where, many(3, first=4))
    assert state_bytes(where) == rebuilt(where)


def test_the_position_of_another_state_is_not_taken_for_this_one(tmp_path: Path) -> None:
    where = paths_in(tmp_path)
    write(where, many(4))
    old = state_bytes(where)
    write(where, many(3, first=4))
    new = state_bytes(where)
    newer_position = where.position.read_bytes()
    where.state.write_bytes(old)  # as if the process had been killed before it swapped the state in
    where.position.write_bytes(newer_position)
    assert state_bytes(where) == new


def test_a_damaged_line_is_left_out_and_said(tmp_path: Path) -> None:
    where = paths_in(tmp_path)
    write(where, many(3))
    where.log.write_bytes(where.log.read_bytes().replace(b'"answer":"yes"', b'"answer":"no!"', 1))
    notices = update_state(where, sample_index()).notices
    assert "does not match its CRC" in notices[0]


def test_nothing_is_learned_before_the_confirmation(tmp_path: Path) -> None:
    where = paths_in(tmp_path)
    write(where, [interview_events("aaaaaaaa", {"fever": "yes"}, "flu")[:-1]])
    assert update_state(where, sample_index()).counts == Counts()


def test_none_of_these_teaches_nothing(tmp_path: Path) -> None:
    where = paths_in(tmp_path)
    write(where, [interview_events("aaaaaaaa", {"fever": "yes"}, None)])
    assert update_state(where, sample_index()).counts == Counts()


def test_a_confirmation_that_was_written_twice_counts_once(tmp_path: Path) -> None:
    where = paths_in(tmp_path)
    events = interview_events("aaaaaaaa", {"fever": "yes"}, "flu")
    write(where, [events, events[-1:]])
    assert update_state(where, sample_index()).counts.interviews == 1


def test_a_line_that_was_in_the_making_when_it_was_read_without_the_lock_is_counted(tmp_path: Path) -> None:
    where = paths_in(tmp_path)
    write(where, many(4))
    whole = where.log.read_bytes()
    begin = whole.rindex(b'{"seq"')
    where.log.write_bytes(whole[:begin] + b"#" * 20 + whole[begin + 20 :])  # what a torn read looks like
    known = read_snapshot(where, sample_index())
    where.log.write_bytes(whole)
    update_state(where, sample_index(), known)
    assert where.state.read_bytes() == rebuilt(where)
