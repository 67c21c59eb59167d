"""The tables of a team's store, as a client uses them."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from odm_tui.store.team.address import presence_key
from odm_tui.store.team.connection import AnswerWatch, connect, naming_failures, require_psycopg
from odm_tui.store.team.schema import check_version

if TYPE_CHECKING:
    import psycopg

PAGE = 1_000
"""Rows that are read at a time."""
_NAME = "odm-tui "

_ROWS = """
SELECT head, interview, folder, body FROM odm_tui.events WHERE bank = %(bank)s AND head > %(since)s AND head <= %(upto)s
UNION ALL
SELECT head, interview, '', NULL FROM odm_tui.forgotten WHERE bank = %(bank)s AND head > %(since)s AND head <= %(upto)s
ORDER BY head"""
_FLUSH = "SELECT odm_tui.flush()"
_PRESENT = """
SELECT l.classid::bigint, l.objid::bigint, a.application_name
FROM pg_locks l JOIN pg_stat_activity a USING (pid)
WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.granted
AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())"""


@dataclass(frozen=True, slots=True)
class StoredRow:
    """One row of a bank: an event, or the id of a forgotten interview, whose ``body`` is None."""

    head: int
    interview: str
    folder: str
    body: bytes | None


@dataclass(frozen=True, slots=True)
class FolderSeen:
    """A state folder that has sent events: how many, and when the last ones arrived."""

    folder: str
    events: int
    last: datetime


class TeamServer:
    """A connection to a team's store; every method raises StoreUnavailable with one sentence if it fails."""

    def __init__(self, address: str, operator: str = "") -> None:
        self.address = address
        self._connection = connect(address, operator)
        self._watch = AnswerWatch(self._connection)
        self._in_one_go = bool(require_psycopg().Pipeline.is_supported())
        """Whether this libpq can send several statements without waiting for the answer of each."""
        try:
            check_version(self._connection, address)
            self.id = str(self._fetch("SELECT id FROM odm_tui.store")[0][0])
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the connection; all interviews that it has open are free again."""
        self._watch.close()
        with contextlib.suppress(Exception):
            self._connection.close()

    @property
    def asking_since(self) -> float | None:
        """When the question began that the server has not answered yet, on the monotonic clock."""
        return self._watch.since

    @property
    def connection(self) -> psycopg.Connection[tuple[Any, ...]]:
        """The connection itself."""
        return self._connection

    def heads(self) -> dict[str, int]:
        """The head of each bank."""
        return dict(self._fetch("SELECT bank, head FROM odm_tui.banks ORDER BY bank"))

    def push(
        self, bank: str, folder: str, events: Sequence[tuple[str, bytes]]
    ) -> dict[bytes, tuple[int, str]]:
        """Add events, each an interview and a body, in this order; return head and folder by digest.

        Events that are there already keep their head. Those of forgotten interviews are left out.
        """
        interviews, bodies = [event[0] for event in events], [event[1] for event in events]
        rows = self._fetch_flushed(
            "SELECT digest, head, folder FROM odm_tui.send(%s, %s, %s::text[], %s::bytea[])",
            (bank, folder, interviews, bodies),
        )
        return {bytes(digest): (head, sender) for digest, head, sender in rows}

    def pull(self, bank: str, since: int, upto: int) -> list[StoredRow]:
        """Read the rows after one head, up to another that :meth:`heads` has returned."""
        parameters = {"bank": bank, "since": since, "upto": upto}
        rows = self._fetch_flushed(_ROWS, parameters)
        return [StoredRow(h, i, f, None if b is None else bytes(b)) for h, i, f, b in rows]

    def forget(self, bank: str, interviews: Sequence[str]) -> None:
        """Remove interviews and keep their ids; needs the role odm_tui_admin."""
        self._fetch("SELECT odm_tui.forget(%s, %s::text[])", (bank, list(interviews)))

    def forgotten(self, bank: str, since: int, upto: int) -> list[str]:
        """Read which interviews were forgotten after one head, up to another that :meth:`heads` has returned."""
        rows = self._fetch_flushed(
            "SELECT interview FROM odm_tui.forgotten WHERE bank = %s AND head > %s AND head <= %s ORDER BY head",
            (bank, since, upto),
        )
        return [interview for (interview,) in rows]

    def may_forget(self) -> bool:
        """Whether this user may forget interviews."""
        found = self._fetch("SELECT has_function_privilege('odm_tui.forget(text, text[])', 'EXECUTE')")
        return bool(found[0][0])

    def claim(self, bank: str, interview: str) -> bool:
        """Mark an interview as open on this connection; False if another one has it open."""
        return bool(self._fetch("SELECT pg_try_advisory_lock(%s)", (presence_key(bank, interview),))[0][0])

    def release(self, bank: str, interview: str) -> None:
        """Let others open an interview."""
        self._fetch("SELECT pg_advisory_unlock(%s)", (presence_key(bank, interview),))

    def present(self) -> dict[int, str]:
        """The operators of all open interviews, by :func:`presence_key`."""
        found: dict[int, str] = {}
        for high, low, name in self._fetch(_PRESENT):
            key = (high << 32 | low) - (1 << 64 if high >= 1 << 31 else 0)
            found[key] = name.removeprefix(_NAME) if name.startswith(_NAME) else "?"
        return found

    def folders(self, bank: str) -> list[FolderSeen]:
        """The state folders that have sent events of a bank, the latest first."""
        rows = self._fetch(
            "SELECT folder, count(*), max(received) FROM odm_tui.events WHERE bank = %s GROUP BY folder "
            "ORDER BY max(received) DESC",
            (bank,),
        )
        return [FolderSeen(*row) for row in rows]

    def _fetch_flushed(self, query: str, parameters: Any) -> list[tuple[Any, ...]]:
        """Return when all that was sent or seen is on the server's disk: until then a crash there could undo it."""
        if not self._in_one_go:
            rows = self._fetch(query, parameters)
            self._fetch(_FLUSH)
            return rows
        with naming_failures(self.address), self._watch.asking():
            with self._connection.pipeline() as pipeline:
                found = self._connection.execute(query, parameters, binary=True)
                pipeline.sync()  # the end of its transaction: the lock of the bank is free before the disk is waited for
                self._connection.execute(_FLUSH)
            return found.fetchall()

    def _fetch(self, query: str, parameters: Any = None) -> list[tuple[Any, ...]]:
        with naming_failures(self.address), self._watch.asking():
            return self._connection.execute(query, parameters, binary=True).fetchall()
