"""Frontiers drawn: in the terminal with braille dots and letters, and as PNG and SVG with the charts extra."""

from __future__ import annotations

import string
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from odm_tui.errors import BadArgument
from odm_tui.evaluation.experiment.frontier import OPTIMUM, Frontier, Point, span
from odm_tui.evaluation.report.charts import save
from odm_tui.evaluation.report.terminal import COLOURS, DOTS

MARGIN = 6
"""Columns for the scale at the left."""
STEPS_ASIDE = ((0, 0), (0, 1), (0, -1), (-1, 0), (1, 0), (-1, 1), (1, 1), (0, 2), (0, -2))
"""Where a letter goes when its place is taken: (rows, columns) from it, nearest first."""


def terminal_chart(frontier: Frontier, *, width: int, height: int = 18) -> RenderableType:
    """Accuracy over cost: a letter for every point, dots between those of one policy.

    The scale of the costs is their square root: asking everything often costs ten times the rest.
    """
    columns = max(width - MARGIN - 1, 20)
    most, low, high = span(frontier)
    most, spread = max(most, 1e-9), max(high - low, 1e-9)

    def place(point: Point) -> tuple[int, int]:
        """The dot of a point: row and column."""
        x = round(np.sqrt(point.mean_cost / most) * (2 * columns - 1))
        return round((high - point.accuracy) / spread * (4 * height - 1)), x

    dots = np.zeros((height, columns), dtype=np.uint8)
    letters: dict[tuple[int, int], tuple[str, str]] = {}
    for number, line in enumerate(frontier.lines.values()):
        places = [place(point) for point in line]
        for (y, x), (y_after, x_after) in pairwise(places):
            steps = max(abs(y_after - y), abs(x_after - x), 1)
            for share in np.linspace(0, 1, steps + 1)[::2]:
                row, column = round(y + share * (y_after - y)), round(x + share * (x_after - x))
                dots[row // 4, column // 2] |= DOTS[row % 4][column % 2]
        for y, x in places:
            free = [
                (y // 4 + down, x // 2 + right)
                for down, right in STEPS_ASIDE
                if 0 <= y // 4 + down < height and 0 <= x // 2 + right < columns
            ]
            at = next((cell for cell in free if cell not in letters), free[0])
            letters[at] = string.ascii_uppercase[number % 26], COLOURS[number % len(COLOURS)]
    text = Text()
    for row in range(height):
        value = high - row / (height - 1) * spread
        text.append(f"{value:.3f} " if row % 4 == 0 or row == height - 1 else " " * MARGIN, style="dim")
        for column in range(columns):
            letter, colour = letters.get((row, column), ("", ""))
            dot = chr(0x2800 + int(dots[row, column])) if dots[row, column] else " "
            text.append(letter or dot, style=f"bold {colour}" if letter else "dim")
        text.append("\n")
    text.append(_scale(most, columns), style="dim")
    return Group(
        Text(f"{frontier.dataset}, {frontier.scenarios} scenarios: share of right decisions over mean cost"),
        text,
        _points(frontier),
    )


def _scale(most: float, columns: int) -> str:
    """The costs below the picture, at quarters of its width."""
    cells = [" "] * (MARGIN + columns)
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        label = f"{most * share**2:.2f}"
        at = min(MARGIN + round(share * (columns - 1)), MARGIN + columns - len(label))
        cells[at : at + len(label)] = label
    return "".join(cells)


def _points(frontier: Frontier) -> Table:
    made = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1, 0, 0))
    made.add_column("policy", no_wrap=True)
    for name in ("stakes", "cost ± std", "right ± std", "asked", "util"):
        made.add_column(name, justify="right", no_wrap=True)
    for number, (policy, line) in enumerate(frontier.lines.items()):
        for point in line:
            made.add_row(
                Text(f"{string.ascii_uppercase[number % 26]} {policy}", style=COLOURS[number % len(COLOURS)]),
                "" if point.stakes is None else f"{point.stakes:g}",
                f"{point.mean_cost:.3f} ± {point.std_cost:.3f}",
                f"{point.accuracy:.3f} ± {point.std_accuracy:.3f}",
                f"{point.mean_questions:.2f}",
                f"{point.utility:.2f}",
            )
    return made


def draw_frontiers(frontiers: Sequence[Frontier], folder: Path) -> list[Path]:
    """The same as frontier.png and frontier.svg, one panel a data set."""
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError:
        raise BadArgument("charts need matplotlib: pip install 'odm-tui[charts]'") from None
    # The same results give the same file: no date, and element names from a fixed seed.
    mpl.rcParams["svg.hashsalt"] = "odm-tui"
    figure = Figure(figsize=(max(4.2 * len(frontiers), 6.0), 4.2), layout="constrained")
    axes = figure.subplots(1, len(frontiers), squeeze=False)[0]
    for axis, frontier in zip(axes, frontiers, strict=True):
        for policy, line in frontier.lines.items():
            costs, right = [point.mean_cost for point in line], [point.accuracy for point in line]
            style = {"color": "black", "linestyle": "--"} if policy == OPTIMUM else {}
            axis.plot(costs, right, marker="o", markersize=3.5, linewidth=1.2, label=policy, **style)
            for point in line:
                if point.stakes is not None:
                    place = (point.mean_cost, point.accuracy)
                    axis.annotate(
                        f"{point.stakes:g}", place, xytext=(3, 3), textcoords="offset points", size=6
                    )
        axis.set_xscale("function", functions=(np.sqrt, np.square))
        axis.set_xlim(left=0)
        axis.set_title(frontier.dataset)
        axis.set_xlabel("mean cost")
    axes[0].set_ylabel("share of right decisions")
    named: dict[str, Any] = {}
    for axis in axes:
        handles, names = axis.get_legend_handles_labels()
        named.update(zip(names, handles, strict=True))
    figure.legend(
        named.values(), named.keys(), loc="outside lower center", ncols=min(len(named), 4), fontsize="small"
    )
    return save(figure, folder, "frontier")
