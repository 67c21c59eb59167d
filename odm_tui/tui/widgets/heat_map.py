"""P(answer | outcome) as a table of shaded numbers; a mark after a number shows how uncertain it is."""

from __future__ import annotations

from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from odm_tui.tui.widgets.drawing import fit_text
from odm_tui.views.learned import HeatRow

_NARROWEST, _WIDEST = 5, 14
_VAGUE, _ROUGH = 0.40, 0.20


def uncertainty_mark(low: float, high: float) -> str:
    """A mark for how wide the 90 % interval is: ~ more than 40 points, . more than 20, else nothing.

    >>> uncertainty_mark(0.1, 0.9), uncertainty_mark(0.3, 0.6), uncertainty_mark(0.5, 0.6)
    ('~', '.', ' ')
    """
    return "~" if high - low > _VAGUE else "." if high - low > _ROUGH else " "


class HeatMap(ScrollView, can_focus=True):
    """One row per question and one column per outcome; only the visible part is drawn, so large banks are not slower."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1, 0)", show=False),
        Binding("down", "move(1, 0)", show=False),
        Binding("left", "move(0, -1)", show=False),
        Binding("right", "move(0, 1)", show=False),
        Binding("pageup", "move(-10, 0)", show=False),
        Binding("pagedown", "move(10, 0)", show=False),
    ]
    DEFAULT_CSS = """
    HeatMap { height: 1fr; scrollbar-size: 1 1; }
    """

    class CellSelected(Message):
        """Another cell was selected."""

        def __init__(self, row: int, column: int) -> None:
            super().__init__()
            self.row, self.column = row, column

    mark: reactive[tuple[int, int]] = reactive((0, 0))

    def __init__(self) -> None:
        super().__init__()
        self.rows: tuple[HeatRow, ...] = ()
        self.columns: tuple[str, ...] = ()
        self._longest = 0

    @property
    def label_width(self) -> int:
        """The width of the questions' names: two fifths of the screen, or more if there are few outcomes."""
        share = min(48, self.size.width * 2 // 5)
        return max(12, min(self._longest, max(share, self.size.width - 1 - _WIDEST * len(self.columns))))

    @property
    def cell_width(self) -> int:
        """The width of one outcome's column: more if there are few of them and the screen is wide."""
        room = (self.size.width - self.label_width - 1) // max(len(self.columns), 1)
        return min(max(room, _NARROWEST), _WIDEST)

    def show(self, rows: tuple[HeatRow, ...], columns: tuple[str, ...]) -> None:
        """Show this table."""
        self.rows, self.columns = rows, columns
        self._longest = max((cell_len(row.label) for row in rows), default=0) + 1
        self._measure()
        self.set_reactive(HeatMap.mark, (0, 0))
        self.watch_mark()

    def on_resize(self) -> None:
        """Fit the columns to the new width."""
        self._measure()

    def _measure(self) -> None:
        self.virtual_size = Size(self.label_width + self.cell_width * len(self.columns), len(self.rows) + 1)

    def render_line(self, y: int) -> Strip:
        """Draw the names of the outcomes in the first line, which does not scroll, and one question per line below."""
        left, top = self.scroll_offset
        width = self.size.width
        cell = self.cell_width
        first = left // cell
        many = max(0, (width - self.label_width) // cell)
        base = self.rich_style
        quiet = base + self.theme_style("$quiet")
        if y == 0:
            names = [
                set_cell_size(fit_text(name, cell - 1) if cell > 7 else name, cell - 1) + " "
                for name in self.columns[first : first + many]
            ]
            return self._strip(
                [Segment(" " * self.label_width, base), *(Segment(n, quiet) for n in names)], width
            )
        at = top + y - 1
        if at >= len(self.rows):
            return Strip.blank(width, base)
        row = self.rows[at]
        here = at == self.mark[0]
        label = base + Style(bold=True) if here else base
        segments = [Segment(fit_text(row.label, self.label_width - 1) + " ", label)]
        for j in range(first, min(first + many, len(self.columns))):
            p, low, high = row.cells[j]
            text = f"{p * 100:3.0f}{uncertainty_mark(low, high)}".ljust(cell)
            style = base + self.shade(p)
            if (at, j) == self.mark:
                style += Style(reverse=True, bold=True)
            segments.append(Segment(text, style))
        return self._strip(segments, width)

    def _strip(self, segments: list[Segment], width: int) -> Strip:
        return Strip(segments).adjust_cell_length(width, self.rich_style)

    def theme_style(self, colour: str) -> Style:
        """The Rich style for a colour of the theme."""
        return self.app.stylesheet.parse_style(colour).rich_style if colour else Style()

    def shade(self, p: float) -> Style:
        """The style of a cell: the likelier, the stronger its background; bold or dim in the theme without colour."""
        if self.app.native_ansi_color:
            return Style(bold=p >= 0.5, dim=p < 0.2)
        accent, ground = self.app.theme_variables["accent"], self.app.theme_variables["background"]
        from textual.color import Color

        ground_colour = Color.parse(ground)
        blended = ground_colour.blend(Color.parse(accent), 0.05 + 0.6 * p)
        return Style(bgcolor=blended.rich_color, color=blended.get_contrast_text(0.95).rich_color)

    def watch_mark(self) -> None:
        """Scroll to the selected cell and post which one it is."""
        if not self.rows:
            return
        row, column = self.mark
        cell, seen = self.cell_width, max(1, self.size.height - 2)
        shown = max(1, (self.size.width - self.label_width) // cell) * cell
        left, top = self.scroll_offset
        x = min(max(left, (column + 1) * cell - shown), column * cell)
        y = min(max(top, row + 1 - seen), row)
        self.scroll_to(x, y, animate=False, force=True)
        self.post_message(self.CellSelected(row, column))
        self.refresh()

    def action_move(self, down: int, across: int) -> None:
        """Select another cell."""
        row, column = self.mark
        if self.rows:
            self.mark = (
                min(max(row + down, 0), len(self.rows) - 1),
                min(max(column + across, 0), len(self.columns) - 1),
            )
