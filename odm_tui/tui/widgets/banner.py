"""What is told beside the question: what could not be saved or was changed, and the bank's own notice."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from odm_tui.text import clean_text


class Banner(Static):
    """One plain sentence, or nothing."""

    DEFAULT_CSS = """
    Banner {
        dock: bottom; margin-bottom: 1; height: auto; max-height: 40%; padding: 0 2; display: none;
        background: $panel; color: $foreground; border-left: outer $accent;
        &.-bad { border-left: outer $error; }
    }
    """

    def __init__(self) -> None:
        super().__init__(markup=False)

    def tell(self, text: str, bad: bool = False) -> None:
        """Show this sentence."""
        mark = ("! ", "bold $error") if bad else ("· ", "bold $accent")
        self.update(Content.assemble(mark, clean_text(text)))
        self.set_class(bad, "-bad")
        self.display = True

    def clear(self) -> None:
        """Show nothing."""
        self.display = False


class Notice(Static):
    """The sentence that a bank wants to be seen with everything it says, such as that it is not for medical use."""

    DEFAULT_CSS = """
    Notice { height: auto; max-height: 2; padding: 0 2; color: $quiet; text-style: italic; display: none; }
    """

    def __init__(self) -> None:
        super().__init__(markup=False)

    def show(self, text: str) -> None:
        """Show this sentence, or nothing where there is none."""
        if bool(text) != self.display:
            self.display = bool(text)
        if text != self.content:
            self.update(text)
