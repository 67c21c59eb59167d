"""Find out what a log that was replaced has of an open interview.

The search reads the whole log, so it happens before the lock is taken. Under the lock only the rest is searched: what
was written since.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from odm_tui.errors import BadArgument, BadData, Locked
from odm_tui.store.events import Event, Forgotten
from odm_tui.store.integrity.chain import digest_before, identify, read_between
from odm_tui.store.log_codec import LONGEST_LINE, decode_event

_CHUNK = 1 << 20


@dataclass(frozen=True)
class InterviewSearch:
    """The events of one interview in a file, up to an offset at which a line ends."""

    interview: str
    inode: int
    stop: int
    mark: str
    """The digest of the last line before ``stop``."""
    events: tuple[Event, ...]

    @classmethod
    def start(cls, descriptor: int, interview: str) -> InterviewSearch:
        """Search nothing yet."""
        return cls(interview, os.fstat(descriptor).st_ino, 0, "", ())

    def holds_for(self, descriptor: int, interview: str) -> bool:
        """Whether this is the same file, and what was searched of it is still there."""
        found = os.fstat(descriptor)
        if (interview, found.st_ino) != (self.interview, self.inode) or found.st_size < self.stop:
            return False
        return digest_before(descriptor, self.stop) == self.mark

    def go_on(self, descriptor: int) -> InterviewSearch:
        """Search the rest of the file, up to its last whole line."""
        size, name = os.fstat(descriptor).st_size, self.interview.encode()
        found, stop = list(self.events), self.stop
        for block in _whole_lines(descriptor, self.stop, size):
            stop += len(block)
            if name in block:
                found += _decode(block, name)
        mark = digest_before(descriptor, stop)
        return InterviewSearch(self.interview, self.inode, stop, mark, tuple(found))


def _whole_lines(descriptor: int, start: int, size: int) -> Iterator[bytes]:
    """Read a file in blocks of whole lines; a line that is too long for an event comes in parts."""
    rest = b""
    while start < size:
        chunk = read_between(descriptor, start, min(start + _CHUNK, size))
        if not chunk:
            return
        start += len(chunk)
        end = chunk.rfind(b"\n") + 1
        if not end and len(rest) > LONGEST_LINE:
            end = len(chunk)
        if end:
            yield rest + chunk[:end]
            rest = chunk[end:]
        else:
            rest += chunk


def _decode(block: bytes, name: bytes) -> Iterator[Event]:
    """Decode the events of an interview; damaged lines are left out."""
    for line in block.split(b"\n"):
        if name in line and len(line) <= LONGEST_LINE:
            try:
                event = decode_event(line, "")[1]
            except BadData:
                continue
            if event.interview.encode() == name:
                yield event


def find_missing(found: Iterable[Event], events: Sequence[Event]) -> list[Event]:
    """Find which events of an open interview are not among those found in a log.

    Raise Locked if there are others that this process never saw, and BadArgument if the interview was forgotten.
    """
    interview = events[0].interview
    known = {identify(event): event for event in events}
    present: set[str] = set()
    for event in found:
        if isinstance(event, Forgotten):
            raise BadArgument(
                f"Interview {interview} was forgotten by another process. Nothing was saved here."
            )
        identity = identify(event)
        if identity not in known:
            raise continued_elsewhere(interview)
        present.add(identity)
    return [event for identity, event in known.items() if identity not in present]


def continued_elsewhere(interview: str) -> Locked:
    """Create the error for an interview that another process went on with."""
    return Locked(
        f"Interview {interview} was continued by another process. Nothing was saved here; "
        "resume it to continue from there."
    )
