"""A small bank and small interviews, told as events without any engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

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
from odm_tui.store.log import Log
from odm_tui.store.paths import StatePaths
from odm_tui.store.state_update import update_state

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
    """The bank that the sample interviews are about."""
    problem = Problem.build(QUESTIONS, OUTCOMES, pseudo=_pseudo())
    return BankIndex(**{"name": "sample", "hash": "h1", "problem": problem, **changes})  # type: ignore[arg-type]


def _pseudo() -> list[list[list[float]]]:
    """Priors with crooked fractions, as `expected` gives them."""
    return [
        [[0.4, 7.6, 0, 0]] * 3,
        [[5.6, 1.6, 0.8, 0]] * 3,
        [[0.8, 1.6, 3.2, 2.4]] * 3,
    ]


def interview_events(
    interview: str, answers: Mapping[str, Answer], outcome: str | None, at: float = 0.0
) -> list[Event]:
    """An interview from its start to its confirmation."""
    events: list[Event] = []

    def common() -> dict[str, object]:
        return {"interview": interview, "n": len(events) + 1, "time": timestamp(at + len(events))}

    events.append(
        Started(**common(), bank="sample", bank_hash="h1", policy="w-ec2-ts", seed=7, operator="op-1")  # type: ignore[arg-type]
    )
    for question, answer in answers.items():
        events.append(Asked(**common(), question=question))  # type: ignore[arg-type]
        events.append(Answered(**common(), question=question, answer=answer, cost=1, seconds=2.5))  # type: ignore[arg-type]
    events.append(
        Decided(**common(), outcome="flu", belief=0.9, reason="one region is left", rule="region")  # type: ignore[arg-type]
    )
    events.append(Confirmed(**common(), outcome=outcome))  # type: ignore[arg-type]
    return events


def many(count: int, first: int = 0) -> list[list[Event]]:
    """Interviews that differ in their answers and outcomes, always the same ones."""
    made = []
    for k in range(first, first + count):
        answers = {q: ANSWERS[q][(k * 7 + i) % len(ANSWERS[q])] for i, q in enumerate(ANSWERS) if (k + i) % 4}
        made.append(interview_events(f"{k:08x}", answers, OUTCOMES[k % 3] if k % 5 else None, at=100.0 * k))
    return made


def paths_in(folder: Path) -> StatePaths:
    """The files of the sample bank."""
    folder.mkdir(mode=0o700, exist_ok=True)
    return StatePaths.of(folder, "sample")


def write(where: StatePaths, interviews: Iterable[list[Event]]) -> None:
    """Append whole interviews to the log."""
    log = Log(where)
    for events in interviews:
        log.append(events)
    log.close()


def state_bytes(where: StatePaths) -> bytes:
    """The state after it was brought up to date."""
    update_state(where, sample_index())
    return where.state.read_bytes()


def rebuilt(where: StatePaths) -> bytes:
    """The state as it is when nothing but the log is left of it."""
    where.state.unlink(missing_ok=True)
    where.position.unlink(missing_ok=True)
    return state_bytes(where)
