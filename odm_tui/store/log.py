"""Read and append to the log, which has one event per line.

Reading streams with bounded memory and needs no lock: a line counts only with its newline. Damaged lines are
reported and never used. Appending needs the bank's lock and returns once the bytes are on disk. If a crash left
an unfinished last line, it is moved to a ``.torn`` file first.
"""

from __future__ import annotations

import contextlib
import os
import re
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from odm_tui import files
from odm_tui.errors import BadData, Locked
from odm_tui.store.events import Event
from odm_tui.store.log_codec import LONGEST_LINE, check_crc, decode_event, encode_event
from odm_tui.store.paths import StatePaths

_MARK_BYTES = 64
_CHUNK = 1 << 18
_WHOSE = re.compile(rb'\{"seq":\d+,"event":"([a-z]+)","interview":"([0-9a-z-]+)"')


@dataclass(frozen=True, slots=True)
class Entry:
    """An event and its place in the log: the bytes from ``offset`` up to ``end``."""

    offset: int
    end: int
    line: int
    seq: int
    event: Event


@dataclass(frozen=True, slots=True)
class Damage:
    """A line that can't be used, its place and the reason; ``torn`` if it is an unfinished last line."""

    offset: int
    end: int
    line: int
    reason: str
    torn: bool = False


@dataclass(frozen=True, slots=True)
class Position:
    """A place between two lines of a log; ``mark`` is a checksum of the bytes before it, to notice a rewrite."""

    bytes: int = 0
    lines: int = 0
    mark: str = ""

    def holds_in(self, path: Path) -> bool:
        """Whether the log still has the same bytes before this position."""
        try:
            with path.open("rb") as log:
                return mark_before(log.fileno(), self.bytes) == self.mark
        except FileNotFoundError:
            return self == START


START = Position()


def read_log(
    path: Path,
    start: Position = START,
    stop: int | None = None,
    only: Collection[str] | None = None,
    without: Collection[str] = (),
) -> Iterator[Entry | Damage]:
    """Read the events from a position up to the byte ``stop``, of all interviews or of those in ``only``.

    Events whose name is in ``without`` are only checked for damage, not decoded, which is faster.
    """
    for line in read_lines(path, start, stop):
        if not line.whole and len(line.data) <= LONGEST_LINE:
            reason = f"{path}, line {line.number} is unfinished."
            yield Damage(line.offset, line.end, line.number, reason, torn=True)
            continue
        found = peek_event(line.data)
        if found is not None and only is not None and found[1] not in only:
            continue
        try:
            if found is not None and found[0] in without:
                check_crc(line.data, "")
                continue
            seq, event = decode_event(line.data, "")
        except BadData as error:
            yield Damage(line.offset, line.end, line.number, f"{path}, line {line.number}{error}")
        else:
            if only is None or event.interview in only:
                yield Entry(line.offset, line.end, line.number, seq, event)


@dataclass(frozen=True, slots=True)
class Line:
    """The bytes of a line without its newline, and its place; ``whole`` if it ends with a newline."""

    number: int
    offset: int
    end: int
    data: bytes
    whole: bool


def read_lines(path: Path, start: Position = START, stop: int | None = None) -> Iterator[Line]:
    """Read the lines of a log as bytes; only the beginning of a line that is too long is kept in memory."""
    try:
        log = path.open("rb", buffering=_CHUNK)
    except FileNotFoundError:
        return
    except OSError as error:
        raise BadData(f"Can't read {path}: {error.strerror}; check its permissions.") from error
    with log:
        log.seek(start.bytes)
        offset, number = start.bytes, start.lines
        while stop is None or offset < stop:
            data = log.readline(LONGEST_LINE + 2)
            if not data:
                return
            number += 1
            end = offset + len(data)
            whole = data.endswith(b"\n")
            rest = data
            while len(rest) > LONGEST_LINE and not rest.endswith(b"\n"):
                rest = log.readline(LONGEST_LINE + 2)
                end += len(rest)
            yield Line(number, offset, end, data[:-1] if whole else data, whole)
            offset = end


def peek_event(line: bytes) -> tuple[str, str] | None:
    """Read the event name and interview id at the beginning of a line, without any checks."""
    found = _WHOSE.match(line)
    return None if found is None else (found.group(1).decode(), found.group(2).decode())


def mark_before(descriptor: int, offset: int) -> str:
    """Compute a checksum of the bytes before an offset; it covers the CRC of the last line there."""
    if offset == 0:
        return ""
    return _mark(_bytes_between(descriptor, max(0, offset - _MARK_BYTES), offset))


def _mark(before: bytes) -> str:
    return f"{zlib.crc32(before):08x}"


def _bytes_between(descriptor: int, start: int, stop: int) -> bytes:
    os.lseek(descriptor, start, os.SEEK_SET)
    found = b""
    while len(found) < stop - start:
        more = os.read(descriptor, stop - start - len(found))
        if not more:
            break
        found += more
    return found


class Log:
    """The log of one bank, opened for appending; the caller of any method holds the bank's lock."""

    def __init__(self, paths: StatePaths) -> None:
        self.paths = paths
        self.position: Position | None = None
        self._descriptor: int | None = None
        self._refused = b""

    def append(self, events: Sequence[Event], *, following: bool = False) -> Position:
        """Append events and return once they are on disk; if that fails, write none and raise CannotWrite.

        With ``following``, raise Locked and write nothing if another process has added events of the same
        interview since the last append.
        """
        path = self.paths.log
        with files.naming_errors(path):
            descriptor, before = self._ready(events[0].interview if following else None)
            lines = [encode_event(event, before.lines + 1 + i) for i, event in enumerate(events)]
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
            end = before.bytes + len(data)
            mark = _mark(data[-_MARK_BYTES:]) if len(data) >= _MARK_BYTES else mark_before(descriptor, end)
            self.position = Position(end, before.lines + len(lines), mark)
            return self.position

    def end(self) -> Position:
        """Return the position after the last whole line, and set an unfinished line aside first."""
        with files.naming_errors(self.paths.log):
            return self._ready(None)[1]

    def close(self) -> None:
        """Close the file; the next append opens it again."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _ready(self, interview: str | None) -> tuple[int, Position]:
        """Open the file and find its end, with everything that other processes have added."""
        descriptor = self._opened()
        size = os.fstat(descriptor).st_size
        known = self.position
        if known is not None and (size < known.bytes or mark_before(descriptor, known.bytes) != known.mark):
            known = None  # the log was rewritten: an interview was forgotten
        if known is not None and size == known.bytes:
            return descriptor, known
        start = known or START
        added = self._without_refused(descriptor, start, size) if known else size
        if known and interview and interview.encode() in _bytes_between(descriptor, start.bytes, added):
            raise Locked(
                f"Interview {interview} was continued by another process. Nothing was saved here; "
                "resume it to continue from there."
            )
        self.position = self._end(descriptor, start, added)
        return descriptor, self.position

    def _opened(self) -> int:
        path = self.paths.log
        if self._descriptor is not None:
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(path.stat(), os.fstat(self._descriptor)):
                    return self._descriptor
            self.close()
        files.make_folder(path.parent)
        self._descriptor = files.open_to_append(path)
        return self._descriptor

    def _without_refused(self, descriptor: int, known: Position, size: int) -> int:
        """Remove what a failed append of this process left behind, if no other process has added to it."""
        if self._refused:
            added = _bytes_between(descriptor, known.bytes, size)
            if self._refused.startswith(added):
                files.disk.truncate(descriptor, known.bytes)
                return known.bytes
        return size

    def _end(self, descriptor: int, start: Position, size: int) -> Position:
        """Count the lines from a known position to the end, and set an unfinished last line aside."""
        offset, lines, last = start.bytes, start.lines, start.bytes
        while offset < size:
            chunk = _bytes_between(descriptor, offset, min(offset + _CHUNK, size))
            lines += chunk.count(b"\n")
            newline = chunk.rfind(b"\n")
            if newline >= 0:
                last = offset + newline + 1
            offset += len(chunk)
        if last < size:
            self._set_tail_aside(descriptor, last, size)
        return Position(last, lines, mark_before(descriptor, last))

    def _set_tail_aside(self, descriptor: int, last: int, size: int) -> None:
        tail = _bytes_between(descriptor, last, size)
        files.append_durably(self.paths.torn, tail + b"\n")
        files.disk.truncate(descriptor, last)
        files.disk.fsync(descriptor)


def renumber_lines(path: Path, without: Collection[str]) -> Iterator[bytes]:
    """Read the lines of a log without some interviews, with new sequence numbers.

    Damaged lines stay as they are, unless they name one of those interviews.
    """
    unwanted = [identity.encode() for identity in without]
    number = 0
    for line in read_lines(path):
        if not line.whole:
            continue
        try:
            _, event = decode_event(line.data, "")
        except BadData:
            if not any(identity in line.data for identity in unwanted):
                number += 1
                yield line.data + b"\n"
        else:
            if event.interview not in without:
                number += 1
                yield encode_event(event, number)


def event_body(line: bytes) -> bytes:
    """Return the part of a line that is the same in every log: all but the sequence number and the CRC."""
    check_crc(line, "")
    return line[line.index(b",") + 1 : line.rindex(b',"crc":')]


def find_problems(path: Path) -> Iterator[str]:
    """Find everything that is wrong with a log, one sentence each."""
    for entry in read_log(path):
        if isinstance(entry, Damage):
            yield entry.reason
        elif entry.seq != entry.line:
            yield (
                f"{path}, line {entry.line} has the sequence number {entry.seq}: "
                "lines were removed, added or moved by hand."
            )


def valid_entries(found: Iterable[Entry | Damage]) -> Iterator[Entry]:
    """Select the entries and leave out the damaged lines."""
    return (entry for entry in found if isinstance(entry, Entry))
