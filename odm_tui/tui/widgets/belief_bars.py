"""The likeliest outcomes as aligned bars with their probabilities."""

from __future__ import annotations

from textual.content import Content
from textual.geometry import Size
from textual.reactive import reactive
from textual.widget import Widget

from odm_tui.formatting import format_percent
from odm_tui.tui.widgets.drawing import align_right, draw_bar, fit_text
from odm_tui.views.interview import Bar

_SHARE = 5
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

    def render(self) -> Content:
        """Draw each outcome in two lines if the height allows it, else in one."""
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
                    (fit_text(row.label, label), _label_style(place)),
                    " ",
                    *_draw_share(row.share, length, place),
                    " ",
                    (align_right(format_percent(row.share), _SHARE), _label_style(place)),
                    " ",
                    (change_sign(row), "$quiet"),
                )
            )
        return lines + self._rest(rest, width)

    def _tall(self, width: int, height: int) -> list[Content]:
        shown, rest = _split(self.bars, height // 2, spare=height % 2)
        lines = []
        for place, row in enumerate(shown):
            style = _label_style(place)
            lines.append(
                Content.assemble(
                    (fit_text(row.label, width - _SHARE - 3), style),
                    " ",
                    (align_right(format_percent(row.share), _SHARE), style),
                    " ",
                    (change_sign(row), "$quiet"),
                )
            )
            lines.append(Content.assemble(*_draw_share(row.share, width, place)))
        return lines + self._rest(rest, width)

    def _rest(self, rest: tuple[Bar, ...], width: int) -> list[Content]:
        if not rest:
            return []
        share = sum(row.share for row in rest)
        text = (
            fit_text(f"and {len(rest)} more", width - _SHARE - 3)
            + " "
            + align_right(format_percent(share), _SHARE)
        )
        return [Content.styled(text, "$quiet")]


def _label_style(place: int) -> str:
    return "bold $accent" if place == 0 else "$foreground"


def _draw_share(share: float, width: int, place: int) -> tuple[tuple[str, str], tuple[str, str]]:
    filled, rail = draw_bar(share, width)
    return (filled, "$accent" if place == 0 else "$bar"), (rail, "$rail")


def _split(bars: tuple[Bar, ...], rows: int, spare: int = 0) -> tuple[tuple[Bar, ...], tuple[Bar, ...]]:
    """The bars that fit into this many rows, and the others, which share one row."""
    if len(bars) <= rows:
        return bars, ()
    count = max(1, rows if spare else rows - 1)
    return bars[:count], bars[count:]
