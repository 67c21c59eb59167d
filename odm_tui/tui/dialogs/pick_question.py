"""Pick another question to ask now, or find one by what the caller said and take it as answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from odm_tui.formatting import format_amount, format_number
from odm_tui.tui.dialogs.filter_list import FilterListDialog, ListItem

if TYPE_CHECKING:
    from odm_tui.tui.screens.interview_requests import InterviewRequests
    from odm_tui.views.interview import OtherQuestion, QuestionView
    from odm_tui.views.search import SearchableQuestion

_BETWEEN = "\n"
"""Stands between the ids of a question and an answer; no id has it."""


def pick_question(
    screen: InterviewRequests, questions: tuple[OtherQuestion, ...], now: QuestionView | None, unit: str
) -> None:
    """List these questions with usefulness and cost, the best first; ``now`` is the one that is shown."""
    items = []
    for one in questions:
        note = f"useful {format_number(float(f'{one.usefulness:.3g}'))} · {format_amount(one.cost, unit)}"
        shown = " · shown now" if now is not None and one.question.id == now.id else ""
        items.append(ListItem(one.question.id, " ".join(one.question.text.split()), note + shown))

    def on_choice(question: str | None) -> None:
        if question is not None:
            screen.perform("pick", question)

    screen.app.push_screen(FilterListDialog("Ask another question", tuple(items)), on_choice)


def list_answers(questions: tuple[SearchableQuestion, ...]) -> tuple[ListItem, ...]:
    """One line for each answer to each question, and one for each question that needs a number."""
    items = []
    for question, condition in questions:
        text, also = " ".join(question.text.split()), " ".join(question.help.split())
        if question.kind == "number":
            items.append(ListItem(question.id, text, condition or "asks this", also))
        for reply in question.replies:
            words = (f"{reply.label}: {text}", "") if question.kind == "choice" else (text, reply.label)
            note = " · ".join(filter(None, (words[1], condition)))
            items.append(ListItem(f"{question.id}{_BETWEEN}{reply.id}", words[0], note, also))
    return tuple(items)


def search_answers(screen: InterviewRequests, questions: tuple[SearchableQuestion, ...]) -> None:
    """Find an answer by words; take it as given, or ask the question if it needs a number."""

    def on_choice(chosen: str | None) -> None:
        if chosen is not None:
            question, _, answer = chosen.partition(_BETWEEN)
            screen.take_answer(question, answer or None)

    screen.app.push_screen(
        FilterListDialog("What was said?", list_answers(questions), by_meaning=True), on_choice
    )
