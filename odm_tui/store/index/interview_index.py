"""Find the interviews of a log at once, however long it is: an index up to a position, and the lines after it."""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from odm_tui.store.counts import BankIndex, Counts
from odm_tui.store.cursor import Cursor, read_cursor
from odm_tui.store.events import Event
from odm_tui.store.index.builder import IndexedInterview, decode_or_damage, read_events, read_record
from odm_tui.store.index.database import ROW, BadIndexError, IndexDatabase, noticing_damage, read_row
from odm_tui.store.index.recent_rows import RecentRows
from odm_tui.store.index.summary import InterviewSummary
from odm_tui.store.interview_record import InterviewRecord
from odm_tui.store.log import START, Damage, Position, peek_event
from odm_tui.store.log_file import LogFile, RawLine

_TIMES = "lower(began) || ' ' || ifnull(strftime('%Y-%m-%d %H:%M', began, 'localtime'), '')"
"""The time in the log, and as lists show it."""
_PART_OF_TIME = re.compile(r"[0-9:-]+|[0-9-]*[0-9]t[0-9][0-9:.]*z?")
_MOST_LABELS = 100
"""SQLite takes only so many values."""
_Place = tuple[str, int]
"""Where an interview stands in a list: when it began, and its number."""


@dataclass(frozen=True, slots=True)
class Total:
    """How many interviews of a status there are, and when the last of them began."""

    status: str
    is_empty: bool
    count: int
    last_began: str


class InterviewIndex:
    """The interviews of a log as it was when this was opened; close it after use."""

    def __init__(
        self, log: LogFile, recent: RecentRows, position: Position, damage: Sequence[Damage] = ()
    ) -> None:
        self.log, self.recent, self.position = log, recent, position
        self.damage = tuple(damage)
        """Damaged lines after the index."""
        self.owns_log = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the files."""
        if self.owns_log:
            self.log.close()
        if self._base is not None:
            self._base.close()

    @property
    def _base(self) -> IndexDatabase | None:
        return self.recent.base

    def find(self, interview: str) -> InterviewSummary | None:
        """Return the summary of an interview; None if the log does not have it."""
        found = self.recent.find(interview)
        return None if found is None or not found.summary.began else found.summary

    def find_ids(self, prefix: str, most: int = 50) -> list[str]:
        """Find the ids that begin with a prefix, but no more than ``most``."""
        found = {id for id in self.recent.changed if id.startswith(prefix)}
        if self._base is not None:
            with noticing_damage():
                rows = self._base.connection.execute(
                    "SELECT id FROM interviews WHERE id >= ? AND id < ? LIMIT ?",
                    (prefix, prefix + "\U0010ffff", most + len(self.recent.forgotten)),
                )
                found |= {str(id) for (id,) in rows if id not in self.recent.forgotten}
        return sorted(found)[:most]

    def forgotten_ids(self) -> set[str]:
        """Return the ids of all interviews that were forgotten."""
        found = set(self.recent.forgotten)
        if self._base is not None:
            with noticing_damage():
                found |= {str(id) for (id,) in self._base.connection.execute("SELECT id FROM forgotten")}
        return found

    def totals(self) -> list[Total]:
        """Count the interviews by status, and those that lists leave out apart from the others."""
        found: dict[tuple[str, bool], tuple[int, str]] = {}

        def add(summary: InterviewSummary, by: int) -> None:
            if summary.began:
                key = summary.status, summary.is_empty
                count, last = found.get(key, (0, ""))
                found[key] = count + by, max(last, summary.began) if by > 0 else last

        if self._base is not None:
            for status, is_empty, count, last in self._base.totals():
                found[status, is_empty] = count, last
            for interview in (*self.recent.changed, *self.recent.forgotten):
                before = self._base.find(interview)
                if before is not None:
                    add(before.summary, -1)
        for row in self.recent.changed.values():
            add(row.summary, 1)
        return [Total(status, is_empty, count, last) for (status, is_empty), (count, last) in found.items()]

    def latest(
        self,
        statuses: Sequence[str] = (),
        words: str = "",
        before: Cursor | None = None,
        labels: Mapping[str, str] | None = None,
    ) -> Iterator[tuple[Cursor, InterviewSummary]]:
        """Yield the interviews that may have these words in any field, the latest first, each with its place.

        The words only leave out most interviews that lack them, so the caller has to look again. ``labels`` are texts that
        stand for outcomes.
        """
        end: _Place | None = None if before is None else read_cursor(before, tuple)
        recent = sorted(
            (
                ((row.summary.began, row.number), row.summary)
                for row in self.recent.changed.values()
                if row.summary.began and (not statuses or row.summary.status in statuses)
            ),
            key=lambda found: found[0],
            reverse=True,
        )
        if end is not None:
            recent = [found for found in recent if found[0] < end]
        indexed = self._latest_indexed(statuses, words, end, labels or {})
        merged = heapq.merge(recent, indexed, key=lambda found: found[0], reverse=True)
        return ((Cursor(place), summary) for place, summary in merged)

    def _latest_indexed(
        self, statuses: Sequence[str], words: str, before: _Place | None, labels: Mapping[str, str]
    ) -> Iterator[tuple[_Place, InterviewSummary]]:
        if self._base is None:
            return
        wanted, values = ["began != ''"], list[str | int]()
        if statuses:
            wanted.append(f"status IN ({', '.join('?' * len(statuses))})")
            values += statuses
        if before is not None:
            wanted.append("(began, number) < (?, ?)")
            values += before
        for word in words.casefold().split():
            meant = [id for id, label in labels.items() if word in label.casefold()]
            if len(meant) < _MOST_LABELS:
                ids = ", ".join("?" * len(meant))
                when = f" OR instr({_TIMES}, ?)" if self._may_be_time(word) else ""
                wanted.append(f"(instr(search, ?) OR decided IN ({ids}) OR outcome IN ({ids}){when})")
                values += (word, *meant, *meant, *([word] if when else []))
        query = f"SELECT {ROW} FROM interviews WHERE {' AND '.join(wanted)} ORDER BY began DESC, number DESC"
        with noticing_damage():
            for found in self._base.connection.execute(query, values):
                if not self._has_changed(found[1]):
                    row = read_row(found)
                    yield (row.summary.began, row.number), row.summary

    def _has_changed(self, interview: object) -> bool:
        """Whether an interview is not as the index has it."""
        return interview in self.recent.changed or interview in self.recent.forgotten

    def _may_be_time(self, word: str) -> bool:
        """Whether a word may be a part of the time at which an interview began; that is slow to look for."""
        if not _PART_OF_TIME.fullmatch(word):
            return False
        if not word.isdigit() or len(word) <= 2:
            return True
        assert self._base is not None
        with noticing_damage():
            found = self._base.connection.execute("SELECT MIN(began), MAX(began) FROM interviews").fetchone()
            first, last = (int(str(began or "0")[:4]) for began in found)
        return any(word in str(year) for year in range(first - 1, last + 2))

    def in_order(self, statuses: Sequence[str] = ()) -> list[InterviewSummary]:
        """Return all interviews, or those with these statuses, in the order in which the log has them."""
        found = [
            (row.number, row.summary)
            for row in self.recent.changed.values()
            if row.summary.began and (not statuses or row.summary.status in statuses)
        ]
        if self._base is not None:
            where = f"AND status IN ({', '.join('?' * len(statuses))})" if statuses else ""
            query = f"SELECT {ROW} FROM interviews WHERE began != '' {where} ORDER BY number"
            with noticing_damage():
                rows = self._base.connection.execute(query, tuple(statuses))
                read = (read_row(row) for row in rows if not self._has_changed(row[1]))
                found += ((row.number, row.summary) for row in read)
        return [summary for _, summary in sorted(found, key=lambda one: one[0])]

    def with_conflicts(self) -> list[str]:
        """Return the ids of the interviews that have several branches, in the order of the log."""
        found = [(row.number, id) for id, row in self.recent.changed.items() if row.summary.conflicts]
        if self._base is not None:
            with noticing_damage():
                rows = self._base.connection.execute("SELECT number, id FROM interviews WHERE conflicts > 0")
                found += ((number, str(id)) for number, id in rows if not self._has_changed(id))
        return [id for _, id in sorted(found)]

    def counts_before(self, stop: Cursor, bank: BankIndex) -> Counts:
        """Count the log up to a place, for a bank."""
        offset = read_cursor(stop, Position).bytes
        kept = None
        if self._base is not None and self._base.bank_hash() == bank.hash:
            kept = self._base.checkpoint_before(offset)
        start, counts = kept or (START, Counts())
        touched: dict[str, RawLine] = {}
        for line in self.log.lines(start, offset):
            peeked = peek_event(line.data)
            if peeked is not None:
                touched[peeked.interview] = line
        for interview, line in touched.items():
            found = self.recent.find(interview)
            if found is None:
                self._check_absent(interview, line)
                continue
            if found.spans[0] < start.bytes:
                counts.learn(read_record(self.log, interview, found.spans, start.bytes), bank, -1)
            counts.learn(read_record(self.log, interview, found.spans, offset), bank)
        return counts

    def _check_absent(self, interview: str, line: RawLine) -> None:
        """Raise BadIndexError if an interview that has this line should be in the index."""
        is_damaged = isinstance(decode_or_damage(self.log, line), Damage)
        if not is_damaged and not self.recent.has_forgotten(interview):
            raise BadIndexError(f"it lacks the interview {interview}")

    # -- from the log -------------------------------------------------------------------------------------

    def find_start(self, interview: str) -> Cursor:
        """Return where an interview begins in the log; the start of the log if it is not there."""
        found = self.recent.find(interview)
        return Cursor(START if found is None else Position(found.spans[0]))

    def find_place(self, interview: str) -> Cursor | None:
        """Return where an interview stands in lists; None if the log does not have it."""
        found = self.recent.find(interview)
        return None if found is None else Cursor((found.summary.began, found.number))

    def place(self, interview: str) -> IndexedInterview | None:
        """Return the places of an interview's lines in the log."""
        return self.recent.find(interview)

    def read_events(self, interview: str, stop: int | None = None) -> list[Event]:
        """Read the events of an interview, up to an offset."""
        found = self.recent.find(interview)
        return [] if found is None else read_events(self.log, interview, found.spans, stop)

    def read_record(self, interview: str, stop: int | None = None) -> InterviewRecord | None:
        """Read the record of an interview, up to an offset; None if the log does not have it."""
        found = self.recent.find(interview)
        return None if found is None else read_record(self.log, interview, found.spans, stop)
