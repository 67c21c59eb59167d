"""Remember where the log ended when it was last written, so that a cut or replaced log is noticed at the next start.

``<bank>.end.json`` is written after each append, once the lines are on disk, so it never claims more than the log
has. It is a note of fixed length that is overwritten in place: a damaged one says nothing, and then everything is
checked the slow way. ``mtime`` is the log's time of change, if nothing but odm-tui has written to the log since the
whole of it was last checked; a log with another time has to be checked again.
"""

from __future__ import annotations

import contextlib
import os
import zlib
from dataclasses import dataclass

from odm_tui import files
from odm_tui.errors import BadData
from odm_tui.store.integrity.chain import digest_before
from odm_tui.store.log_codec import check_crc
from odm_tui.store.paths import StatePaths
from odm_tui.strict_json import parse_json

_LENGTH = 160


@dataclass(frozen=True, slots=True)
class LogEnd:
    """The size of the log, its lines, the digest of its last line, and its time of change (0: not checked)."""

    bytes: int
    lines: int
    last: str
    mtime: int = 0

    def describes(self, found: os.stat_result) -> bool:
        """Whether the log has not been touched since this was written, and had been checked then."""
        return self.mtime != 0 and (self.bytes, self.mtime) == (found.st_size, found.st_mtime_ns)


def read_end(paths: StatePaths) -> LogEnd | None:
    """Read the note; None if there is none or if it is damaged."""
    try:
        with files.open_to_read(paths.end) as note:
            data = note.read(_LENGTH)
        line = data.rstrip(b" \n")
        check_crc(line, "")
        values = parse_json(line, "")
        return LogEnd(
            int(values["bytes"]), int(values["lines"]), str(values["last"]), int(values["mtime"], 16)
        )
    except (OSError, BadData, KeyError, TypeError, ValueError):
        return None


def write_end(paths: StatePaths, end: LogEnd) -> None:
    """Write the note; the caller holds the lock. It only helps to notice things, so a failure is no error."""
    body = b'{"bytes":%d,"lines":%d,"last":"%s","mtime":"%x"' % (
        end.bytes,
        end.lines,
        end.last.encode(),
        end.mtime,
    )
    data = (body + b',"crc":"%08x"}' % zlib.crc32(body)).ljust(_LENGTH - 1) + b"\n"
    with contextlib.suppress(OSError):
        descriptor = files.open_to_overwrite(paths.end)
        try:
            files.disk.overwrite(descriptor, data)
        finally:
            os.close(descriptor)


def is_untouched(paths: StatePaths) -> bool:
    """Whether nothing but odm-tui has written to the log since the whole of it was last checked."""
    end = read_end(paths)
    try:
        return end is not None and end.describes(paths.log.stat())
    except OSError:
        return False


def find_lost_end(paths: StatePaths) -> str:
    """Say in a sentence that the log was cut or replaced since it was last written; empty if it was not."""
    end = read_end(paths)
    if end is None or end.bytes == 0:
        return ""
    had = f"it had {end.lines} lines when odm-tui last wrote to it"
    remedy = "If you have a copy, add what is missing with 'odm-tui state merge FOLDER'."
    try:
        with files.open_to_read(paths.log) as log:
            size = os.fstat(log.fileno()).st_size
            if size >= end.bytes and digest_before(log.fileno(), end.bytes) == end.last:
                return ""
    except FileNotFoundError:
        return f"{paths.log} was removed: {had}. {remedy}"
    what = "was cut" if size < end.bytes else "was replaced or edited"
    return f"{paths.log} {what}: {had}, and that end is not there any more. {remedy}"
