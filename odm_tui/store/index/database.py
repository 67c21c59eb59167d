"""The file of the index: a SQLite database that is written once, checked when it is opened, and never changed.

After the database come a checksum of it and the file's own time of change. A large file that still has that time has
not been touched; any other one is checked as a whole, and not used if a bit of it has changed. Each row has a checksum
of its own. The schema has to be
exactly this one, so that a planted file can't bring any code with it.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import sqlite3
import time
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from odm_tui import files
from odm_tui.store.counts import Counts
from odm_tui.store.index.builder import IndexedInterview
from odm_tui.store.index.counts_codec import decode_counts_of, encode_counts
from odm_tui.store.index.summary import COLUMNS, InterviewSummary, pack_spans, search_text, unpack_spans
from odm_tui.store.log import Position

FORMAT = 2
_TRAILER = re.compile(rb"odm-tui index ([0-9a-f]{8}) ([0-9a-f]{16})\n")
_TRAILER_LENGTH = len(b"odm-tui index 01234567 0123456789abcdef\n")
_SPACING = 400_000
"""Bytes of the log between two checkpoints, at least: about 2,000 lines."""
_TIMES_CHECKPOINT = 10
"""A checkpoint takes at most this fraction of the log that it covers."""
_ALWAYS_CHECKED = 4_000_000
"""Bytes; a file up to this size is checked as a whole each time, in a few milliseconds."""
_BATCH = 500
_TABLES = (
    "CREATE TABLE facts (value TEXT, crc INT)",
    (
        "CREATE TABLE interviews (number INTEGER PRIMARY KEY, id TEXT NOT NULL, began TEXT, operator TEXT, scripted INT, "
        "label TEXT, note TEXT, status TEXT, is_empty INT, questions INT, cost, seconds, decided TEXT, outcome TEXT, "
        "referred INT, last_time TEXT, conflicts INT, target, factor, spans BLOB NOT NULL, crc INT, search TEXT)"
    ),
    "CREATE UNIQUE INDEX by_id ON interviews (id)",
    "CREATE TABLE forgotten (id TEXT PRIMARY KEY) WITHOUT ROWID",
    "CREATE TABLE checkpoints (bytes INTEGER PRIMARY KEY, lines INT, counts BLOB, crc INT)",
)
_INDEXES = (
    "CREATE INDEX by_began ON interviews (began, number)",
    "CREATE INDEX by_status ON interviews (status, began, number)",
    "CREATE INDEX by_label ON interviews (label) WHERE label != ''",
    "CREATE INDEX by_conflicts ON interviews (number) WHERE conflicts > 0",
)
COLUMNS_TEXT = ", ".join(COLUMNS)
_INSERT = f"INSERT OR REPLACE INTO interviews VALUES ({', '.join('?' * (len(COLUMNS) + 4))})"
ROW = f"number, {COLUMNS_TEXT}, spans, crc"
"""What :func:`read_row` takes."""


class BadIndexError(Exception):
    """The index is damaged or was not written by odm-tui; it is built again."""


@contextlib.contextmanager
def noticing_damage() -> Iterator[None]:
    """Turn whatever a damaged database raises into BadIndexError."""
    try:
        yield
    except (sqlite3.Error, ValueError, TypeError, KeyError, OverflowError) as error:
        raise BadIndexError(str(error)) from error


class IndexDatabase:
    """The tables of an index, in memory or in a file that is only read."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self._waiting: list[tuple[Any, ...]] = []

    @classmethod
    def create(cls) -> IndexDatabase:
        """Create an empty index in memory."""
        connection = sqlite3.connect(":memory:", isolation_level=None)
        connection.execute("PRAGMA journal_mode = OFF")
        for statement in _TABLES:
            connection.execute(statement)
        return cls(connection)

    def copy(self) -> IndexDatabase:
        """Copy an index into memory, where it can be extended."""
        connection = sqlite3.connect(":memory:", isolation_level=None)
        try:
            with noticing_damage():
                self.connection.backup(connection)
                for statement in _INDEXES:
                    connection.execute(f"DROP INDEX {statement.split()[2]}")
        except BadIndexError:
            connection.close()
            raise
        return IndexDatabase(connection)

    def close(self) -> None:
        """Close the file."""
        self.connection.close()

    # -- what the builder needs -------------------------------------------------------------------------

    def find(self, interview: str) -> IndexedInterview | None:
        """Return an interview; None if the index does not have it."""
        self._write_waiting()
        with noticing_damage():
            query = f"SELECT {ROW} FROM interviews WHERE id = ?"
            found = self.connection.execute(query, (interview,)).fetchone()
            return None if found is None else read_row(found)

    def has_forgotten(self, interview: str) -> bool:
        """Whether an interview was forgotten."""
        with noticing_damage():
            found = self.connection.execute("SELECT 1 FROM forgotten WHERE id = ?", (interview,))
            return found.fetchone() is not None

    def put(self, number: int, spans: list[int], columns: tuple[Any, ...]) -> None:
        """Add an interview, or replace it."""
        row = (number, *columns, pack_spans(spans))
        self._waiting.append((*row, _checksum(row), search_text(columns)))
        if len(self._waiting) >= _BATCH:
            self._write_waiting()

    def forget(self, interview: str) -> None:
        """Remove an interview and remember that it was forgotten."""
        self._write_waiting()
        self.connection.execute("DELETE FROM interviews WHERE id = ?", (interview,))
        self.connection.execute("INSERT OR IGNORE INTO forgotten VALUES (?)", (interview,))

    def add_checkpoint(self, position: Position, counts: Counts) -> int:
        """Keep the counts at a position; return how many bytes later the next ones are due."""
        data = encode_counts(counts)
        row = (position.bytes, position.lines, data)
        self.connection.execute(
            "INSERT OR REPLACE INTO checkpoints VALUES (?, ?, ?, ?)", (*row, _checksum(row))
        )
        return max(_SPACING, _TIMES_CHECKPOINT * len(data))

    def _write_waiting(self) -> None:
        if self._waiting:
            self.connection.executemany(_INSERT, self._waiting)
            self._waiting.clear()

    # -- what the whole index is about ----------------------------------------------------------------------

    def seal(self, position: Position, bank_hash: str) -> None:
        """Add what is needed for reading: how much of the log the index covers, totals, and the order of lists."""
        self._write_waiting()
        for statement in _INDEXES:
            self.connection.execute(statement)
        totals = self.connection.execute(
            "SELECT status, is_empty, COUNT(*), MAX(began) FROM interviews "
            "WHERE began != '' GROUP BY status, is_empty"
        )
        facts = {
            "format": FORMAT,
            "bytes": position.bytes,
            "lines": position.lines,
            "mark": position.mark,
            "checksum": position.checksum,
            "bank_hash": bank_hash,
            "totals": totals.fetchall(),
        }
        text = json.dumps(facts)
        self.connection.execute("DELETE FROM facts")
        self.connection.execute("INSERT INTO facts VALUES (?, ?)", (text, _checksum((text,))))

    def _facts(self) -> dict[str, Any]:
        ((text, crc),) = self.connection.execute("SELECT value, crc FROM facts").fetchall()
        facts = json.loads(text)
        if crc != _checksum((text,)) or not isinstance(facts, dict) or facts["format"] != FORMAT:
            raise ValueError("damaged, or another format")
        return facts

    def position(self) -> Position:
        """Return how much of the log the index covers."""
        with noticing_damage():
            facts = self._facts()
            return Position(int(facts["bytes"]), int(facts["lines"]), str(facts["mark"]), facts["checksum"])

    def bank_hash(self) -> str:
        """Return the version of the bank that the checkpoints belong to; empty if there are none."""
        with noticing_damage():
            return str(self._facts()["bank_hash"])

    def totals(self) -> list[tuple[str, bool, int, str]]:
        """Return how many interviews there are by status, empty ones apart, and when the last of them began."""
        with noticing_damage():
            found = self._facts()["totals"]
            return [(str(status), bool(empty), int(count), str(last)) for status, empty, count, last in found]

    def next_number(self) -> int:
        """Return the number of the next interview."""
        with noticing_damage():
            (last,) = self.connection.execute("SELECT MAX(number) FROM interviews").fetchone()
            return 0 if last is None else int(last) + 1

    def checkpoint_before(self, offset: int) -> tuple[Position, Counts] | None:
        """Return the last counts that were kept at or before an offset."""
        with noticing_damage():
            found = self.connection.execute(
                "SELECT bytes, lines, counts, crc FROM checkpoints WHERE bytes <= ? ORDER BY bytes DESC LIMIT 1",
                (offset,),
            ).fetchone()
            if found is None:
                return None
            if _checksum(found[:-1]) != found[-1]:
                raise ValueError("damaged")
            return Position(found[0], found[1]), decode_counts_of(found[2])

    # -- the file ---------------------------------------------------------------------------------------

    def write_beside(self, path: Path) -> files.GuardedFile:
        """Write the index to a temporary file beside its own one; raise CannotWrite if that fails."""
        data = self.connection.serialize()
        now = int(time.time()) // 2 * 2 * 10**9  # every file system can keep a time in steps of two seconds
        trailer = b"odm-tui index %08x %016x\n" % (zlib.crc32(data), now)
        temporary = files.write_guarded(path, (data, trailer))
        try:
            with files.naming_errors(path):
                os.utime(temporary.path, ns=(now, now))
        except BaseException:
            temporary.remove()
            raise
        return temporary

    @classmethod
    def load(cls, path: Path) -> IndexDatabase | None:
        """Open the index in a file; None if there is none. Raise BadIndexError if it can't be used."""
        try:
            with files.open_to_read(path) as file:
                _check_file(file.fileno())
                connection = sqlite3.connect(
                    f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1", uri=True, isolation_level=None
                )
                if not os.path.samestat(os.fstat(file.fileno()), path.lstat()):
                    connection.close()
                    raise BadIndexError("it was replaced")
        except FileNotFoundError:
            return None
        except OSError as error:
            raise BadIndexError(str(error)) from error
        except sqlite3.Error as error:
            raise BadIndexError(str(error)) from error
        try:
            with noticing_damage():
                connection.execute("PRAGMA trusted_schema = OFF")
                connection.execute("PRAGMA query_only = ON")
                found = {
                    sql
                    for (sql,) in connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")
                }
                if found != {*_TABLES, *_INDEXES}:
                    raise ValueError("another schema")
        except BadIndexError:
            connection.close()
            raise
        return cls(connection)


def read_row(found: Sequence[Any]) -> IndexedInterview:
    """Check a row of the index and return the interview; raise ValueError if a bit of it has changed."""
    number, *columns, spans, crc = found
    if type(number) is not int or type(spans) is not bytes or _checksum(found[:-1]) != crc:
        raise ValueError("damaged")
    return IndexedInterview(number, unpack_spans(spans), InterviewSummary.from_columns(columns))


def _checksum(row: Sequence[Any]) -> int:
    """Return a checksum of values of a row, which are the same when they are read back."""
    return zlib.crc32(
        repr([int(value) if value is True or value is False else value for value in row]).encode()
    )


def _check_file(descriptor: int) -> None:
    """Raise BadIndexError unless the file is as it was written."""
    found = os.fstat(descriptor)
    size = found.st_size - _TRAILER_LENGTH
    os.lseek(descriptor, max(0, size), os.SEEK_SET)
    trailer = _TRAILER.fullmatch(os.read(descriptor, _TRAILER_LENGTH))
    if trailer is None:
        raise BadIndexError("it is not an index, or it was cut")
    checksum, written = (int(part, 16) for part in trailer.groups())
    if found.st_mtime_ns == written and size > _ALWAYS_CHECKED:
        return
    os.lseek(descriptor, 0, os.SEEK_SET)
    seen = 0
    while size > 0:
        data = os.read(descriptor, min(size, 1 << 20))
        if not data:
            raise BadIndexError("it was cut")
        seen, size = zlib.crc32(data, seen), size - len(data)
    if seen != checksum:
        raise BadIndexError("it was damaged")
