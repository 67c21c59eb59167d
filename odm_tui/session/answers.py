"""The steps of an interview as they are shown, and the parsing of answers."""

from __future__ import annotations

import math
from dataclasses import dataclass

from odm_tui.banks.bank import Bank, BankQuestion, Outcome, Referral
from odm_tui.errors import BadArgument
from odm_tui.session.red_flags import RaisedFlag
from odm_tui.store.events import Answer


@dataclass(frozen=True)
class Decision:
    """The decision of an interview, and why it stopped there."""

    outcome: Outcome
    belief: float
    """How sure it is, as it is shown; the log has the belief itself."""
    reason: str
    rule: str
    flag: RaisedFlag | None = None
    """The red flag that ended the interview; None if no answer is one."""
    refer: Referral | None = None
    """How to hand over, if that is the decision; the outcome is the one that would be decided otherwise."""


@dataclass(frozen=True)
class StepTaken:
    """One current step: the question, its answer (None: not known, or skipped), its cost and its time."""

    question: BankQuestion
    kind: str
    answer: Answer | None
    cost: float
    seconds: float
    proposed: str | None


def parse_answer(bank: Bank, index: int, answer: Answer) -> Answer:
    """Convert an answer to the form that the log uses: a number, or the answer's id."""
    question = bank.questions[index]
    if question.type == "number":
        return parse_number(question, answer)
    known = bank.problem.questions[index]
    return known.answers[known.index(answer)]


def parse_number(question: BankQuestion, answer: Answer) -> int | float:
    """Convert an answer to a number within the question's range."""
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
    """Round away floating-point noise."""
    rounded = round(cost, 6)
    return int(rounded) if rounded.is_integer() else rounded
