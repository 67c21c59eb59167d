"""The interviews that lines after the index belong to, in memory; they take precedence over the index."""

from __future__ import annotations

from typing import Any

from odm_tui.store.counts import Counts
from odm_tui.store.index.builder import IndexedInterview
from odm_tui.store.index.database import IndexDatabase
from odm_tui.store.index.summary import InterviewSummary
from odm_tui.store.log import Position


class RecentRows:
    """What the builder finds in the lines after an index; ``base`` is that index, if there is one."""

    def __init__(self, base: IndexDatabase | None) -> None:
        self.base = base
        self.changed: dict[str, IndexedInterview] = {}
        self.forgotten: set[str] = set()

    def find(self, interview: str) -> IndexedInterview | None:
        """Return an interview as it is now."""
        if interview in self.forgotten:
            return None
        found = self.changed.get(interview)
        return self.base.find(interview) if found is None and self.base is not None else found

    def has_forgotten(self, interview: str) -> bool:
        """Whether an interview was forgotten."""
        return interview in self.forgotten or (self.base is not None and self.base.has_forgotten(interview))

    def put(self, number: int, spans: list[int], columns: tuple[Any, ...]) -> None:
        """Add an interview, or replace it."""
        self.changed[columns[0]] = IndexedInterview(number, spans, InterviewSummary(*columns))

    def forget(self, interview: str) -> None:
        """Remove an interview and remember that it was forgotten."""
        self.changed.pop(interview, None)
        self.forgotten.add(interview)

    def add_checkpoint(self, position: Position, counts: Counts) -> int:
        """Counts are kept in the index only."""
        raise NotImplementedError
