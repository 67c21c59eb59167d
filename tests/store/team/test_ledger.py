"""The index of a log for the sync: which interviews it has and has forgotten, at a cost that does not grow with the log."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from odm_tui.errors import BadData, CannotWrite, Locked
from odm_tui.store.events import Forgotten
from odm_tui.store.log import Position
from odm_tui.store.log_codec import encode_body
from odm_tui.store.log_writer import Log
from odm_tui.store.paths import StatePaths
from odm_tui.store.team import sync
from odm_tui.store.team.digest import digest_body
from odm_tui.store.team.ledger import NOT_ALLOWED, Ledger, LedgerLine, opened_ledger
from odm_tui.store.team.log_order import LogOrder
from odm_tui.store.team.membership import Intent, Membership, read_taken_ranges, write_membership
from odm_tui.store.team.sync import BankSync
from tests.support.faults.samples import many, paths_in, write

GONE = "feedbeef"


def filled(folder: Path, interviews: int) -> StatePaths:
    """A log with some interviews, and one that was forgotten."""
    paths = paths_in(folder)
    write(paths, many(interviews))
    with contextlib.closing(Log(paths)) as log:
        log.append([Forgotten(interview=GONE)])
    return paths


@contextlib.contextmanager
def counted(database: sqlite3.Connection) -> Iterator[list[int]]:
    """Count the instructions that SQLite needs inside the ``with`` block."""
    steps: list[int] = []
    database.set_progress_handler(lambda: steps.append(1), 1)
    yield steps
    database.set_progress_handler(None, 1)


def count_steps(ledger: Ledger, names: list[str]) -> int:
    """How many instructions SQLite needs to say which of these interviews were forgotten."""
    with counted(ledger._database) as steps:
        assert ledger.forgotten_among(names) == {GONE}
    return len(steps)


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


def test_no_statement_of_a_pass_or_a_page_reads_the_whole_index(tmp_path: Path) -> None:
    def count(ledger: Ledger) -> list[int]:
        found = []
        for ask in (
            ledger.count_refused,
            ledger.count_unsent,
            lambda: ledger.present_among([GONE, "00000001"]),
            lambda: ledger.retry_refused(NOT_ALLOWED),
        ):
            with counted(ledger._database) as steps:
                ask()
            found.append(len(steps))
        return found

    costs = []
    for interviews in (50, 1_000):
        with opened(filled(tmp_path / str(interviews), interviews)) as ledger:
            all_lines = [line.digest for line in ledger.unsent(100_000)]
            ledger.note_heads((digest, n, "0" * 16) for n, digest in enumerate(all_lines, 1))
            costs.append(count(ledger))
    assert all(many < few + 100 for few, many in zip(*costs, strict=True)), costs


def test_what_an_interview_did_not_know_is_found_without_reading_the_whole_index(tmp_path: Path) -> None:
    costs = []
    for interviews in (50, 1_000):
        paths = filled(tmp_path / str(interviews), interviews)
        with opened(paths) as ledger:
            all_lines = [line.digest for line in ledger.unsent(100_000)]
            ledger.note_heads((digest, n, "0" * 16) for n, digest in enumerate(all_lines, 1))
            last = len(all_lines)
        order = LogOrder(paths.log, paths.ledger, "1" * 16)
        with counted(order._database) as steps:
            assert list(order._unknown_lines(last - 1, last, "2" * 16, paths.log.stat().st_size)) == []
        order.close()
        costs.append(len(steps))
    assert costs[1] < costs[0] + 100, costs


def test_a_loss_is_remembered_until_it_is_looked_for(tmp_path: Path) -> None:
    paths = filled(tmp_path, 3)
    older = b"".join(paths.log.read_bytes().splitlines(keepends=True)[:5])
    with opened(paths) as ledger:
        paths.log.write_bytes(older)
        with contextlib.closing(Log(paths)) as log:
            ledger.read_log(log.end())
    with contextlib.closing(Ledger(paths)) as again:
        assert again.has_lost
        again.note_search()
        assert not again.has_lost


def test_an_index_that_another_process_has_locked_is_not_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = filled(tmp_path, 3)
    connect = sqlite3.connect
    with opened(paths) as ledger:
        lines = ledger.count_unsent()
        ledger._database.execute("DROP INDEX forgotten")  # as an older odm-tui wrote it
        ledger._database.commit()
        ledger._database.execute("BEGIN IMMEDIATE")
        monkeypatch.setattr(sqlite3, "connect", lambda path, timeout: connect(path, timeout=0.05))
        with pytest.raises(Locked), opened_ledger(paths):
            pass
        ledger._database.rollback()
    with contextlib.closing(Ledger(paths)) as again:
        assert again.count_unsent() == lines


def test_after_a_crash_lines_of_this_folder_do_not_count_as_taken_in(tmp_path: Path) -> None:
    paths = paths_in(tmp_path)
    ours, theirs = many(2)
    with contextlib.closing(Log(paths)) as first, contextlib.closing(Log(paths)) as second:
        first.append(ours[:3])
        rows = tuple((digest_body(encode_body(event)).hex(), n) for n, event in enumerate(theirs, 1))
        intent = Intent(second.end().bytes, len(rows), rows)
        write_membership(paths, Membership("s", "sample", "0" * 16, 0, intent))
        end = second.append(theirs)  # and then the syncing process is killed
        second.append([ours[3]])  # another process goes on with the interview
        assert read_taken_ranges(paths) == ((intent.start, end.bytes),)
        with pytest.raises(Locked):
            first.append([ours[4]], following=ours[:3])


def test_what_was_taken_in_at_once_is_one_part_of_the_log_and_our_own_lines_part_it(tmp_path: Path) -> None:
    paths, found = paths_in(tmp_path), Membership("s", "sample", "0" * 16)
    parts = []
    with contextlib.closing(Log(paths)) as log:
        for theirs, ours in zip(many(3), [None, *many(1, first=3), None], strict=True):
            rows = tuple((digest_body(encode_body(event)).hex(), n) for n, event in enumerate(theirs, 1))
            start = log.end().bytes
            parts.append((start, log.append(theirs).bytes))
            found = replace(found, intent=Intent(start, len(rows), rows)).settle(paths)
            if ours:
                log.append(ours)
    # the second follows the first at once; our own interview stands before the third
    assert found.taken == ((parts[0][0], parts[1][1]), parts[2])


@pytest.mark.parametrize(("fit", "more", "events"), [(0, 0, 1), (2, 0, 2), (2, -1, 1), (7, 0, 7)])
def test_a_batch_ends_before_it_grows_too_large_and_has_one_event_at_least(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fit: int, more: int, events: int
) -> None:
    paths, (written,) = paths_in(tmp_path), many(1)
    write(paths, [written])
    most = sum(len(encode_body(event)) for event in written[:fit]) + more
    monkeypatch.setattr(sync, "_LARGEST_BATCH", most)
    with opened(paths) as ledger, contextlib.closing(BankSync(paths, "sample")) as one:
        sent = [body for _, body in one._bodies(ledger.unsent(100))]
    assert sent == [encode_body(event) for event in written[:events]]


def fill(paths: StatePaths, end: Position) -> None:
    """Read a log into an index that has no room."""
    with opened_ledger(paths) as ledger:
        ledger._database.execute("PRAGMA max_page_count = 1")
        ledger.read_log(end)


def note_all(paths: StatePaths, lines: list[LedgerLine]) -> None:
    """Note in the index that the store has all these lines."""
    with opened_ledger(paths) as ledger:
        ledger.note_heads((line.digest, 1, "0" * 16) for line in lines)


def test_a_full_disk_is_named_and_a_damaged_index_is_built_again(tmp_path: Path) -> None:
    paths = filled(tmp_path, 300)
    with contextlib.closing(Log(paths)) as log:
        end = log.end()
    with pytest.raises(CannotWrite, match="full"):
        fill(paths, end)
    with opened(paths) as ledger:
        lines = ledger.unsent(10_000)
    data = bytearray(paths.ledger.read_bytes())
    root = data.rindex(lines[5].digest)  # a page that opening the file does not read
    data[root // 4096 * 4096 : root // 4096 * 4096 + 4096] = b"\xff" * 4096
    paths.ledger.write_bytes(data)
    with pytest.raises(BadData, match="built again"):
        note_all(paths, lines)
    with opened_ledger(paths) as ledger:
        ledger.read_log(end)
        assert ledger.unsent(10_000) == lines
