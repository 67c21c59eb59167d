"""CSV that a spreadsheet only ever shows: no cell of it is taken for a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

_STARTS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def csv_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """The rows as CSV; texts that a spreadsheet could run get a ' in front.

    >>> csv_text(["id", "cost"], [["=1+1", -2.5]])
    "id,cost\\r\\n'=1+1,-2.5\\r\\n"
    """
    written = io.StringIO(newline="")
    writer = csv.writer(written)
    writer.writerow([_harmless(name) for name in header])
    for row in rows:
        writer.writerow(["" if cell is None else _harmless(cell) for cell in row])
    return written.getvalue()


def _harmless(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_STARTS_A_FORMULA) else cell
