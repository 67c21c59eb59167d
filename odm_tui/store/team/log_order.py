"""Find out what each interview of a team's log did not know when it began, while the log is read from its start.

A copy of the index of the log (:mod:`odm_tui.store.team.ledger`) says which head of the store each line has and which
folder sent it. What an interview knew stands before it in every log; what it did not know may stand there too.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from odm_tui.errors import BadData
from odm_tui.store.branches.choice import choose_branch, follow_choice
from odm_tui.store.cursor import Cursor, read_cursor
from odm_tui.store.events import Event, Forgotten, Started
from odm_tui.store.interview_record import InterviewRecord
from odm_tui.store.log import Position, read_lines
from odm_tui.store.log_codec import decode_event, encode_body
from odm_tui.store.paths import StatePaths
from odm_tui.store.team.digest import digest_body
from odm_tui.store.team.membership import read_membership

_MOST_LINES = 50_000
"""An interview that did not know more lines than this is read as if it had known them: it takes too long otherwise."""
_WITHOUT_HEAD = "ifnull(head, 0) <= 0 AND NOT tombstone"
"""Lines that the store does not have. Without an index of just these, each interview would be looked up by reading all lines."""


class UnknownInterview(NamedTuple):
    """An interview of which another one did not know some events: its record with all of them, and with the others."""

    with_all: InterviewRecord
    as_known: InterviewRecord | None


class LogOrder:
    """What interviews of a team's log did not know."""

    def __init__(self, log: Path, ledger: Path, own: str) -> None:
        self._log, self._own = log, own
        self._database = sqlite3.connect("")  # a temporary file of its own, so that the sync is not held up
        with closing(sqlite3.connect(f"file:{ledger}?mode=ro", uri=True, timeout=10)) as source:
            source.backup(self._database)
        self._database.execute("CREATE INDEX by_head ON lines (head)")
        self._database.execute("CREATE INDEX by_interview ON lines (interview)")
        self._database.execute("CREATE INDEX by_folder ON lines (folder, offset)")
        self._database.execute(f"CREATE INDEX without_head ON lines (offset) WHERE {_WITHOUT_HEAD}")

    @classmethod
    def of_log(cls, log: Path) -> LogOrder | None:
        """Read the order of a log; None if it belongs to no team."""
        paths = StatePaths(log.parent, log.name.removesuffix(".log.jsonl"))
        membership = read_membership(paths) if paths.log == log else None
        if membership is None or not paths.ledger.exists():
            return None
        try:
            return cls(log, paths.ledger, membership.folder)
        except sqlite3.DatabaseError:
            return None

    def close(self) -> None:
        """Remove the copy of the index."""
        self._database.close()

    def find_unknown(self, started: Started, began: Cursor) -> list[UnknownInterview]:
        """Find what an interview that begins at a place of the log did not know of the lines before it."""
        offset = read_cursor(began, Position).bytes
        row = self._database.execute(
            "SELECT head, folder FROM lines WHERE digest = ?", (digest_body(encode_body(started)),)
        ).fetchone()
        if row is None or row[0] is None or row[0] <= 0 or row[1] == self._own:
            return []
        head, folder = row
        if started.folder and folder != started.folder:
            return []  # it was first sent to another store, where heads mean something else
        unknown: dict[str, set[int]] = {}
        for lines, (interview, place) in enumerate(self._unknown_lines(started.knew, head, folder, offset)):
            if lines > _MOST_LINES:
                return []
            unknown.setdefault(interview, set()).add(place)
        found = (self._read(interview, places, offset) for interview, places in unknown.items())
        return [one for one in found if one is not None]

    def _unknown_lines(self, knew: int, head: int, folder: str, offset: int) -> Iterator[tuple[str, int]]:
        database = self._database
        yield from database.execute(
            "SELECT interview, offset FROM lines WHERE head > ? AND head < ? AND folder <> ? AND offset < ? "
            "AND NOT tombstone",
            (knew, head, folder, offset),
        )
        yield from database.execute(
            f"SELECT interview, offset FROM lines WHERE {_WITHOUT_HEAD} AND offset < ?",
            (offset,),
        )
        # Lines of this folder that were sent after the interview began: the last ones before it.
        for interview, place, sent, tombstone in database.execute(
            "SELECT interview, offset, head, tombstone FROM lines WHERE folder = ? AND offset < ? ORDER BY offset DESC",
            (self._own, offset),
        ):
            if sent < head:
                break
            if not tombstone:
                yield interview, place

    def _read(self, interview: str, unknown: set[int], offset: int) -> UnknownInterview | None:
        places = [
            place
            for (place,) in self._database.execute(
                "SELECT offset FROM lines WHERE interview = ? AND offset < ? ORDER BY offset",
                (interview, offset),
            )
        ]
        events: list[Event] = []
        known: list[Event] = []
        for place in places:
            line = next(read_lines(self._log, Position(place)), None)
            try:
                event = None if line is None else decode_event(line.data, "")[1]
            except BadData:
                event = None
            if event is None or isinstance(event, Forgotten) or event.interview != interview:
                return None
            events.append(event)
            if place not in unknown:
                known.append(event)
        with_all = follow_choice(choose_branch(events))
        if with_all.ending is None:
            return None  # nothing was learned from it yet
        return UnknownInterview(with_all, follow_choice(choose_branch(known)) if known else None)
