"""A log that is open for reading: everything comes from one file, even if another one takes its name meanwhile."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, NamedTuple, Self

from odm_tui import files
from odm_tui.store.integrity.chain import digest_before, read_between
from odm_tui.store.log import CHUNK, START, Line, Position
from odm_tui.store.log_codec import LONGEST_LINE


class RawLine(NamedTuple):
    """A whole line without its newline, its number, and its place: the bytes from ``offset`` up to ``end``.

    Only the beginning of a line that is too long is there.
    """

    number: int
    offset: int
    end: int
    data: bytes

    @property
    def line(self) -> Line:
        """The same line as the readers of the log take it."""
        return Line(self.number, self.offset, self.end, self.data, whole=True)


class LogFile:
    """The log of one bank, open for reading; an absent log is an empty one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: BinaryIO | None = None
        try:
            self._file = files.open_to_read(path, 0)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise files.cannot_read(path, error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()

    @property
    def size(self) -> int:
        """How many bytes the log has now."""
        return 0 if self._file is None else os.fstat(self._file.fileno()).st_size

    @property
    def is_current(self) -> bool:
        """Whether the log of this name is still this file."""
        if self._file is None:
            return not os.path.lexists(self.path)
        return files.is_still_there(self.path, self._file.fileno())

    def holds(self, position: Position) -> bool:
        """Whether the log still has the line before a position."""
        if self._file is None:
            return position.bytes == 0
        return digest_before(self._file.fileno(), position.bytes) == position.mark

    def position_at(self, offset: int, lines: int, checksum: int | None = None) -> Position:
        """Return the position at an offset at which a line ends."""
        if self._file is None or offset == 0:
            return START
        return Position(offset, lines, digest_before(self._file.fileno(), offset), checksum)

    def checksum(self, start: Position, stop: int) -> int | None:
        """Continue the checksum of a position up to an offset; None if it is not known or the log is shorter."""
        checksum, at = start.checksum, start.bytes
        if checksum is None or self._file is None:
            return checksum
        while at < stop:
            data = read_between(self._file.fileno(), at, min(at + CHUNK, stop))
            if not data:
                return None
            checksum = zlib.crc32(data, checksum)
            at += len(data)
        return checksum

    def lines(self, start: Position = START, stop: int | None = None) -> Iterator[RawLine]:
        """Read the whole lines from a position up to the byte ``stop``; an unfinished last line is left out."""
        if self._file is None:
            return
        descriptor, number, begin, rest = self._file.fileno(), start.lines, start.bytes, b""
        at = begin
        """Where the next chunk is read; ``rest`` has the bytes between ``begin`` and there, or the first of them."""
        while stop is None or begin < stop:
            chunk = read_between(descriptor, at, at + CHUNK)
            if not chunk:
                return
            at += len(chunk)
            *whole, last = chunk.split(b"\n")
            if whole:
                whole[0] = rest + whole[0]
                end = at - len(last)
                offset = begin
                for place, data in enumerate(whole):
                    number += 1
                    after = offset + len(data) + 1
                    if place == 0:
                        after = at - len(chunk) + chunk.index(b"\n") + 1
                    if stop is not None and offset >= stop:
                        return
                    yield RawLine(number, offset, after, data)
                    offset = after
                begin, rest = end, last
            elif len(rest) <= LONGEST_LINE:
                rest += last

    def lines_at(self, spans: Sequence[int], stop: int | None = None) -> Iterator[RawLine]:
        """Read the lines in these places: an offset, where they end, the next offset, and so on.

        The numbers of the lines are not known; they are 0.
        """
        if self._file is None:
            return
        for first, last in zip(spans[::2], spans[1::2], strict=True):
            offset = first
            if stop is not None and offset >= stop:
                return
            for data in read_between(self._file.fileno(), first, last).split(b"\n")[:-1]:
                if stop is None or offset < stop:
                    yield RawLine(0, offset, offset + len(data) + 1, data)
                offset += len(data) + 1
