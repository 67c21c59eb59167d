"""A state folder as a store of events: the logs of its banks."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from odm_tui.errors import BadData
from odm_tui.store.cursor import Cursor, read_cursor
from odm_tui.store.events import Event, Forgotten, Started
from odm_tui.store.exchange.event_store import EventStore, Page
from odm_tui.store.forget_interview import forget, holding_copy
from odm_tui.store.integrity.chain import digest_line
from odm_tui.store.integrity.log_check import find_problems
from odm_tui.store.interview_lock import InterviewLock
from odm_tui.store.locking import Lock
from odm_tui.store.log import Position, read_lines
from odm_tui.store.log_codec import decode_event, encode_body
from odm_tui.store.log_writer import Log
from odm_tui.store.paths import StatePaths, state_paths_in

PAGE = 1_000


class FileStore(EventStore):
    """The logs of one state folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._claimed: dict[tuple[str, str], InterviewLock] = {}
        self._known: dict[str, tuple[Cursor | None, set[bytes], set[str], set[str]]] = {}

    def banks(self) -> list[str]:
        found = (find_bank_name(paths) for paths in state_paths_in(self.folder))
        return sorted(name for name in found if name is not None)

    def append(self, bank: str, events: Sequence[Event]) -> int:
        paths = self._paths(bank)
        log, lock = Log(paths), Lock(paths.lock)
        try:
            with lock.held():
                known, gone, _ = self._read_known(bank)
                new: dict[bytes, Event] = {}
                for event in events:
                    digest = _digest(event)
                    if digest not in known and event.interview not in gone:
                        new.setdefault(digest, event)
                if new:
                    log.append(list(new.values()))
            return len(new)
        finally:
            log.close()
            lock.close()

    def read(self, bank: str, since: Cursor | None = None) -> Page:
        paths = self._paths(bank)
        start = _start_of(since)
        if start.bytes and not start.holds_in(paths.log):
            start = Position()
        events: list[Event] = []
        for line in read_lines(paths.log, start):
            if not line.whole:
                continue  # unfinished, or longer than any event
            with contextlib.suppress(BadData):
                events.append(decode_event(line.data, "")[1])
            start = Position(line.end, line.number, digest_line(line.data))
            if len(events) >= PAGE:
                break
        return Page(tuple(events), Cursor(start))

    def erase(self, bank: str, interviews: Collection[str]) -> None:
        paths = self._paths(bank)
        log, lock = Log(paths), Lock(paths.lock)
        try:
            with lock.held():
                _, gone, present = self._read_known(bank)
                if present.isdisjoint(
                    interviews
                ):  # nothing has to be removed: the log need not be written again
                    tombstones = [Forgotten(interview=name) for name in sorted({*interviews} - gone)]
                    if tombstones:
                        log.append(tombstones)
                    return
            with holding_copy(paths, interviews, lock.held) as prepared:
                forget(paths, interviews, prepared=prepared)
        finally:
            log.close()
            lock.close()

    def claim(self, bank: str, interview: str) -> bool:
        lock = self._claimed.get((bank, interview)) or InterviewLock(self._paths(bank), interview)
        if not lock.claim():
            return False
        self._claimed[bank, interview] = lock
        return True

    def release(self, bank: str, interview: str) -> None:
        lock = self._claimed.pop((bank, interview), None)
        if lock is not None:
            lock.release()

    def problems(self, bank: str) -> Iterator[str]:
        yield from find_problems(self._paths(bank).log)

    def close(self) -> None:
        for bank, interview in list(self._claimed):
            self.release(bank, interview)

    def _paths(self, bank: str) -> StatePaths:
        return StatePaths.of(self.folder, bank)

    def _read_known(self, bank: str) -> tuple[set[bytes], set[str], set[str]]:
        """The digests of a bank's events, the ids of erased interviews and of the others; only new lines are read."""
        cursor, known, gone, present = self._known.get(bank, (None, set(), set(), set()))
        if cursor is not None and not _start_of(cursor).holds_in(self._paths(bank).log):
            cursor, known, gone, present = None, set(), set(), set()
        while (page := self.read(bank, cursor)).events:
            cursor = page.cursor
            known.update(_digest(event) for event in page.events)
            gone.update(event.interview for event in page.events if isinstance(event, Forgotten))
            present.update(event.interview for event in page.events if not isinstance(event, Forgotten))
        self._known[bank] = cursor, known, gone, present
        return known, gone, present


def find_bank_name(paths: StatePaths) -> str | None:
    """The bank that the first interview of a log names; None if the log has no interview of its own bank."""
    for line in read_lines(paths.log):
        if b'"event":"started"' in line.data[:40]:
            with contextlib.suppress(BadData):
                _, event = decode_event(line.data, "")
                if isinstance(event, Started):
                    return event.bank if StatePaths.of(paths.folder, event.bank) == paths else None
    return None


def _digest(event: Event) -> bytes:
    return hashlib.sha256(encode_body(event)).digest()[:16]


def _start_of(cursor: Cursor | None) -> Position:
    return Position() if cursor is None else read_cursor(cursor, Position)
