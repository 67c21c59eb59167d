"""Open the index of a log: load it, check that it belongs to the log, and build or extend it where that pays."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path

from odm_tui import files
from odm_tui.errors import CannotWrite, Locked
from odm_tui.store.counts import BankIndex, Counts
from odm_tui.store.index.builder import IndexBuilder, Inspector
from odm_tui.store.index.database import BadIndexError, IndexDatabase
from odm_tui.store.index.interview_index import InterviewIndex
from odm_tui.store.index.recent_rows import RecentRows
from odm_tui.store.integrity.log_end import is_untouched
from odm_tui.store.locking import Lock
from odm_tui.store.log import START, Damage, Position
from odm_tui.store.log_file import LogFile
from odm_tui.store.paths import StatePaths

LONGEST_TAIL = 400_000
"""Bytes, about 2,000 lines: so much is read again at each opening before the index is extended."""
_TAIL_SHARE = 500
"""In a very long log the lines after the index may be this fraction of it: extending it takes longer there."""


@dataclass(frozen=True)
class CountedLog:
    """The counts of a whole log, the position up to which it was read, and its damaged lines."""

    counts: Counts
    position: Position
    open_offsets: dict[str, int]
    """Where each unfinished or pending interview begins in the log."""
    damage: list[Damage]


def open_index(
    paths: StatePaths,
    bank: BankIndex | None = None,
    *,
    saves: bool = True,
    log: LogFile | None = None,
    ignores_file: bool = False,
) -> InterviewIndex:
    """Open the index of a log as it is now; ``log`` is that log, if the caller has it open and will close it.

    With ``ignores_file`` the index is built again, because the one on disk turned out to be damaged.

    A new index is written to disk if that can be done at once: not without ``saves``, which is for callers that hold
    the bank's lock, and not if the folder is read-only, the disk is full, or another process has the lock.
    """
    opened = log or LogFile(paths.log)
    try:
        try:
            found = _open(opened, None if ignores_file else _load(paths, opened), paths, bank, saves)
        except BadIndexError:
            found = _open(opened, None, paths, bank, saves)
    except BaseException:
        if log is None:
            opened.close()
        raise
    found.owns_log = log is None
    return found


def count_and_index(
    paths: StatePaths, bank: BankIndex | None, *, saves: bool = True, inspect: Inspector | None = None
) -> CountedLog:
    """Count a whole log, and index it on the way if it is long; ``inspect`` looks at each interview."""
    with LogFile(paths.log) as log:
        database = IndexDatabase.create()
        try:
            builder, position = _build(log, database, START, bank, Counts(), is_new=True, inspect=inspect)
            if saves and bank is not None and position.bytes > LONGEST_TAIL and builder.is_certain():
                _save(database, paths, log)
            return CountedLog(builder.counts, position, _open_offsets(database), builder.damage)
        finally:
            database.close()


def count_copy(path: Path, paths: StatePaths, bank: BankIndex) -> tuple[CountedLog, files.GuardedFile | None]:
    """Count a log that will take the place of another one, and write its index to a temporary file if it is long."""
    with LogFile(path) as log:
        database = IndexDatabase.create()
        try:
            builder, position = _build(log, database, START, bank, Counts(), is_new=True)
            counted = CountedLog(builder.counts, position, _open_offsets(database), builder.damage)
            temporary = None
            if position.bytes > LONGEST_TAIL:
                with contextlib.suppress(CannotWrite, OSError):
                    temporary = database.write_beside(paths.index)
            return counted, temporary
        finally:
            database.close()


def _open_offsets(database: IndexDatabase) -> dict[str, int]:
    rows = database.connection.execute(
        "SELECT id, spans FROM interviews WHERE status IN ('unfinished', 'pending') AND began != ''"
    )
    return {str(id): int.from_bytes(spans[:8], "little") for id, spans in rows}


def _load(paths: StatePaths, log: LogFile) -> IndexDatabase | None:
    """Load the index if it belongs to this log."""
    try:
        found = IndexDatabase.load(paths.index)
    except BadIndexError:
        return None
    if found is None:
        return None
    try:
        position = found.position()
        if log.holds(position) and (
            is_untouched(paths) or log.checksum(START, position.bytes) == position.checksum
        ):
            return found
    except BadIndexError:
        pass
    found.close()
    return None


def _open(
    log: LogFile, base: IndexDatabase | None, paths: StatePaths, bank: BankIndex | None, saves: bool
) -> InterviewIndex:
    try:
        start = START if base is None else base.position()
        if log.size - start.bytes > max(LONGEST_TAIL, start.bytes // _TAIL_SHARE):
            base, start = _extend(log, base, start, paths, bank, saves)
        recent = RecentRows(base)
        number = 0 if base is None else base.next_number()
        builder = IndexBuilder(log, recent, next_number=number, is_new=base is None)
        position = builder.read(start)
        builder.finish()
        return InterviewIndex(log, recent, position, builder.damage)
    except BaseException:
        if base is not None:
            base.close()
        raise


def _extend(
    log: LogFile,
    base: IndexDatabase | None,
    start: Position,
    paths: StatePaths,
    bank: BankIndex | None,
    saves: bool,
) -> tuple[IndexDatabase, Position]:
    """Build a new index, or extend a copy of this one, and save it."""
    counts = Counts()
    if base is not None and bank is not None:
        kept = base.checkpoint_before(start.bytes) if base.bank_hash() == bank.hash else None
        if kept is None or kept[0].bytes != start.bytes:
            base.close()
            base, start = None, START  # the checkpoints belong to another version of the bank
        else:
            counts = kept[1]
    if base is None:
        database = IndexDatabase.create()
    else:
        database = base.copy()
        base.close()
    try:
        if (
            base is not None and bank is None
        ):  # without the bank there are no counts to keep: it serves only once
            database.connection.execute("DELETE FROM checkpoints")
            saves = False
        builder, position = _build(log, database, start, bank, counts, is_new=base is None)
        if saves and builder.is_certain():
            _save(database, paths, log)
    except BaseException:
        database.close()
        raise
    return database, position


def _build(
    log: LogFile,
    database: IndexDatabase,
    start: Position,
    bank: BankIndex | None,
    counts: Counts,
    *,
    is_new: bool,
    inspect: Inspector | None = None,
) -> tuple[IndexBuilder, Position]:
    builder = IndexBuilder(
        log,
        database,
        bank,
        counts,
        next_number=database.next_number(),
        is_new=is_new,
        with_checkpoints=bank is not None,
        inspect=inspect,
    )
    position = builder.read(start)
    builder.finish()
    if bank is not None:
        database.add_checkpoint(position, builder.counts)
    database.seal(position, "" if bank is None else bank.hash)
    return builder, position


def _save(database: IndexDatabase, paths: StatePaths, log: LogFile) -> None:
    """Write an index to disk, unless the log was replaced meanwhile: an interview may have been forgotten."""
    with contextlib.suppress(CannotWrite, Locked, OSError):
        temporary = database.write_beside(paths.index)
        lock = Lock(paths.lock, longest_wait=0.0)
        try:
            with lock.held():
                if log.is_current:
                    temporary.end_guard()
                    files.put_in_place(temporary.path, paths.index)
        finally:
            lock.close()
            temporary.remove()
