"""Cells of a table that go on in the next line after a space or a hyphen, and the widths that this takes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rich.cells import cell_len, chop_cells
from rich.console import Console, ConsoleOptions
from rich.measure import Measurement
from rich.text import Text

_PIECES = re.compile(r"[^\s-]*-+|[^\s-]+|\s+")


def fold(text: str, width: int) -> list[str]:
    """Lines of at most this width; only a piece that is wider is parted elsewhere.

    >>> fold("system-damaged (decided moisture)", 9)
    ['system-', 'damaged', '(decided', 'moisture)']
    """
    lines = [""]
    for piece in _PIECES.findall(text):
        if cell_len(lines[-1] + piece.rstrip()) <= width:
            lines[-1] += piece
        else:
            lines += [part for part in chop_cells(piece, width) if part.strip()]
    return [line.rstrip() for line in lines if line.strip()] or [""]


def longest_piece(text: str) -> int:
    """The width that a text needs at least, if it is not to be parted inside a word."""
    return max((cell_len(piece) for piece in _PIECES.findall(text)), default=0)


def shrink(widths: Sequence[int], least: Sequence[int], room: int) -> list[int] | None:
    """Take from the widest columns, the last of them first, until all fit; None if they can't.

    >>> shrink([8, 20, 12], [8, 5, 12], 30), shrink([8, 20], [8, 20], 27)
    ([8, 10, 12], None)
    """
    shrunk = list(widths)
    while sum(shrunk) > room:
        loose = [at for at, width in enumerate(shrunk) if width > least[at]]
        if not loose:
            return None
        shrunk[max(loose, key=lambda at: (shrunk[at], at))] -= 1
    return shrunk


class Folded:
    """Text that is folded where its column is narrow."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        yield Text("\n".join(fold(self.text, options.max_width)), no_wrap=True)

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement(longest_piece(self.text), cell_len(self.text)).with_maximum(options.max_width)
