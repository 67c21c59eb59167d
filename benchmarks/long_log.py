"""Write a log of any length, as sessions write it: chained lines, and events that name the one before."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from odm_tui.banks import Bank
from odm_tui.store.events import Answered, Asked, Confirmed, Decided, Event, Started, timestamp
from odm_tui.store.integrity.chain import digest_line, identify
from odm_tui.store.log_codec import encode_event

_MULTIPLIER = 2654435761
"""Spreads the ids, so that they do not come in order."""


def write_long_log(bank: Bank, path: Path, lines: int, answers: int = 9) -> None:
    """Write a log of this many lines, with confirmed interviews of so many answers each."""
    last = ""
    with path.open("wb") as log:
        for number, event in zip(range(1, lines + 1), _events(bank, answers), strict=False):
            line = encode_event(event, number, last)
            last = digest_line(line[:-1])
            log.write(line)


def interview_id(number: int) -> str:
    """Return the id of an interview of such a log."""
    return f"{number * _MULTIPLIER % 2**64:016x}"


def _events(bank: Bank, answers: int) -> Iterator[Event]:
    questions = [q for q in bank.questions if q.type == "yes_no"][:9]
    number = 0
    while True:
        events: list[Event] = []

        def add(kind: type[Event], events: list[Event] = events, number: int = number, **values: Any) -> None:
            after = identify(events[-1]) if events else ""
            when = timestamp(1.7e9 + 60 * number + len(events))
            events.append(
                kind(interview=interview_id(number), n=len(events) + 1, time=when, after=after, **values)
            )

        add(
            Started,
            bank=bank.name,
            bank_hash=bank.hash,
            policy="w-ig-ts",
            seed=number,
            operator=f"operator-{number % 7}",
        )
        for k in range(answers):
            question = questions[(number + k) % len(questions)].id
            add(Asked, question=question)
            add(
                Answered,
                question=question,
                answer="yes" if (number + k) % 3 else "no",
                cost=10,
                seconds=4.25,
            )
        outcome = bank.outcomes[number % len(bank.outcomes)].id
        add(Decided, outcome=outcome, belief=0.9, reason="The belief reached 90 %.", rule="confidence")
        add(Confirmed, outcome=outcome)
        yield from events
        number += 1
