"""Draw with text: bars, sparklines, and text padded or cut to a width in terminal cells."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size

from odm_tui.views.table_layout import wrap_text as wrap_text

_HEIGHTS = "▁▂▃▄▅▆▇█"


def draw_bar(share: float, width: int) -> tuple[str, str]:
    """A bar and the rail after it, to half a cell; any share above 0 is visible.

    >>> draw_bar(0.5, 4), draw_bar(0.001, 4), draw_bar(0.6, 4), draw_bar(1.0, 4)
    (('━━', '──'), ('╸', '───'), ('━━╸', '─'), ('━━━━', ''))
    """
    if width <= 0:
        return "", ""
    halves = min(round(max(share, 0.0) * width * 2), width * 2)
    if share > 0:
        halves = max(halves, 1)
    filled = "━" * (halves // 2) + "╸" * (halves % 2)
    return filled, "─" * (width - len(filled))


def draw_sparkline(values: Sequence[float], width: int) -> str:
    """The values as a line of small bars that start at zero, the newest at the right; too many values are averaged.

    >>> draw_sparkline([1, 2, 3, 4], 4)
    '▃▅▆█'
    """
    if not values or width <= 0:
        return ""
    if len(values) > width:
        edges = [round(i * len(values) / width) for i in range(width + 1)]
        values = [sum(values[a:b]) / (b - a) for a, b in itertools.pairwise(edges)]
    high = max(values)
    if high <= 0:
        return _HEIGHTS[0] * len(values)
    return "".join(_HEIGHTS[round(max(v, 0.0) / high * 7)] for v in values)


def fit_text(text: str, width: int) -> str:
    """Pad the text to exactly this many cells, or cut it with an ellipsis.

    >>> fit_text("Router", 8), fit_text("Router is broken", 8)
    ('Router  ', 'Router… ')
    """
    if width <= 0:
        return ""
    text = text.replace("\n", " ")
    if cell_len(text) <= width:
        return set_cell_size(text, width)
    return set_cell_size(set_cell_size(text, width - 1).rstrip() + "…", width)


def align_right(text: str, width: int) -> str:
    """Pad the text on the left to this many cells."""
    return " " * max(0, width - cell_len(text)) + text
