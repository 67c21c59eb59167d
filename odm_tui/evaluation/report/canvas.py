"""Draw plots in the terminal: braille dots, letters, and a scale at the left."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from rich.text import Text

COLOURS = ("bright_blue", "bright_red", "bright_green", "yellow", "magenta", "cyan", "white")
DOT_ROWS, DOT_COLUMNS = 4, 2
"""How many dots a character is high and wide."""
_BITS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bits of a braille character's dots, by row and column."""
_BRAILLE = 0x2800


def line_colour(number: int) -> str:
    """Return the colour of the line with this number; the colours repeat after the last one."""
    return COLOURS[number % len(COLOURS)]


class Canvas:
    """A grid of characters. Each holds a letter, or up to 4 × 2 dots.

    >>> canvas = Canvas(rows=1, columns=3)
    >>> canvas.add_dot(0, 0)
    >>> canvas.add_dot(3, 1)
    >>> canvas.add_letter(0, 2, "a")
    >>> print(canvas.render([" 1 "]))
     1 ⢁ a
    """

    def __init__(self, rows: int, columns: int) -> None:
        self.rows, self.columns = rows, columns
        self._dots = np.zeros((rows, columns), dtype=np.uint8)
        self._styles: dict[tuple[int, int], str] = {}
        self._letters: dict[tuple[int, int], tuple[str, str]] = {}

    def add_dot(self, y: int, x: int, style: str = "") -> None:
        """Draw a dot, counted from the top left. The last dot's style is the character's style."""
        cell = y // DOT_ROWS, x // DOT_COLUMNS
        self._dots[cell] |= _BITS[y % DOT_ROWS][x % DOT_COLUMNS]
        self._styles[cell] = style

    def add_letter(
        self, row: int, column: int, letter: str, style: str = "", moves: Iterable[tuple[int, int]] = ()
    ) -> None:
        """Write a letter over the dots of a character.

        If another letter is there, take the first free place among ``moves`` (rows down, columns right). If
        none is free, replace the other letter.
        """
        cells = [(row, column), *((row + down, column + right) for down, right in moves)]
        inside = [cell for cell in cells if 0 <= cell[0] < self.rows and 0 <= cell[1] < self.columns]
        self._letters[next((cell for cell in inside if cell not in self._letters), inside[0])] = letter, style

    def render(self, labels: Sequence[str]) -> Text:
        """Return the picture as text, one line per row, each after its label."""
        text = Text()
        for row, label in enumerate(labels):
            if row:
                text.append("\n")
            text.append(label, style="dim")
            for column in range(self.columns):
                text.append(*self._character(row, column))
        return text

    def _character(self, row: int, column: int) -> tuple[str, str]:
        if (row, column) in self._letters:
            return self._letters[row, column]
        dots = int(self._dots[row, column])
        return chr(_BRAILLE + dots) if dots else " ", self._styles.get((row, column), "")


def scale_labels(low: float, high: float, rows: int, every: int, write: Callable[[float], str]) -> list[str]:
    """Return a label per row, from ``high`` down to ``low``: values ``every`` few rows and on the last one.

    >>> scale_labels(0, 10, rows=5, every=3, write=lambda value: f"{value:g} ")
    ['10 ', '   ', '   ', '2.5 ', '0 ']
    """
    labels = [write(low + (1 - row / (rows - 1)) * (high - low)) for row in range(rows)]
    return [
        label if row % every == 0 or row == rows - 1 else " " * len(labels[0])
        for row, label in enumerate(labels)
    ]
