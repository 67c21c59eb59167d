"""What an open interview writes: its events in order, each durable before anything else happens."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from odm_tui.session.archive import Archive
from odm_tui.store.events import Event, timestamp


class Journal:
    """The pen of one interview.

    What was merely shown is owed: it goes to the log together with what is said next, so that an answer
    takes one lock, one write and one fsync.
    """

    def __init__(self, archive: Archive, interview: str, n: int) -> None:
        self.interview = interview
        self.n = n
        self._archive = archive
        self._owed: list[Event] = []

    def owe(self, kind: type[Event], **values: Any) -> None:
        """Note an event, with its time, that goes along with the next one."""
        self._owed.append(self._event(kind, values))

    def keep(self, kind: type[Event], **values: Any) -> Event:
        """Write an event, and before it what is owed; it is on disk when this returns."""
        with self._archive.lock.held():
            return self.append(kind, **values)

    def append(self, kind: type[Event], **values: Any) -> Event:
        """The same for a caller that holds the lock."""
        return self._write([*self._owed, self._event(kind, values)])

    def settle(self) -> None:
        """Write what is owed now."""
        with self._archive.lock.held():
            self._write(self._owed)

    def _event(self, kind: type[Event], values: dict[str, Any]) -> Event:
        return kind(interview=self.interview, time=timestamp(self._archive.clock()), **values)

    def _write(self, events: list[Event]) -> Event:
        numbered = [replace(event, n=self.n + 1 + i) for i, event in enumerate(events)]
        self._archive.log.append(numbered, following=True)
        self.n += len(numbered)
        self._owed = []
        return numbered[-1]
