"""The top line: the title on the left, the status on the right."""

from __future__ import annotations

from rich.cells import cell_len
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from odm_tui.tui.widgets.drawing import fit_text


class TitleBar(Widget):
    """Title and status in one line; a long title is cut, and the status is left out on a very narrow screen."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    TitleBar { dock: top; height: 1; padding: 0 2; background: $panel; }
    """

    title: reactive[str] = reactive("")
    status: reactive[str] = reactive("")

    def __init__(self, title: str = "", status: str = "") -> None:
        super().__init__()
        self.set_reactive(TitleBar.title, title)
        self.set_reactive(TitleBar.status, status)

    def render(self) -> Content:
        """Draw title and status."""
        width = self.content_size.width
        taken = cell_len(self.status)
        status = f"  {self.status}" if taken * 2 <= max(width, 2 * (width - cell_len(self.title) - 2)) else ""
        return Content.assemble((fit_text(self.title, width - cell_len(status)), "bold"), (status, "$quiet"))
