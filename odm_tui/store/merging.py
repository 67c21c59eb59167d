"""Merge the log of another state folder into this one.

Events are equal if their interview and content are equal, so a merge is a union of sets: in whatever order folders are
merged, and however often, they end with the same events. What counts follows from that set alone
(:mod:`odm_tui.store.branches`). An interview that either folder has forgotten stays forgotten.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from odm_tui.errors import BadArgument, BadData
from odm_tui.store.events import Event, Forgotten
from odm_tui.store.forget_interview import forget, holding_copy, read_forgotten_ids
from odm_tui.store.log import START, read_lines
from odm_tui.store.log_codec import decode_event, event_body
from odm_tui.store.log_file import LogFile
from odm_tui.store.log_writer import Log
from odm_tui.store.paths import StatePaths

_BATCH = 2_000


@dataclass(frozen=True)
class MergeResult:
    """What a merge added."""

    interviews: int
    """Interviews that are new in this folder."""
    events: int
    forgotten: int
    """Interviews that were forgotten here because the other folder had forgotten them."""
    damaged: int
    """Lines of the other log that could not be used."""


def merge(
    into: StatePaths, other: StatePaths, held: Callable[[], AbstractContextManager[None]] = nullcontext
) -> MergeResult:
    """Add the other log's events to this one.

    ``held`` takes the lock of ``into`` for a moment, again and again, so that others can write in between; without it the
    caller holds the lock. An interrupted merge has added some events; merging again adds the rest.
    """
    if into.log.exists() and other.log.exists() and into.log.samefile(other.log):
        raise BadArgument(f"{other.log} can't be merged with itself; name another state folder.")
    newly_forgotten = read_forgotten_ids(other) - read_forgotten_ids(into)
    if newly_forgotten:
        with holding_copy(into, newly_forgotten, held) as prepared:
            forget(into, newly_forgotten, prepared=prepared)
    known = _KnownEvents(into)
    known.catch_up()
    new: set[str] = set()
    damaged = added = 0
    log = Log(into)
    batch: dict[bytes, Event] = {}

    def write() -> int:
        with held():
            known.catch_up()
            missing = {digest: event for digest, event in batch.items() if known.lacks(digest, event)}
            if missing:
                new.update(
                    event.interview for event in missing.values() if event.interview not in known.interviews
                )
                log.append(list(missing.values()))
        batch.clear()
        return len(missing)

    try:
        for line in read_lines(other.log):
            if not line.whole:
                continue
            try:
                _, event = decode_event(line.data, "")
            except BadData:
                damaged += 1
                continue
            digest = _digest(line.data)
            if known.lacks(digest, event):
                batch[digest] = event
            if len(batch) >= _BATCH:
                added += write()
        if batch:
            added += write()
    finally:
        log.close()
    return MergeResult(len(new), added, len(newly_forgotten), damaged)


class _KnownEvents:
    """The digests of all events in a log up to a position, the ids of its interviews, and those that were forgotten."""

    def __init__(self, paths: StatePaths) -> None:
        self.paths = paths
        self.position = START
        self.digests: set[bytes] = set()
        self.interviews: set[str] = set()
        self.forgotten: set[str] = set()

    def lacks(self, digest: bytes, event: Event) -> bool:
        """Whether an event has to be added."""
        return digest not in self.digests and event.interview not in self.forgotten

    def catch_up(self) -> None:
        """Read what was added to the log; read everything again if it was replaced."""
        with LogFile(self.paths.log) as log:
            if not log.holds(self.position):
                self.position = START
                self.digests, self.interviews, self.forgotten = set(), set(), set()
            end, number = self.position.bytes, self.position.lines
            for line in log.lines(self.position):
                end, number = line.end, line.number
                try:
                    _, event = decode_event(line.data, "")
                except BadData:
                    continue
                if isinstance(event, Forgotten):
                    self.forgotten.add(event.interview)
                self.digests.add(_digest(line.data))
                self.interviews.add(event.interview)
            self.position = log.position_at(end, number)


def _digest(line: bytes) -> bytes:
    return hashlib.blake2b(event_body(line), digest_size=12).digest()
