"""A list whose marked line bears a sign, so that it can be told without colour."""

from __future__ import annotations

from rich.segment import Segment
from textual.reactive import reactive
from textual.strip import Strip
from textual.widgets import OptionList

SIGN = "›"


class MarkedList(OptionList):
    """Shows the sign in the first cell of the marked line, which the padding of all lines leaves free."""

    DEFAULT_CSS = """
    MarkedList > .option-list--option { padding: 0 0 0 2; }
    """

    marks: reactive[bool] = reactive(True, toggle_class="-marks")
    """Whether the mark is shown: where two lists share a screen, only one of them has it."""

    def render_line(self, y: int) -> Strip:
        """One line, with the sign where it is the first line of what is marked."""
        strip = super().render_line(y)
        at = self.scroll_offset.y + y
        marked = self.marks and self.highlighted is not None
        if not marked or at >= len(self._lines) or self._lines[at] != (self.highlighted, 0):
            return strip
        first = next(iter(strip), None)
        return Strip.join([Strip([Segment(SIGN, first.style if first else None)]), strip.crop(1)])
