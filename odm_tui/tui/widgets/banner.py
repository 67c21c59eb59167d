"""Messages below the question: errors and notes, and the bank's own notice."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from odm_tui.text import clean_text


class Banner(Static):
    """A line for one message; hidden while there is none."""

    DEFAULT_CSS = """
    Banner {
        dock: bottom; margin-bottom: 1; height: auto; max-height: 40%; padding: 0 2; display: none;
        background: $panel; color: $foreground; border-left: outer $accent;
        &.-bad { border-left: outer $error; }
    }
    """

    def __init__(self) -> None:
        super().__init__(markup=False)

    def show_message(self, text: str, is_error: bool = False) -> None:
        """Show this message."""
        mark = ("! ", "bold $error") if is_error else ("· ", "bold $accent")
        self.update(Content.assemble(mark, clean_text(text)))
        self.set_class(is_error, "-bad")
        self.display = True

    def clear(self) -> None:
        """Hide the message."""
        self.display = False


class Notice(Static):
    """The notice that a bank shows on every screen, such as that it is not for medical use."""

    DEFAULT_CSS = """
    Notice { height: auto; max-height: 2; padding: 0 2; color: $quiet; text-style: italic; display: none; }
    """

    def __init__(self) -> None:
        super().__init__(markup=False)

    def show(self, text: str) -> None:
        """Show this notice; hide the line if it is empty."""
        if bool(text) != self.display:
            self.display = bool(text)
        if text != self.content:
            self.update(text)
