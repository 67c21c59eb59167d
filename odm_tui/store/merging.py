"""Merge the log of another state folder into this one.

Events are equal if their interview and content are equal, so a merge is a union of sets: in whatever order folders are
merged, and however often, they end with the same events. What counts follows from that set alone
(:mod:`odm_tui.store.branches`). An interview that either folder has forgotten stays forgotten.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from odm_tui.errors import BadArgument, BadData
from odm_tui.store.events import Event
from odm_tui.store.forget_interview import forget, read_forgotten_ids
from odm_tui.store.log import read_lines
from odm_tui.store.log_codec import decode_event, event_body
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


def merge(into: StatePaths, other: StatePaths) -> MergeResult:
    """Add the other log's events to this one; the caller holds the lock of ``into``.

    An interrupted merge has added some of them; merging again adds the rest.
    """
    if into.log.exists() and other.log.exists() and into.log.samefile(other.log):
        raise BadArgument(f"{other.log} can't be merged with itself; name another state folder.")
    forgotten = read_forgotten_ids(into)
    newly_forgotten = read_forgotten_ids(other) - forgotten
    if newly_forgotten:
        forget(into, newly_forgotten)
    known, interviews = _read_digests(into)
    new: set[str] = set()
    damaged = added = 0
    log = Log(into)
    batch: list[Event] = []
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
            if event.interview in forgotten or event.interview in newly_forgotten or digest in known:
                continue
            known.add(digest)
            if event.interview not in interviews:
                new.add(event.interview)
            batch.append(event)
            added += 1
            if len(batch) >= _BATCH:
                log.append(batch)
                batch = []
        if batch:
            log.append(batch)
    finally:
        log.close()
    return MergeResult(len(new), added, len(newly_forgotten), damaged)


def _read_digests(paths: StatePaths) -> tuple[set[bytes], set[str]]:
    """Read the digests of all events in a log, and the ids of their interviews."""
    digests: set[bytes] = set()
    interviews: set[str] = set()
    for line in read_lines(paths.log):
        if line.whole:
            try:
                _, event = decode_event(line.data, "")
            except BadData:
                continue
            digests.add(_digest(line.data))
            interviews.add(event.interview)
    return digests, interviews


def _digest(line: bytes) -> bytes:
    return hashlib.blake2b(event_body(line), digest_size=12).digest()
