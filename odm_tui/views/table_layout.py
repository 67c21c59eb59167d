"""Lay tables of texts out in a width: nothing is cut, a table that is too wide is continued below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest

from rich.cells import cell_len, chop_cells

from odm_tui.text import NO_BREAK

_GAP = 2
_NARROWEST = 8


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table of texts; the first columns are names, as many as ``names``, the others are figures."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    names: int = 1


@dataclass(frozen=True, slots=True)
class TableLine:
    """One line of a table, and whether it belongs to a header."""

    text: str
    is_header: bool = False


def lay_out_table(table: TextTable, width: int) -> list[TableLine]:
    """Return the lines of a table, each at most ``width`` cells wide, without its title and note.

    Columns that do not fit are continued below, beside the names again; a long cell takes several lines.

    >>> table = TextTable("", ("policy", "asked", "right"), (("default", "3.5", "91 %"),))
    >>> [line.text for line in lay_out_table(table, 40)]
    ['policy   asked  right', 'default    3.5   91 %']
    >>> [line.text for line in lay_out_table(table, 18)]
    ['policy  asked', 'default   3.5', '', 'policy  right', 'default  91 %']
    """
    columns = list(zip(table.header, *table.rows, strict=True))
    widths = _limit([max(map(cell_len, cells)) for cells in columns], table.names, width)
    gap = _GAP if sum(widths) + _GAP * (len(widths) - 1) <= width else 1
    lines: list[TableLine] = []
    for chosen in _divide(widths, table.names, width, gap):
        shown = [widths[at] for at in chosen]
        lines += [TableLine("")] if lines else []
        lines += [
            TableLine(text, True) for text in _lay_out_row([table.header[at] for at in chosen], shown, gap)
        ]
        for row in table.rows:
            lines += [TableLine(text) for text in _lay_out_row([row[at] for at in chosen], shown, gap)]
    return lines


def _limit(widths: Sequence[int], names: int, width: int) -> list[int]:
    """Return how wide the columns may be, so that the names and one figure always fit beside each other."""
    figures = [min(each, max(_NARROWEST, width // 2)) for each in widths[names:]]
    room = width - names - max(figures, default=0)
    fits = sum(widths[:names]) <= room
    return [*(each if fits else min(each, max(1, room // names)) for each in widths[:names]), *figures]


def _divide(widths: Sequence[int], names: int, width: int, gap: int) -> list[list[int]]:
    """Return the columns of each part of the table: the names, and as many others as fit."""
    first = list(range(names))
    parts = [[*first]]
    for at in range(names, len(widths)):
        used = sum(widths[each] + gap for each in parts[-1])
        if used + widths[at] > width and len(parts[-1]) > names:
            parts.append([*first])
        parts[-1].append(at)
    return parts


def _lay_out_row(cells: Sequence[str], widths: Sequence[int], gap: int) -> list[str]:
    """Return the lines of one row: the first cell to the left, the others to the right."""
    wrapped = [wrap_text(cell, width) for cell, width in zip(cells, widths, strict=True)]
    lines = []
    for parts in zip_longest(*wrapped, fillvalue=""):
        padding = [width - cell_len(part) for part, width in zip(parts, widths, strict=True)]
        first, *others = parts
        line = first + " " * padding[0]
        line += "".join(" " * (gap + pad) + part for part, pad in zip(others, padding[1:], strict=True))
        lines.append(line.rstrip())
    return lines


def wrap_text(text: str, width: int) -> list[str]:
    """Break the text into lines of at most this many cells, between words where possible.

    >>> wrap_text("Faulty charger or cable", 14), wrap_text("", 5), wrap_text("unbreakable", 6)
    (['Faulty charger', 'or cable'], [''], ['unbrea', 'kable'])
    >>> wrap_text(f"costs 8{NO_BREAK}s", 8)
    ['costs', '8 s']
    """
    return [line.replace(NO_BREAK, " ") for line in _wrap(text, max(width, 2))]


@lru_cache(maxsize=2048)
def _wrap(text: str, width: int) -> tuple[str, ...]:
    """Wrap a text; a screen draws the same questions and names again and again."""
    lines = []
    for paragraph in text.split("\n"):
        line = ""
        for word in paragraph.split(" "):
            longer = f"{line} {word}" if line else word
            if cell_len(longer) <= width:
                line = longer
                continue
            if line:
                lines.append(line)
            *whole, line = chop_cells(word, width) or [""]
            lines += whole
        lines.append(line)
    return tuple(lines)
