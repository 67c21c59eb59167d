"""Print tables to the terminal; no cell is read as markup or as a control sequence."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

_WITHOUT_TERMINAL = 250
"""The width of a table in a pipe or a file, where nothing needs to be cut."""

_NARROWEST = 4
"""The width of a column in which words are parted because nothing else helps."""


def print_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    right: Sequence[str] = (),
    whole: Sequence[str] = (),
    compact: bool = False,
) -> None:
    """Print rows below their column names; align the columns in ``right`` to the right.

    Where the terminal is too narrow, long cells go on in the next line, after a space or a hyphen: nothing is cut. The
    columns in ``whole`` keep their cells on one line, so that an id can be copied; all but the first of them give way
    where words would have to be parted instead. ``compact`` leaves less room between the columns.
    """
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from odm_tui.cli.output.folded import Folded
    from odm_tui.text import one_line

    cells = [[one_line(cell) for cell in row] for row in (columns, *rows)]
    console = Console(width=None if sys.stdout.isatty() else _WITHOUT_TERMINAL)
    widths, gap = _choose_widths(cells, columns, right, whole, (1, 0) if compact else (2,), console.width)
    table = Table(
        box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1) if gap == 2 else (0, gap, 0, 0)
    )
    for at, column in enumerate(columns):
        table.add_column(
            Text(cells[0][at]),
            justify="right" if column in right else "left",
            no_wrap=widths is None and (column in whole or column in right),
            overflow="fold",
            width=None if widths is None else widths[at],
        )
    for row in cells[1:]:
        table.add_row(*map(Folded, row))
    console.print(table)


def _choose_widths(
    cells: Sequence[Sequence[str]],
    columns: Sequence[str],
    right: Sequence[str],
    whole: Sequence[str],
    gaps: Sequence[int],
    room: int,
) -> tuple[list[int] | None, int]:
    """The widths at which the fewest words are parted, and the gap; no widths if there is no room for all columns."""
    from rich.cells import cell_len

    from odm_tui.cli.output.folded import longest_piece, shrink

    by_column = list(zip(*cells, strict=True))
    full = [max(map(cell_len, column)) for column in by_column]
    words = [max(map(longest_piece, column)) for column in by_column]
    first = [name in right or name in whole[:1] for name in columns]
    kept = [name in right or name in whole for name in columns]
    for keeps, narrow in ((kept, words), (first, words), (first, [min(_NARROWEST, width) for width in full])):
        least = [width if keep else low for width, low, keep in zip(full, narrow, keeps, strict=True)]
        for gap in gaps:
            if (widths := shrink(full, least, room - (gap + 1) * (len(columns) - 1))) is not None:
                return widths, gap
    return None, gaps[-1]


def table_width() -> int:
    """How wide a table can be here."""
    from shutil import get_terminal_size

    return get_terminal_size().columns if sys.stdout.isatty() else _WITHOUT_TERMINAL


def split_columns(columns: Sequence[str], taken: int, each: int) -> list[Sequence[str]]:
    """Split columns of width ``each`` into groups that fit beside ``taken`` characters."""
    size = max(1, (table_width() - taken) // each)
    return [columns[first : first + size] for first in range(0, len(columns), size)]
