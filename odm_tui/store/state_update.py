"""Update the state from the log: read only the new lines, or count everything again.

``<bank>.position.json`` says how much of the log the state covers. It names the state by its hash, so that the
two can't be confused after a crash. If they do not match, everything is counted again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from odm_tui import files
from odm_tui.errors import BadData
from odm_tui.store.counts import BankIndex, Counts
from odm_tui.store.cursor import Cursor, read_cursor
from odm_tui.store.half_life_codec import is_outdated
from odm_tui.store.index.opening import CountedLog, count_and_index
from odm_tui.store.integrity.log_end import find_lost_end, is_untouched
from odm_tui.store.interview_lock import remove_unlocked
from odm_tui.store.log import START, Damage, Position
from odm_tui.store.log_writer import Log
from odm_tui.store.new_lines import count_new_lines
from odm_tui.store.paths import StatePaths
from odm_tui.store.state_file import FORMAT, decode_counts, encode_state, seal, unseal
from odm_tui.store.variants.fitted import FittedVariants

_MOST_LINES_TO_REREAD = 2_000
"""Lines that may be read again at every start before the position is written again."""
_MOST_OFFSETS = 200
"""Open interviews whose places are kept with the position; with more of them the index is quicker."""


@dataclass(frozen=True)
class Snapshot:
    """The counts of the log up to a position, and notices for the operator."""

    counts: Counts
    position: Position
    offsets: Mapping[str, int]
    """The offset in the log of each unfinished or pending interview, so that its events are found quickly."""
    notices: tuple[str, ...] = ()
    state_hash: str = ""
    """The hash of the state file on disk; empty if there is none."""
    state_position: Position = START
    """The position up to which that file covers the log; the start if it is not known."""
    damaged: str = ""
    """Why that file has to be set aside; empty if it is sound."""
    changed: str = ""
    """Why the log is not the one that the state was computed from; empty if it is."""
    is_certain: bool = True
    """False if a line was damaged: without the lock, it may have been a line that was just being written."""
    bank_changed: bool = False
    """Whether the state on disk was written with another version of the bank."""

    @property
    def cursor(self) -> Cursor:
        """The place in the log up to which the counts go."""
        return Cursor(self.position)

    @property
    def is_ahead_of_state(self) -> bool:
        """Whether the state on disk covers a part of these counts, but not all of them."""
        return START.bytes < self.state_position.bytes < self.position.bytes

    def ends_with(self, counted: CountedLog) -> bool:
        """Whether both have counted the same lines of the log."""
        return self.position.bytes == counted.position.bytes


def read_snapshot(paths: StatePaths, index: BankIndex, *, saves: bool = True) -> Snapshot:
    """Read the current counts, without the lock; nothing is written but, on the way, an index of a long log.

    ``saves=False`` is for callers that hold the lock, and writes nothing at all.
    """
    data = files.read_whole(paths.state)
    if data is None:
        return _count_all(paths, index, saves)
    digest = hashlib.sha256(data).hexdigest()
    try:
        state = unseal(data, str(paths.state))
        if state.get("bank_hash") != index.hash:
            changed = (
                f"The bank {index.name!r} has changed since its state was saved; "
                "all interviews are counted again."
            )
            return replace(_count_all(paths, index, saves, changed), state_hash=digest, bank_changed=True)
        if is_outdated(state):
            return replace(_count_all(paths, index, saves), state_hash=digest)
        covered, changed = _read_position(paths, digest)
        if covered is not None:
            known = decode_counts(state, index, str(paths.state))
            return extend_snapshot(
                Snapshot(known, *covered, state_hash=digest, state_position=covered[0]), paths, index, saves
            )
    except BadData as error:
        return replace(_count_all(paths, index, saves), state_hash=digest, damaged=str(error))
    counted = replace(_count_all(paths, index, saves), state_hash=digest, changed=changed)
    if _interviews_in(state) > counted.counts.interviews:
        reason = f"{paths.state} counts more interviews than the log {paths.log.name}."
        return replace(counted, damaged=reason)
    return counted


def update_state(paths: StatePaths, index: BankIndex, known: Snapshot | None = None) -> Snapshot:
    """Read the current counts and write the state to disk if it has changed; the caller holds the lock.

    ``known`` is an earlier snapshot, perhaps read without the lock; it saves reading the log again. It is not
    used if it met a damaged line: that line may have been the unfinished one of a killed process, which was set
    aside and overwritten during the reading, and the new line would be missing for good.
    """
    if known is None or not is_usable(known, paths):
        known = read_snapshot(paths, index, saves=False)
    else:
        known = extend_snapshot(known, paths, index, saves=False)
    lost = find_lost_end(paths) or known.changed
    saved = _save(known, paths, index)
    if lost or not is_untouched(paths):
        Log(paths).note_checked(saved.position)
    return replace(saved, notices=(*saved.notices, lost), changed="") if lost else saved


def is_usable(known: Snapshot, paths: StatePaths) -> bool:
    """Whether a snapshot can be extended: the state on disk is still the same, and so is the log up to there.

    A log without an interview that taught nothing has the same state, but not the same lines.
    """
    if not known.is_certain or known.changed:
        return False
    data = files.read_whole(paths.state)
    digest = "" if data is None else hashlib.sha256(data).hexdigest()
    return known.state_hash == digest and known.position.holds_in(paths.log)


def count_again(paths: StatePaths, index: BankIndex) -> Snapshot:
    """Count the whole log, whatever the state says; the caller holds no lock. :func:`save_fit` writes the result."""
    known, counted = read_snapshot(paths, index), _count_all(paths, index, True)
    return replace(
        counted, state_hash=known.state_hash, damaged=known.damaged, bank_changed=known.bank_changed
    )


def extend_snapshot(known: Snapshot, paths: StatePaths, index: BankIndex, saves: bool = True) -> Snapshot:
    """Extend a snapshot to the end of the log; count everything again if the log was rewritten or touched."""
    if not known.position.holds_in(paths.log) or not (
        is_untouched(paths) or known.position.is_sound_in(paths.log)
    ):
        found = count_and_index(paths, index, saves=saves)
    else:
        found = count_new_lines(paths, index, known.counts, known.position, known.offsets, saves=saves)
    return replace(
        known,
        counts=found.counts,
        position=found.position,
        offsets=found.open_offsets,
        notices=(*known.notices, *_damage_notices(found.damage)),
        is_certain=known.is_certain and not found.damage,
    )


def _count_all(paths: StatePaths, index: BankIndex, saves: bool, *notices: str) -> Snapshot:
    found = count_and_index(paths, index, saves=saves)
    all_notices = (*notices, *_damage_notices(found.damage))
    return Snapshot(
        found.counts, found.position, found.open_offsets, all_notices, is_certain=not found.damage
    )


def _save(known: Snapshot, paths: StatePaths, index: BankIndex) -> Snapshot:
    """Write the state if it has changed."""
    if known.damaged:
        aside = files.set_aside(paths.state, "set-aside")
        notice = f"{known.damaged} It was renamed to {aside.name}; the state was rebuilt from the log."
        known = replace(
            known, notices=(*known.notices, notice), state_hash="", state_position=START, damaged=""
        )
    text = encode_state(known.counts, index)
    digest = hashlib.sha256(text).hexdigest()
    if digest != known.state_hash:
        files.make_folder(paths.folder)
        for path in (paths.state, paths.position, paths.log, paths.torn, paths.index):
            files.remove_leftovers(path)
        remove_unlocked(paths)
        _write_position(paths, known, digest)
        files.write_atomically(paths.state, text, follow_links=False)
    elif known.position.lines - known.state_position.lines > _MOST_LINES_TO_REREAD:
        _write_position(paths, known, digest)
    else:
        return known
    return replace(known, state_hash=digest, state_position=known.position)


def counts_between(
    paths: StatePaths,
    start: Position,
    stop: int | None,
    index: BankIndex,
    offsets: Mapping[str, int],
    fitted: FittedVariants | None = None,
) -> Counts:
    """Compute how the lines between two positions of the log change the counts.

    ``fitted`` are variants of the log; they stay in the counts if these lines do not change them.
    """
    return count_new_lines(paths, index, Counts(fitted=fitted), start, offsets, stop=stop).counts


def count_before(paths: StatePaths, stop: Cursor, index: BankIndex) -> Counts:
    """Count the log up to a place."""
    return counts_between(paths, Position(), read_cursor(stop, Position).bytes, index, {})


def discard_position(paths: StatePaths) -> None:
    """Forget how much of the log the state covers, so that all of it is counted again."""
    with files.naming_errors(paths.position):
        paths.position.unlink(missing_ok=True)


def save_fit(known: Snapshot, paths: StatePaths, index: BankIndex) -> Snapshot:
    """Write the state with the variants of :func:`fit_snapshot` as far as they still hold; the caller holds the lock."""
    data = files.read_whole(paths.state)
    digest = "" if data is None else hashlib.sha256(data).hexdigest()
    if known.state_hash != digest:  # another process has written the state since
        known = replace(known, state_hash=digest, state_position=START)
    return update_state(paths, index, known)


def _damage_notices(damage: Sequence[Damage]) -> list[str]:
    broken = [d for d in damage if not d.torn]
    if not broken:
        return []
    rest = f" (and {len(broken) - 1} more)" if len(broken) > 1 else ""
    return [f"{broken[0].reason} It is left out{rest}; 'odm-tui state verify' lists all problems."]


def _interviews_in(state: Mapping[str, object]) -> int:
    count = state.get("interviews")
    return count if isinstance(count, int) else 0


def _read_position(paths: StatePaths, digest: str) -> tuple[tuple[Position, dict[str, int]] | None, str]:
    """Return the position up to which the state with this hash covers the log, if the log is unchanged there.

    If the log has changed there, say so in a sentence.
    """
    try:
        data = files.read_whole(paths.position)
        notes = unseal(data or b"", str(paths.position))
        for note in notes["states"]:
            if note["state"] == digest:
                position = Position(note["bytes"], note["lines"], note["mark"], int(note["checksum"], 16))
                if position.holds_in(paths.log) and (is_untouched(paths) or position.is_sound_in(paths.log)):
                    return (position, dict(note["open"])), ""
                changed = (
                    f"{paths.log} was changed by something other than odm-tui within its first {position.lines} "
                    "lines; all of it was counted again. 'odm-tui state verify' lists damaged lines."
                )
                return None, changed
    except (OSError, BadData, KeyError, TypeError, ValueError):
        pass  # the file only saves time: without it everything is counted again
    return None, ""


def _write_position(paths: StatePaths, known: Snapshot, digest: str) -> None:
    """Write the positions of the new state and of the one still on disk, so that a crash in between is harmless."""
    notes = [_position_entry(digest, known.position, known.offsets)]
    if known.state_hash != digest and known.state_position != START:
        # The offsets of that time are not known any more; without them, finding interviews only takes longer.
        notes.append(_position_entry(known.state_hash, known.state_position, {}))
    body = json.dumps({"format": FORMAT, "states": notes}, indent=2)
    files.write_atomically(
        paths.position, seal(body[: body.rindex("\n}")]), durable=False, follow_links=False
    )


def _position_entry(digest: str, position: Position, offsets: Mapping[str, int]) -> dict[str, object]:
    return {
        "state": digest,
        "bytes": position.bytes,
        "lines": position.lines,
        "mark": position.mark,
        "checksum": f"{position.checksum or 0:08x}",
        "open": dict(offsets) if len(offsets) <= _MOST_OFFSETS else {},
    }
