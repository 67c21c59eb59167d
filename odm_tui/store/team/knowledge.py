"""Compute what an interview knew when it began, on any machine of a team.

In the log of the machine where it began, that is everything before it. In any other log, lines stand in another order:
there the start of the interview says which head of the store it knew, and beyond that it knew what its own folder had
sent before it.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict

from odm_tui.errors import BadData, OdmError
from odm_tui.store.branches.choice import choose_branch, follow_choice
from odm_tui.store.counts import BankIndex, Counts
from odm_tui.store.events import Event, Forgotten, Started
from odm_tui.store.log import read_lines, read_log, valid_entries
from odm_tui.store.log_codec import decode_event, encode_body
from odm_tui.store.paths import StatePaths
from odm_tui.store.state_update import Snapshot
from odm_tui.store.team.digest import digest_body
from odm_tui.store.team.ledger import opened_ledger
from odm_tui.store.team.membership import read_membership
from odm_tui.store.variants.log_fit import fit_log


def counts_known_to(started: Started, paths: StatePaths, now: Snapshot, index: BankIndex) -> Counts | None:
    """Compute the counts that an interview of another machine began with; ``now`` is the counts of the whole log.

    None if the order of the log says it: the interview began here, or nothing more is known.
    """
    membership = read_membership(paths)
    if membership is None or membership.folder == started.folder:
        return None
    unknown = _find_unknown(started, paths, now, membership.folder)
    if unknown is None:
        return None
    all_events: dict[str, list[Event]] = defaultdict(list)
    known: dict[str, list[Event]] = defaultdict(list)
    for entry in valid_entries(read_log(paths.log, stop=now.position.bytes, only=unknown)):
        event = entry.event
        if isinstance(event, Forgotten):
            continue
        all_events[event.interview].append(event)
        if digest_body(encode_body(event)) not in unknown[event.interview]:
            known[event.interview].append(event)
    before = {interview: follow_choice(choose_branch(events)) for interview, events in known.items()}
    counts = now.counts.plus(Counts())
    for interview, events in all_events.items():
        counts.learn(follow_choice(choose_branch(events)), index, -1)
        if interview in before:
            counts.learn(before[interview], index)
    instead = {interview: before.get(interview) for interview in all_events}
    counts.fitted = fit_log(paths, index, started.variants, now.position.bytes, instead)
    return counts


def _find_unknown(
    started: Started, paths: StatePaths, now: Snapshot, own: str
) -> dict[str, set[bytes]] | None:
    """The events that the interview did not know, by interview; those that the index has not read yet are among them."""
    if not paths.ledger.exists():
        return None
    try:
        with opened_ledger(paths) as ledger:
            digest = digest_body(encode_body(started))
            unknown = ledger.unknown_to(digest, started.folder, started.knew, own)
            position = ledger.position
    except (sqlite3.DatabaseError, OdmError):
        return None
    if unknown is None or not position.holds_in(paths.log):
        return None
    for line in read_lines(paths.log, position, now.position.bytes):
        try:
            _, event = decode_event(line.data, "")
        except BadData:
            continue
        unknown.setdefault(event.interview, set()).add(digest_body(encode_body(event)))
    return unknown
