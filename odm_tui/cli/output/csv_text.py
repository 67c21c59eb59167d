"""Format CSV in which no cell is a formula for a spreadsheet or a control sequence for a terminal."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

_STARTS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def format_csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """The rows as CSV; a text that a spreadsheet would run as a formula gets a ' in front.

    >>> format_csv(["id", "cost"], [["=1+1", -2.5]])
    "id,cost\\r\\n'=1+1,-2.5\\r\\n"
    """
    written = io.StringIO(newline="")
    writer = csv.writer(written)
    writer.writerow([_escape_formula(name) for name in header])
    for row in rows:
        writer.writerow(["" if cell is None else _escape_formula(cell) for cell in row])
    return written.getvalue()


def _escape_formula(cell: object) -> object:
    from odm_tui.text import clean_text

    if not isinstance(cell, str):
        return cell
    cleaned = clean_text(cell)
    # The cleaned text may begin with a space, which some spreadsheets skip.
    is_formula = cell.startswith(_STARTS_A_FORMULA) or cleaned.lstrip().startswith(_STARTS_A_FORMULA)
    return f"'{cleaned}" if is_formula else cleaned
