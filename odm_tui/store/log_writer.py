"""Append to the log.

Appending needs the bank's lock and returns once the bytes are on disk. If a crash left an unfinished last line, it is
moved to a ``.torn`` file first. Lines are chained: each has a digest of the one before it.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence

from odm_tui import files
from odm_tui.errors import BadData
from odm_tui.store.events import Event
from odm_tui.store.integrity.chain import digest_before, digest_line, read_between
from odm_tui.store.integrity.log_end import LogEnd, read_end, write_end
from odm_tui.store.integrity.replaced_log import InterviewSearch, continued_elsewhere, find_missing
from odm_tui.store.log import CHUNK, START, Position
from odm_tui.store.log_codec import encode_event
from odm_tui.store.paths import StatePaths
from odm_tui.store.team.membership import read_taken_ranges


class Log:
    """The log of one bank, opened for appending; the caller of any method holds the bank's lock."""

    def __init__(self, paths: StatePaths) -> None:
        self._descriptor: int | None = None
        self.paths = paths
        self.position: Position | None = None
        self.notices: list[str] = []
        """What the operator has to know: events were written again, because the log was replaced."""
        self._refused = b""
        self._search: InterviewSearch | None = None
        """What was found in a log that was replaced, before the lock was taken."""

    def search_if_replaced(self, interview: str) -> None:
        """If the log was replaced, search it for an interview, so that nobody waits for that; this needs no lock."""
        self._search, known = None, self.position
        if known is None:
            return
        with (
            contextlib.suppress(OSError),
            files.open_to_read(self.paths.log, 0) as log,
        ):  # reported when appending
            descriptor = log.fileno()
            if not _continues(descriptor, known):
                self.close()  # whoever closes the old file last waits until its space is freed
                self._search = InterviewSearch.start(descriptor, interview).go_on(descriptor)

    def is_searched(self, interview: str) -> bool:
        """Whether the log was not replaced, or was searched for an interview since."""
        if self.position is None:
            return True
        try:
            with files.open_to_read(self.paths.log, 0) as log:
                descriptor = log.fileno()
                return _continues(descriptor, self.position) or (
                    self._search is not None and self._search.holds_for(descriptor, interview)
                )
        except OSError:
            return True  # it can't be searched; this is reported when appending

    def append(self, events: Sequence[Event], *, following: Sequence[Event] | None = None) -> Position:
        """Append events and return once they are on disk; if that fails, write none and raise CannotWrite.

        ``following`` is the events of the same interview that this process has read or written so far. With it,
        raise Locked and write nothing if another process has added events of the interview since the last append;
        and write these events again if the log was removed or replaced and lacks them.
        """
        path = self.paths.log
        with files.naming_errors(path):
            descriptor, before, missing = self._ready(following)
            checked = self._is_checked(descriptor, before)
            last, lines = before.mark, []
            for seq, event in enumerate([*missing, *events], before.lines + 1):
                line = encode_event(event, seq, last)
                last = digest_line(line[:-1])
                lines.append(line)
            data = b"".join(lines)
            self._refused = data
            try:
                files.write_all(descriptor, data)
                files.disk.fsync(descriptor)
            except OSError:
                with contextlib.suppress(OSError):
                    files.disk.truncate(descriptor, before.bytes)
                raise
            self._refused = b""
            self.position = Position(before.bytes + len(data), before.lines + len(lines), last)
            self._note_end(descriptor, self.position, checked)
            if missing:
                self.notices.append(
                    f"The log {path} was removed or replaced while this interview was open. Its {len(missing)} missing "
                    "events were written again, but other interviews may be missing; if you have a copy, merge it "
                    "with 'odm-tui state merge FOLDER'."
                )
            return self.position

    def end(self) -> Position:
        """Return the position after the last whole line, and set an unfinished line aside first."""
        with files.naming_errors(self.paths.log):
            return self._ready(None)[1]

    def set_unfinished_line_aside(self) -> None:
        """Set an unfinished last line aside, if there is one."""
        self.end()

    def note_checked(self, position: Position) -> None:
        """Remember that the whole log was checked, if it ends at this position."""
        with contextlib.suppress(OSError), files.open_to_read(self.paths.log) as log:
            if os.fstat(log.fileno()).st_size == position.bytes:
                self._note_end(log.fileno(), position, checked=True)

    def close(self) -> None:
        """Close the file; the next append opens it again."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)

    def __del__(self) -> None:
        """Close the file of a log that was dropped without being closed."""
        self.close()

    def _is_checked(self, descriptor: int, before: Position) -> bool:
        """Whether the log as it stands was checked, and only odm-tui has written to it since."""
        end = read_end(self.paths)
        return before.bytes == 0 or (end is not None and end.describes(os.fstat(descriptor)))

    def _note_end(self, descriptor: int, end: Position, checked: bool) -> None:
        mtime = os.fstat(descriptor).st_mtime_ns if checked else 0
        write_end(self.paths, LogEnd(end.bytes, end.lines, end.mark, mtime))

    def _ready(self, following: Sequence[Event] | None) -> tuple[int, Position, Sequence[Event]]:
        """Open the file and find its end, with everything that other processes have added.

        Also return those of the events ``following`` that the log lacks, because it was replaced.
        """
        descriptor = self._opened()
        size = os.fstat(descriptor).st_size
        known = self.position
        missing: Sequence[Event] = ()
        if known is not None and not _continues(descriptor, known):
            known = None  # the log was rewritten: an interview was forgotten, or somebody replaced it
            missing = self._find_missing(descriptor, following) if following else ()
        if known is not None and size == known.bytes:
            return descriptor, known, missing
        start = known or self._noted_end(descriptor, size)
        added = self._without_refused(descriptor, start, size) if known else size
        if known and following:
            self._check_not_continued(following[0].interview, descriptor, start.bytes, added)
        self.position = self._end(descriptor, start, added)
        return descriptor, self.position, missing

    def _find_missing(self, descriptor: int, following: Sequence[Event]) -> Sequence[Event]:
        interview, search = following[0].interview, self._search
        if search is None or not search.holds_for(descriptor, interview):
            search = InterviewSearch.start(descriptor, interview)
        return find_missing(search.go_on(descriptor).events, following)

    def _noted_end(self, descriptor: int, size: int) -> Position:
        """Return where the log ended when it was last written, so that not all of it has to be read."""
        end = read_end(self.paths)
        if end is None or end.bytes > size or digest_before(descriptor, end.bytes) != end.last:
            return START
        return Position(end.bytes, end.lines, end.last)

    def _check_not_continued(self, interview: str, descriptor: int, start: int, stop: int) -> None:
        """Raise Locked if another process of this folder has added events of an interview.

        Events that a team's store brought are another matter: they are a branch of their own, and this one goes on.
        """
        name = interview.encode()
        if name not in read_between(descriptor, start, stop):
            return
        for taken in read_taken_ranges(self.paths):
            if start < taken.end and taken.start < stop:
                if name in read_between(descriptor, start, max(start, taken.start)):
                    raise continued_elsewhere(interview)
                start = max(start, taken.end)
        if start < stop and name in read_between(descriptor, start, stop):
            raise continued_elsewhere(interview)

    def _opened(self) -> int:
        path = self.paths.log
        if self._descriptor is not None:
            if files.is_still_there(path, self._descriptor):
                return self._descriptor
            self.close()
        files.make_folder(path.parent)
        self._descriptor = files.open_to_append(path)
        return self._descriptor

    def _without_refused(self, descriptor: int, known: Position, size: int) -> int:
        """Remove what a failed append of this process left behind, if no other process has added to it."""
        if self._refused:
            added = read_between(descriptor, known.bytes, size)
            if self._refused.startswith(added):
                files.disk.truncate(descriptor, known.bytes)
                return known.bytes
        return size

    def _end(self, descriptor: int, start: Position, size: int) -> Position:
        """Count the lines from a known position to the end, and set an unfinished last line aside."""
        offset, lines, last = start.bytes, start.lines, start.bytes
        while offset < size:
            chunk = read_between(descriptor, offset, min(offset + CHUNK, size))
            lines += chunk.count(b"\n")
            newline = chunk.rfind(b"\n")
            if newline >= 0:
                last = offset + newline + 1
            offset += len(chunk)
        if last < size:
            self._set_tail_aside(descriptor, last, size)
        return Position(last, lines, digest_before(descriptor, last))

    def _set_tail_aside(self, descriptor: int, last: int, size: int) -> None:
        if not _may_be_log(read_between(descriptor, 0, min(size, CHUNK))):
            raise BadData(f"{self.paths.log} is not a log of odm-tui; move it away and try again.")
        tail = read_between(descriptor, last, size)
        files.append_durably(self.paths.torn, tail + b"\n")
        files.disk.truncate(descriptor, last)
        files.disk.fsync(descriptor)


def _continues(descriptor: int, known: Position) -> bool:
    """Whether a file goes on from a position: it was neither cut before it nor replaced."""
    return (
        os.fstat(descriptor).st_size >= known.bytes and digest_before(descriptor, known.bytes) == known.mark
    )


def _may_be_log(beginning: bytes) -> bool:
    """Whether a file that begins like this may be a log; one that a power cut left full of zeros may be one too."""
    opening = b'{"seq":'
    return opening in beginning or opening.startswith(beginning) or not beginning.strip(b"\0")
