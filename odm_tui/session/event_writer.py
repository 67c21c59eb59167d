"""Write one interview's events to the log, in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from odm_tui.session.archive import Archive
from odm_tui.store.events import Event, timestamp
from odm_tui.store.integrity.chain import identify
from odm_tui.store.interview_record import InterviewRecord

_TRIES = 5
"""So often the lock is given back because the log was replaced while waiting for it."""


class EventWriter:
    """Write one interview's events to the log, in order, and keep its record up to date.

    An event that only says what was shown is deferred: it is written together with the next event, so that
    an answer takes one lock, one write and one fsync. The record takes in a deferred event at once, any other
    event once it is on disk.
    """

    def __init__(self, archive: Archive, record: InterviewRecord, written: Sequence[Event]) -> None:
        self._archive = archive
        self._record = record
        self._written = list(written)
        self._deferred: list[Event] = []

    def defer(self, kind: type[Event], **values: Any) -> None:
        """Create an event now and write it together with the next one."""
        event = self._create_event(kind, values)
        self._record.follow(event)
        self._deferred.append(event)

    def write(self, kind: type[Event], **values: Any) -> None:
        """Write the deferred events and this one; return once they are on disk."""
        with self.held():
            self.write_locked(kind, **values)

    def write_locked(self, kind: type[Event], **values: Any) -> None:
        """Do the same as :meth:`write` for a caller that holds the lock."""
        event = self._create_event(kind, values)
        self._append([*self._deferred, event])
        self._record.follow(event)

    def write_deferred(self) -> None:
        """Write the deferred events now."""
        with self.held():
            self._append(self._deferred)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the lock; what may take long is done before: a log that was replaced is searched.

        If it was replaced while this process waited for the lock, others get the lock during the search.
        """
        log, interview = self._archive.log, self._record.interview
        for tries_left in reversed(range(_TRIES)):
            log.search_if_replaced(interview)
            with self._archive.lock.held():
                if not tries_left or log.is_searched(interview):
                    yield
                    return

    def _create_event(self, kind: type[Event], values: dict[str, Any]) -> Event:
        number, now = self._record.last_number + 1, timestamp(self._archive.clock())
        after = identify(self._record.last) if self._record.last else ""
        return kind(interview=self._record.interview, n=number, time=now, after=after, **values)

    def _append(self, events: list[Event]) -> None:
        log = self._archive.log
        log.append(events, following=self._written)
        self._written += events
        self._deferred = []
        if log.notices:
            self._archive.notices += log.notices
            log.notices = []
