"""Forget interviews: remove their events from the log and keep only their ids."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from odm_tui import files
from odm_tui.errors import BadData, CannotWrite
from odm_tui.store.counts import BankIndex
from odm_tui.store.events import Event, Forgotten
from odm_tui.store.index.opening import CountedLog, count_copy
from odm_tui.store.integrity.chain import digest_line
from odm_tui.store.interview_lock import presence_file
from odm_tui.store.log import START, Position, peek_event, read_lines
from odm_tui.store.log_codec import decode_event, encode_event, event_body, seal_line
from odm_tui.store.log_writer import Log
from odm_tui.store.paths import StatePaths
from odm_tui.store.state_update import Snapshot, update_state
from odm_tui.store.team.membership import settle_membership

_TRIES = 5
"""So often the log is copied again without the lock because it was replaced meanwhile."""


@dataclass
class PreparedLog:
    """A copy of the log without some interviews, up to a position; the rest is added under the lock."""

    log: files.GuardedFile
    upto: Position
    seq: int
    last: str
    gone: frozenset[str]
    forgotten: set[str]
    """The ids of all interviews that were forgotten before."""
    counted: CountedLog | None = None
    """The counts of the copy, if a bank was given."""
    index: files.GuardedFile | None = None
    """The index of the copy, if it is long."""

    @property
    def temporary(self) -> tuple[files.GuardedFile, ...]:
        """The temporary files."""
        return (self.log,) if self.index is None else (self.log, self.index)


def prepare(paths: StatePaths, interviews: Collection[str], index: BankIndex | None = None) -> PreparedLog:
    """Copy the log without these interviews, which may take long and needs no lock; see :func:`forget`.

    With an ``index`` count the copy too, so that the state need not be counted again under the lock.
    """
    gone = frozenset(interviews)
    rewrite = _Rewrite(paths.log, gone)
    log = files.write_guarded(paths.log, rewrite.lines(START, None))  # on disk before the lock is taken
    prepared = PreparedLog(log, rewrite.upto, rewrite.seq, rewrite.last, gone, rewrite.forgotten)
    try:
        if index is not None:
            prepared.counted, prepared.index = count_copy(log.path, paths, index)
    except BaseException:
        discard(prepared)
        raise
    return prepared


@contextlib.contextmanager
def holding_copy(
    paths: StatePaths,
    interviews: Collection[str],
    held: Callable[[], contextlib.AbstractContextManager[None]],
    index: BankIndex | None = None,
) -> Iterator[PreparedLog]:
    """Copy the log, then hold the lock, for :func:`forget`; a copy that is not used is removed.

    If the log was replaced meanwhile, because another process forgets too, others get the lock while it is copied again.
    """
    for tries_left in reversed(range(_TRIES)):
        prepared = prepare(paths, interviews, index)
        try:
            with files.kept_open(paths.log, paths.index), held():
                if not tries_left or _still_holds(prepared, paths):
                    yield prepared
                    return
        finally:
            discard(prepared)


def forget(
    paths: StatePaths,
    interviews: Collection[str],
    index: BankIndex | None = None,
    prepared: PreparedLog | None = None,
) -> Snapshot | None:
    """Remove interviews from the log and the state; the caller holds the lock.

    Everything that is derived from them goes first: the state, set-aside states, torn lines, temporary files. Then
    the log is replaced as a whole. So after a crash the log has all of them, or nothing in the folder has any of them
    but their ids, which stay in the log so that a merge can't bring them back. Forgetting again does no harm.
    Without an ``index`` the state is rebuilt when it is next needed.
    """
    gone = frozenset(interviews)
    log = Log(paths)
    try:
        log.end()  # sets an unfinished last line aside, so that it is searched below
    finally:
        log.close()
    torn = _remove_torn_lines(paths, gone)  # before anything is changed: reading may fail
    if prepared is None or prepared.gone != gone or not _still_holds(prepared, paths):
        discard(prepared)
        prepared = prepare(paths, gone)
    for file in prepared.temporary:
        file.end_guard()  # nobody removes it while the lock is held
    try:
        settle_membership(paths)
        if torn is not None:
            files.write_atomically(paths.torn, torn, follow_links=False)
        _remove_derived(paths, gone, keep=[file.path for file in prepared.temporary])
        end = _finish(prepared, paths)
    except BaseException:
        discard(prepared)
        raise
    files.put_in_place(prepared.log.path, paths.log)
    counted = prepared.counted
    if index is None or counted is None or counted.damage:
        discard(prepared)
        return None if index is None else update_state(paths, index)
    log.note_checked(end)
    if prepared.index is not None:
        with contextlib.suppress(CannotWrite):  # it only saves time
            files.put_in_place(prepared.index.path, paths.index)
    return update_state(paths, index, Snapshot(counted.counts, counted.position, counted.open_offsets))


def discard(prepared: PreparedLog | None) -> None:
    """Remove a copy that is not used after all."""
    for file in () if prepared is None else prepared.temporary:
        file.remove()


def _still_holds(prepared: PreparedLog, paths: StatePaths) -> bool:
    return all(file.path.exists() for file in prepared.temporary) and prepared.upto.holds_in(paths.log)


def _finish(prepared: PreparedLog, paths: StatePaths) -> Position:
    """Add the lines that were written since the copy was made, and the ids; return its end once it is on disk."""
    rewrite = _Rewrite(paths.log, prepared.gone, prepared.seq, prepared.last, forgotten=prepared.forgotten)
    rest = list(rewrite.lines(prepared.upto, None))
    tombstones = [Forgotten(interview=name) for name in sorted(prepared.gone - rewrite.forgotten)]
    rest += rewrite.more(tombstones)
    with files.naming_errors(prepared.log.path):
        descriptor = files.open_to_append(prepared.log.path)
        try:
            files.write_all(descriptor, b"".join(rest))
            files.disk.fsync(descriptor)
            return Position(os.fstat(descriptor).st_size, rewrite.seq, rewrite.last)
        finally:
            os.close(descriptor)


def _remove_derived(paths: StatePaths, gone: Collection[str], keep: Collection[Path]) -> None:
    """Remove all files that may hold anything of these interviews, except the log."""
    with files.naming_errors(paths.folder):
        leftovers = (
            f for name in paths.names() for f in paths.folder.glob(f".{name}.*.tmp") if f not in keep
        )
        aside = paths.folder.glob(f"{paths.state.name}.set-aside-*")
        present = (presence_file(paths, interview) for interview in gone)
        copied = paths.folder / "call-summary.txt"  # the call that was copied last, perhaps this one
        for stale in (
            paths.state,
            paths.position,
            paths.end,
            paths.index,
            copied,
            *leftovers,
            *aside,
            *present,
        ):
            with contextlib.suppress(FileNotFoundError):
                files.disk.unlink(stale)
        files.sync_folder(paths.folder)


def read_forgotten_ids(paths: StatePaths) -> set[str]:
    """Read the ids of all interviews that were forgotten in this folder."""
    found = set()
    for line in read_lines(paths.log):
        peeked = peek_event(line.data) if line.whole else None
        if peeked is not None and peeked.event == Forgotten.name:
            with contextlib.suppress(BadData):
                found.add(decode_event(line.data, "")[1].interview)
    return found


@dataclass
class _Rewrite:
    """Write the lines of a log again without some interviews, with new sequence numbers and a new chain.

    Damaged lines stay as they are, unless they name one of those interviews.
    """

    path: Path
    without: Collection[str]
    seq: int = 0
    last: str = ""
    upto: Position = START
    forgotten: set[str] = field(default_factory=set)
    """The ids of interviews that were forgotten before."""

    def lines(self, start: Position, stop: int | None) -> Iterator[bytes]:
        mark, end, number = start.mark, start.bytes, start.lines
        for line in read_lines(self.path, start, stop):
            if not line.whole:
                continue
            mark, end, number = digest_line(line.data), line.end, line.number
            if self._is_wanted(line.data):
                self.seq += 1
                try:
                    data = seal_line(event_body(line.data), self.seq, self.last)[:-1]
                except BadData:
                    data = line.data
                self.last = digest_line(data)
                yield data + b"\n"
        self.upto = Position(end, number, mark)

    def more(self, events: Iterable[Event]) -> Iterator[bytes]:
        for event in events:
            self.seq += 1
            data = encode_event(event, self.seq, self.last)
            self.last = digest_line(data[:-1])
            yield data

    def _is_wanted(self, line: bytes) -> bool:
        peeked = peek_event(line)
        if peeked is not None:
            if peeked.event == Forgotten.name:
                with contextlib.suppress(BadData):
                    self.forgotten.add(decode_event(line, "")[1].interview)
            return peeked.event == Forgotten.name or peeked.interview not in self.without
        return not any(name.encode() in line for name in self.without)


def _remove_torn_lines(paths: StatePaths, gone: Collection[str]) -> bytes | None:
    """Return the torn lines that name none of the interviews; None if nothing has to be removed."""
    try:
        torn = files.read_whole(paths.torn)
    except BadData as error:
        raise CannotWrite(f"{error} Move it out of the way and try again. Nothing was forgotten.") from error
    if torn is None:
        return None
    lines = torn.split(b"\n")
    clean = [line for line in lines if not any(name.encode() in line for name in gone)]
    return b"\n".join(clean) if len(clean) != len(lines) else None
