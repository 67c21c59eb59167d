"""The likeliest outcomes: each name with its bar and its probability in one line."""

from __future__ import annotations

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.geometry import Size
from textual.reactive import reactive
from textual.widget import Widget

from odm_tui.formatting import format_percent
from odm_tui.tui.messages import OutcomeClicked
from odm_tui.tui.widgets.drawing import align_right, draw_bar, fit_text, wrap_text
from odm_tui.views.interview import Bar

_SHARE, _SIGN = 5, 2
"""The cells of a probability, and of the sign after it."""
_SHORTEST_BAR, _LONGEST_BAR = 7, 48
_MOVED = 0.01


def change_sign(row: Bar) -> str:
    """A sign for how the last answer changed this outcome: up, down, or hardly."""
    if row.share - row.before > _MOVED:
        return "▲"
    return "▼" if row.before - row.share > _MOVED else " "


class BeliefBars(Widget):
    """As many of the likeliest outcomes as fit, and the rest in one last line."""

    DEFAULT_CSS = """
    BeliefBars { height: 1fr; min-height: 2; }
    """

    bars: reactive[tuple[Bar, ...]] = reactive(())
    """The outcomes, likeliest first."""

    def watch_bars(self, old: tuple[Bar, ...], new: tuple[Bar, ...]) -> None:
        """Lay out again if the number of outcomes changed."""
        if len(old) != len(new):
            self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """One line per outcome and one for the heading."""
        return max(2, len(self.bars) + 1)

    def on_click(self, event: events.Click) -> None:
        """Ask for the evidence for the clicked outcome."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        width, height = self.content_size
        headed = height >= 3
        rows = _place_rows(self.bars, width, height - headed)
        at = offset.y - headed
        if 0 <= at < len(rows) and (clicked := rows[at][1]) is not None:
            self.post_message(OutcomeClicked(clicked.id))

    def render(self) -> Content:
        """Draw the heading and one outcome per line."""
        width, height = self.content_size
        if width < 8 or height < 1:
            return Content("")
        return Content("\n").join(draw_bars(self.bars, width, height))


def draw_bars(bars: tuple[Bar, ...], width: int, height: int) -> list[Content]:
    """At most ``height`` lines: a heading, the likeliest outcomes, and a line for the others."""
    headed = height >= 3
    heading = [Content.styled("Likely", "bold $quiet")] if headed else []
    return [*heading, *(line for line, _ in _place_rows(bars, width, height - headed))]


def _place_rows(bars: tuple[Bar, ...], width: int, height: int) -> list[tuple[Content, Bar | None]]:
    """The lines below the heading, each with its outcome; None for the line of the others."""
    room = width - _SHARE - _SIGN - 2
    longest = max((cell_len(row.label) for row in bars[: max(height, 1)]), default=0)
    label = max(1, min(longest, max(room - _SHORTEST_BAR, room * 3 // 5)))
    length = min(max(0, room - label), _LONGEST_BAR)
    blocks: list[list[tuple[Content, Bar | None]]] = [
        [(line, row) for line in _draw_row(row, place, label, length)]
        for place, row in enumerate(bars[:height])
    ]
    if sum(map(len, blocks)) <= height and len(bars) <= height:
        return [line for block in blocks for line in block]
    lines: list[tuple[Content, Bar | None]] = []
    shown = 0
    for block in blocks:
        if len(lines) + len(block) > max(height - 1, 1):
            break
        lines += block
        shown += 1
    if not shown:  # not even one wrapped name fits
        lines, shown = blocks[0][:height], 1
    rest = bars[shown:]
    if rest and len(lines) < height:
        share = align_right(format_percent(sum(row.share for row in rest)), _SHARE)
        text = fit_text(f"and {len(rest)} more", label + length + 1) + " " + share
        lines.append((Content.styled(text, "$quiet"), None))
    return lines


def _draw_row(row: Bar, place: int, label: int, length: int) -> list[Content]:
    """The name, broken into lines if it is long, with the bar and the probability in the first one."""
    style = "bold $accent" if place == 0 else "$foreground"
    first, *others = wrap_text(row.label, label)
    filled, rail = draw_bar(row.share, length)
    line = Content.assemble(
        (fit_text(first, label), style),
        " ",
        (filled, "$accent" if place == 0 else "$bar"),
        (rail, "$rail"),
        " ",
        (align_right(format_percent(row.share), _SHARE), style),
        " ",
        (change_sign(row), "$quiet"),
    )
    return [line, *(Content.styled(other, style) for other in others)]
