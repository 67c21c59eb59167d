"""A past interview again, event by event, with the beliefs as they were at the time."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from odm_tui.banks.bank import Bank
from odm_tui.engine.interview import Interview
from odm_tui.engine.policy import policy_from
from odm_tui.errors import BadArgument
from odm_tui.session.archive import PastInterview
from odm_tui.store.counts import BankIndex
from odm_tui.store.events import Event
from odm_tui.store.replay import apply_event


@dataclass(frozen=True)
class ReplayedEvent:
    """One event, and what was believed after it."""

    event: Event
    belief: dict[str, float]
    fits: bool
    """False where the bank has changed so much since that the event no longer means anything."""


def event_values(event: Event) -> dict[str, Any]:
    """An event's name and fields, for printing."""
    return {"event": event.name, **asdict(event)}


def replay_interview(past: PastInterview, bank: Bank) -> list[ReplayedEvent]:
    """The interview's events with the belief after each, from what was known when it began."""
    started = past.record.started
    if started is None:
        raise BadArgument(f"The beginning of interview {past.record.interview} is not in the log.")
    interview = Interview(
        bank.problem, policy_from(started.policy), past.counts.posterior(bank.problem), started.seed
    )
    index = BankIndex.of(bank)
    moments = []
    for event in past.events:
        try:
            apply_event(interview, event, index)
            fits = True
        except BadArgument:
            fits = False
        belief = {o.id: float(p) for o, p in zip(bank.outcomes, interview.belief, strict=True)}
        moments.append(ReplayedEvent(event, belief, fits))
    return moments
