"""Open an interview on disk: write the start of a new one, or read an unfinished or pending one."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from odm_tui.banks.bank import Bank
from odm_tui.banks.policies import policy_for
from odm_tui.engine.interview import Interview
from odm_tui.engine.policy import Explore, Policy, policy_from
from odm_tui.engine.target import stakes_factor, with_target
from odm_tui.errors import BadArgument, Locked
from odm_tui.session.archive import Archive
from odm_tui.session.case_texts import parse_case
from odm_tui.session.idle_time import describe_idle_time
from odm_tui.session.lost_knowledge import describe_lost_knowledge
from odm_tui.session.pseudonyms import find_pseudonym
from odm_tui.store.events import Event, Filed, Started, timestamp
from odm_tui.store.integrity.chain import identify
from odm_tui.store.interview_lock import InterviewLock
from odm_tui.store.interview_record import PENDING, UNFINISHED, InterviewRecord
from odm_tui.store.state_update import Snapshot, read_snapshot
from odm_tui.store.team.membership import KnownHead, read_knowledge

_SEEDS = 10**18
"""Seeds stay below this, since the log has no longer numbers: every JSON parser reads these exactly."""


class OpenedInterview(NamedTuple):
    """An interview that this process has open: its files, its engine, and its record in the log."""

    archive: Archive
    interview: Interview
    record: InterviewRecord
    lock: InterviewLock
    known: Snapshot | None
    """The counts at the time of opening."""
    written: tuple[Event, ...]
    """Its events in the log."""

    def close(self) -> None:
        """Let other processes open the interview, and close the files."""
        self.lock.release()
        self.archive.close()


def start_interview(
    bank: Bank,
    state_dir: str | Path | None = None,
    *,
    policy: str | Mapping[str, Any] | Policy | None = None,
    seed: int | None = None,
    operator: str | None = None,
    case: str | None = None,
    scripted: bool = False,
    explore: Explore | None = None,
    target_cost: float | None = None,
    clock: Callable[[], float] = time.time,
) -> OpenedInterview:
    """Start an interview with the current counts; ``target_cost`` replaces the bank's."""
    if seed is not None and not 0 <= seed < _SEEDS:
        raise BadArgument(f"The seed {seed} is out of range; use a whole number from 0 to {_SEEDS - 1}.")
    case = parse_case(case)
    problem = with_target(bank.problem, bank.target_cost if target_cost is None else target_cost)
    archive = Archive.of(bank, state_dir, clock)
    chosen = policy_for(bank, policy, explore)
    index = archive.require_index()
    before = read_snapshot(archive.paths, index)  # counting may take long, so it happens without the lock
    started = Started(
        interview=secrets.token_hex(8),
        n=1,
        time=timestamp(clock()),
        bank=bank.log_name,
        bank_hash=bank.hash,
        policy=chosen.spec(),
        seed=secrets.randbits(32) if seed is None else seed,
        operator=find_pseudonym(archive.paths.folder, operator),
        scripted=scripted,
        version=bank.version,
        target_cost=problem.target_cost,
    )
    moment = index.find_moment(started.time)
    interview_lock = InterviewLock(archive.paths, started.interview)
    try:
        with archive.lock.held():
            # The interview starts with the counts of everything before "started" in the log, so that it
            # starts with the same counts when it is resumed.
            now = archive.update_state(before) or read_snapshot(archive.paths, index, saves=False)
            if problem.target_cost is not None:
                started = replace(started, stakes_factor=stakes_factor(now.counts.moves(moment)))
            if now.counts.fitted is not None and now.counts.fitted.variants is not None:
                started = replace(started, variants=now.counts.fitted.interviews)
            interview_lock.claim()
            events = _first_events(started, case, read_knowledge(archive.paths))
            archive.log.append(events)
        counts = archive.counts_for(chosen, now.counts, now.cursor)
        interview = Interview(problem, chosen, counts.posterior(problem, moment), started.seed)
    except BaseException:
        interview_lock.release()
        archive.close()
        raise
    if now.bank_changed:
        archive.notices += describe_lost_knowledge(archive.paths, bank)
    idle = describe_idle_time(now.counts, index, started.time)
    if idle:
        archive.notices.append(idle)
    record = InterviewRecord(started.interview)
    for event in events:
        record.follow(event)
    return OpenedInterview(archive, interview, record, interview_lock, now, tuple(events))


def prepare_interview(
    bank: Bank,
    state_dir: str | Path | None = None,
    *,
    policy: str | Mapping[str, Any] | Policy | None = None,
    explore: Explore | None = None,
    target_cost: float | None = None,
    clock: Callable[[], float] = time.time,
) -> None:
    """Compute what the next interview needs at its start, so that it starts at once: the value of learning above all.

    It follows from the counts alone, and the engine keeps it. Nothing is written.
    """
    problem = with_target(bank.problem, bank.target_cost if target_cost is None else target_cost)
    chosen = policy_for(bank, policy, explore)
    with closing(Archive.of(bank, state_dir, clock)) as archive:
        index = archive.require_index()
        now = read_snapshot(archive.paths, index, saves=False)
        counts = archive.counts_for(chosen, now.counts, now.cursor)
        _ = Interview(problem, chosen, counts.posterior(problem, index.find_moment(timestamp(clock())))).next


def _first_events(started: Started, case: str | None, knowledge: KnownHead | None) -> list[Event]:
    """Create the first events of an interview; with a team, its start records what it knows of the team's store."""
    if knowledge is not None:
        started = replace(started, folder=knowledge.folder, knew=knowledge.head)
    events: list[Event] = [started]
    if case is not None:
        events.append(
            Filed(interview=started.interview, n=2, time=started.time, after=identify(started), case=case)
        )
    return events


def reopen_interview(
    bank: Bank,
    interview: str,
    state_dir: str | Path | None = None,
    *,
    clock: Callable[[], float] = time.time,
) -> OpenedInterview:
    """Open an unfinished or pending interview; its steps are in the record and not in the engine yet."""
    archive = Archive.of(bank, state_dir, clock)
    interview_lock = InterviewLock(archive.paths, interview)
    try:
        if not interview_lock.claim():
            raise Locked(
                f"Interview {interview} is open in another terminal; continue there, or close it first."
            )
        archive.prepare_interview(interview)  # this may take long, so it happens without the lock
        known = archive.refresh()
        with archive.lock.held():
            now = archive.update_state(known)
            past = archive.read_interview(interview, saves=False)
            archive.log.set_unfinished_line_aside()
        record = past.record
        if record.started is None:
            raise BadArgument(f"There is no interview {interview!r} in {archive.paths.log}.")
        if record.status not in (UNFINISHED, PENDING):
            raise BadArgument(f"Interview {interview} can't be resumed: it is {record.status}.")
        chosen = policy_from(record.started.policy)
        counts = archive.counts_for(chosen, past.counts, past.start)
        moment = archive.require_index().find_moment(record.started.time)
        problem = with_target(bank.problem, record.started.target_cost)
        engine = Interview(problem, chosen, counts.posterior(problem, moment), record.started.seed)
    except BaseException:
        interview_lock.release()
        archive.close()
        raise
    if record.started.bank_hash != bank.hash:
        archive.notices.append(
            "The bank has changed since this interview began, so its next questions may be others."
        )
    return OpenedInterview(archive, engine, record, interview_lock, now, past.logged)
