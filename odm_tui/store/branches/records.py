"""Build the records of all interviews of a log; interviews with several branches are read again as a whole."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from odm_tui.store.branches.choice import Branch, choose_branch, follow_choice
from odm_tui.store.events import Event, Forgotten
from odm_tui.store.integrity.chain import identify
from odm_tui.store.interview_record import InterviewRecord
from odm_tui.store.log import Damage, Entry, Skimmed, peek_event, read_lines, read_log, valid_entries


@dataclass(slots=True, eq=False)
class InterviewRecords:
    """All interviews of a log by id; of forgotten ones only the ids.

    Pass the entries to :meth:`follow` in the order of the log, then call :meth:`untangle`.
    """

    by_id: dict[str, InterviewRecord] = field(default_factory=dict)
    forgotten: set[str] = field(default_factory=set)
    misfits: list[str] = field(default_factory=list)
    conflicts: dict[str, tuple[Branch, ...]] = field(default_factory=dict)
    tangled: set[str] = field(default_factory=set)
    """Interviews in which two events have the same number, so that they may have several branches."""

    def follow(self, entry: Entry | Skimmed) -> InterviewRecord | None:
        """Apply the next entry of the log, and return the record that it belongs to."""
        if isinstance(entry, Skimmed):
            record = self.by_id.get(entry.interview)
            if record is not None:
                self._note_number(record, entry.n)
            return record
        event = entry.event
        if isinstance(event, Forgotten):
            self.by_id.pop(event.interview, None)
            self.tangled.discard(event.interview)
            self.forgotten.add(event.interview)
            return None
        if event.interview in self.forgotten:
            return None
        record = self.by_id.get(event.interview)
        if record is None:
            record = self.by_id[event.interview] = InterviewRecord(event.interview)
        self._note_number(record, event.n)
        if not record.follow(event) and event.interview not in self.tangled:
            self.misfits.append(
                f"line {entry.line}: '{event.name}' does not fit interview {event.interview} there"
            )
        return record

    def _note_number(self, record: InterviewRecord, number: int) -> None:
        if number <= record.highest:
            self.tangled.add(record.interview)
        else:
            record.highest = number

    def untangle(self, path: Path, stop: int | None = None) -> None:
        """Read the interviews that may have several branches again, up to an offset, and choose a branch of each."""
        if not self.tangled:
            return
        events: dict[str, list[Event]] = defaultdict(list)
        for entry in valid_entries(read_log(path, stop=stop, only=self.tangled)):
            if not isinstance(entry.event, Forgotten):
                events[entry.event.interview].append(entry.event)
        for interview, found in events.items():
            choice = choose_branch(found)
            before = self.by_id[interview]
            record = self.by_id[interview] = follow_choice(choice)
            record.highest = before.highest
            if choice.conflicts:
                self.conflicts[interview] = choice.conflicts


def read_records(
    path: Path, entries: Iterable[Entry | Skimmed | Damage], stop: int | None = None
) -> InterviewRecords:
    """Build the records of these entries of a log; damaged lines are left out."""
    records = InterviewRecords()
    for entry in entries:
        if not isinstance(entry, Damage):
            records.follow(entry)
    records.untangle(path, stop)
    return records


def read_counting_entries(path: Path) -> Iterator[Entry | Damage]:
    """Read a log without the events of branches that do not count."""
    tangled = _find_tangled(path)
    counting = _find_counting(path, tangled) if tangled else {}
    for entry in read_log(path):
        if isinstance(entry, Entry) and entry.event.interview in counting:
            identity = identify(entry.event)
            if identity not in counting[entry.event.interview]:
                continue
            counting[entry.event.interview].remove(
                identity
            )  # a second copy of the line does not count either
        yield entry


def _find_tangled(path: Path) -> set[str]:
    highest: dict[str, int] = {}
    tangled: set[str] = set()
    for line in read_lines(path):
        found = peek_event(line.data) if line.whole else None
        if found is not None and found.n is not None:
            if found.n <= highest.get(found.interview, 0):
                tangled.add(found.interview)
            highest[found.interview] = max(found.n, highest.get(found.interview, 0))
    return tangled


def _find_counting(path: Path, interviews: Collection[str]) -> dict[str, set[str]]:
    events: dict[str, list[Event]] = defaultdict(list)
    forgotten: set[str] = set()
    for entry in valid_entries(read_log(path, only=interviews)):
        if isinstance(entry.event, Forgotten):
            forgotten.add(entry.event.interview)
        else:
            events[entry.event.interview].append(entry.event)
    return {
        interview: {identify(event) for event in choose_branch(found).branch}
        for interview, found in events.items()
        if interview not in forgotten
    }
