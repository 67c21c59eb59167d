"""Forgetting removes every trace of an interview but its id; merging adds every interview once."""

from __future__ import annotations

import contextlib
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from odm_tui.errors import BadArgument, CannotWrite
from odm_tui.store.branches.choice import choose_branch
from odm_tui.store.branches.records import read_counting_entries
from odm_tui.store.events import Confirmed, Corrected, timestamp
from odm_tui.store.forget_interview import forget, read_forgotten_ids
from odm_tui.store.integrity.log_check import find_problems
from odm_tui.store.log import valid_entries
from odm_tui.store.log_writer import Log
from odm_tui.store.merging import merge
from odm_tui.store.paths import StatePaths
from tests.support.faults.disk import FaultyDisk, in_place
from tests.support.faults.samples import (
    interview_events,
    many,
    paths_in,
    rebuilt,
    sample_index,
    state_bytes,
    write,
)

SECRET = interview_events("deadbeef", {"fever": "yes", "colour": "red"}, "cold")


def without_and_with_secret(tmp_path: Path) -> tuple[StatePaths, StatePaths]:
    never, had = paths_in(tmp_path / "never"), paths_in(tmp_path / "had")
    interviews = many(6)
    write(never, interviews)
    log = Log(had)
    log.append(interviews[0])
    log.append(SECRET[:3])
    for events in interviews[1:4]:
        log.append(events)
    log.append(SECRET[3:])
    for events in interviews[4:]:
        log.append(events)
    log.close()
    return never, had


def test_forgotten_is_the_same_as_never_having_been_byte_for_byte(tmp_path: Path) -> None:
    never, had = without_and_with_secret(tmp_path)
    assert state_bytes(had) != state_bytes(never)
    forget(had, ["deadbeef"], sample_index())
    assert had.state.read_bytes() == never.state.read_bytes()
    log, tombstone = had.log.read_bytes(), b'"event":"forgotten","interview":"deadbeef"'
    assert log.startswith(never.log.read_bytes())
    rest = log[len(never.log.read_bytes()) :]
    assert rest.count(b"\n") == 1
    assert tombstone in rest
    assert list(find_problems(had.log)) == []


def test_no_file_of_the_folder_names_what_was_forgotten_but_the_tombstone(tmp_path: Path) -> None:
    _, had = without_and_with_secret(tmp_path)
    log = Log(had)
    log.append(many(1, first=50)[0])
    log.close()
    torn = b'{"seq":99,"event":"answered","interview":"deadbeef","n":9'
    had.log.write_bytes(had.log.read_bytes() + torn)
    state_bytes(had)
    forget(had, ["deadbeef"], sample_index())
    found = [path.name for path in had.folder.iterdir() if b"deadbeef" in path.read_bytes()]
    assert found == [had.log.name]
    assert had.log.read_bytes().count(b"deadbeef") == 1


@pytest.mark.parametrize("kind", ["write", "fsync", "replace"])
def test_a_refused_forgetting_leaves_everything_or_nothing_of_the_interview(
    tmp_path: Path, kind: str
) -> None:
    never, had = without_and_with_secret(tmp_path)
    before, after = state_bytes(had), state_bytes(never)
    when = 0
    while True:
        when += 1
        copy = StatePaths(tmp_path / f"{kind}-{when}", had.stem)
        shutil.copytree(had.folder, copy.folder)
        disk = FaultyDisk(kind, when)
        with in_place(disk), contextlib.suppress(CannotWrite):
            forget(copy, ["deadbeef"], sample_index())
        gone = bool(read_forgotten_ids(copy))
        assert state_bytes(copy) == (after if gone else before)
        if not disk.fired:
            assert gone
            break
    assert when > 1


def test_merging_brings_every_interview_once_whichever_way_round(tmp_path: Path) -> None:
    all_of_them = paths_in(tmp_path / "all")
    write(all_of_them, many(9))
    expected = rebuilt(all_of_them)
    for way in (1, -1):
        left, right = paths_in(tmp_path / f"l{way}"), paths_in(tmp_path / f"r{way}")
        write(left, many(6))
        write(right, many(6, first=3))
        into, other = (left, right)[::way]
        merge(into, other)
        assert state_bytes(into) == expected == rebuilt(into)
        assert list(find_problems(into.log)) == []


def test_merging_again_adds_nothing(tmp_path: Path) -> None:
    left, right = paths_in(tmp_path / "l"), paths_in(tmp_path / "r")
    write(left, many(3))
    write(right, many(3, first=2))
    first = merge(left, right)
    log = left.log.read_bytes()
    second = merge(left, right)
    assert (first.interviews, second.interviews, second.events) == (2, 0, 0)
    assert left.log.read_bytes() == log


def test_an_interview_that_went_on_elsewhere_goes_on_here(tmp_path: Path) -> None:
    left, right = paths_in(tmp_path / "l"), paths_in(tmp_path / "r")
    events = interview_events("aaaaaaaa", {"fever": "yes"}, "flu")
    write(left, [events[:3]])
    write(right, [events])
    merge(left, right)
    assert state_bytes(left) == state_bytes(right)


def test_of_two_corrections_the_later_one_counts_whichever_way_round(tmp_path: Path) -> None:
    events = interview_events("aaaaaaaa", {"fever": "yes"}, "flu")
    results = []
    for way in (1, -1):
        sides = [paths_in(tmp_path / f"{side}{way}") for side in "lr"]
        for side, (outcome, at) in zip(sides, [("cold", 5e6), ("line-fault", 6e6)], strict=True):
            n = len(events) + 1
            fix = Corrected(interview="aaaaaaaa", n=n, time=timestamp(at), outcome=outcome)
            write(side, [[*events, fix]])
        into, other = sides[::way]
        merge(into, other)
        results.append(state_bytes(into))
    assert results[0] == results[1]
    assert b'"line-fault": 1' in results[0]


def test_a_merge_never_brings_a_forgotten_interview_back(tmp_path: Path) -> None:
    left, right = paths_in(tmp_path / "l"), paths_in(tmp_path / "r")
    for side in (left, right):
        write(side, [*many(2), SECRET])
    forget(left, ["deadbeef"])
    merge(left, right)
    assert left.log.read_bytes().count(b"deadbeef") == 1


def test_what_the_other_side_forgot_is_forgotten_here_too(tmp_path: Path) -> None:
    left, right, never = (paths_in(tmp_path / name) for name in "lrn")
    for side in (left, right):
        write(side, [*many(2), SECRET])
    write(never, many(2))
    forget(right, ["deadbeef"])
    assert merge(left, right).forgotten == 1
    assert state_bytes(left) == state_bytes(never)
    assert merge(left, right).forgotten == 0


def test_a_folder_is_not_merged_with_itself(tmp_path: Path) -> None:
    where = paths_in(tmp_path)
    write(where, many(1))
    with pytest.raises(BadArgument, match="itself"):
        merge(where, where)


def test_of_two_ends_of_one_interview_only_the_one_that_counts_is_read(tmp_path: Path) -> None:
    where = paths_in(tmp_path / "a")
    begun = interview_events("00000001", {"fever": "yes"}, "flu")
    assert isinstance(begun[-1], Confirmed)
    other = replace(begun[-1], outcome="cold")
    write(where, [begun, [other], *many(2, first=2)])
    kept = [entry.event for entry in valid_entries(read_counting_entries(where.log))]
    counting = choose_branch([*begun, other]).branch
    assert [event for event in kept if event.interview == "00000001"] == list(counting)
    assert len(counting) == len(begun)
