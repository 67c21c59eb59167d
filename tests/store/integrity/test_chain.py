"""Lines are chained, old logs go on, and a log that was cut, replaced or edited is noticed at the next start."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import pytest

from odm_tui.store.events import Event
from odm_tui.store.integrity import chain
from odm_tui.store.integrity.chain import (
    digest_before,
    digest_line,
    identify,
    previous_digest,
    read_between,
)
from odm_tui.store.integrity.log_check import find_problems
from odm_tui.store.integrity.log_end import find_lost_end, is_untouched, read_end
from odm_tui.store.log import read_lines, read_log, valid_entries
from odm_tui.store.log_codec import decode_event, encode_event, seal_line
from odm_tui.store.paths import StatePaths
from odm_tui.store.state_update import read_snapshot, update_state
from tests.support.faults.samples import many, paths_in, rebuilt, sample_index, state_bytes, write


def lines_of(where: StatePaths) -> list[bytes]:
    return where.log.read_bytes().split(b"\n")[:-1]


def written(tmp_path: Path, count: int = 6) -> StatePaths:
    where = paths_in(tmp_path / "state")
    write(where, many(count))
    state_bytes(where)
    return where


def notices_at_start(where: StatePaths) -> list[str]:
    return list(update_state(where, sample_index()).notices)


def test_each_line_has_the_digest_of_the_one_before(tmp_path: Path) -> None:
    lines = lines_of(written(tmp_path))
    assert previous_digest(lines[0]) is None
    assert [previous_digest(line) for line in lines[1:]] == [digest_line(line) for line in lines[:-1]]


def test_a_check_says_which_line_is_unfinished(tmp_path: Path) -> None:
    where = written(tmp_path)
    count = len(lines_of(where))
    with where.log.open("ab") as file:
        file.write(b'{"event":"answ')
    assert list(find_problems(where.log)) == [f"{where.log}, line {count + 1} is unfinished."]


def test_the_identity_of_an_event_does_not_depend_on_its_log(tmp_path: Path) -> None:
    here, there = paths_in(tmp_path / "a"), paths_in(tmp_path / "b")
    write(here, many(3))
    write(there, many(3)[::-1])

    def identities(where: StatePaths) -> set[str]:
        return {identify(entry.event) for entry in valid_entries(read_log(where.log))}

    assert identities(here) == identities(there)
    assert len(identities(here)) == sum(len(events) for events in many(3))


def old_log(where: StatePaths, interviews: list[list[Event]]) -> None:
    events = [event for interview in interviews for event in interview]
    where.log.write_bytes(b"".join(encode_event(event, seq) for seq, event in enumerate(events, 1)))


def test_a_log_without_a_chain_is_read_and_continued(tmp_path: Path) -> None:
    old, new = paths_in(tmp_path / "old"), paths_in(tmp_path / "new")
    old_log(old, many(3))
    write(new, many(6))
    assert list(find_problems(old.log)) == []
    write(old, many(3, first=3))
    assert list(find_problems(old.log)) == []
    assert rebuilt(old) == rebuilt(new)
    first_new = lines_of(old)[sum(len(events) for events in many(3))]
    assert previous_digest(first_new) is not None


@pytest.mark.parametrize("size", [10, 4095, 4096, 4097, 300_000])
def test_the_line_before_an_offset_is_found_however_long_it_is(tmp_path: Path, size: int) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"first\n" + b"x" * size + b"\nlast\n")
    with path.open("rb") as file:
        assert digest_before(file.fileno(), 7 + size) == digest_line(b"x" * size)
        assert digest_before(file.fileno(), 12 + size) == digest_line(b"last")
        assert digest_before(file.fileno(), 6) == digest_line(b"first")
        assert digest_before(file.fileno(), 3) == ""
        assert digest_before(file.fileno(), 13 + size) == ""


def test_a_read_that_gives_less_than_was_asked_for_goes_on_where_it_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, whole = tmp_path / "file", os.read
    path.write_bytes(b"0123456789abcdef")
    monkeypatch.setattr(os, "read", lambda descriptor, count: whole(descriptor, min(count, 3)))
    with path.open("rb") as file:
        assert read_between(file.fileno(), 2, 10) == b"23456789"
        assert read_between(file.fileno(), 12, 20) == b"cdef"


@pytest.mark.parametrize("chunks", [1, 2])
@pytest.mark.parametrize("more", [-1, 0, 1])
def test_the_first_line_is_found_however_it_ends_beside_the_chunks_that_are_read(
    tmp_path: Path, chunks: int, more: int
) -> None:
    path, line = tmp_path / "log", b"x" * (chunks * chain._CHUNK + more - 1)
    path.write_bytes(line + b"\n")
    with path.open("rb") as file:
        assert digest_before(file.fileno(), len(line) + 1) == digest_line(line)


def test_lines_that_were_removed_and_numbered_anew_are_noticed(tmp_path: Path) -> None:
    where = written(tmp_path)
    kept = lines_of(where)
    del kept[7:9]
    anew = []
    for seq, line in enumerate(kept, 1):
        _, event = decode_event(line, "")
        body = encode_event(event, seq)[:-1]
        anew.append(
            seal_line(body[body.index(b",") + 1 : body.rindex(b',"crc"')], seq, previous_digest(line) or "")
        )
    where.log.write_bytes(b"".join(anew))
    assert [problem for problem in find_problems(where.log) if "line 8 does not follow" in problem]


@pytest.mark.parametrize("seed", range(60))
def test_a_flipped_byte_before_the_saved_position_is_noticed_at_start(tmp_path: Path, seed: int) -> None:
    where = written(tmp_path)
    assert notices_at_start(where) == []
    data = bytearray(where.log.read_bytes())
    place = random.Random(seed).randrange(len(data))
    data[place] ^= 1 << (seed % 8)
    where.log.write_bytes(bytes(data))
    assert notices_at_start(where)
    assert state_bytes(where) == rebuilt(where)


def test_a_flip_is_noticed_although_somebody_appended_after_it(tmp_path: Path) -> None:
    where = written(tmp_path)
    data = bytearray(where.log.read_bytes())
    data[300] ^= 1
    where.log.write_bytes(bytes(data))
    write(where, many(1, first=40))
    assert not is_untouched(where)
    assert notices_at_start(where)


@pytest.mark.parametrize("cut", [1, 2, 5, 20])
def test_a_removed_tail_is_noticed_at_start_and_said_once(tmp_path: Path, cut: int) -> None:
    where = written(tmp_path)
    write(where, [events[:3] for events in many(2, first=20)])  # not in the state: nothing was confirmed
    where.log.write_bytes(b"".join(line + b"\n" for line in lines_of(where)[:-cut]))
    assert "was cut" in find_lost_end(where)
    assert any("was cut" in notice for notice in notices_at_start(where))
    assert notices_at_start(where) == []


def test_a_tail_that_was_replaced_is_noticed_at_start(tmp_path: Path) -> None:
    where = written(tmp_path)
    older = tmp_path / "older"
    shutil.copytree(where.folder, older)
    write(where, many(2, first=10))
    write(StatePaths(older, where.stem), many(4, first=20))
    shutil.copyfile(older / where.log.name, where.log)
    assert any("replaced or edited" in notice for notice in notices_at_start(where))


def test_a_removed_log_is_noticed(tmp_path: Path) -> None:
    where = written(tmp_path)
    where.log.unlink()
    assert any("was removed" in notice for notice in notices_at_start(where))


def test_a_log_that_nobody_touched_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    where = written(tmp_path)
    write(where, [many(1, first=30)[0][:4]])
    assert is_untouched(where)

    def never(*_: object) -> int:
        raise AssertionError("the whole log was read")

    monkeypatch.setattr("odm_tui.store.log.add_checksum", never)
    assert read_snapshot(where, sample_index()).notices == ()


@pytest.mark.parametrize("damage", [b"", b"{", b"\0" * 160, b"x" * 400], ids=range(4))
def test_a_damaged_note_about_the_end_says_nothing(tmp_path: Path, damage: bytes) -> None:
    where = written(tmp_path)
    where.end.write_bytes(damage)
    assert read_end(where) is None
    assert notices_at_start(where) == []
    assert is_untouched(where)
    assert len(list(read_lines(where.log))) == read_end(where).lines  # type: ignore[union-attr]
