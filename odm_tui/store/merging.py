"""Bringing two state folders together: what the other log knows and this one does not is added.

Events are the same if their interview and content are the same, so merging twice adds nothing. What
either side has forgotten stays forgotten.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from odm_tui.errors import BadArgument, BadData
from odm_tui.store.codec import decode_event
from odm_tui.store.events import Event
from odm_tui.store.forgetting import forget, read_forgotten_ids
from odm_tui.store.log import Log, event_body, read_lines
from odm_tui.store.paths import StatePaths

_BATCH = 2_000


@dataclass(frozen=True)
class MergeResult:
    """What a merge brought."""

    interviews: int
    """New to this folder."""
    events: int
    forgotten: int
    """Forgotten here because the other side had forgotten them."""
    damaged: int
    """Lines of the other log that could not be used."""


def merge(into: StatePaths, other: StatePaths) -> MergeResult:
    """Add the other log's events to this one; needs the lock of ``into``.

    An interrupted merge has added some of them; merging again adds the rest.
    """
    if into.log.exists() and other.log.exists() and into.log.samefile(other.log):
        raise BadArgument(f"{other.log} can't be merged with itself; name another state folder.")
    buried = read_forgotten_ids(into)
    newly_buried = read_forgotten_ids(other) - buried
    if newly_buried:
        forget(into, newly_buried)
    known, interviews = _known(into)
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
            mark = _mark(line.data)
            if event.interview in buried or event.interview in newly_buried or mark in known:
                continue
            known.add(mark)
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
    return MergeResult(len(new), added, len(newly_buried), damaged)


def _known(paths: StatePaths) -> tuple[set[bytes], set[str]]:
    """The marks of all events in a log, and the interviews they belong to."""
    marks: set[bytes] = set()
    interviews: set[str] = set()
    for line in read_lines(paths.log):
        if line.whole:
            try:
                _, event = decode_event(line.data, "")
            except BadData:
                continue
            marks.add(_mark(line.data))
            interviews.add(event.interview)
    return marks, interviews


def _mark(line: bytes) -> bytes:
    return hashlib.blake2b(event_body(line), digest_size=12).digest()
