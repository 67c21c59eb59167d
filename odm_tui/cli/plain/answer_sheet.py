"""An interview from a sheet of answers: checked before it begins, then asked for question by question."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from odm_tui.cli.plain.line_input import tell
from odm_tui.cli.plain.side_commands import put
from odm_tui.errors import BadArgument, BadData
from odm_tui.text import clean_text

if TYPE_CHECKING:
    from odm_tui.banks.bank import Bank
    from odm_tui.session import Answer, Session

UNKNOWN, SKIPPED = "unknown", "skipped"


def checked(sheet: dict[str, Any], bank: Bank, name: str) -> dict[str, Answer]:
    """The answers of a sheet by their questions' ids; every mistake is found before an interview is started."""
    from odm_tui.session.steps import parse_answer

    answers: dict[str, Answer] = {}
    for key, answer in sheet.items():
        try:
            question = bank.question(key)
        except KeyError:
            raise BadData(f"{name}: there is no question {key!r} in the bank {bank.name}.") from None
        if question.id in answers:
            raise BadData(f"{name}: {key!r} is another name of {question.id!r}, which is answered already.")
        if answer not in (UNKNOWN, SKIPPED):
            place = bank.problem.positions[question.id]
            try:
                answer = parse_answer(bank, place, answer if question.type == "number" else str(answer))
            except BadArgument as error:
                raise BadData(f"{name}: the answer to {key!r} can't be used: {error}") from None
        answers[question.id] = answer
    return answers


def answer_by_sheet(session: Session, answers: dict[str, Answer]) -> bool:
    """Answer what is asked from the sheet; what is not on it gives way to what is.

    True when the interview has come to its decision, False when the sheet has nothing more to say.
    """
    left = dict(answers)
    while (question := session.question) is not None:
        if question.id not in left:
            possible = {q.id for q in session.available}
            known = next((id for id in left if id in possible), None)
            if known is None:
                return False
            session.pick(known)
            continue
        put(question, f"Question {len(session.steps) + 1}")
        answer = left.pop(question.id)
        tell(f"  {clean_text(str(answer))}")
        if answer == UNKNOWN:
            session.dont_know()
        elif answer == SKIPPED:
            session.skip()
        else:
            session.answer(answer)
    return True
