"""Forgetting is complete or not done: after a kill at any step, no file holds a part of the interview."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from odm_tui import files
from odm_tui.store.events import Event, Started
from odm_tui.store.forget_interview import discard, forget, holding_copy, prepare, read_forgotten_ids
from odm_tui.store.index import builder, opening
from odm_tui.store.integrity.log_check import find_problems
from odm_tui.store.log_codec import decode_event
from odm_tui.store.log_writer import Log
from odm_tui.store.paths import StatePaths
from odm_tui.store.state_update import update_state
from tests.support.faults.disk import KILLS, FaultyDisk, in_place
from tests.support.faults.processes import Child
from tests.support.faults.samples import (
    interview_events,
    many,
    paths_in,
    rebuilt,
    sample_index,
    state_bytes,
    write,
)

GONE = "deadbeef"
NUMBER = b"4711.25"


def full_folder(tmp_path: Path) -> StatePaths:
    """A folder with the interview in every kind of file: log, torn lines, temporary files, set-aside states."""
    where = paths_in(tmp_path / "full")
    write(
        where,
        [*many(3), interview_events(GONE, {"fever": "yes", "ping": 4711.25}, "cold"), *many(2, first=9)],
    )
    state_bytes(where)
    where.torn.write_bytes(
        b'{"seq":3,"event":"answered","interview":"%s","answer":%s\n{"seq":4,"event":"asked"\n'
        % (GONE.encode(), NUMBER)
    )
    (where.folder / f".{where.log.name}.0123456789ab.tmp").write_bytes(where.log.read_bytes())
    (where.folder / f".{where.state.name}.0123456789ab.tmp").write_bytes(where.state.read_bytes())
    (where.folder / f"{where.state.name}.set-aside-1").write_bytes(where.state.read_bytes())
    (where.folder / f".{where.stem}.{GONE}.open").write_bytes(b"")
    (where.folder / "call-summary.txt").write_bytes(b"Ping: %s" % NUMBER)
    return where


def traces(where: StatePaths) -> list[str]:
    """All files with a part of the interview; the id that says in the log that it was forgotten is none.

    A power cut can leave the log under its temporary name too: both are names of one file.
    """
    found = []
    log = where.log.read_bytes()
    for path in where.folder.iterdir():
        data = path.read_bytes()
        tombstone = b'"event":"forgotten","interview":"%s"' % GONE.encode()
        ids = data.count(GONE.encode()) - (data.count(tombstone) if data == log else 0)
        if ids or NUMBER in data or GONE in path.name:
            found.append(path.name)
    return sorted(found)


def test_nothing_is_left_in_any_file(tmp_path: Path) -> None:
    where = full_folder(tmp_path)
    assert len(traces(where)) == 5
    forget(where, [GONE], sample_index())
    assert traces(where) == []
    assert not list(where.folder.glob("*set-aside*"))
    assert not list(where.folder.glob(".*.tmp"))
    assert where.torn.read_bytes() == b'{"seq":4,"event":"asked"\n'
    assert list(find_problems(where.log)) == []


@pytest.mark.parametrize("fault", KILLS)
@pytest.mark.parametrize("kind", ["write", "fsync", "replace", "unlink"])
def test_killed_at_any_step_it_is_done_or_not_done_and_can_be_repeated(
    tmp_path: Path, kind: str, fault: str
) -> None:
    whole = full_folder(tmp_path)
    never = paths_in(tmp_path / "never")
    write(never, [*many(3), *many(2, first=9)])
    expected, before = state_bytes(never), state_bytes(whole)
    when, killed = 0, True
    while killed:
        when += 1
        where = StatePaths(tmp_path / f"{when}", whole.stem)
        shutil.copytree(whole.folder, where.folder)

        def work(_: object, where: StatePaths = where, when: int = when) -> None:
            with in_place(FaultyDisk(kind, when, fault)):
                forget(where, [GONE], sample_index())

        _, killed = Child(work).outcome()
        if read_forgotten_ids(where):
            assert traces(where) == []
            assert state_bytes(where) == expected
        else:
            assert where.log.read_bytes() == whole.log.read_bytes()
            assert state_bytes(where) == before
        forget(where, [GONE], sample_index())
        assert traces(where) == []
        assert not list(where.folder.glob(".*.tmp"))
        assert where.state.read_bytes() == expected
        assert list(find_problems(where.log)) == []
    assert when > 2


def test_what_was_written_while_the_copy_was_made_is_kept(tmp_path: Path) -> None:
    where, never = full_folder(tmp_path), paths_in(tmp_path / "never")
    write(never, [*many(3), *many(2, first=9), *many(4, first=20)])
    prepared = prepare(where, [GONE])
    write(where, many(4, first=20))
    forget(where, [GONE], sample_index(), prepared)
    assert where.state.read_bytes() == state_bytes(never)
    assert traces(where) == []
    assert list(find_problems(where.log)) == []


def test_a_copy_of_a_log_that_was_replaced_meanwhile_is_not_used(tmp_path: Path) -> None:
    where, never = full_folder(tmp_path), paths_in(tmp_path / "never")
    write(never, [*many(3), *many(1, first=9)])
    prepared = prepare(where, [GONE])
    forget(where, [many(2, first=9)[1][0].interview])
    forget(where, [GONE], sample_index(), prepared)
    assert where.state.read_bytes() == state_bytes(never)
    assert not list(where.folder.glob(".*.tmp"))


def test_a_copy_of_a_log_in_whose_place_another_one_was_put_is_not_used(tmp_path: Path) -> None:
    where, never, other = full_folder(tmp_path), paths_in(tmp_path / "never"), paths_in(tmp_path / "other")
    write(never, many(5, first=30))
    write(other, [*many(5, first=30), interview_events(GONE, {"fever": "yes", "ping": 4711.25}, "cold")])
    prepared = prepare(where, [GONE])
    shutil.copy(other.log, where.log)
    assert prepared.log.path.exists()
    forget(where, [GONE], sample_index(), prepared)
    assert where.state.read_bytes() == state_bytes(never)
    assert traces(where) == []


def test_a_copy_that_somebody_removed_is_made_again(tmp_path: Path) -> None:
    where = full_folder(tmp_path)
    prepared = prepare(where, [GONE])
    prepared.log.path.unlink()
    forget(where, [GONE], sample_index(), prepared)
    assert traces(where) == []
    assert list(find_problems(where.log)) == []


def test_the_lock_is_not_held_while_the_log_is_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = full_folder(tmp_path)
    prepared = prepare(where, [GONE])
    read: list[int] = []

    def counted(self: object, line: bytes) -> bool:
        read.append(len(line))
        return True

    monkeypatch.setattr("odm_tui.store.forget_interview._Rewrite._is_wanted", counted)
    forget(where, [GONE], None, prepared)
    assert read == []


def test_the_space_of_the_old_log_and_index_is_freed_after_the_lock_is_given_back(tmp_path: Path) -> None:
    where = full_folder(tmp_path)
    where.index.write_bytes(b"an index")
    old = {where.log.stat().st_ino, where.index.stat().st_ino}
    at_release: set[int] = set()

    @contextmanager
    def held() -> Iterator[None]:
        yield
        at_release.update(removed_but_open())

    with holding_copy(where, [GONE], held) as prepared:
        forget(where, [GONE], prepared=prepared)
    assert old <= at_release
    assert not old & removed_but_open()


def removed_but_open() -> set[int]:
    """The inodes of files that this process has open and that have no name any more."""
    found = set()
    for path in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            status = os.fstat(int(path.name))
            if status.st_nlink == 0:
                found.add(status.st_ino)
    return found


def test_the_id_of_a_forgotten_interview_in_the_text_of_another_takes_nothing_away(tmp_path: Path) -> None:
    where = paths_in(tmp_path)
    other = interview_events("aaaaaaaa", {"colour": "red"}, "cold")
    log = Log(where)
    log.append(interview_events(GONE, {"fever": "yes"}, "cold"))
    assert isinstance(other[0], Started)
    log.append([replace(other[0], operator=GONE)])
    log.close()
    forget(where, [GONE])
    assert b'"event":"started","interview":"aaaaaaaa"' in where.log.read_bytes()


def test_a_copy_in_the_making_is_not_swept_by_others_and_a_leftover_is(tmp_path: Path) -> None:
    where = full_folder(tmp_path)
    prepared = prepare(where, [GONE], sample_index())
    leftover = where.folder / f".{where.log.name}.0123456789ab.tmp"
    assert leftover.exists()
    write(where, many(1, first=21))
    update_state(where, sample_index())
    assert not leftover.exists()
    assert prepared.log.path.exists()
    inode = prepared.log.path.stat().st_ino
    forget(where, [GONE], sample_index(), prepared)
    assert where.log.stat().st_ino == inode
    assert traces(where) == []
    assert where.state.read_bytes() == rebuilt(where)


def test_others_who_sweep_at_any_moment_leave_the_copy_and_its_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = full_folder(tmp_path)
    monkeypatch.setattr(opening, "LONGEST_TAIL", 0)
    closed = os.close

    def close_and_sweep(descriptor: int) -> None:
        closed(descriptor)
        monkeypatch.setattr(os, "close", closed)
        for path in (where.log, where.index):
            files.remove_leftovers(path)
        monkeypatch.setattr(os, "close", close_and_sweep)

    monkeypatch.setattr(os, "close", close_and_sweep)
    prepared = prepare(where, [GONE], sample_index())
    os.close(os.open(tmp_path, os.O_RDONLY))
    assert len(prepared.temporary) == 2
    assert all(file.path.exists() for file in prepared.temporary)
    monkeypatch.setattr(os, "close", closed)
    discard(prepared)
    assert not any(file.path.exists() for file in prepared.temporary)


def test_under_the_lock_only_what_was_added_meanwhile_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = full_folder(tmp_path)
    prepared = prepare(where, [GONE], sample_index())
    write(where, many(2, first=20))
    decoded: list[bytes] = []

    def counted(line: bytes, source: str) -> tuple[int, Event]:
        decoded.append(line)
        return decode_event(line, source)

    monkeypatch.setattr(builder, "decode_event", counted)
    forget(where, [GONE], sample_index(), prepared)
    monkeypatch.undo()
    assert 0 < len(decoded) < 40
    assert where.state.read_bytes() == rebuilt(where)
    assert list(find_problems(where.log)) == []
