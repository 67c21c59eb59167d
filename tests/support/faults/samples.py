"""A small bank and small interviews as events, without the engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypedDict

from odm_tui.engine.problem import Problem, Question
from odm_tui.store.counts import BankIndex
from odm_tui.store.events import (
    Answer,
    Answered,
    Asked,
    Confirmed,
    Decided,
    Event,
    Started,
    timestamp,
)
from odm_tui.store.log_writer import Log
from odm_tui.store.paths import StatePaths
from odm_tui.store.state_update import update_state


class EventFields(TypedDict):
    """The fields that all events share."""

    interview: str
    n: int
    time: str


QUESTIONS = (
    Question("fever"),
    Question("colour", answers=("red", "amber", "off")),
    Question("ping", thresholds=(20, 37.5, 300)),
)
OUTCOMES = ("flu", "cold", "line-fault")
ANSWERS: Mapping[str, tuple[Answer, ...]] = {
    "fever": ("yes", "no"),
    "colour": ("red", "amber", "off"),
    "ping": (5, 37.5, 40.25, 1000),
}


def sample_index(**changes: object) -> BankIndex:
    """Build the index of the bank of the sample interviews."""
    problem = Problem.build(QUESTIONS, OUTCOMES, pseudo=_pseudo())
    return BankIndex(**{"name": "sample", "hash": "h1", "problem": problem, **changes})  # type: ignore[arg-type]


def _pseudo() -> list[list[list[float]]]:
    """Build priors with fractions, as `expected` gives them."""
    return [
        [[0.4, 7.6, 0, 0]] * 3,
        [[5.6, 1.6, 0.8, 0]] * 3,
        [[0.8, 1.6, 3.2, 2.4]] * 3,
    ]


def interview_events(
    interview: str, answers: Mapping[str, Answer], outcome: str | None, at: float = 0.0
) -> list[Event]:
    """Build the events of an interview from its start to its confirmation."""
    events: list[Event] = []

    def common() -> EventFields:
        return {"interview": interview, "n": len(events) + 1, "time": timestamp(at + len(events))}

    events.append(
        Started(**common(), bank="sample", bank_hash="h1", policy="w-ec2-ts", seed=7, operator="op-1")
    )
    for question, answer in answers.items():
        events.append(Asked(**common(), question=question))
        events.append(Answered(**common(), question=question, answer=answer, cost=1, seconds=2.5))
    events.append(Decided(**common(), outcome="flu", belief=0.9, reason="one region is left", rule="region"))
    events.append(Confirmed(**common(), outcome=outcome))
    return events


def many(count: int, first: int = 0) -> list[list[Event]]:
    """Build interviews that differ in their answers and outcomes; the same ones every time."""
    interviews = []
    for k in range(first, first + count):
        answers = {q: ANSWERS[q][(k * 7 + i) % len(ANSWERS[q])] for i, q in enumerate(ANSWERS) if (k + i) % 4}
        interviews.append(
            interview_events(f"{k:08x}", answers, OUTCOMES[k % 3] if k % 5 else None, at=100.0 * k)
        )
    return interviews


def paths_in(folder: Path) -> StatePaths:
    """Create a state folder and return the paths of the sample bank in it."""
    folder.mkdir(mode=0o700, exist_ok=True)
    return StatePaths.of(folder, "sample")


def write(where: StatePaths, interviews: Iterable[list[Event]]) -> None:
    """Append whole interviews to the log."""
    log = Log(where)
    for events in interviews:
        log.append(events)
    log.close()


def state_bytes(where: StatePaths) -> bytes:
    """Update the state and return its bytes."""
    update_state(where, sample_index())
    return where.state.read_bytes()


def rebuilt(where: StatePaths) -> bytes:
    """Rebuild the state from the log alone and return its bytes."""
    where.state.unlink(missing_ok=True)
    where.position.unlink(missing_ok=True)
    return state_bytes(where)
