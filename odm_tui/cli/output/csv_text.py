"""CSV that is only ever shown: no cell is a formula for a spreadsheet, or a command for a terminal."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

_STARTS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def format_csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """The rows as CSV; texts that a spreadsheet could run get a ' in front.

    >>> format_csv(["id", "cost"], [["=1+1", -2.5]])
    "id,cost\\r\\n'=1+1,-2.5\\r\\n"
    """
    written = io.StringIO(newline="")
    writer = csv.writer(written)
    writer.writerow([_defuse(name) for name in header])
    for row in rows:
        writer.writerow(["" if cell is None else _defuse(cell) for cell in row])
    return written.getvalue()


def _defuse(cell: object) -> object:
    from odm_tui.text import clean_text

    if not isinstance(cell, str):
        return cell
    cleaned = clean_text(cell)
    # What was cleaned may begin with a space now that some spreadsheets would skip.
    runs = cell.startswith(_STARTS_A_FORMULA) or cleaned.lstrip().startswith(_STARTS_A_FORMULA)
    return f"'{cleaned}" if runs else cleaned
