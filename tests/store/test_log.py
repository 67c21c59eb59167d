"""The log keeps every acknowledged event, whatever was cut off, damaged or refused."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from odm_tui.errors import CannotWrite, Locked
from odm_tui.store.events import Event
from odm_tui.store.integrity.log_check import find_problems
from odm_tui.store.log import Damage, Entry, read_log, valid_entries
from odm_tui.store.log_codec import LONGEST_LINE
from odm_tui.store.log_writer import Log
from tests.support.faults.disk import FaultyDisk, in_place
from tests.support.faults.report import Table
from tests.support.faults.samples import interview_events, many, paths_in, write


def events_in(path: Path) -> list[Event]:
    return [entry.event for entry in valid_entries(read_log(path))]


def test_what_was_appended_is_read_back_in_order_and_numbered(tmp_path: Path) -> None:
    where = paths_in(tmp_path)
    interviews = many(3)
    write(where, interviews)
    found = list(read_log(where.log))
    assert [e.event for e in valid_entries(found)] == [event for events in interviews for event in events]
    assert [e.seq for e in valid_entries(found)] == list(range(1, len(found) + 1))
    assert list(find_problems(where.log)) == []


@pytest.mark.parametrize(
    "answers",
    [{"colour": "red"}, pytest.param({"fever": "no", "ping": 4, "colour": "red"}, marks=pytest.mark.soak)],
)
def test_a_log_cut_at_any_byte_gives_the_exact_prefix_and_takes_the_next_append(
    tmp_path: Path, answers: dict[str, str | float], table: Table
) -> None:
    where = paths_in(tmp_path)
    write(where, [interview_events("aaaaaaaa", answers, "cold")])
    whole = where.log.read_bytes()
    events = events_in(where.log)
    extra = interview_events("ffffffff", {"fever": "yes"}, "flu")
    for cut in range(len(whole) + 1):
        where.log.write_bytes(whole[:cut])
        where.torn.unlink(missing_ok=True)
        complete = whole[:cut].count(b"\n")
        assert events_in(where.log) == events[:complete]
        write(where, [extra])
        assert events_in(where.log) == events[:complete] + extra
        assert list(find_problems(where.log)) == []
        tail = whole[:cut].rpartition(b"\n")[2]
        assert (where.torn.read_bytes() if tail else b"\n") == tail + b"\n"
    table.row("log cut at every byte", len(whole) + 1, 0)


def test_a_tail_without_its_newline_is_not_a_record_even_if_it_could_be_read(tmp_path: Path) -> None:
    where = paths_in(tmp_path)
    write(where, many(1))
    where.log.write_bytes(where.log.read_bytes()[:-1])
    last = list(read_log(where.log))[-1]
    assert isinstance(last, Damage)
    assert last.torn


def test_a_damaged_line_is_reported_with_its_place_and_the_rest_is_used(tmp_path: Path) -> None:
    where = paths_in(tmp_path)
    write(where, many(1))
    lines = where.log.read_bytes().split(b"\n")
    lines[1] = lines[1].replace(b"asked", b"axked")
    where.log.write_bytes(b"\n".join(lines))
    found = list(read_log(where.log))
    assert [type(entry) for entry in found].count(Damage) == 1
    assert isinstance(found[1], Damage)
    assert f"{where.log}, line 2" in found[1].reason
    assert isinstance(found[2], Entry)


def test_a_removed_line_is_noticed(tmp_path: Path) -> None:
    where = paths_in(tmp_path)
    write(where, many(1))
    lines = where.log.read_bytes().split(b"\n")
    where.log.write_bytes(b"\n".join(lines[:1] + lines[2:]))
    assert "sequence number" in next(find_problems(where.log))


def test_an_endless_line_is_damage_and_does_not_fill_the_memory(tmp_path: Path) -> None:
    where = paths_in(tmp_path)
    write(where, many(1))
    good = where.log.read_bytes()
    where.log.write_bytes(b"x" * (3 * LONGEST_LINE) + b"\n" + good)
    found = list(read_log(where.log))
    assert isinstance(found[0], Damage)
    assert [e.event for e in valid_entries(found)] == many(1)[0]


def test_two_writers_continue_the_same_numbers(tmp_path: Path) -> None:
    where = paths_in(tmp_path)
    one, other = Log(where), Log(where)
    for k, events in enumerate(many(6)):
        (one if k % 2 else other).append(events)
    one.close()
    other.close()
    assert list(find_problems(where.log)) == []


@pytest.mark.parametrize("kind", ["write", "fsync"])
@pytest.mark.parametrize("fault", [errno.ENOSPC, errno.EIO, "short"])
@pytest.mark.parametrize("no_truncate", [False, True])
def test_a_refused_append_is_not_there_and_can_be_tried_again(
    tmp_path: Path, kind: str, fault: int | str, no_truncate: bool
) -> None:
    where = paths_in(tmp_path)
    first, second, third = many(3)
    log = Log(where)
    log.append(first)

    class Broken(FaultyDisk):
        def truncate(self, descriptor: int, size: int) -> None:
            if no_truncate:
                raise OSError(errno.EIO, "the disk does not even cut")
            super().truncate(descriptor, size)

    with in_place(Broken(kind, 1, fault)), pytest.raises(CannotWrite):
        log.append(second, following=second[:1])
    log.append(third, following=third[:1])
    log.close()
    assert events_in(where.log) == first + third
    assert list(find_problems(where.log)) == []


def test_an_interview_that_another_process_continued_is_not_continued_here(tmp_path: Path) -> None:
    where = paths_in(tmp_path)
    events = interview_events("aaaaaaaa", {"fever": "yes", "ping": 3}, "flu")
    mine, theirs = Log(where), Log(where)
    mine.append(events[:3])
    theirs.append(events[3:5])
    with pytest.raises(Locked, match="another process"):
        mine.append(events[3:4], following=events[:3])
    mine.append(many(1)[0], following=many(1)[0][:1])
    mine.close()
    theirs.close()
    assert events_in(where.log) == events[:5] + many(1)[0]


def test_a_log_that_was_replaced_is_opened_again(tmp_path: Path) -> None:
    where = paths_in(tmp_path)
    log = Log(where)
    first, second, third = many(3)
    log.append(first)
    other = paths_in(tmp_path / "other")
    write(other, [second])
    other.log.replace(where.log)
    log.append(third)
    log.close()
    assert events_in(where.log) == second + third
    assert list(find_problems(where.log)) == []


def test_a_missing_log_is_an_empty_one(tmp_path: Path) -> None:
    assert list(read_log(paths_in(tmp_path).log)) == []
