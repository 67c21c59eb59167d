"""A notice that stays until the next thing is done: what could not be saved, what was changed."""

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
