"""Count the lines that were added to a log: read only the interviews that they belong to."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from odm_tui.store.counts import BankIndex, Counts
from odm_tui.store.events import Event, Forgotten, Started
from odm_tui.store.index.builder import build_record, decode_or_damage, read_events
from odm_tui.store.index.opening import CountedLog, open_index
from odm_tui.store.interview_record import PENDING, UNFINISHED
from odm_tui.store.log import Damage, Position, peek_event
from odm_tui.store.log_file import LogFile
from odm_tui.store.paths import StatePaths
from odm_tui.store.variants.fitted import DatedLesson, dated_lesson, find_lessons

_FARTHEST = 1_000_000
"""Bytes that are read to find the earlier lines of interviews; the index finds those that are farther away."""
Spans = dict[str, list[int]]


def count_new_lines(
    paths: StatePaths,
    bank: BankIndex,
    counts: Counts,
    start: Position,
    offsets: Mapping[str, int],
    *,
    stop: int | None = None,
    saves: bool = True,
) -> CountedLog:
    """Add the lines from a position up to an offset to the counts of the lines before it.

    ``offsets`` says where interviews begin that were open at that position, as far as it is known.
    """
    with LogFile(paths.log) as log:
        added: dict[str, list[Event]] = {}
        first_offset: dict[str, int] = {}
        begun: set[str] = set()
        forgotten: set[str] = set()
        damage: list[Damage] = []
        number, end = start.lines, start.bytes
        for line in log.lines(start, stop):
            number, end = line.number, line.end
            found = decode_or_damage(log, line)
            if isinstance(found, Damage):
                damage.append(found)
                continue
            _note(found, begun, forgotten)
            added.setdefault(found.interview, []).append(found)
            first_offset.setdefault(found.interview, line.offset)
        earlier = _find_earlier(paths, bank, log, start, offsets, added.keys() - begun, forgotten, saves)
        counts = counts.plus(Counts())
        still_open = {name: offset for name, offset in offsets.items() if name not in added}
        changed: list[DatedLesson] = []
        """What the fitted variants may have been fitted to."""
        for name, events in added.items():
            spans = earlier.get(name)
            before = read_events(log, name, spans) if spans else []
            offset = spans[0] if spans else first_offset[name]
            old = build_record(name, before)
            counts.learn(old, bank, -1)
            new = build_record(name, [*before, *events] if name not in forgotten else ())
            counts.learn(new, bank)
            if name not in forgotten and new.status in (UNFINISHED, PENDING):
                still_open[name] = offset
            if counts.fitted is not None and dated_lesson(old) != dated_lesson(new):
                changed += find_lessons((old, new), bank)
        if counts.fitted is not None and any(counts.fitted.has_changed(lesson.key) for lesson in changed):
            counts.fitted = None
        position = log.position_at(end, number, log.checksum(start, end))
        return CountedLog(counts, position, still_open, damage)


def _note(event: Event, begun: set[str], forgotten: set[str]) -> None:
    if isinstance(event, Started):
        begun.add(event.interview)
    elif isinstance(event, Forgotten):
        forgotten.add(event.interview)


def _find_earlier(
    paths: StatePaths,
    bank: BankIndex,
    log: LogFile,
    start: Position,
    offsets: Mapping[str, int],
    wanted: Collection[str],
    forgotten: set[str],
    saves: bool,
) -> Spans:
    """Find the lines of interviews before a position; add those that were forgotten there to the forgotten ones."""
    if not wanted:
        return {}
    first = min(offsets.get(name, 0) for name in wanted)
    if start.bytes - first <= _FARTHEST:
        return _scan(log, first, start.bytes, wanted, forgotten)
    with open_index(paths, bank, saves=saves, log=log) as index:
        places = {name: index.place(name) for name in wanted}
        forgotten |= {name for name in wanted if index.recent.has_forgotten(name)}
    return {
        name: _cut(place.spans, start.bytes)
        for name, place in places.items()
        if place is not None and name not in forgotten
    }


def _scan(log: LogFile, first: int, stop: int, wanted: Collection[str], forgotten: set[str]) -> Spans:
    found: Spans = {}
    for line in log.lines(Position(first), stop):
        peeked = peek_event(line.data)
        if peeked is not None and peeked.interview in wanted:
            if peeked.event == Forgotten.name:
                forgotten.add(peeked.interview)
            _add_span(found, peeked.interview, line.offset, line.end)
    return {name: spans for name, spans in found.items() if name not in forgotten}


def _add_span(spans: Spans, name: str, offset: int, end: int) -> None:
    found = spans.setdefault(name, [])
    if found and found[-1] == offset:
        found[-1] = end
    else:
        found += (offset, end)


def _cut(spans: list[int], stop: int) -> list[int]:
    """Return the part of the places before an offset at which a line ends.

    >>> _cut([0, 10, 30, 60], 40), _cut([0, 10, 30, 60], 20)
    ([0, 10, 30, 40], [0, 10])
    """
    cut: list[int] = []
    for first, last in zip(spans[::2], spans[1::2], strict=True):
        if first < stop:
            cut += (first, min(last, stop))
    return cut
