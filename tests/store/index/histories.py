"""Random logs: interviews of all kinds of events, in any order, with mistakes, two branches, and forgotten ones."""

from __future__ import annotations

import random
from typing import Any

from odm_tui.engine.interview_state import RED_FLAG
from odm_tui.store.events import (
    REFER,
    Abandoned,
    Answered,
    Asked,
    Changed,
    Confirmed,
    Continued,
    Corrected,
    Decided,
    Dropped,
    Event,
    Filed,
    Forgotten,
    Noted,
    Redated,
    Retracted,
    Reverted,
    Settled,
    Skipped,
    Started,
    Stopped,
    Tried,
    Undone,
    Unknown,
    timestamp,
)
from tests.support.faults.samples import ANSWERS, OUTCOMES, interview_events

_RARE = (
    Changed,
    Continued,
    Corrected,
    Dropped,
    Redated,
    Retracted,
    Reverted,
    Settled,
    Stopped,
    Tried,
    Undone,
)
_COMMON = (Asked, Answered, Answered, Answered, Unknown, Skipped, Decided, Confirmed, Abandoned, Filed, Noted)


def random_events(dice: random.Random, count: int, oddness: float = 0.1) -> list[Event]:
    """Draw the events of several interviews side by side."""
    events: list[Event] = []
    numbers: dict[str, int] = {}
    clock = 0
    while len(events) < count:
        clock += dice.choice((0, 1, 60))
        if dice.random() < 0.3 or not numbers:
            name = f"{len(numbers):08x}"
            if dice.random() < 0.5:
                chosen = {q: dice.choice(ANSWERS[q]) for q in ANSWERS if dice.random() < 0.7}
                outcome = dice.choice((*OUTCOMES, None, "gone"))
                found = interview_events(name, chosen, outcome, at=float(clock))
                events += found
                numbers[name] = len(found)
                continue
        else:
            name = dice.choice(list(numbers)[-6:] if dice.random() < 0.9 else list(numbers))
        if dice.random() < oddness / 5:
            events.append(Forgotten(interview=name))
            continue
        n = numbers.get(name, 0) + 1
        if dice.random() < oddness:
            n = max(1, n - dice.randrange(3))
        numbers[name] = max(n, numbers.get(name, 0))
        kind: type[Event] = dice.choice(_RARE if dice.random() < oddness else _COMMON)
        if n == 1 or dice.random() < oddness / 10:
            kind = Started if dice.random() < 1 - oddness else kind
        events.append(_draw(kind, {"interview": name, "n": n, "time": timestamp(clock)}, dice))
    return events[:count]


def _draw(kind: type[Event], common: dict[str, Any], dice: random.Random) -> Event:
    question = dice.choice(list(ANSWERS))
    values: dict[type[Event], dict[str, Any]] = {
        Started: {
            "bank": "sample",
            "bank_hash": "h1",
            "policy": dice.choice(("w-ig", {"oracle": "w-ec2", "stop": {"any": [{"confidence": 0.9}]}})),
            "seed": dice.choice((0, 5, 10**17)),
            "operator": dice.choice(("op-1", "op-2")),
            "scripted": dice.random() < 0.2,
            **({"target_cost": 2.5, "stakes_factor": 1.25} if dice.random() < 0.3 else {}),
        },
        Filed: {"case": dice.choice(("T-1", "T: 2", None))},
        Noted: {"note": dice.choice(("called back", "Größe", None))},
        Asked: {"question": question, "proposed": dice.choice((None, "fever"))},
        Answered: {
            "question": question,
            "answer": dice.choice((*ANSWERS[question], "odd", 10**17)),
            "cost": dice.choice((0, 1, 0.1, 2.7)),
            "seconds": dice.choice((0, 2.5)),
        },
        Unknown: {"question": question, "cost": 1.1, "seconds": 3},
        Skipped: {"question": question, "cost": 0, "seconds": 1.5, "proposed": "colour"},
        Undone: {"steps": dice.randrange(1, 3)},
        Changed: {"step": dice.randrange(2), "question": question, "answer": None, "cost": 2},
        Dropped: {"questions": (question,)},
        Continued: {"target": 0.95},
        Tried: {"outcome": "cold"},
        Decided: {
            "outcome": dice.choice(OUTCOMES),
            "belief": dice.choice((0.5, 0.93, 1)),
            "reason": dice.choice(("sure", "sure: 93 %")),
            "rule": dice.choice(("confidence", REFER, RED_FLAG)),
        },
        Confirmed: {"outcome": dice.choice((*OUTCOMES, None)), "operator": dice.choice((None, "op-2"))},
        Corrected: {"outcome": dice.choice(OUTCOMES)},
        Redated: {"confirmed": timestamp(5)},
        Settled: {"against": ("0123456789ab",)},
    }
    return kind(**common, **values.get(kind, {}))
