"""Find an answer that contradicts the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from odm_tui.banks.bank import Bank, BankQuestion, Outcome
from odm_tui.engine.interview import Interview
from odm_tui.store.events import Answer


@dataclass(frozen=True)
class Contradiction:
    """An answer that contradicts the others.

    ``label`` is the answer as it is shown, ``chance`` its probability given the other answers. With it ``outcome``
    is the likeliest, without it ``otherwise``. ``settle`` is the cheapest question that decides between the two.
    """

    question: BankQuestion
    answer: Answer
    label: str
    chance: float
    outcome: Outcome
    otherwise: Outcome
    settle: BankQuestion | None

    def values(self) -> dict[str, Any]:
        """Return the same by id, for other programs."""
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
    """Find the answer that contradicts the others most; ``given`` has the answers by question index."""
    found = interview.contradiction
    if found is None:
        return None
    question, answer = bank.questions[found.question], given[found.question]
    assert answer is not None, "only an answer that was given can contradict the others"
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
