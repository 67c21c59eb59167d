"""The interface of a store of events: eight methods, and cursors that only the store itself can read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from odm_tui.store.cursor import Cursor
from odm_tui.store.events import Event, Forgotten


class Page(NamedTuple):
    """Some events in the order of the store, and the place after them; ``forgotten`` events have only an id."""

    events: tuple[Event, ...]
    cursor: Cursor


class EventStore(ABC):
    """The events of many banks. Events are equal if their interview and content are; none is kept twice."""

    @abstractmethod
    def banks(self) -> list[str]:
        """The names of all banks that have events, sorted."""

    @abstractmethod
    def append(self, bank: str, events: Sequence[Event]) -> int:
        """Keep events durably, and return how many were new; those of erased interviews are left out."""

    @abstractmethod
    def read(self, bank: str, since: Cursor | None = None) -> Page:
        """Read the next events after a cursor; none at the end. If its place is gone, begin again: nothing is missed."""

    @abstractmethod
    def erase(self, bank: str, interviews: Collection[str]) -> None:
        """Remove interviews for good and keep their ids, so that nobody brings them back."""

    @abstractmethod
    def claim(self, bank: str, interview: str) -> bool:
        """Mark an interview as open here; False if somebody else has it open."""

    @abstractmethod
    def release(self, bank: str, interview: str) -> None:
        """Let others open an interview."""

    @abstractmethod
    def problems(self, bank: str) -> Iterator[str]:
        """Find what is wrong with a bank's events, one sentence each."""

    @abstractmethod
    def close(self) -> None:
        """Close files and connections; interviews that are marked as open are free again."""


def copy_events(source: EventStore, target: EventStore, bank: str) -> tuple[int, int, int]:
    """Copy a bank: return how many events were read, how many were new, and how many interviews are erased."""
    read = new = 0
    gone: set[str] = set()
    cursor: Cursor | None = None
    while True:
        page = source.read(bank, cursor)
        if not page.events:
            break
        cursor = page.cursor
        erased = {event.interview for event in page.events if isinstance(event, Forgotten)}
        kept = [event for event in page.events if not isinstance(event, Forgotten)]
        gone |= erased
        if erased:
            target.erase(bank, erased)
        read += len(kept)
        new += target.append(bank, kept) if kept else 0
    return read, new, len(gone)
