"""P(answer | outcome) as a table of shaded numbers; a mark after a number shows how uncertain it is."""

from __future__ import annotations

from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from odm_tui.tui.widgets.drawing import fit_text
from odm_tui.tui.widgets.heat_map_names import Heading, make_heading, make_legend
from odm_tui.views.learned import HeatRow

_NARROWEST, _WIDEST = 5, 14
_VAGUE, _ROUGH = 0.40, 0.20
_INDENT = 2


def uncertainty_mark(low: float, high: float) -> str:
    """A mark for how wide the 90 % interval is: ~ more than 40 points, . more than 20, else nothing.

    >>> uncertainty_mark(0.1, 0.9), uncertainty_mark(0.3, 0.6), uncertainty_mark(0.5, 0.6)
    ('~', '.', ' ')
    """
    return "~" if high - low > _VAGUE else "." if high - low > _ROUGH else " "


class HeatMap(ScrollView, can_focus=True):
    """One line per question, one row per answer below it, and one column per outcome.

    Only the visible part is drawn, so large banks are not slower. The names of the outcomes stand above the columns,
    wrapped; where the columns are too narrow, numbers stand there, and the legend below has the names.
    """

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
        self._lines: list[int | str] = []
        """What each line shows: the text of a question, or the index of a row."""
        self._line_of_row: list[int] = []
        self._longest = 0
        self._heading = Heading((), False)

    @property
    def _width(self) -> int:
        """The width without the scrollbar."""
        return self.scrollable_content_region.width

    @property
    def _height(self) -> int:
        """The height without the scrollbar."""
        return self.scrollable_content_region.height

    @property
    def label_width(self) -> int:
        """The width of the answers' names: at most a third of the screen, or more if there are few outcomes."""
        share = min(40, self._width // 3)
        return max(12, min(self._longest, max(share, self._width - 1 - _WIDEST * len(self.columns))))

    @property
    def cell_width(self) -> int:
        """The width of one outcome's column: more if there are few of them and the screen is wide."""
        room = (self._width - self.label_width - 1) // max(len(self.columns), 1)
        return min(max(room, _NARROWEST), _WIDEST)

    def show(self, rows: tuple[HeatRow, ...], columns: tuple[str, ...]) -> None:
        """Show this table."""
        self.rows, self.columns = rows, columns
        self._longest = max((cell_len(row.label) for row in rows), default=0) + _INDENT + 1
        self._lines, self._line_of_row = [], []
        for at, row in enumerate(rows):
            if at == 0 or row.question != rows[at - 1].question:
                self._lines.append(row.question)
            self._line_of_row.append(len(self._lines))
            self._lines.append(at)
        self._measure()
        self.set_reactive(HeatMap.mark, (0, 0))
        self.watch_mark()

    def on_resize(self) -> None:
        """Fit the columns to the new width."""
        self._measure()
        self.call_after_refresh(self.watch_mark)

    def _measure(self) -> None:
        self._heading = make_heading(self.columns, self.cell_width, max(1, self._height // 4))
        width = self.label_width + self.cell_width * len(self.columns)
        self.virtual_size = Size(width, len(self._lines) + len(self._heading.lines) + self._legend_rows)

    @property
    def _visible_columns(self) -> range:
        """The columns that are in sight."""
        first = self.scroll_offset.x // self.cell_width
        many = max(0, (self._width - self.label_width) // self.cell_width)
        return range(first, min(first + many, len(self.columns)))

    @property
    def _legend(self) -> list[str]:
        """The lines below the table that say which outcome each number is."""
        if not self._heading.is_numbered:
            return []
        lines = make_legend(self.columns, self._visible_columns, self._width, self._legend_rows - 1)
        return ["", *lines]

    @property
    def _legend_rows(self) -> int:
        return max(2, self._height // 3) if self._heading.is_numbered else 0

    def render_line(self, y: int) -> Strip:
        """Draw the heading and the legend, which do not scroll, and one question or answer per line between them."""
        width, base = self._width, self.rich_style
        quiet = base + self.theme_style("$quiet")
        above, legend = len(self._heading.lines), self._legend
        below = self._height - len(legend)
        if y < above:
            cell = self.cell_width
            names = [
                fit_text(self._heading.lines[y][j], cell - 1) + " "
                if not self._heading.is_numbered
                else f"{self._heading.lines[y][j]:>3}".ljust(cell)
                for j in self._visible_columns
            ]
            return self._strip([Segment(" " * self.label_width, base), *(Segment(n, quiet) for n in names)])
        if y >= below:
            return self._strip([Segment(line, quiet) for line in legend[y - below : y - below + 1]])
        at = self.scroll_offset.y + y - above
        if at >= len(self._lines):
            return Strip.blank(width, base)
        line = self._lines[at]
        if isinstance(line, str):
            return self._strip([Segment(fit_text(line, width), base + Style(bold=True))])
        return self._strip(self._draw_row(line))

    def _draw_row(self, at: int) -> list[Segment]:
        base, row, cell = self.rich_style, self.rows[at], self.cell_width
        style = base + Style(bold=True) + self.theme_style("$accent") if at == self.mark[0] else base
        name = " " * _INDENT + row.label
        segments = [Segment(fit_text(name, self.label_width - 1) + " ", style)]
        for j in self._visible_columns:
            p, low, high = row.cells[j]
            text = f"{p * 100:3.0f}{uncertainty_mark(low, high)}".ljust(cell)
            style = base + self.shade(p)
            if (at, j) == self.mark:
                style += Style(reverse=True, bold=True)
            segments.append(Segment(text, style))
        return segments

    def _strip(self, segments: list[Segment]) -> Strip:
        return Strip(segments).adjust_cell_length(self._width, self.rich_style)

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
        """Scroll to the selected cell, with its question in sight, and post which one it is."""
        if not self.rows:
            return
        row, column = self.mark
        cell, line = self.cell_width, self._line_of_row[row]
        seen = max(1, self._height - len(self._heading.lines) - self._legend_rows - 1)
        shown = max(1, (self._width - self.label_width) // cell) * cell
        left, top = self.scroll_offset
        first = next(at for at in range(line, -1, -1) if isinstance(self._lines[at], str))
        x = min(max(left, (column + 1) * cell - shown), column * cell)
        y = max(min(max(top, line + 1 - seen), first), line + 1 - seen)
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

    def on_click(self, event: events.Click) -> None:
        """Select the cell that was clicked on."""
        at = self.scroll_offset.y + event.y - len(self._heading.lines)
        j = self.scroll_offset.x // self.cell_width + (event.x - self.label_width) // self.cell_width
        in_table = len(self._heading.lines) <= event.y < self._height - len(self._legend)
        if in_table and 0 <= at < len(self._lines) and j in self._visible_columns:
            line = self._lines[at]
            if isinstance(line, int):
                self.mark = (line, j)
