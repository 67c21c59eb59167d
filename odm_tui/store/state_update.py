"""Keeping the state in step with the log: read on from where it stood, or count everything again.

``<bank>.position.json`` says how much of the log the state covers. It names the state by its hash, so the
two can't be taken for each other's after a crash; if they don't fit, everything is counted again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from odm_tui import files
from odm_tui.errors import BadData
from odm_tui.store.counts import Knowledge, Subject
from odm_tui.store.events import Asked, Decided, Started
from odm_tui.store.interview_record import OPEN, PENDING, Lives
from odm_tui.store.log import START, Damage, Entry, Position, mark_before, raw_lines, read, whose
from odm_tui.store.paths import Places
from odm_tui.store.state_file import FORMAT, knowledge_in, sealed, state_text, unsealed

_LONG_WAY = 2_000
"""Lines that may be read again at every start before the position is written anew."""

_TEACHES_NOTHING = frozenset({Asked.name, Decided.name})
"""Events that say nothing about what is counted, and are half of the log."""


@dataclass(frozen=True)
class Learned:
    """What the log teaches up to a position, and what had to be said on the way."""

    knowledge: Knowledge
    position: Position
    opened: Mapping[str, int]
    """Where each interview that has not ended begins, so that its answers are found again quickly."""
    notices: tuple[str, ...] = ()
    on_disk: str = ""
    """The hash of the state file as it was found; empty if there was none."""
    saved_at: Position = START
    """Up to where that file covers the log; the start if that is not known."""
    damaged: str = ""
    """Why that file has to be set aside; empty if it need not be."""
    certain: bool = True
    """False if a line was damaged: read without the lock, it may have been a line in the making."""


@dataclass
class _Tally:
    knowledge: Knowledge
    position: Position
    opened: dict[str, int]
    damage: list[Damage] = field(default_factory=list)


def learned(places: Places, subject: Subject) -> Learned:
    """What is known now; only reads, needs no lock, and changes nothing on disk."""
    data = _state_bytes(places)
    if data is None:
        return _again(places, subject)
    digest = hashlib.sha256(data).hexdigest()
    try:
        state = unsealed(data, str(places.state))
        if state.get("bank_hash") != subject.hash:
            changed = (
                f"The bank {subject.name!r} has changed since its state was saved; "
                "what was learned is counted again for it."
            )
            return replace(_again(places, subject, changed), on_disk=digest)
        covered = _covered(places, digest)
        if covered is not None:
            known = knowledge_in(state, subject, str(places.state))
            return advanced(Learned(known, *covered, on_disk=digest, saved_at=covered[0]), places, subject)
    except BadData as error:
        return replace(_again(places, subject), on_disk=digest, damaged=str(error))
    made = replace(_again(places, subject), on_disk=digest)
    if _interviews(state) > made.knowledge.interviews:
        reason = f"{places.state} knows of more interviews than the log {places.log.name}."
        return replace(made, damaged=reason)
    return made


def caught_up(places: Places, subject: Subject, known: Learned | None = None) -> Learned:
    """What is known now, with the state on disk brought up to date; needs the lock.

    ``known`` is what was read before, perhaps without the lock; it saves reading all that again. If it met
    a damaged line it is not trusted: an unfinished line that a killed process left may have been set aside
    and written over while it was read, and would then be missing for good.
    """
    data = _state_bytes(places)
    if (
        known is None
        or not known.certain
        or known.on_disk != ("" if data is None else hashlib.sha256(data).hexdigest())
    ):
        known = learned(places, subject)
    else:
        known = advanced(known, places, subject)
    return _saved(known, places, subject)


def advanced(known: Learned, places: Places, subject: Subject) -> Learned:
    """The same, read on to the end of the log; counted again if the log was rewritten meanwhile."""
    whole = not known.position.holds_in(places.log)
    tally = _counted(places, subject) if whole else _read_on(known, places, subject)
    return replace(
        known,
        knowledge=tally.knowledge,
        position=tally.position,
        opened=tally.opened,
        notices=(*known.notices, *_told(tally.damage)),
        certain=known.certain and not tally.damage,
    )


def _again(places: Places, subject: Subject, *notices: str) -> Learned:
    tally = _counted(places, subject)
    told = (*notices, *_told(tally.damage))
    return Learned(tally.knowledge, tally.position, tally.opened, told, certain=not tally.damage)


def _saved(known: Learned, places: Places, subject: Subject) -> Learned:
    """Write the state if it has changed."""
    if known.damaged:
        aside = files.set_aside(places.state, "set-aside")
        told = f"{known.damaged} It is kept as {aside.name}; the state was made again from the log."
        known = replace(known, notices=(*known.notices, told), on_disk="", saved_at=START, damaged="")
    text = state_text(known.knowledge, subject)
    digest = hashlib.sha256(text).hexdigest()
    if digest != known.on_disk:
        files.make_folder(places.folder)
        for path in (places.state, places.position, places.log, places.torn):
            files.remove_leftovers(path)
        _write_position(places, known, digest)
        files.write_atomically(places.state, text)
    elif known.position.lines - known.saved_at.lines > _LONG_WAY:
        _write_position(places, known, digest)
    else:
        return known
    return replace(known, on_disk=digest, saved_at=known.position)


def change_between(
    places: Places, start: Position, stop: int | None, subject: Subject, opened: Mapping[str, int]
) -> Knowledge:
    """What was learned (or taken back) by the lines between two places of the log."""
    return _read_on(Learned(Knowledge(), start, opened), places, subject, stop).knowledge


def _counted(places: Places, subject: Subject) -> _Tally:
    """Everything, from the first line of the log to the last."""
    lives, position = Lives.none(), START
    damage: list[Damage] = []
    for entry in read(places.log, without=_TEACHES_NOTHING):
        position = _after(position, entry)
        if isinstance(entry, Damage):
            damage.append(entry)
            continue
        lives.follow(entry)
        life = lives.by_id.get(entry.event.interview)
        if life is not None and life.ending is not None and life.steps is not None:
            life.reduce()
    knowledge = Knowledge()
    for life in lives.by_id.values():
        knowledge.learn(life, subject)
    return _Tally(knowledge, _marked(position, places), _open_ones(lives), damage)


def _read_on(known: Learned, places: Places, subject: Subject, stop: int | None = None) -> _Tally:
    """From a known position to the end: only the interviews that the new lines touch are looked at."""
    touched: set[str] = set()
    begun: set[str] = set()
    position = known.position
    for line in raw_lines(places.log, known.position, stop):
        found = whose(line.data) if line.whole else None
        if found is not None:
            touched.add(found[1])
            if found[0] == Started.name:
                begun.add(found[1])
        if line.whole:
            position = Position(line.end, line.number)
    earlier = touched - begun
    before = Lives.none()
    if earlier:
        first = min(known.opened.get(interview, 0) for interview in earlier)
        for entry in read(places.log, Position(first), known.position.bytes, earlier, _TEACHES_NOTHING):
            if isinstance(entry, Entry):
                before.follow(entry)
    knowledge = known.knowledge.plus(Knowledge())
    for life in before.by_id.values():
        knowledge.learn(life, subject, -1)
    damage: list[Damage] = []
    for entry in read(places.log, known.position, position.bytes, without=_TEACHES_NOTHING):
        if isinstance(entry, Damage):
            damage.append(entry)
        elif entry.event.interview not in touched:
            return _read_on(known, places, subject, stop)  # the line was written over since the first look
        else:
            before.follow(entry)
    for life in before.by_id.values():
        knowledge.learn(life, subject)
    opened = {i: offset for i, offset in known.opened.items() if i not in touched} | _open_ones(before)
    return _Tally(knowledge, _marked(position, places), opened, damage)


def _after(position: Position, entry: Entry | Damage) -> Position:
    if isinstance(entry, Damage) and entry.torn:
        return position
    return Position(entry.end, entry.line)


def _marked(position: Position, places: Places) -> Position:
    if position.bytes == 0:
        return START
    with places.log.open("rb") as log:
        return Position(position.bytes, position.lines, mark_before(log.fileno(), position.bytes))


def _open_ones(lives: Lives) -> dict[str, int]:
    return {i: life.offset for i, life in lives.by_id.items() if life.status in (OPEN, PENDING)}


def _told(damage: list[Damage]) -> list[str]:
    broken = [d for d in damage if not d.torn]
    if not broken:
        return []
    rest = f" (and {len(broken) - 1} more)" if len(broken) > 1 else ""
    return [f"{broken[0].reason} It is left out{rest}; 'odm-tui state verify' lists all."]


def _state_bytes(places: Places) -> bytes | None:
    try:
        return places.state.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BadData(f"Can't read {places.state}: {error.strerror}; check its permissions.") from error


def _interviews(state: Mapping[str, object]) -> int:
    count = state.get("interviews")
    return count if isinstance(count, int) else 0


def _covered(places: Places, digest: str) -> tuple[Position, dict[str, int]] | None:
    """Up to where the state with this hash covers the log, if the log is still the same up to there."""
    try:
        notes = unsealed(places.position.read_bytes(), str(places.position))
        for note in notes["states"]:
            if note["state"] == digest:
                position = Position(note["bytes"], note["lines"], note["mark"])
                if position.holds_in(places.log):
                    return position, dict(note["open"])
    except (OSError, BadData, KeyError, TypeError, ValueError):
        return None  # it only saves time: without it everything is counted again
    return None


def _write_position(places: Places, known: Learned, digest: str) -> None:
    """Note where the new state stands, and the one still on disk: a crash between the two is harmless."""
    notes = [_note(digest, known.position, known.opened)]
    if known.on_disk != digest and known.saved_at != START:
        # Which interviews were open then is not known any more: finding them takes longer, that is all.
        notes.append(_note(known.on_disk, known.saved_at, {}))
    body = json.dumps({"format": FORMAT, "states": notes}, indent=2)
    files.write_atomically(places.position, sealed(body[: body.rindex("\n}")]), durable=False)


def _note(digest: str, position: Position, opened: Mapping[str, int]) -> dict[str, object]:
    return {
        "state": digest,
        "bytes": position.bytes,
        "lines": position.lines,
        "mark": position.mark,
        "open": dict(opened),
    }
