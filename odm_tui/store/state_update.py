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
from odm_tui.store.counts import BankIndex, Counts
from odm_tui.store.events import Asked, Decided, Started
from odm_tui.store.interview_record import PENDING, UNFINISHED, InterviewRecords
from odm_tui.store.log import START, Damage, Entry, Position, mark_before, peek_event, read_lines, read_log
from odm_tui.store.paths import StatePaths
from odm_tui.store.state_file import FORMAT, decode_counts, encode_state, seal, unseal

_LONG_WAY = 2_000
"""Lines that may be read again at every start before the position is written anew."""

_TEACHES_NOTHING = frozenset({Asked.name, Decided.name})
"""Events that say nothing about what is counted, and are half of the log."""


@dataclass(frozen=True)
class Snapshot:
    """What the log teaches up to a position, and what had to be said on the way."""

    counts: Counts
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
    counts: Counts
    position: Position
    opened: dict[str, int]
    damage: list[Damage] = field(default_factory=list)


def read_snapshot(paths: StatePaths, index: BankIndex) -> Snapshot:
    """What is known now; only reads, needs no lock, and changes nothing on disk."""
    data = _state_bytes(paths)
    if data is None:
        return _again(paths, index)
    digest = hashlib.sha256(data).hexdigest()
    try:
        state = unseal(data, str(paths.state))
        if state.get("bank_hash") != index.hash:
            changed = (
                f"The bank {index.name!r} has changed since its state was saved; "
                "what was learned is counted again for it."
            )
            return replace(_again(paths, index, changed), on_disk=digest)
        covered = _covered(paths, digest)
        if covered is not None:
            known = decode_counts(state, index, str(paths.state))
            return extend_snapshot(
                Snapshot(known, *covered, on_disk=digest, saved_at=covered[0]), paths, index
            )
    except BadData as error:
        return replace(_again(paths, index), on_disk=digest, damaged=str(error))
    made = replace(_again(paths, index), on_disk=digest)
    if _interviews(state) > made.counts.interviews:
        reason = f"{paths.state} knows of more interviews than the log {paths.log.name}."
        return replace(made, damaged=reason)
    return made


def update_state(paths: StatePaths, index: BankIndex, known: Snapshot | None = None) -> Snapshot:
    """What is known now, with the state on disk brought up to date; needs the lock.

    ``known`` is what was read before, perhaps without the lock; it saves reading all that again. If it met
    a damaged line it is not trusted: an unfinished line that a killed process left may have been set aside
    and written over while it was read, and would then be missing for good.
    """
    data = _state_bytes(paths)
    if (
        known is None
        or not known.certain
        or known.on_disk != ("" if data is None else hashlib.sha256(data).hexdigest())
    ):
        known = read_snapshot(paths, index)
    else:
        known = extend_snapshot(known, paths, index)
    return _saved(known, paths, index)


def extend_snapshot(known: Snapshot, paths: StatePaths, index: BankIndex) -> Snapshot:
    """The same, read on to the end of the log; counted again if the log was rewritten meanwhile."""
    whole = not known.position.holds_in(paths.log)
    tally = _counted(paths, index) if whole else _read_on(known, paths, index)
    return replace(
        known,
        counts=tally.counts,
        position=tally.position,
        opened=tally.opened,
        notices=(*known.notices, *_told(tally.damage)),
        certain=known.certain and not tally.damage,
    )


def _again(paths: StatePaths, index: BankIndex, *notices: str) -> Snapshot:
    tally = _counted(paths, index)
    told = (*notices, *_told(tally.damage))
    return Snapshot(tally.counts, tally.position, tally.opened, told, certain=not tally.damage)


def _saved(known: Snapshot, paths: StatePaths, index: BankIndex) -> Snapshot:
    """Write the state if it has changed."""
    if known.damaged:
        aside = files.set_aside(paths.state, "set-aside")
        told = f"{known.damaged} It is kept as {aside.name}; the state was made again from the log."
        known = replace(known, notices=(*known.notices, told), on_disk="", saved_at=START, damaged="")
    text = encode_state(known.counts, index)
    digest = hashlib.sha256(text).hexdigest()
    if digest != known.on_disk:
        files.make_folder(paths.folder)
        for path in (paths.state, paths.position, paths.log, paths.torn):
            files.remove_leftovers(path)
        _write_position(paths, known, digest)
        files.write_atomically(paths.state, text)
    elif known.position.lines - known.saved_at.lines > _LONG_WAY:
        _write_position(paths, known, digest)
    else:
        return known
    return replace(known, on_disk=digest, saved_at=known.position)


def counts_between(
    paths: StatePaths, start: Position, stop: int | None, index: BankIndex, opened: Mapping[str, int]
) -> Counts:
    """What was learned (or taken back) by the lines between two places of the log."""
    return _read_on(Snapshot(Counts(), start, opened), paths, index, stop).counts


def _counted(paths: StatePaths, index: BankIndex) -> _Tally:
    """Everything, from the first line of the log to the last."""
    records, position = InterviewRecords(), START
    damage: list[Damage] = []
    for entry in read_log(paths.log, without=_TEACHES_NOTHING):
        position = _after(position, entry)
        if isinstance(entry, Damage):
            damage.append(entry)
            continue
        records.follow(entry)
        record = records.by_id.get(entry.event.interview)
        if record is not None and record.ending is not None and record.steps is not None:
            record.drop_details()
    counts = Counts()
    for record in records.by_id.values():
        counts.learn(record, index)
    return _Tally(counts, _marked(position, paths), _open_ones(records), damage)


def _read_on(known: Snapshot, paths: StatePaths, index: BankIndex, stop: int | None = None) -> _Tally:
    """From a known position to the end: only the interviews that the new lines touch are looked at."""
    touched: set[str] = set()
    begun: set[str] = set()
    position = known.position
    for line in read_lines(paths.log, known.position, stop):
        found = peek_event(line.data) if line.whole else None
        if found is not None:
            touched.add(found[1])
            if found[0] == Started.name:
                begun.add(found[1])
        if line.whole:
            position = Position(line.end, line.number)
    earlier = touched - begun
    before = InterviewRecords()
    if earlier:
        first = min(known.opened.get(interview, 0) for interview in earlier)
        for entry in read_log(paths.log, Position(first), known.position.bytes, earlier, _TEACHES_NOTHING):
            if isinstance(entry, Entry):
                before.follow(entry)
    counts = known.counts.plus(Counts())
    for record in before.by_id.values():
        counts.learn(record, index, -1)
    damage: list[Damage] = []
    for entry in read_log(paths.log, known.position, position.bytes, without=_TEACHES_NOTHING):
        if isinstance(entry, Damage):
            damage.append(entry)
        elif entry.event.interview not in touched:
            return _read_on(known, paths, index, stop)  # the line was written over since the first look
        else:
            before.follow(entry)
    for record in before.by_id.values():
        counts.learn(record, index)
    opened = {i: offset for i, offset in known.opened.items() if i not in touched} | _open_ones(before)
    return _Tally(counts, _marked(position, paths), opened, damage)


def _after(position: Position, entry: Entry | Damage) -> Position:
    if isinstance(entry, Damage) and entry.torn:
        return position
    return Position(entry.end, entry.line)


def _marked(position: Position, paths: StatePaths) -> Position:
    if position.bytes == 0:
        return START
    with paths.log.open("rb") as log:
        return Position(position.bytes, position.lines, mark_before(log.fileno(), position.bytes))


def _open_ones(records: InterviewRecords) -> dict[str, int]:
    return {i: record.offset for i, record in records.by_id.items() if record.status in (UNFINISHED, PENDING)}


def _told(damage: list[Damage]) -> list[str]:
    broken = [d for d in damage if not d.torn]
    if not broken:
        return []
    rest = f" (and {len(broken) - 1} more)" if len(broken) > 1 else ""
    return [f"{broken[0].reason} It is left out{rest}; 'odm-tui state verify' lists all."]


def _state_bytes(paths: StatePaths) -> bytes | None:
    try:
        return paths.state.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BadData(f"Can't read {paths.state}: {error.strerror}; check its permissions.") from error


def _interviews(state: Mapping[str, object]) -> int:
    count = state.get("interviews")
    return count if isinstance(count, int) else 0


def _covered(paths: StatePaths, digest: str) -> tuple[Position, dict[str, int]] | None:
    """Up to where the state with this hash covers the log, if the log is still the same up to there."""
    try:
        notes = unseal(paths.position.read_bytes(), str(paths.position))
        for note in notes["states"]:
            if note["state"] == digest:
                position = Position(note["bytes"], note["lines"], note["mark"])
                if position.holds_in(paths.log):
                    return position, dict(note["open"])
    except (OSError, BadData, KeyError, TypeError, ValueError):
        return None  # it only saves time: without it everything is counted again
    return None


def _write_position(paths: StatePaths, known: Snapshot, digest: str) -> None:
    """Note where the new state stands, and the one still on disk: a crash between the two is harmless."""
    notes = [_note(digest, known.position, known.opened)]
    if known.on_disk != digest and known.saved_at != START:
        # Which interviews were open then is not known any more: finding them takes longer, that is all.
        notes.append(_note(known.on_disk, known.saved_at, {}))
    body = json.dumps({"format": FORMAT, "states": notes}, indent=2)
    files.write_atomically(paths.position, seal(body[: body.rindex("\n}")]), durable=False)


def _note(digest: str, position: Position, opened: Mapping[str, int]) -> dict[str, object]:
    return {
        "state": digest,
        "bytes": position.bytes,
        "lines": position.lines,
        "mark": position.mark,
        "open": dict(opened),
    }
