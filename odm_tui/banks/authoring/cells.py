"""Read the cells of a table of cases: what is missing, what is a number, what means yes or no."""

from __future__ import annotations

import re
from collections.abc import Iterable

from odm_tui.banks.checks.fields import LARGEST

MISSING = ("", "?")
"""What always means that there is no answer; --missing names more."""
YES_NO = (("no", "yes"), ("n", "y"), ("false", "true"), ("f", "t"), ("0", "1"), ("0.0", "1.0"))
_SMALLEST = 1e-12
"""Numbers closer to zero than this count as zero, so that thresholds stay readable."""
_DECIMAL_COMMA = re.compile(r"[+-]?(?:\d{1,3}(?:\.\d{3})+|\d+),\d+")


def missing_words(named: Iterable[str] = ()) -> frozenset[str]:
    """Return all cells that mean a missing answer, in lower case."""
    return frozenset({*MISSING, *(word.strip().casefold() for word in named)})


def parse_number(cell: str) -> float | None:
    """Return the number in a cell, also with a decimal comma; None if it is none.

    >>> parse_number("3.5"), parse_number("3,5"), parse_number("1.234,5"), parse_number("1,2,3")
    (3.5, 3.5, 1234.5, None)
    """
    if _DECIMAL_COMMA.fullmatch(cell):
        cell = cell.replace(".", "").replace(",", ".")
    elif "_" in cell:
        return None  # float takes 1_000, but nobody writes numbers like that into a table
    try:
        value = float(cell)
    except ValueError:
        return None
    if not abs(value) <= LARGEST:
        return None
    return value if abs(value) >= _SMALLEST else 0.0


def parse_numbers(cells: Iterable[str]) -> dict[str, float] | None:
    """Return the number in each cell; None if any cell is no number."""
    numbers: dict[str, float] = {}
    for cell in cells:
        value = parse_number(cell)
        if value is None:
            return None
        numbers[cell] = value
    return numbers


def parse_yes_no(cell: str) -> int | None:
    """Return 0 for a word that means no, 1 for one that means yes, else None."""
    folded = cell.casefold()
    return next((pair.index(folded) for pair in YES_NO if folded in pair), None)
