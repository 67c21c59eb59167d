"""The question, bold and with room around it, and its help below in a quieter tone."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from odm_tui.views.interview import QuestionView


class QuestionCard(VerticalScroll, can_focus=False):
    """One question, readable aloud; very long ones scroll."""

    DEFAULT_CSS = """
    QuestionCard {
        height: 1fr; padding: 1 2 0 2;
        scrollbar-size-vertical: 1;
        Static { height: auto; min-height: 100%; }
    }
    """

    def compose(self) -> ComposeResult:
        """One text, always in the same place."""
        yield Static(markup=False)

    def show(self, question: QuestionView) -> None:
        """Show this question."""
        parts = [Content.styled(question.text, "bold $foreground")]
        if question.help:
            parts.append(Content.styled(question.help, "$quiet"))
        text, shown = Content("\n\n").join(parts), self.query_one(Static)
        width, height = shown.size
        same = (
            bool(width) and max(text.get_height({}, width), self.scrollable_content_region.height) == height
        )
        shown.update(text, layout=not same)  # laying everything out again takes longer than drawing it
        self.scroll_home(animate=False)
