"""Lines of text and block characters: bars, sparklines and cells that end where they should."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size

_HEIGHTS = "▁▂▃▄▅▆▇█"


def bar(share: float, width: int) -> tuple[str, str]:
    """A bar and the rail it has still before it, to half a cell; anything above 0 is visible.

    >>> bar(0.5, 4), bar(0.001, 4), bar(0.6, 4), bar(1.0, 4)
    (('━━', '──'), ('╸', '───'), ('━━╸', '─'), ('━━━━', ''))
    """
    if width <= 0:
        return "", ""
    halves = min(round(max(share, 0.0) * width * 2), width * 2)
    if share > 0:
        halves = max(halves, 1)
    filled = "━" * (halves // 2) + "╸" * (halves % 2)
    return filled, "─" * (width - len(filled))


def sparkline(values: Sequence[float], width: int) -> str:
    """The course of some numbers in one line, the newest at the right; thinned out by means.

    >>> sparkline([1, 2, 3, 4], 4)
    '▁▃▆█'
    """
    if not values or width <= 0:
        return ""
    if len(values) > width:
        edges = [round(i * len(values) / width) for i in range(width + 1)]
        values = [sum(values[a:b]) / (b - a) for a, b in itertools.pairwise(edges)]
    low, high = min(values), max(values)
    if high == low:
        return _HEIGHTS[3] * len(values)
    return "".join(_HEIGHTS[round((v - low) / (high - low) * 7)] for v in values)


def fitted(text: str, width: int) -> str:
    """The text in exactly this many cells: padded, or cut with an ellipsis.

    >>> fitted("Router", 8), fitted("Router is broken", 8)
    ('Router  ', 'Router… ')
    """
    if width <= 0:
        return ""
    text = text.replace("\n", " ")
    if cell_len(text) <= width:
        return set_cell_size(text, width)
    return set_cell_size(set_cell_size(text, width - 1).rstrip() + "…", width)


def right(text: str, width: int) -> str:
    """The text at the right end of this many cells."""
    return " " * max(0, width - cell_len(text)) + text
