"""Draw lines over the interviews in the terminal."""

from __future__ import annotations

import string
from collections.abc import Mapping

import numpy as np
from rich.console import Group, RenderableType
from rich.text import Text

from odm_tui.engine.problem import Floats
from odm_tui.evaluation.report.canvas import DOT_COLUMNS, DOT_ROWS, Canvas, line_colour, scale_labels


def plot_lines(
    title: str,
    lines: Mapping[str, Floats],
    *,
    width: int,
    height: int = 14,
    logarithmic: bool = False,
    across: str = "interviews",
) -> RenderableType:
    """Draw lines over the interviews in one picture. Each ends in its letter, so colour is not needed."""
    drawn = {
        name: np.log10(np.maximum(values, 1.0)) if logarithmic else values for name, values in lines.items()
    }
    low = min(float(values.min()) for values in drawn.values())
    high = max(float(values.max()) for values in drawn.values())
    spread = max(high - low, 1e-9)
    columns = max(width - 12, 10)
    canvas = Canvas(height, columns + 1)  # the last column is for the letters
    dots = DOT_ROWS * height
    for number, values in enumerate(drawn.values()):
        at = np.linspace(0, len(values) - 1, DOT_COLUMNS * columns)
        level = (np.interp(at, np.arange(len(values)), values) - low) / spread
        ys = np.clip(((1 - level) * (dots - 1)).round().astype(int), 0, dots - 1)
        for x, y in enumerate(ys):
            canvas.add_dot(int(y), x, line_colour(number))
        below = [(rows, 0) for rows in range(1, height)]
        canvas.add_letter(int(ys[-1]) // DOT_ROWS, columns, _letter(number), line_colour(number), moves=below)
    text = canvas.render(
        scale_labels(
            low, low + spread, height, 3, lambda value: f"{10**value if logarithmic else value:9.4g} "
        )
    )
    length = max(len(values) for values in lines.values())
    text.append("\n" + " " * 10 + "1" + f"{length} {across}".rjust(columns - 1), style="dim")
    legend = Text(" " * 10)
    for number, name in enumerate(lines):
        legend.append(f"{_letter(number)} {name}  ", style=line_colour(number))
    return Group(Text(title, style="bold"), text, legend)


def _letter(number: int) -> str:
    return string.ascii_lowercase[number % 26]
