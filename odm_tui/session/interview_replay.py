"""Replay a past interview event by event, with the beliefs at that time."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from odm_tui.banks.bank import Bank
from odm_tui.engine.interview import Interview
from odm_tui.engine.policy import policy_from
from odm_tui.engine.target import with_target
from odm_tui.errors import BadArgument
from odm_tui.session.past_interviews import PastInterview
from odm_tui.store.apply_events import apply_event
from odm_tui.store.counts import BankIndex
from odm_tui.store.events import Event


@dataclass(frozen=True)
class ReplayedEvent:
    """One event and the belief after it as it was shown, by outcome id."""

    event: Event
    belief: dict[str, float]
    fits: bool
    """False if the bank has changed and no longer allows the event."""


def event_values(event: Event) -> dict[str, Any]:
    """Return an event's name and fields as a dict."""
    return {"event": event.name, **asdict(event)}


def replay_interview(past: PastInterview, bank: Bank) -> list[ReplayedEvent]:
    """Repeat the interview from the counts at its start; return each event with the belief after it."""
    started = past.record.started
    if started is None:
        raise BadArgument(
            f"Interview {past.record.interview} can't be replayed: its start is not in the log."
        )
    index = BankIndex.of(bank)
    problem = with_target(bank.problem, started.target_cost)
    counts = past.counts.posterior(problem, index.find_moment(started.time))
    interview = Interview(problem, policy_from(started.policy), counts, started.seed)
    replayed = []
    for event in past.events:
        try:
            apply_event(interview, event, index)
            fits = True
        except BadArgument:
            fits = False
        belief = {o.id: float(p) for o, p in zip(bank.outcomes, interview.shown_belief, strict=True)}
        replayed.append(ReplayedEvent(event, belief, fits))
    return replayed
