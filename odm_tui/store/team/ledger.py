"""An index of a log for the sync: which events it has, where they are, and which of them the store has.

``<bank>.team.sqlite`` is a cache: it can be built again from the log and the store. It notices by the log's position
and mark that the log was rewritten.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from odm_tui import files
from odm_tui.errors import BadData, Locked
from odm_tui.store.events import Forgotten
from odm_tui.store.integrity.chain import digest_line
from odm_tui.store.log import START, Position, read_lines
from odm_tui.store.log_codec import decode_event, encode_body
from odm_tui.store.paths import StatePaths
from odm_tui.store.team.digest import digest_body

_VERSION = 1
_BATCH = 5_000
UNSENT, GONE, REFUSED, NOT_ALLOWED = None, 0, -1, -2
"""What stands in place of a head: not sent yet; forgotten in the store; refused by it; this user may not send it."""

_TABLES = f"""
PRAGMA user_version = {_VERSION};
CREATE TABLE place (bytes INTEGER, lines INTEGER, mark TEXT);
INSERT INTO place VALUES (0, 0, '');
CREATE TABLE lines (
    offset INTEGER PRIMARY KEY, interview TEXT NOT NULL, digest BLOB NOT NULL UNIQUE, head INTEGER, folder TEXT,
    tombstone INTEGER NOT NULL
);
CREATE INDEX unsent ON lines (offset) WHERE head IS NULL;
"""
_ADDED = (
    "CREATE INDEX IF NOT EXISTS forgotten ON lines (interview) WHERE tombstone",
    "CREATE INDEX IF NOT EXISTS interviews ON lines (interview)",
    "CREATE INDEX IF NOT EXISTS refused ON lines (head) WHERE head < 0",
    "CREATE TABLE IF NOT EXISTS lost (noted INTEGER)",
)
"""What older files lack. Without the indexes, each page that is taken in and each pass would read the whole file."""
_LOCKED, _FULL = (5, 6), 13
"""SQLite's codes for a file that another process has locked, and for a full disk; such a file is not damaged."""


@dataclass(frozen=True, slots=True)
class LedgerLine:
    """An event of the log that the store does not have yet."""

    offset: int
    interview: str
    digest: bytes
    is_tombstone: bool


class Ledger:
    """The index of one bank's log; only the process that holds the sync lock opens it for writing."""

    def __init__(self, paths: StatePaths) -> None:
        self.paths = paths
        self._database = _open(paths)

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    @property
    def position(self) -> Position:
        """How much of the log has been read."""
        found = self._database.execute("SELECT bytes, lines, mark FROM place").fetchone()
        return Position(*found)

    def read_log(self, end: Position) -> None:
        """Read the lines of the log up to a position; if events are missing there that it once had, note that."""
        start = self.position
        if start.holds_in(self.paths.log) and start.bytes <= end.bytes:
            for batch, position in self._read_batches(start, end):
                with self._database:
                    self._insert(batch, position)
        else:
            self._read_again(end)

    @property
    def has_lost(self) -> bool:
        """Whether the log has lost events that it once had, and nobody has noted yet that they were looked for."""
        return self._database.execute("SELECT 1 FROM lost").fetchone() is not None

    def note_search(self) -> None:
        """Note that everything is taken in again, with what the log has lost."""
        with self._database as database:
            database.execute("DELETE FROM lost")

    def _read_again(self, end: Position) -> None:
        """Read the whole log, because it was rewritten; keep what is known of the store.

        All in one transaction: after a crash it has to be known still what the log once had.
        """
        with self._database as database:
            database.execute("DROP TABLE IF EXISTS temp.before")
            database.execute(
                "CREATE TEMP TABLE before AS SELECT digest, interview, head, folder, tombstone FROM lines"
            )
            database.execute("DELETE FROM lines")
            for batch, position in self._read_batches(START, end):
                self._insert(batch, position)
            database.execute("CREATE INDEX temp.by_digest ON before (digest)")
            database.execute(
                "UPDATE lines SET (head, folder) = (SELECT b.head, b.folder FROM before b WHERE b.digest = lines.digest) "
                "WHERE EXISTS (SELECT 1 FROM before b WHERE b.digest = lines.digest)"
            )
            database.execute(
                "INSERT INTO lost SELECT 1 WHERE EXISTS (SELECT 1 FROM before b "
                "WHERE NOT EXISTS (SELECT 1 FROM lines l WHERE l.digest = b.digest) "
                "AND NOT EXISTS (SELECT 1 FROM lines l WHERE l.interview = b.interview AND l.tombstone))"
            )
            database.execute("DROP TABLE temp.before")

    def _read_batches(
        self, start: Position, end: Position
    ) -> Iterator[tuple[list[tuple[Any, ...]], Position]]:
        """Read lines in batches, each with the position after it."""
        batch: list[tuple[Any, ...]] = []
        for line in read_lines(self.paths.log, start, end.bytes):
            try:
                _, event = decode_event(line.data, "")
            except BadData:
                continue  # a damaged line is never sent
            digest = digest_body(encode_body(event))
            batch.append((line.offset, event.interview, digest, isinstance(event, Forgotten)))
            if len(batch) >= _BATCH:
                yield batch, Position(line.end, line.number, digest_line(line.data))
                batch = []
        yield batch, end

    def _insert(self, batch: Sequence[tuple[Any, ...]], end: Position) -> None:
        """Add lines; the caller commits."""
        self._database.executemany(
            "INSERT OR IGNORE INTO lines (offset, interview, digest, tombstone) VALUES (?, ?, ?, ?)", batch
        )
        self._database.execute(
            "UPDATE place SET bytes = ?, lines = ?, mark = ?", (end.bytes, end.lines, end.mark)
        )

    def unsent(self, most: int) -> list[LedgerLine]:
        """The next events that the store does not have, in the order of the log."""
        found = self._database.execute(
            "SELECT offset, interview, digest, tombstone FROM lines WHERE head IS NULL ORDER BY offset LIMIT ?",
            (most,),
        )
        return [
            LedgerLine(offset, i, bytes(digest), bool(tombstone)) for offset, i, digest, tombstone in found
        ]

    def count_unsent(self) -> int:
        """How many events the store does not have."""
        return int(self._database.execute("SELECT count(*) FROM lines WHERE head IS NULL").fetchone()[0])

    def count_refused(self) -> dict[int, int]:
        """How many events were refused, by the reason that stands in place of their head."""
        return dict(
            self._database.execute(
                "SELECT head, count(*) FROM lines WHERE head < 0 AND head IN (?, ?) GROUP BY head",
                (REFUSED, NOT_ALLOWED),
            )
        )

    def note_heads(self, heads: Iterable[tuple[bytes, int, str]]) -> None:
        """Note the head of events and the folder that sent them."""
        with self._database as database:
            database.executemany(
                "UPDATE lines SET head = ?, folder = ? WHERE digest = ?",
                ((head, folder, digest) for digest, head, folder in heads),
            )

    def retry_refused(self, head: int) -> None:
        """Send events again that were refused for this reason."""
        with self._database as database:
            database.execute("UPDATE lines SET head = NULL WHERE head < 0 AND head = ?", (head,))

    def forget_store(self) -> None:
        """Forget what the store has, so that everything is offered again."""
        with self._database as database:
            database.execute("UPDATE lines SET head = NULL, folder = NULL")

    def has(self, digest: bytes) -> bool:
        """Whether the log has an event."""
        return (
            self._database.execute("SELECT 1 FROM lines WHERE digest = ?", (digest,)).fetchone() is not None
        )

    def forgotten_among(self, interviews: Iterable[str]) -> set[str]:
        """Which of these interviews the log has forgotten."""
        return self._find_interviews(interviews, "tombstone")

    def present_among(self, interviews: Iterable[str]) -> set[str]:
        """Which of these interviews the log has events of."""
        return self._find_interviews(interviews, "NOT tombstone")

    def _find_interviews(self, interviews: Iterable[str], condition: str) -> set[str]:
        wanted = json.dumps(list(interviews))
        return {
            interview
            for (interview,) in self._database.execute(
                f"SELECT DISTINCT interview FROM lines WHERE {condition} AND interview IN (SELECT value FROM json_each(?))",
                (wanted,),
            )
        }

    def unknown_to(self, started: bytes, folder: str, head: int, own: str) -> dict[str, set[bytes]] | None:
        """The events that an interview did not know when it began, by interview; ``started`` is the digest of its start.

        It knew everything up to a head, and what its own folder had sent before it. Without a folder it began before
        its folder knew the store. None if the order of this log says it, because it began in the folder ``own``, or if
        the store does not tell.
        """
        row = self._database.execute("SELECT head, folder FROM lines WHERE digest = ?", (started,)).fetchone()
        if row is None or row[0] is None or row[0] <= 0 or row[1] == own:
            return None
        if folder and row[1] != folder:
            return None  # it was first sent to another store, where heads mean something else
        unknown: dict[str, set[bytes]] = {}
        for interview, digest in self._database.execute(
            "SELECT interview, digest FROM lines WHERE NOT tombstone "
            "AND (head IS NULL OR head <= 0 OR (head > ? AND (folder <> ? OR head >= ?)))",
            (head, row[1], row[0]),
        ):
            unknown.setdefault(interview, set()).add(bytes(digest))
        return unknown


@contextlib.contextmanager
def opened_ledger(paths: StatePaths) -> Iterator[Ledger]:
    """Open the index and close it afterwards; a damaged one is removed and built again."""
    try:
        ledger = Ledger(paths)
        ledger.count_unsent()
    except sqlite3.DatabaseError as error:
        _raise_if_usable(paths, error)
        remove_ledger(paths)
        ledger = Ledger(paths)
    try:
        yield ledger
    except sqlite3.DatabaseError as error:
        _raise_if_usable(paths, error)
        ledger.close()
        remove_ledger(paths)
        raise BadData(f"{paths.ledger} was damaged; it is built again from the log and the store.") from error
    finally:
        ledger.close()


def _raise_if_usable(paths: StatePaths, error: sqlite3.DatabaseError) -> None:
    """Raise an error with a sentence, if the file failed without being damaged."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in _LOCKED:
        raise Locked(f"Another process has locked {paths.ledger}. Nothing was lost; try again.") from error
    if code == _FULL:
        raise files.cannot_write(paths.ledger, OSError(errno.ENOSPC, str(error))) from error


def remove_ledger(paths: StatePaths) -> None:
    """Remove the index; it is built again from the log and the store."""
    for suffix in ("", "-journal", "-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            files.disk.unlink(paths.ledger.with_name(paths.ledger.name + suffix))


def _open(paths: StatePaths) -> sqlite3.Connection:
    with files.naming_errors(paths.ledger):
        files.make_folder(paths.folder)
        os.close(files.open_to_overwrite(paths.ledger))  # refuses links, and makes it private
    database = sqlite3.connect(paths.ledger, timeout=10)
    database.execute("PRAGMA secure_delete = ON")
    # Nothing waits for the disk here, and after a power cut the file is whole, if perhaps older.
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = NORMAL")
    database.execute("PRAGMA temp_store = MEMORY")
    version = database.execute("PRAGMA user_version").fetchone()[0]
    if version != _VERSION:
        if version:
            database.close()
            raise sqlite3.DatabaseError("another version")
        database.executescript(_TABLES)
    for statement in _ADDED:
        database.execute(statement)
    return database
