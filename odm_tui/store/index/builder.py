"""Build the index of a log, and count it: one pass over the lines, in memory that does not grow with the answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from odm_tui.errors import BadData
from odm_tui.store.branches.choice import choose_branch, follow_choice
from odm_tui.store.counts import BankIndex, Counts
from odm_tui.store.events import Event, Forgotten
from odm_tui.store.index.summary import InterviewSummary
from odm_tui.store.index.tracked_interview import KINDS, TrackedInterview
from odm_tui.store.interview_record import InterviewRecord
from odm_tui.store.log import Damage, Position
from odm_tui.store.log_codec import decode_event
from odm_tui.store.log_file import LogFile, RawLine

_MOST_OPEN = 5_000
"""Interviews that have not ended and are kept in memory; others are read again if they go on."""
_LEAST_FOR_FAST_DECODER = 1 << 20
"""Bytes; loading the fast decoder takes as long as decoding this much."""


@dataclass(frozen=True, slots=True)
class IndexedInterview:
    """An interview in the index: its number in the order of the log, the places of its lines, its summary."""

    number: int
    spans: list[int]
    summary: InterviewSummary


class Rows(Protocol):
    """Where the builder puts what it finds."""

    def find(self, interview: str) -> IndexedInterview | None:
        """Return an interview that is in the index already."""

    def has_forgotten(self, interview: str) -> bool:
        """Whether an interview was forgotten."""

    def put(self, number: int, spans: list[int], columns: tuple[Any, ...]) -> None:
        """Add an interview, or replace it."""

    def forget(self, interview: str) -> None:
        """Remove an interview and remember that it was forgotten."""

    def add_checkpoint(self, position: Position, counts: Counts) -> int:
        """Keep the counts at a position; return how many bytes later the next ones are due."""


Inspector = Callable[[LogFile, TrackedInterview, InterviewRecord | None], None]


@dataclass
class IndexBuilder:
    """Follow the lines of a log, put its interviews into an index, and count them for a bank if there is one."""

    log: LogFile
    rows: Rows
    bank: BankIndex | None = None
    counts: Counts = field(default_factory=Counts)
    next_number: int = 0
    is_new: bool = True
    """Whether the index was empty at first."""
    with_checkpoints: bool = False
    inspect: Inspector | None = None
    """Looks at each interview that is put into the index."""
    damage: list[Damage] = field(default_factory=list)
    _tracked: dict[str, TrackedInterview] = field(default_factory=dict)
    _ended: list[TrackedInterview] = field(default_factory=list)
    _put: set[str] = field(default_factory=set)
    _forgotten: set[str] = field(default_factory=set)
    _decode: Callable[[bytes], Any] | None = None

    def read(self, start: Position, stop: int | None = None) -> Position:
        """Read the lines from a position up to an offset, and return the position after the last one."""
        if (stop or self.log.size) - start.bytes > _LEAST_FOR_FAST_DECODER:
            self._load_fast_decoder()
        number, end = start.lines, start.bytes
        due = end + self._add_checkpoint(start) if self.with_checkpoints else -1
        decode, tracked, kinds = self._decode or _decode_nothing, self._tracked, KINDS
        for line in self.log.lines(start, stop):
            number, offset, end, data = line
            event = decode(data) or self._decode_strictly(line)
            if event is not None:
                name = event.interview
                found = tracked.get(name)
                if found is None:
                    found = self._begin(name)
                if found is not None:
                    spans = found.spans
                    if spans and spans[-1] == offset:
                        spans[-1] = end
                    else:
                        spans += (offset, end)
                    if not found.is_complex:
                        had_ended = found.ending is not None
                        found.follow(event, kinds.get(type(event), -1))
                        if found.is_complex or (found.ending is not None) != had_ended:
                            self._ended.append(found)
            if end >= due >= 0:
                due = end + self._add_checkpoint(Position(end, number))
        return self.log.position_at(end, number, self.log.checksum(start, end))

    def finish(self) -> None:
        """Put the interviews that have not ended into the index too."""
        self._finish_ended()
        self._finish_all(list(self._tracked.values()))
        self._put.clear()  # many strings, and the index is about to be written

    def is_certain(self) -> bool:
        """Whether the damaged lines are still the same: one may have been overwritten while it was read."""
        for damage in self.damage:
            again = list(self.log.lines_at((damage.offset, damage.end)))
            if len(again) != 1 or not isinstance(decode_or_damage(self.log, again[0]), Damage):
                return False
        return True

    def _load_fast_decoder(self) -> None:
        from odm_tui.store.index.fast_decoder import FAST_KINDS, decode_fast

        KINDS.update(FAST_KINDS)
        self._decode = decode_fast

    def _decode_strictly(self, line: RawLine) -> Event | None:
        found = decode_or_damage(self.log, line)
        if isinstance(found, Damage):
            self.damage.append(found)
            return None
        if isinstance(found, Forgotten):
            self._forget(found.interview)
            return None
        return found

    def _forget(self, name: str) -> None:
        if self._tracked.pop(name, None) is None:
            self._unlearn(self._find(name))
        self._forgotten.add(name)
        self._put.discard(name)
        self.rows.forget(name)

    def _find(self, name: str) -> IndexedInterview | None:
        """Return an interview that is in the index already."""
        return self.rows.find(name) if not self.is_new or name in self._put else None

    def _begin(self, name: str) -> TrackedInterview | None:
        """Begin to follow an interview, or go on with one that is in the index; None if it was forgotten."""
        if name in self._forgotten or (not self.is_new and self.rows.has_forgotten(name)):
            return None
        known = self._find(name)
        if known is None:
            found = TrackedInterview(name, self.next_number, [])
            self.next_number += 1
        else:
            self._unlearn(known)
            found = TrackedInterview(name, known.number, known.spans, is_complex=True)
            self._ended.append(found)
        self._tracked[name] = found
        return found

    def _unlearn(self, known: IndexedInterview | None) -> None:
        if known is not None and self.bank is not None:
            self.counts.learn(read_record(self.log, known.summary.interview, known.spans), self.bank, -1)

    def _finish_ended(self) -> None:
        ended, self._ended = self._ended, []
        self._finish_all(ended)
        if len(self._tracked) > _MOST_OPEN:
            self._finish_all(list(self._tracked.values()))

    def _finish_all(self, ended: Iterable[TrackedInterview]) -> None:
        for found in ended:
            if self._tracked.get(found.interview) is not found:
                continue  # it is among them twice, or was forgotten
            del self._tracked[found.interview]
            record = None
            if found.is_complex:
                record = read_record(self.log, found.interview, found.spans)
                if self.bank is not None:
                    self.counts.learn(record, self.bank)
                columns = InterviewSummary.of(record).columns()
            else:
                if self.bank is not None and found.outcome is not None:
                    period = self.bank.find_period(found.ending.time)
                    lesson = tuple(found.answers), found.outcome
                    self.counts.add_lesson(lesson, self.bank, 1, period, found.statement, found.move)
                columns = found.columns()
            if self.inspect is not None:
                self.inspect(self.log, found, record)
            self._put.add(found.interview)
            self.rows.put(found.number, found.spans, columns)

    def _add_checkpoint(self, position: Position) -> int:
        self._finish_ended()
        return self.rows.add_checkpoint(position, self.counts)


def iterate_events(log: LogFile) -> Iterator[tuple[int, Any]]:
    """Read all events of a log fast, each with its kind as in :data:`KINDS`, or -1; damaged lines are left out.

    The common ones have the fields of :mod:`odm_tui.store.events`, but may be of other types.
    """
    decode: Callable[[bytes], Any] = _decode_nothing
    if log.size > _LEAST_FOR_FAST_DECODER:
        from odm_tui.store.index.fast_decoder import FAST_KINDS, decode_fast

        KINDS.update(FAST_KINDS)
        decode = decode_fast
    for line in log.lines():
        event = decode(line.data) or decode_or_damage(log, line)
        if not isinstance(event, Damage):
            yield KINDS.get(type(event), -1), event


def read_events(log: LogFile, interview: str, spans: list[int], stop: int | None = None) -> list[Event]:
    """Read the events of an interview in these places of a log; damaged lines are left out."""
    found = (decode_or_damage(log, line) for line in log.lines_at(spans, stop))
    return [event for event in found if not isinstance(event, Damage) and event.interview == interview]


def read_record(log: LogFile, interview: str, spans: list[int], stop: int | None = None) -> InterviewRecord:
    """Read an interview in these places of a log; one with several branches is read as the one that counts."""
    return build_record(interview, read_events(log, interview, spans, stop))


def build_record(interview: str, found: Iterable[Event]) -> InterviewRecord:
    """Build the record of an interview from its events in the order of the log."""
    record = InterviewRecord(interview)
    events = [event for event in found if not isinstance(event, Forgotten)]
    is_tangled = False
    for event in events:
        is_tangled = is_tangled or event.n <= record.highest
        record.highest = max(record.highest, event.n)
        record.follow(event)
    if is_tangled:
        highest = record.highest
        record = follow_choice(choose_branch(events))
        record.highest = highest
    return record


def decode_or_damage(log: LogFile, line: RawLine) -> Event | Damage:
    """Decode a line, or say what is wrong with it."""
    try:
        return decode_event(line.data, "")[1]
    except BadData as error:
        return Damage(line.offset, line.end, line.number, f"{log.path}, line {line.number}{error}")


def _decode_nothing(line: bytes) -> None:
    return None
