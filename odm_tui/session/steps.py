"""Steps of an interview as people see them, and answers as they are meant."""

from __future__ import annotations

import math
from dataclasses import dataclass

from odm_tui.banks.bank import Bank, BankQuestion, Outcome
from odm_tui.errors import BadArgument
from odm_tui.store.events import Answer


@dataclass(frozen=True)
class Decision:
    """What the interview came to, and in words why it stopped there."""

    outcome: Outcome
    belief: float
    reason: str
    rule: str


@dataclass(frozen=True)
class StepTaken:
    """One step that stands: the question, what was said (None: not known, or skipped), and what it took."""

    question: BankQuestion
    kind: str
    answer: Answer | None
    cost: float
    seconds: float
    proposed: str | None


def parse_answer(bank: Bank, index: int, answer: Answer) -> Answer:
    """An answer as the log keeps it: the number that was typed, or the answer's id."""
    question = bank.questions[index]
    if question.type == "number":
        return parse_number(question, answer)
    known = bank.problem.questions[index]
    return known.answers[known.index(answer)]


def parse_number(question: BankQuestion, answer: Answer) -> int | float:
    """The number that was typed, if it is one and within the question's range."""
    number: int | float
    try:
        number = float(answer) if isinstance(answer, str) else answer
    except ValueError:
        raise BadArgument(f"Question {question.id!r} takes a number, not {answer!r}.") from None
    low, high = question.range or (-math.inf, math.inf)
    if isinstance(number, bool) or not math.isfinite(number) or not low <= number <= high:
        raise BadArgument(
            f"Question {question.id!r} takes a number from {low:g} to {high:g}, not {answer!r}."
        )
    return number


def round_cost(cost: float) -> int | float:
    """A cost without the dust of binary fractions."""
    rounded = round(cost, 6)
    return int(rounded) if rounded.is_integer() else rounded
