"""Check the interviews of a log: events that do not fit, confirmations from the future, and several branches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from odm_tui.store.events import Forgotten
from odm_tui.store.index.builder import decode_or_damage
from odm_tui.store.index.tracked_interview import TrackedInterview
from odm_tui.store.interview_record import InterviewRecord
from odm_tui.store.log import Damage
from odm_tui.store.log_file import LogFile


@dataclass
class InterviewCheck:
    """What is odd about the interviews of a log; the builder of the index calls it for each of them."""

    path: Path
    misfits: dict[int, str] = field(default_factory=dict)
    """For the offset of each line that does not fit, what is wrong there."""
    confirmed: dict[str, str] = field(default_factory=dict)
    """Interviews that were confirmed after ``latest``, and when."""
    conflicts: dict[str, None] = field(default_factory=dict)
    latest: str = "9"
    """The time after which no confirmation should be dated."""

    def look_at(self, log: LogFile, found: TrackedInterview, record: InterviewRecord | None) -> None:
        """Check an interview, perhaps again; ``record`` is there for those that are not simple."""
        name = found.interview
        self.conflicts.pop(name, None)
        self.confirmed.pop(name, None)
        if record is None:
            when = found.ending.time if hasattr(found.ending, "outcome") else ""
        else:
            when = record.confirmed_at
            self.misfits.update(_find_misfits(log, name, found.spans))
            if record.conflicts:
                self.conflicts[name] = None
        if when > self.latest:
            self.confirmed[name] = when


def _find_misfits(log: LogFile, name: str, spans: list[int]) -> Iterator[tuple[int, str]]:
    record, is_tangled = InterviewRecord(name), False
    for line in log.lines_at(spans):
        event = decode_or_damage(log, line)
        if isinstance(event, Damage | Forgotten) or event.interview != name:
            continue
        is_tangled = is_tangled or event.n <= record.highest
        record.highest = max(record.highest, event.n)
        if not record.follow(event) and not is_tangled:
            yield line.offset, f"'{event.name}' does not fit interview {name} there"
