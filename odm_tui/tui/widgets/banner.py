"""Messages around the question: warnings that stay, errors and notes, and the bank's own notice."""

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


class Alert(Static):
    """Warnings that the answers have raised; they stay above the question until the interview ends."""

    DEFAULT_CSS = """
    Alert {
        height: auto; max-height: 4; margin: 0 1; padding: 0 1; display: none;
        border-left: outer $warning; background: $warning 18%; color: $foreground; text-style: bold;
        &.-stop { border-left: outer $error; background: $error 22%; max-height: 40%; }
    }
    """

    def __init__(self, id: str | None = None) -> None:
        super().__init__(markup=False, id=id)
        self._shown: tuple[str, ...] = ()

    def show(self, warnings: tuple[str, ...], stops: bool = False) -> bool:
        """Show these warnings; whether anything has changed."""
        if warnings == self._shown:
            return False
        self._shown = warnings
        colour = "bold $error" if stops else "bold $warning"
        lines = [Content.assemble(("▲ ", colour), clean_text(warning)) for warning in warnings]
        self.set_class(stops, "-stop")
        self.update(Content("\n").join(lines))
        self.display = bool(warnings)
        return True
