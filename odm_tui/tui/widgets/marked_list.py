"""A list with a sign before the marked line, so that it can be recognised without colour."""

from __future__ import annotations

from rich.segment import Segment
from textual.reactive import reactive
from textual.strip import Strip
from textual.widgets import OptionList

SIGN = "›"


class MarkedList(OptionList):
    """Show the sign in the first cell of the marked line, which is padding in all other lines."""

    DEFAULT_CSS = """
    MarkedList > .option-list--option { padding: 0 0 0 2; }
    """

    marks: reactive[bool] = reactive(True, toggle_class="-marks")
    """Whether the mark is shown; of two lists on one screen, only one shows it."""

    def render_line(self, y: int) -> Strip:
        """Draw a line; the first line of the marked option starts with the sign."""
        strip = super().render_line(y)
        at = self.scroll_offset.y + y
        marked = self.marks and self.highlighted is not None
        if not marked or at >= len(self._lines) or self._lines[at] != (self.highlighted, 0):
            return strip
        first = next(iter(strip), None)
        return Strip.join([Strip([Segment(SIGN, first.style if first else None)]), strip.crop(1)])
