"""Contradictions among the answers, as people see them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from odm_tui.banks.bank import Bank, BankQuestion, Outcome
from odm_tui.engine.interview import Interview
from odm_tui.store.events import Answer


@dataclass(frozen=True)
class Contradiction:
    """An answer that the others speak against.

    ``label`` is the answer as it reads on the screen, ``chance`` how likely it was, given the others. With it
    ``outcome`` leads, without it ``otherwise`` would. ``settle`` is the cheapest question that would tell which.
    """

    question: BankQuestion
    answer: Answer
    label: str
    chance: float
    outcome: Outcome
    otherwise: Outcome
    settle: BankQuestion | None

    def values(self) -> dict[str, Any]:
        """The same by id, for other programs."""
        return {
            "question": self.question.id,
            "answer": self.answer,
            "chance": self.chance,
            "outcome": self.outcome.id,
            "otherwise": self.otherwise.id,
            "settle": None if self.settle is None else self.settle.id,
        }


def find_contradiction(
    interview: Interview, bank: Bank, given: Mapping[int, Answer | None]
) -> Contradiction | None:
    """The answer most out of line, if one is; ``given`` holds the answers as they were given, by question."""
    found = interview.contradiction
    if found is None:
        return None
    question, answer = bank.questions[found.question], given[found.question]
    assert answer is not None, "an answer that was not given can't be out of line"
    return Contradiction(
        question,
        answer,
        _label(question, answer),
        found.chance,
        bank.outcomes[found.outcome],
        bank.outcomes[found.otherwise],
        None if found.settle is None else bank.questions[found.settle],
    )


def _label(question: BankQuestion, answer: Answer) -> str:
    if question.type == "number":
        return f"{answer} {question.unit}".strip()
    return next(known.label for known in question.answers if known.id == answer)
