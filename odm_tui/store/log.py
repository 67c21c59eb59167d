"""Read the log, which has one event per line.

Reading streams with bounded memory and needs no lock: a line counts only with its newline. Damaged lines are
reported and never used.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from odm_tui import files
from odm_tui.errors import BadData
from odm_tui.store.cursor import Cursor
from odm_tui.store.events import Event
from odm_tui.store.integrity.chain import digest_before
from odm_tui.store.log_codec import LONGEST_LINE, check_crc, decode_event

CHUNK = 1 << 18
_BEGINNING = re.compile(rb'\{"seq":\d+,"event":"([a-z]+)","interview":"([0-9a-z-]+)"(?:,"n":(\d{1,10}),)?')


@dataclass(frozen=True, slots=True)
class Entry:
    """An event and its place in the log: the bytes from ``offset`` up to ``end``."""

    offset: int
    end: int
    line: int
    seq: int
    event: Event

    @property
    def cursor(self) -> Cursor:
        """The place before this event."""
        return Cursor(Position(self.offset))

    @property
    def is_in_order(self) -> bool:
        """Whether as many events stand before it as were written before it: none was cut out or moved."""
        return self.seq == self.line


@dataclass(frozen=True, slots=True)
class Skimmed:
    """A line whose event was not decoded: only its interview and its number in it are known."""

    end: int
    line: int
    interview: str
    n: int


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
    """A place between two lines of a log; ``mark`` is the digest of the line before it, to notice a rewrite.

    ``checksum`` is the CRC-32 of all bytes before it, if it was computed.
    """

    bytes: int = 0
    lines: int = 0
    mark: str = ""
    checksum: int | None = None

    def holds_in(self, path: Path) -> bool:
        """Whether the log still has the same bytes before this position."""
        try:
            with files.open_to_read(path) as log:
                return digest_before(log.fileno(), self.bytes) == self.mark
        except FileNotFoundError:
            return self.bytes == 0

    def is_sound_in(self, path: Path) -> bool:
        """Whether not one bit of the log before this position has changed; reads all of it."""
        return self.checksum is not None and add_checksum(path, START, self.bytes) == self.checksum


START = Position(checksum=0)


def add_checksum(path: Path, start: Position, stop: int) -> int | None:
    """Continue the checksum of a position up to an offset; None if it is not known or the log is shorter."""
    checksum, left = start.checksum, stop - start.bytes
    if checksum is None:
        return None
    try:
        with files.open_to_read(path, 0) as log:
            log.seek(start.bytes)
            while left > 0:
                data = log.read(min(CHUNK, left))
                if not data:
                    return None
                checksum = zlib.crc32(data, checksum)
                left -= len(data)
    except FileNotFoundError:
        return checksum if stop == 0 else None
    return checksum


def read_log(
    path: Path, start: Position = START, stop: int | None = None, only: Collection[str] | None = None
) -> Iterator[Entry | Damage]:
    """Read the events from a position up to the byte ``stop``, of all interviews or of those in ``only``."""
    for line in read_lines(path, start, stop):
        if only is not None and line.whole:
            peeked = peek_event(line.data)
            if peeked is not None and peeked.interview not in only:
                continue
        found = decode_line(path, line)
        if isinstance(found, Damage) or only is None or found.event.interview in only:
            yield found


def skim_log(
    path: Path,
    skimmed: Collection[str],
    start: Position = START,
    stop: int | None = None,
    only: Collection[str] | None = None,
) -> Iterator[Entry | Skimmed | Damage]:
    """Read the log faster: events whose name is in ``skimmed`` are only checked for damage, not decoded."""
    for line in read_lines(path, start, stop):
        peeked = peek_event(line.data) if line.whole else None
        if peeked is not None and only is not None and peeked.interview not in only:
            continue
        if peeked is not None and peeked.event in skimmed and peeked.n is not None:
            try:
                check_crc(line.data, "")
            except BadData as error:
                yield Damage(line.offset, line.end, line.number, f"{path}, line {line.number}{error}")
            else:
                yield Skimmed(line.end, line.number, peeked.interview, peeked.n)
            continue
        found = decode_line(path, line)
        if isinstance(found, Damage) or only is None or found.event.interview in only:
            yield found


def decode_line(path: Path, line: Line) -> Entry | Damage:
    """Decode one line, or say what is wrong with it."""
    if not line.whole and len(line.data) <= LONGEST_LINE:
        reason = f"{path}, line {line.number} is unfinished."
        return Damage(line.offset, line.end, line.number, reason, torn=True)
    try:
        seq, event = decode_event(line.data, "")
    except BadData as error:
        return Damage(line.offset, line.end, line.number, f"{path}, line {line.number}{error}")
    return Entry(line.offset, line.end, line.number, seq, event)


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
        log = files.open_to_read(path, CHUNK)
    except FileNotFoundError:
        return
    except OSError as error:
        raise files.cannot_read(path, error) from error
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


class Peeked(NamedTuple):
    """The beginning of a line: the event's name, its interview, and its number in it, if there is one."""

    event: str
    interview: str
    n: int | None


def peek_event(line: bytes) -> Peeked | None:
    """Read the beginning of a line, without any checks."""
    found = _BEGINNING.match(line)
    if found is None:
        return None
    event, interview, number = found.groups()
    return Peeked(event.decode(), interview.decode(), None if number is None else int(number))


def find_interviews(path: Path, events: Collection[str]) -> set[str]:
    """Find the interviews that have events with one of these names."""
    found = (peek_event(line.data) for line in read_lines(path) if line.whole)
    return {one.interview for one in found if one is not None and one.event in events}


def is_longer_than(path: Path, size: int) -> bool:
    """Whether a log has more bytes than this; an absent one has none."""
    try:
        return path.stat().st_size > size
    except FileNotFoundError:
        return False


def valid_entries(found: Iterable[Entry | Damage]) -> Iterator[Entry]:
    """Select the entries and leave out the damaged lines."""
    return (entry for entry in found if isinstance(entry, Entry))
