"""The question in bold, and its help text below it."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from odm_tui.views.interview import QuestionView


class QuestionCard(VerticalScroll, can_focus=False):
    """One question; a very long one scrolls."""

    DEFAULT_CSS = """
    QuestionCard {
        height: 1fr; padding: 1 2 0 2;
        scrollbar-size-vertical: 1;
        Static { height: auto; min-height: 100%; }
    }
    """

    def compose(self) -> ComposeResult:
        """Create one text widget, which all questions share."""
        yield Static(markup=False)

    def show(self, question: QuestionView) -> None:
        """Show this question."""
        parts = [Content.styled(question.text, "bold $foreground")]
        if question.help:
            parts.append(Content.styled(question.help, "$quiet"))
        text, shown = Content("\n\n").join(parts), self.query_one(Static)
        width, height = shown.size
        same_height = (
            bool(width) and max(text.get_height({}, width), self.scrollable_content_region.height) == height
        )
        shown.update(text, layout=not same_height)  # a new layout takes longer than drawing the text
        self.scroll_home(animate=False)
