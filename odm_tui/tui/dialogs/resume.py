"""Ask whether to resume an unfinished interview."""

from __future__ import annotations

from odm_tui.formatting import format_count
from odm_tui.tui.dialogs.button_dialog import ButtonDialog
from odm_tui.views.interview import UnfinishedInterview


def make_resume_dialog(unfinished: tuple[UnfinishedInterview, ...]) -> ButtonDialog:
    """A dialog about the latest unfinished interview; it returns "resume", "new" or "drop"."""
    latest, more = unfinished[0], len(unfinished) - 1
    text = f"It began on {latest.began} and has {format_count(latest.answers, 'answer')}."
    if latest.case or latest.note:
        text = " · ".join(filter(None, (latest.case, latest.note))) + "\n" + text
    if more:
        text += f" {format_count(more, 'older one')} can be found under History."
    answers = {
        "resume": "Go on with it",
        "new": "Leave it for later, and start a new one",
        "drop": "Give it up, and start a new one",
    }
    return ButtonDialog("An interview is unfinished", text, answers)
