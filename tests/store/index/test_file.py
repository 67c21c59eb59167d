"""The file of the index: whatever happens to it, lists are right, and it is built again."""

from __future__ import annotations

import errno
import os
import random
import shutil
import sqlite3
import stat
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from odm_tui.store.forget_interview import forget
from odm_tui.store.index import database, opening
from odm_tui.store.index.builder import IndexBuilder
from odm_tui.store.index.database import BadIndexError, IndexDatabase
from odm_tui.store.index.opening import count_and_index, open_index
from odm_tui.store.locking import Lock
from odm_tui.store.log import START
from odm_tui.store.log_codec import LONGEST_LINE
from odm_tui.store.log_file import LogFile
from odm_tui.store.paths import StatePaths
from odm_tui.store.state_update import update_state
from tests.store.index.histories import random_events
from tests.store.index.literal import literal_counts, literal_summaries, says_what_the_log_says
from tests.support.faults.disk import FaultyDisk, in_place
from tests.support.faults.power import cut_everywhere
from tests.support.faults.processes import Child, Tell
from tests.support.faults.report import Table
from tests.support.faults.samples import many, paths_in, sample_index, write


@pytest.fixture
def where(tmp_path: Path) -> StatePaths:
    """A folder with a log and its index."""
    paths = paths_in(tmp_path / "s")
    write(paths, [random_events(random.Random(5), 120)])
    update_state(paths, sample_index())
    with open_index(paths, sample_index()):
        pass
    assert paths.index.exists()
    return paths


def inode(path: Path) -> int:
    return path.stat().st_ino


def test_an_index_that_fits_is_used_as_it_is(where: StatePaths) -> None:
    before = inode(where.index)
    assert says_what_the_log_says(where)
    assert inode(where.index) == before


def test_a_short_log_needs_no_index(tmp_path: Path) -> None:
    paths = paths_in(tmp_path / "short")
    write(paths, many(2))
    assert says_what_the_log_says(paths)
    assert not paths.index.exists()


def test_without_the_index_nothing_is_lost(where: StatePaths) -> None:
    where.index.unlink()
    assert says_what_the_log_says(where)
    assert where.index.exists()


def test_an_index_is_not_saved_if_the_caller_does_not_want_it(where: StatePaths) -> None:
    where.index.unlink()
    with open_index(where, sample_index(), saves=False):
        pass
    assert not where.index.exists()


def test_without_the_bank_an_index_is_not_extended_on_disk(
    where: StatePaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would have no counts."""
    monkeypatch.setattr(opening, "LONGEST_TAIL", 0)
    monkeypatch.setattr(opening, "_TAIL_SHARE", 10**9)
    before = where.index.read_bytes()
    write(where, many(3, first=100))
    with open_index(where, None) as index:
        assert list(index.latest()) != []
    assert where.index.read_bytes() == before


def flipped(good: bytes, dice: random.Random) -> bytes:
    at = dice.randrange(len(good))
    return good[:at] + bytes([good[at] ^ (1 << dice.randrange(8))]) + good[at + 1 :]


@pytest.mark.parametrize("keeps_time", [False, True])
def test_one_flipped_bit_is_noticed(where: StatePaths, keeps_time: bool) -> None:
    good, times, dice = where.index.read_bytes(), where.index.stat(), random.Random(7)
    for _ in range(60):
        where.index.write_bytes(flipped(good, dice))
        if keeps_time:
            os.utime(where.index, ns=(times.st_atime_ns, times.st_mtime_ns))
        assert says_what_the_log_says(where)


def test_one_bit_that_rots_in_a_large_index_never_shows_a_wrong_value(
    where: StatePaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "_ALWAYS_CHECKED", 0)
    good, times, dice = where.index.read_bytes(), where.index.stat(), random.Random(8)
    literal, bank = literal_summaries(where), sample_index()
    with open_index(where, bank) as index:
        offsets = [place.spans[0] for place in map(index.place, literal) if place is not None]
    expected = {offset: literal_counts(where, bank, offset) for offset in offsets}
    noticed = 0
    for _ in range(120):
        where.index.write_bytes(flipped(good, dice))
        os.utime(where.index, ns=(times.st_atime_ns, times.st_mtime_ns))
        try:
            with open_index(where, bank, saves=False) as index:
                for _, row in index.latest():
                    assert row == literal[row.interview]
                    place = index.place(row.interview)
                    if place is not None:
                        counted = index.counts_before(index.find_start(row.interview), bank)
                        assert counted == expected[place.spans[0]]
        except BadIndexError:
            noticed += 1  # callers build it again
    assert noticed > 12


@pytest.mark.parametrize("beyond", [0, 1])
def test_only_an_index_of_more_than_4_mb_is_trusted_by_its_time(
    where: StatePaths, monkeypatch: pytest.MonkeyPatch, beyond: int
) -> None:
    good, times = bytearray(where.index.read_bytes()), where.index.stat()
    end = len(good) - database._TRAILER_LENGTH
    good[end - 1] ^= 1
    where.index.write_bytes(good)
    os.utime(where.index, ns=(times.st_atime_ns, times.st_mtime_ns))
    monkeypatch.setattr(database, "_ALWAYS_CHECKED", end - beyond)
    if beyond:
        found = IndexDatabase.load(where.index)
        assert found is not None
        found.close()
    else:
        with pytest.raises(BadIndexError, match="damaged"):
            IndexDatabase.load(where.index)


def test_the_time_of_an_index_is_that_of_writing_in_steps_that_every_file_system_has(
    where: StatePaths,
) -> None:
    written, now = where.index.stat().st_mtime_ns, time.time_ns()
    assert written % (2 * 10**9) == 0
    assert 0 <= now - written < 600 * 10**9


def test_a_flipped_bit_with_another_time_makes_the_file_useless(where: StatePaths) -> None:
    good = where.index.read_bytes()
    for at in random.Random(3).sample(range(len(good)), 60):
        where.index.write_bytes(good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :])
        with pytest.raises(BadIndexError):
            IndexDatabase.load(where.index)


def test_a_copy_with_another_time_is_checked_and_used(where: StatePaths, tmp_path: Path) -> None:
    copy = StatePaths(tmp_path / "copy", where.stem)
    shutil.copytree(where.folder, copy.folder, copy_function=shutil.copyfile)
    os.utime(copy.index, (1, 1))
    before = inode(copy.index)
    assert says_what_the_log_says(copy)
    assert inode(copy.index) == before


@pytest.mark.parametrize(
    "content", [b"", b"SQLite format 3\0", b"\0" * 5000, b"odm-tui index 00000000 0000000000000000\n"]
)
def test_a_file_that_is_no_index_is_replaced(where: StatePaths, content: bytes) -> None:
    where.index.write_bytes(content)
    assert says_what_the_log_says(where)
    found = IndexDatabase.load(where.index)
    assert found is not None
    found.close()


@pytest.mark.parametrize(
    "planted",
    [
        "CREATE TRIGGER t AFTER INSERT ON interviews BEGIN DELETE FROM interviews; END",
        "CREATE VIEW v AS SELECT 1",
        "DROP TABLE forgotten",
    ],
)
def test_a_planted_index_with_another_schema_is_not_used(where: StatePaths, planted: str) -> None:
    found = IndexDatabase.load(where.index)
    assert found is not None
    copy = sqlite3.connect(":memory:", isolation_level=None)
    found.connection.backup(copy)
    found.close()
    copy.execute(planted)
    written = IndexDatabase(copy).write_beside(where.index)
    written.end_guard()
    written.path.replace(where.index)
    copy.close()
    with pytest.raises(BadIndexError, match="schema"):
        IndexDatabase.load(where.index)
    assert says_what_the_log_says(where)


def test_an_index_of_another_log_is_not_used(where: StatePaths, tmp_path: Path) -> None:
    other = paths_in(tmp_path / "other")
    write(other, [random_events(random.Random(6), 120)])
    shutil.copy2(where.index, other.index)
    assert says_what_the_log_says(other)


def test_a_log_that_was_cut_or_replaced_is_noticed(where: StatePaths) -> None:
    whole = where.log.read_bytes()
    lines = whole.split(b"\n")
    for shorter in (b"\n".join(lines[:-30]) + b"\n", b"\n".join(lines[:40] + lines[60:])):
        where.log.write_bytes(shorter)
        assert says_what_the_log_says(where)
    where.log.unlink()
    assert says_what_the_log_says(where)


def test_one_changed_line_before_the_end_of_the_index_is_noticed(where: StatePaths) -> None:
    whole = where.log.read_bytes()
    first = whole.index(b"\n")
    where.log.write_bytes(b"#" * first + whole[first:])
    assert says_what_the_log_says(where)


def test_a_link_is_neither_read_nor_written(where: StatePaths, tmp_path: Path) -> None:
    target = tmp_path / "private"
    shutil.copy2(where.index, target)
    target.write_bytes(b"private")
    where.index.unlink()
    where.index.symlink_to(target)
    assert says_what_the_log_says(where)
    assert target.read_bytes() == b"private"
    assert where.index.is_symlink()


@pytest.mark.parametrize(("folder", "file"), [(0o700, 0o600), (0o770, 0o660), (0o755, 0o600)])
def test_the_index_is_as_private_as_the_log(where: StatePaths, folder: int, file: int) -> None:
    where.index.unlink()
    where.folder.chmod(folder)
    assert says_what_the_log_says(where)
    assert stat.S_IMODE(where.index.stat().st_mode) == file


@pytest.mark.parametrize("kind", ["write", "fsync", "replace"])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EIO])
def test_on_a_full_or_read_only_disk_lists_are_right_without_it(
    where: StatePaths, kind: str, code: int
) -> None:
    where.index.unlink()
    with in_place(FaultyDisk(kind, 1, code, stays=True)):
        assert says_what_the_log_says(where)
    assert not where.index.exists()
    assert not list(where.folder.glob(".*.tmp"))


@pytest.mark.parametrize("exists", [True, False])
def test_an_error_while_the_log_is_read_is_passed_on_and_leaves_nothing_open(
    where: StatePaths, monkeypatch: pytest.MonkeyPatch, exists: bool
) -> None:
    closed: list[IndexDatabase] = []
    close = IndexDatabase.close

    def note(index: IndexDatabase) -> None:
        closed.append(index)
        close(index)

    if not exists:
        where.index.unlink()
        monkeypatch.setattr(opening, "LONGEST_TAIL", where.log.stat().st_size)
    monkeypatch.setattr(IndexDatabase, "close", note)
    monkeypatch.setattr(IndexBuilder, "read", lambda *_: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        open_index(where, sample_index())
    assert len(closed) == exists


def test_while_another_process_has_the_lock_lists_are_right(where: StatePaths) -> None:
    where.index.unlink()
    lock = Lock(where.lock)
    with lock.held():
        assert says_what_the_log_says(where)
    lock.close()
    assert not where.index.exists()


def test_an_index_that_was_made_while_an_interview_was_forgotten_is_thrown_away(where: StatePaths) -> None:
    where.index.unlink()
    gone = next(iter(literal_summaries(where)))
    made = IndexDatabase.create()
    with LogFile(where.log) as log:
        builder = IndexBuilder(log, made, sample_index(), with_checkpoints=True)
        position = builder.read(START)
        builder.finish()
        made.seal(position, "h1")
        forget(where, [gone], sample_index())
        opening._save(made, where, log)
    made.close()
    assert not where.index.exists()
    assert not list(where.folder.glob(".*.tmp"))


def test_forgetting_leaves_nothing_in_the_index(where: StatePaths) -> None:
    known = literal_summaries(where)
    gone = next(id for id, row in known.items() if row.status == "confirmed")
    assert gone.encode() in where.index.read_bytes()
    forget(where, [gone], sample_index())
    assert says_what_the_log_says(where)
    left = [path.name for path in where.folder.iterdir() if gone.encode() in path.read_bytes()]
    assert left == [where.log.name, where.index.name] or left == [where.index.name, where.log.name]
    with open_index(where, sample_index()) as index:
        assert index.find(gone) is None
        assert gone in index.forgotten_ids()


def test_a_line_of_more_than_a_megabyte_ends_neither_lists_nor_counts(tmp_path: Path) -> None:
    paths = paths_in(tmp_path / "long")
    write(paths, many(30))
    with paths.log.open("ab") as log:
        log.write(b"x" * (3 * LONGEST_LINE) + b"\n" + b"y" * (LONGEST_LINE + 5) + b"\n")
    write(paths, many(30, first=30))
    assert says_what_the_log_says(paths)
    assert len(literal_summaries(paths)) == 60
    assert count_and_index(paths, sample_index()).counts == literal_counts(paths, sample_index())
    assert says_what_the_log_says(paths)


def test_many_processes_read_and_write_at_once(tmp_path: Path, table: Table) -> None:
    where = paths_in(tmp_path / "many")
    write(where, many(20))

    def work(number: int) -> Callable[[Tell], None]:
        def run(tell: Tell) -> None:
            lock = Lock(where.lock, longest_wait=30.0)
            for turn in range(12):
                with lock.held():
                    write(where, many(1, first=100 * number + turn))
                with open_index(where, sample_index()) as index:
                    listed = index.in_order()
                    mine = [row for row in listed if row.interview.startswith(f"{number * 100 + turn:08x}")]
                    counted = sum(total.count for total in index.totals())
                    if len(mine) != 1 or counted != len(listed):
                        raise AssertionError(f"{len(mine)} of {len(listed)}, {counted} counted")
                tell("listed")

        return run

    children = [Child(work(number)) for number in range(1, 5)]
    told = [child.outcome()[0] for child in children]
    assert [len(lines) for lines in told] == [12] * 4
    assert says_what_the_log_says(where)
    assert len(literal_summaries(where)) == 20 + 48
    table.row("index: processes that write and list at once", 48, 0)


def index_cuts(tmp_path: Path, seed: int | None) -> int:
    whole = paths_in(tmp_path / "whole")
    write(whole, many(12))
    update_state(whole, sample_index())
    with open_index(whole, sample_index()):
        pass
    write(whole, many(25, first=12))
    cuts = 0

    def work(folder: Path) -> None:
        with open_index(StatePaths(folder, whole.stem), sample_index()):
            pass

    for left in cut_everywhere(
        lambda folder: (shutil.copytree(whole.folder, folder), None)[1], work, tmp_path / "cuts", seed
    ):
        cuts += 1
        assert says_what_the_log_says(StatePaths(left, whole.stem))
    return cuts


@pytest.mark.parametrize("seed", [None, 1, 2])
def test_after_a_power_cut_the_index_is_the_old_one_the_new_one_or_built_again(
    tmp_path: Path, seed: int | None
) -> None:
    assert index_cuts(tmp_path, seed) >= 4


@pytest.mark.soak
def test_power_cuts_of_the_index_with_many_random_remains(tmp_path: Path, table: Table) -> None:
    cuts = 0
    for seed in range(3, 23):
        folder = tmp_path / str(seed)
        folder.mkdir()
        cuts += index_cuts(folder, seed)
        shutil.rmtree(folder)
    table.row("power cut: index, a random part of the unflushed writes kept", cuts, 0)
