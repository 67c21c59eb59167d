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
_GROUPED = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_SPACED = re.compile(r"[+-]?\d{1,3}(?:[ \u00a0\u202f'’]\d{3})+(?:[.,]\d+)?")
_SPACES = re.compile(r"[ \u00a0\u202f'’]")


def missing_words(named: Iterable[str] = ()) -> frozenset[str]:
    """Return all cells that mean a missing answer, in lower case."""
    return frozenset({*MISSING, *(word.strip().casefold() for word in named)})


def parse_number(cell: str, grouped: bool = False) -> float | None:
    """Return the number in a cell, also with a decimal comma or with groups of three digits; None if it is none.

    ``grouped`` says that a single comma before three digits separates thousands.

    >>> parse_number("3.5"), parse_number("3,5"), parse_number("1.234,5"), parse_number("1,2,3")
    (3.5, 3.5, 1234.5, None)
    >>> parse_number("1,234.5"), parse_number("1 234"), parse_number("1,234"), parse_number("1,234", grouped=True)
    (1234.5, 1234.0, 1.234, 1234.0)
    """
    cell = cell.replace("−", "-")
    if _SPACED.fullmatch(cell):
        cell = _SPACES.sub("", cell)
    if _GROUPED.fullmatch(cell) and (grouped or "." in cell or cell.count(",") > 1):
        cell = cell.replace(",", "")
    elif _DECIMAL_COMMA.fullmatch(cell):
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


def has_grouped_numbers(cells: Iterable[str], delimiter: str) -> bool:
    """Return whether the commas of a column separate thousands: all do that could, and one can't be a decimal comma.

    In a file with commas between the cells, numbers are not written with decimal commas.

    >>> has_grouped_numbers(["1,234", "12"], ","), has_grouped_numbers(["1,234"], ";"), has_grouped_numbers(["1,2"], ",")
    (True, False, False)
    """
    with_commas = [cell for cell in cells if "," in cell]
    if not with_commas or not all(_GROUPED.fullmatch(cell.replace("−", "-")) for cell in with_commas):
        return False
    if any(cell.lstrip("+-−").startswith("0") for cell in with_commas):
        return False
    return delimiter == "," or any("." in cell or cell.count(",") > 1 for cell in with_commas)


def parse_numbers(cells: Iterable[str], grouped: bool = False) -> dict[str, float] | None:
    """Return the number in each cell; None if any cell is no number."""
    numbers: dict[str, float] = {}
    for cell in cells:
        value = parse_number(cell, grouped)
        if value is None:
            return None
        numbers[cell] = value
    return numbers


def find_unit(cells: Iterable[str]) -> str:
    """Return the sign or unit that stands beside the number in every cell, such as % or €; else nothing.

    >>> find_unit(["12 %", "7%"]), find_unit(["€5"]), find_unit(["12"]), find_unit(["a1", "b2"])
    ('%', '€', '', '')
    """
    units = set()
    for cell in cells:
        found = re.fullmatch(r"([^\w\s+\-−]{0,3})\s*([+\-−]?\d[\d.,]*)\s*(\D{0,8})", cell)
        if found is None or parse_number(found[2]) is None:
            return ""
        units.add((found[1].strip(), found[3].strip()))
        if len(units) > 1:
            return ""
    return next((before or after for before, after in units if bool(before) != bool(after)), "")


_DATE = re.compile(
    r"(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})(?:[T ]\d{1,2}:\d{2}.*)?"
)
_TIME = re.compile(r"\d{1,2}:\d{2}(?::\d{2})?(?: ?[AaPp][Mm])?")


def have_dates(cells: Iterable[str]) -> bool:
    """Return whether all cells are dates or times of day.

    >>> have_dates(["2024-03-01", "1.3.2024"]), have_dates(["14:05"]), have_dates(["12.5"])
    (True, True, False)
    """
    return all(_DATE.fullmatch(cell) or _TIME.fullmatch(cell) for cell in cells)


def means_yes_or_no(folded: set[str]) -> bool:
    """Return whether these words, in lower case, mean yes and no, in one way of writing or in several.

    Of several ways at least one must be there whole: t and n alone are not true and no.

    >>> means_yes_or_no({"0", "1"}), means_yes_or_no({"yes", "no", "1", "n"}), means_yes_or_no({"t", "n"})
    (True, True, False)
    """
    words = {word for pair in YES_NO for word in pair}
    return folded <= words and any(folded >= set(pair) for pair in YES_NO)


def parse_yes_no(cell: str) -> int | None:
    """Return 0 for a word that means no, 1 for one that means yes, else None.

    >>> parse_yes_no("No"), parse_yes_no("TRUE"), parse_yes_no("maybe")
    (0, 1, None)
    """
    folded = cell.casefold()
    return next((pair.index(folded) for pair in YES_NO if folded in pair), None)
