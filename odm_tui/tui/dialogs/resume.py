"""Whether to go on with an interview that was interrupted."""

from __future__ import annotations

from odm_tui.formatting import format_count
from odm_tui.tui.dialogs.ask import ButtonDialog
from odm_tui.views.interview import UnfinishedInterview


def resume_dialog(waiting: tuple[UnfinishedInterview, ...]) -> ButtonDialog:
    """Comes back with "resume", "new" or "drop" for the latest of those that wait."""
    latest, more = waiting[0], len(waiting) - 1
    text = f"It began on {latest.began} and has {format_count(latest.answers, 'answer')}."
    if more:
        text += f" {format_count(more, 'older one')} can be found under History."
    ways = {
        "resume": "Go on with it",
        "new": "Leave it for later, and start a new one",
        "drop": "Give it up, and start a new one",
    }
    return ButtonDialog("An interview was interrupted", text, ways)
