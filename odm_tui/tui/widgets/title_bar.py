"""The line at the top: what this is about on the left, how things stand on the right."""

from __future__ import annotations

from rich.cells import cell_len
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from odm_tui.tui.widgets.drawing import fitted


class TitleBar(Widget):
    """Title and status in one line; the status goes first when there is no room."""

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
        """Draw both."""
        width = self.content_size.width
        status = self.status if cell_len(self.title) + cell_len(self.status) + 2 <= width else ""
        return Content.assemble((fitted(self.title, width - cell_len(status)), "bold"), (status, "$quiet"))
