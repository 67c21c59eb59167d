"""The names of the heat map's columns: wrapped above them, or numbers with a legend where they are too narrow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len

from odm_tui.tui.widgets.drawing import fit_text, wrap_text

_NAMED = 8
"""From this width on, a column has its outcome's name above it."""
_BETWEEN = "   "


class Heading(NamedTuple):
    """The lines above the columns, each with one text per column, and whether these are only numbers."""

    lines: tuple[tuple[str, ...], ...]
    is_numbered: bool


def make_heading(names: Sequence[str], cell: int, most: int) -> Heading:
    """The names, wrapped into at most ``most`` lines, or numbers if some would be cut or broken within a word.

    >>> make_heading(["Worn battery", "Dirty port"], 9, 3)
    Heading(lines=(('Worn', 'Dirty'), ('battery', 'port')), is_numbered=False)
    >>> make_heading(["Worn battery", "Dirty port"], 6, 3)
    Heading(lines=(('1', '2'),), is_numbered=True)
    """
    longest_word = max((cell_len(word) for name in names for word in name.split()), default=0)
    wrapped = [wrap_text(name, cell - 1) for name in names]
    rows = max(map(len, wrapped), default=1)
    if cell < _NAMED or longest_word > cell - 1 or rows > most:
        return Heading((tuple(str(at) for at in range(1, len(names) + 1)),), True)
    padded = [
        [""] * (rows - len(lines)) + lines for lines in wrapped
    ]  # the last line is just above the column
    return Heading(tuple(tuple(lines[row] for lines in padded) for row in range(rows)), False)


def make_legend(names: Sequence[str], columns: range, width: int, most: int) -> list[str]:
    """The numbers of these columns with their names, in at most ``most`` lines; names are cut only if they must be.

    >>> make_legend(["Worn battery", "Dirty port", "Moisture"], range(3), 32, 2)
    ['1 Worn battery   2 Dirty port', '3 Moisture']
    """
    whole = max((cell_len(names[j]) for j in columns), default=1)
    for room in range(whole, 3, -1):
        lines = _flow([f"{j + 1} {fit_text(names[j], room).rstrip()}" for j in columns], width)
        if len(lines) <= most:
            return lines
    return lines[:most] if len(columns) else []


def _flow(items: Sequence[str], width: int) -> list[str]:
    """The items one after another, in lines of at most this width."""
    lines = [""]
    for item in items:
        longer = f"{lines[-1]}{_BETWEEN}{item}" if lines[-1] else item
        if cell_len(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(item)
    return [line for line in lines if line]
