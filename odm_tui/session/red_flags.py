"""Red flags and warnings of an interview: which answers set them off, and what they say."""

from __future__ import annotations

from typing import NamedTuple

from odm_tui.banks.bank import Bank
from odm_tui.engine.interview import Decide, Interview
from odm_tui.text import one_line


class RaisedFlag(NamedTuple):
    """A red flag that ended an interview: what it is, what to do at once, and which answer raised it."""

    label: str
    advice: str
    question: str
    answer: str
    """The id of the question, and of its answer."""
    outcome: str | None
    """The outcome that it means; None if the bank has no outcome for it."""


def find_red_flag(bank: Bank, upcoming: object) -> RaisedFlag | None:
    """Find the red flag behind a decision; None if there is none."""
    if not isinstance(upcoming, Decide) or upcoming.flag is None:
        return None
    question = bank.questions[upcoming.flag[0]]
    answer = question.answers[upcoming.flag[1]]
    assert answer.stop is not None
    label, advice = bank.red_flag_texts(answer.stop)
    return RaisedFlag(label, advice, question.id, answer.id, answer.stop.outcome)


def describe_reason(bank: Bank, decided: Decide) -> str:
    """Describe why an interview ended, with the texts of the bank where an answer ended it."""
    if decided.flag is None:
        return decided.reason
    question = bank.questions[decided.flag[0]]
    answer = question.answers[decided.flag[1]]
    return f"“{one_line(answer.label)}” to “{one_line(question.text)}” ends every interview at once"


def find_warnings(bank: Bank, interview: Interview) -> tuple[str, ...]:
    """Find the warnings of the answers so far, each once, in their order."""
    warnings = (
        bank.questions[step.question].answers[step.answer].warn
        for step in interview.steps
        if step.answer is not None
    )
    return tuple(dict.fromkeys(warning for warning in warnings if warning))
