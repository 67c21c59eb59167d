"""Print tables to the terminal; no cell is read as markup or as a control sequence."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

_WITHOUT_TERMINAL = 250
"""The width of a table in a pipe or a file, where nothing needs to be cut."""


def print_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    right: Sequence[str] = (),
    whole: Sequence[str] = (),
    compact: bool = False,
) -> None:
    """Print rows below their column names; align the columns in ``right`` to the right.

    Where the terminal is too narrow, long cells go on in the next line: nothing is cut. The columns in ``whole`` keep
    their cells on one line, so that an id can be copied. ``compact`` leaves less room
    between the columns.
    """
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from odm_tui.text import one_line

    table = Table(
        box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0) if compact else (0, 1)
    )
    for column in columns:
        table.add_column(
            Text(one_line(column)),
            justify="right" if column in right else "left",
            no_wrap=column in whole or column in right,
            overflow="fold",
        )
    for row in rows:
        table.add_row(*(Text(one_line(cell)) for cell in row))
    Console(width=None if sys.stdout.isatty() else _WITHOUT_TERMINAL).print(table)


def table_width() -> int:
    """How wide a table can be here."""
    from shutil import get_terminal_size

    return get_terminal_size().columns if sys.stdout.isatty() else _WITHOUT_TERMINAL


def split_columns(columns: Sequence[str], taken: int, each: int) -> list[Sequence[str]]:
    """Split columns of width ``each`` into groups that fit beside ``taken`` characters."""
    size = max(1, (table_width() - taken) // each)
    return [columns[first : first + size] for first in range(0, len(columns), size)]
