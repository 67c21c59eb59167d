"""Run an interview from an answer sheet: a JSON object with an answer for each question id."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from odm_tui.cli.plain.command_actions import print_question
from odm_tui.cli.plain.line_input import print_message
from odm_tui.errors import BadArgument, BadData
from odm_tui.text import clean_text, unknown_name

if TYPE_CHECKING:
    from odm_tui.banks.bank import Bank
    from odm_tui.session import Answer, Session

UNKNOWN, SKIPPED = "unknown", "skipped"


def parse_answer_sheet(sheet: dict[str, Any], bank: Bank, name: str) -> dict[str, Answer]:
    """Check the sheet before the interview starts; the answers by question id."""
    from odm_tui.session.answers import parse_answer

    ids = [question.id for question in bank.questions]
    answers: dict[str, Answer] = {}
    for key, answer in sheet.items():
        try:
            question = bank.question(key)
        except KeyError:
            raise BadData(f"{name}: {unknown_name('question', key, ids)}") from None
        if question.id in answers:
            raise BadData(f"{name}: {key!r} is another name of {question.id!r}. Answer each question once.")
        if answer not in (UNKNOWN, SKIPPED):
            place = bank.problem.positions[question.id]
            try:
                answer = parse_answer(bank, place, answer if question.type == "number" else str(answer))
            except BadArgument as error:
                raise BadData(f"{name}: the answer to {key!r} can't be used: {error}") from None
        answers[question.id] = answer
    return answers


def answer_from_sheet(session: Session, answers: dict[str, Answer]) -> bool:
    """Answer from the sheet. If the proposed question is missing there, ask one that is on it.

    True if the interview reached a decision, False if the sheet has no further answers.
    """
    left = dict(answers)
    while (question := session.question) is not None:
        if question.id not in left:
            available = {q.id for q in session.available}
            answered = next((id for id in left if id in available), None)
            if answered is None:
                return False
            session.pick(answered)
            continue
        print_question(question, f"Question {len(session.steps) + 1}")
        answer = left.pop(question.id)
        print_message(f"  {clean_text(str(answer))}")
        if answer == UNKNOWN:
            session.dont_know()
        elif answer == SKIPPED:
            session.skip()
        else:
            session.answer(answer)
    return True
