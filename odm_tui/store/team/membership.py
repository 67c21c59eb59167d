"""What a state folder knows of its team's store: which store it is, and up to which head it has everything.

``<bank>.team.json`` changes only under the bank's lock. Before rows are appended to the log it says which ones, so that
after a crash in between it is still known exactly what the log has: an interview that starts then records it.
"""

from __future__ import annotations

import re
import secrets
import zlib
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from odm_tui import files
from odm_tui.errors import BadData
from odm_tui.store.log import Position, read_lines
from odm_tui.store.log_codec import event_body
from odm_tui.store.paths import StatePaths
from odm_tui.store.team.digest import digest_body
from odm_tui.strict_json import encode_json, parse_json

_RANGES_KEPT = 200
_FORMAT = 1
_SEAL = re.compile(rb',"crc":"([0-9a-f]{8})"\}\n\Z')


class TakenRange(NamedTuple):
    """The bytes of the log that rows of others were appended to."""

    start: int
    end: int


class Intent(NamedTuple):
    """Rows that are about to be appended at ``start``; ``rows`` has the digest and the head of each, in order."""

    start: int
    upto: int
    rows: tuple[tuple[str, int], ...]


class KnownHead(NamedTuple):
    """What an interview knew when it began: everything up to a head, and all earlier lines of its own folder."""

    folder: str
    head: int


@dataclass(frozen=True)
class Membership:
    """The store of a bank's log in one folder; ``folder`` names this folder in the store."""

    store: str
    bank: str
    folder: str
    head: int = 0
    intent: Intent | None = None
    taken: tuple[TakenRange, ...] = ()

    @classmethod
    def join(cls, store: str, bank: str) -> Membership:
        """Begin with a store of which nothing is known yet."""
        return cls(store, bank, secrets.token_hex(8))

    def settle(self, paths: StatePaths) -> Membership:
        """Find out how many of the rows that were about to be appended are in the log; the caller holds the lock."""
        if self.intent is None:
            return self
        wanted = {digest for digest, _ in self.intent.rows}
        present: set[str] = set()
        end = self.intent.start
        for line in read_lines(paths.log, Position(self.intent.start)):
            try:
                digest = digest_body(event_body(line.data)).hex() if line.whole else ""
            except BadData:
                digest = ""
            if digest not in wanted:
                break  # they were appended in one go: what follows was written in this folder
            present.add(digest)
            end = line.end
        head, whole = self.head, True
        for digest, row_head in self.intent.rows:
            if digest not in present:
                whole = False
                break
            head = row_head
        taken = self.taken
        if present:
            new = TakenRange(self.intent.start, end)
            if taken and taken[-1].end == new.start:
                taken, new = taken[:-1], TakenRange(taken[-1].start, end)
            taken = (*taken, new)[-_RANGES_KEPT:]
        return replace(self, head=self.intent.upto if whole else head, intent=None, taken=taken)


def read_membership(paths: StatePaths) -> Membership | None:
    """Read which store a log belongs to; None if it belongs to none, or if the file is damaged."""
    try:
        data = files.read_whole(paths.team)
        if data is None:
            return None
        found = _unseal(data)
        intent = found.get("intent")
        return Membership(
            str(found["store"]),
            str(found["bank"]),
            str(found["folder"]),
            int(found["head"]),
            None
            if intent is None
            else Intent(
                int(intent["start"]),
                int(intent["upto"]),
                tuple((str(d), int(h)) for d, h in intent["rows"]),
            ),
            tuple(TakenRange(int(start), int(end)) for start, end in found["taken"]),
        )
    except (BadData, KeyError, TypeError, ValueError):
        return None


def write_membership(paths: StatePaths, membership: Membership) -> None:
    """Write the file and return once it is on disk; the caller holds the lock."""
    body = encode_json(
        {
            "format": _FORMAT,
            "store": membership.store,
            "bank": membership.bank,
            "folder": membership.folder,
            "head": membership.head,
            "intent": None if membership.intent is None else membership.intent._asdict(),
            "taken": membership.taken,
        }
    )[:-1]
    data = body + b',"crc":"%08x"}\n' % zlib.crc32(body)
    files.write_atomically(paths.team, data, follow_links=False)


def _unseal(data: bytes) -> dict[str, Any]:
    """Parse the file; raise BadData if any bit has changed, or if it comes from a newer odm-tui."""
    seal = _SEAL.search(data)
    if seal is None or int(seal.group(1), 16) != zlib.crc32(data[: seal.start()]):
        raise BadData("The file does not match its CRC.")
    found = parse_json(data, "")
    if not isinstance(found, dict) or found.get("format") != _FORMAT:
        raise BadData("The file has an unknown format.")
    return found


def settle_membership(paths: StatePaths) -> None:
    """Remove all places in the log from the file, because the log is about to be rewritten; the caller holds the lock."""
    found = read_membership(paths)
    if found is not None and (found.intent or found.taken):
        write_membership(paths, replace(found.settle(paths), taken=()))


def read_knowledge(paths: StatePaths) -> KnownHead | None:
    """Read what an interview that begins now knows; None without a team. The caller holds the lock."""
    found = read_membership(paths)
    if found is None:
        return None
    settled = found.settle(paths)
    return KnownHead(settled.folder, settled.head)


def read_taken_ranges(paths: StatePaths) -> tuple[TakenRange, ...]:
    """Read which parts of the log came from the store, and not from a process of this folder."""
    found = read_membership(paths)
    return () if found is None else found.settle(paths).taken
