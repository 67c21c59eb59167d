"""The likeliest outcomes as aligned bars, with their shares in numbers."""

from __future__ import annotations

from textual.content import Content
from textual.geometry import Size
from textual.reactive import reactive
from textual.widget import Widget

from odm_tui.formatting import format_percent
from odm_tui.tui.widgets.drawing import bar, fitted, right
from odm_tui.views.interview import Bar

_SHARE = 5
_MOVED = 0.01


def moved(row: Bar) -> str:
    """A sign for what the last answer did to this outcome: up, down, or hardly anything."""
    if row.share - row.before > _MOVED:
        return "▲"
    return "▼" if row.before - row.share > _MOVED else " "


class BeliefBars(Widget):
    """As many of the likeliest outcomes as there is room for; the rest in one last line."""

    DEFAULT_CSS = """
    BeliefBars { height: 1fr; min-height: 2; }
    """

    bars: reactive[tuple[Bar, ...]] = reactive(())
    """The outcomes, likeliest first."""

    def watch_bars(self, old: tuple[Bar, ...], new: tuple[Bar, ...]) -> None:
        """Another number of outcomes may need another height."""
        if len(old) != len(new):
            self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """A line for every outcome and one for the heading, where there is that much room."""
        return max(2, len(self.bars) + 1)

    def render(self) -> Content:
        """Draw the rows in two lines each where there is height for it, else in one."""
        width, height = self.content_size
        if width < 8 or height < 1:
            return Content("")
        headed = height >= 5 or height > len(self.bars)
        height -= headed
        lines = self._tall(width, height) if height >= 7 and width < 44 else self._flat(width, height)
        heading = [Content.styled("Likely outcomes", "bold $quiet")] if headed else []
        return Content("\n").join([*heading, *lines])

    def _flat(self, width: int, height: int) -> list[Content]:
        shown, rest = _split(self.bars, height)
        label = max(10, min(width - _SHARE - 3 - 8, width * 5 // 9, 40))
        length = max(0, width - label - _SHARE - 4)
        lines = []
        for place, row in enumerate(shown):
            lines.append(
                Content.assemble(
                    (fitted(row.label, label), _label(place)),
                    " ",
                    *_drawn(row.share, length, place),
                    " ",
                    (right(format_percent(row.share), _SHARE), _label(place)),
                    " ",
                    (moved(row), "$quiet"),
                )
            )
        return lines + self._rest(rest, width)

    def _tall(self, width: int, height: int) -> list[Content]:
        shown, rest = _split(self.bars, height // 2, spare=height % 2)
        lines = []
        for place, row in enumerate(shown):
            style = _label(place)
            lines.append(
                Content.assemble(
                    (fitted(row.label, width - _SHARE - 3), style),
                    " ",
                    (right(format_percent(row.share), _SHARE), style),
                    " ",
                    (moved(row), "$quiet"),
                )
            )
            lines.append(Content.assemble(*_drawn(row.share, width, place)))
        return lines + self._rest(rest, width)

    def _rest(self, rest: tuple[Bar, ...], width: int) -> list[Content]:
        if not rest:
            return []
        share = sum(row.share for row in rest)
        text = (
            fitted(f"and {len(rest)} more", width - _SHARE - 3) + " " + right(format_percent(share), _SHARE)
        )
        return [Content.styled(text, "$quiet")]


def _label(place: int) -> str:
    return "bold $accent" if place == 0 else "$foreground"


def _drawn(share: float, width: int, place: int) -> tuple[tuple[str, str], tuple[str, str]]:
    filled, rail = bar(share, width)
    return (filled, "$accent" if place == 0 else "$bar"), (rail, "$rail")


def _split(bars: tuple[Bar, ...], rows: int, spare: int = 0) -> tuple[tuple[Bar, ...], tuple[Bar, ...]]:
    """The bars that fit into this many rows, and those left over, which need a row of their own."""
    if len(bars) <= rows:
        return bars, ()
    kept = max(1, rows if spare else rows - 1)
    return bars[:kept], bars[kept:]
