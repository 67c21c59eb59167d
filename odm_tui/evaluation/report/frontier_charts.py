"""Draw frontiers: in the terminal, and as PNG and SVG files with the charts extra."""

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

from odm_tui.evaluation.experiment.frontier import OPTIMUM, Frontier, Point, axis_ranges
from odm_tui.evaluation.report.canvas import DOT_COLUMNS, DOT_ROWS, Canvas, line_colour, scale_labels
from odm_tui.evaluation.report.charts import PANELS_A_ROW, make_figure, save_figure
from odm_tui.formatting import format_count

MARGIN = 6
"""Columns of the scale at the left."""
NEARBY = ((0, 1), (0, -1), (-1, 0), (1, 0), (-1, 1), (1, 1), (0, 2), (0, -2))
"""Where a letter goes if its place is taken: rows down and columns right, nearest first."""


def plot_frontier(frontier: Frontier, *, width: int, height: int = 18) -> RenderableType:
    """Draw accuracy over cost: a letter for every point, dots between the points of one policy.

    The cost axis shows square roots, because asking everything often costs ten times as much as other policies.
    """
    columns = max(width - MARGIN - 1, 20)
    canvas = Canvas(height, columns)
    most, low, high = axis_ranges(frontier)
    most, spread = max(most, 1e-9), max(high - low, 1e-9)

    def dot_of(point: Point) -> tuple[int, int]:
        """Return the dot of a point: row and column."""
        x = round(np.sqrt(point.mean_cost / most) * (DOT_COLUMNS * columns - 1))
        return round((high - point.accuracy) / spread * (DOT_ROWS * height - 1)), x

    for number, line in enumerate(frontier.lines.values()):
        dots = [dot_of(point) for point in line]
        for (y, x), (y_after, x_after) in pairwise(dots):
            steps = max(abs(y_after - y), abs(x_after - x), 1)
            for share in np.linspace(0, 1, steps + 1)[::2]:
                canvas.add_dot(round(y + share * (y_after - y)), round(x + share * (x_after - x)), "dim")
        for y, x in dots:
            style = f"bold {line_colour(number)}"
            canvas.add_letter(y // DOT_ROWS, x // DOT_COLUMNS, _letter(number), style, moves=NEARBY)
    text = canvas.render(scale_labels(high - spread, high, height, 4, lambda value: f"{value:.3f} "))
    text.append("\n" + _scale(most, columns), style="dim")
    return Group(
        Text(
            f"{frontier.dataset}, {format_count(frontier.scenarios, 'scenario')}: "
            "share of right decisions over mean cost"
        ),
        text,
        _points(frontier),
    )


def _scale(most: float, columns: int) -> str:
    """Return the line of costs below the picture, at quarters of its width."""
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
                Text(f"{_letter(number)} {policy}", style=line_colour(number)),
                "" if point.stakes is None else f"{point.stakes:g}",
                f"{point.mean_cost:.3f} ± {point.std_cost:.3f}",
                f"{point.accuracy:.3f} ± {point.std_accuracy:.3f}",
                f"{point.mean_questions:.2f}",
                f"{point.utility:.2f}",
            )
    return made


def _letter(number: int) -> str:
    return string.ascii_uppercase[number % 26]


def draw_frontiers(frontiers: Sequence[Frontier], folder: Path) -> list[Path]:
    """Draw frontier.png and frontier.svg, one panel per data set; return the files."""
    figure, axes = make_figure(len(frontiers), max(4.2 * min(len(frontiers), PANELS_A_ROW), 6.0), 4.2)
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
    return save_figure(figure, folder, "frontier")
