"""The question, bold and with room around it, and its help below in a quieter tone."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from odm_tui.tui.views import QuestionView


class QuestionCard(VerticalScroll, can_focus=False):
    """One question, readable aloud; very long ones scroll."""

    DEFAULT_CSS = """
    QuestionCard {
        height: 1fr; padding: 1 2 0 2;
        scrollbar-size-vertical: 1;
        #text { text-style: bold; color: $foreground; margin-bottom: 1; }
        #help { color: $quiet; }
    }
    """

    def compose(self) -> ComposeResult:
        """Two texts, always in the same place."""
        yield Static(markup=False, id="text")
        yield Static(markup=False, id="help")

    def show(self, question: QuestionView) -> None:
        """Show this question."""
        self.query_one("#text", Static).update(Content(question.text))
        self.query_one("#help", Static).update(Content(question.help))
        self.scroll_home(animate=False)
