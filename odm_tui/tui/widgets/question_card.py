"""The question in a frame, and its help text below it."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from odm_tui.tui.widgets.scroll import ScrollCard
from odm_tui.views.interview import QuestionView


class QuestionCard(ScrollCard):
    """One question; a very long one scrolls. The frame's title says why it is not the usual choice."""

    DEFAULT_CSS = """
    QuestionCard {
        margin: 0 1; padding: 0 1; border: round $border;
        border-title-color: $accent; border-title-style: bold;
        &.-bare { border: none; padding: 0 2; }
        Static { height: auto; }
    }
    """

    paging = "interview"

    def compose(self) -> ComposeResult:
        """Create one text widget, which all questions share."""
        yield Static(markup=False)

    def show(self, question: QuestionView) -> None:
        """Show this question."""
        parts = [Content.styled(question.text, "bold $foreground")]
        if question.help:
            parts.append(Content.styled(question.help, "$quiet"))
        text, shown = Content("\n").join(parts), self.query_one(Static)
        width, height = shown.size
        same_height = bool(width) and text.get_height({}, width) == height
        shown.update(text, layout=not same_height)  # a new layout takes longer than drawing the text
        if self.scroll_y:
            self.scroll_home(animate=False)

    def fit(self, rows: int, padding: int, has_border: bool) -> None:
        """Take this many rows."""
        self.styles.height = rows
        self.styles.padding = (padding, 1 + padding)
        self.set_class(not has_border, "-bare")
