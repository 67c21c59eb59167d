"""Pick another question to ask now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from odm_tui.tui.dialogs.filter_list import FilterListDialog, ListItem

if TYPE_CHECKING:
    from odm_tui.tui.screens.interview_requests import InterviewRequests
    from odm_tui.views.interview import QuestionView


def pick_question(
    screen: InterviewRequests, questions: tuple[QuestionView, ...], now: QuestionView | None
) -> None:
    """List these questions, the best first, and ask the chosen one; ``now`` is the one that is shown."""
    shown = now.id if now else ""
    items = tuple(
        ListItem(q.id, " ".join(q.text.split()), "shown now" if q.id == shown else "") for q in questions
    )

    def on_choice(question: str | None) -> None:
        if question is not None:
            screen.perform("pick", question)

    screen.app.push_screen(FilterListDialog("Ask another question", items), on_choice)
