"""Draw a trend: a smooth line, the band around it, and axes that fit the data."""

from __future__ import annotations

import math
from collections.abc import Sequence

from textual_hires_canvas import HiResMode
from textual_plot import NumericAxisFormatter, PlotWidget

from odm_tui.formatting import format_amount
from odm_tui.views.trend import TrendPoint

_MARGIN = 0.06
_TIMES = ("seconds", "second", "s")
_STEPS = (5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600)
"""Seconds between two ticks."""
_MOST_TICKS = 6


class CostFormatter(NumericAxisFormatter):
    """Label the ticks of a cost as costs are written elsewhere: seconds as m:ss above a minute."""

    def __init__(self, unit: str) -> None:
        self.unit = unit

    def get_ticks(self, min_: float, max_: float, max_ticks: int = 8) -> list[float]:
        """Round values; for times, whole parts of a minute or of an hour."""
        if self.unit not in _TIMES or max_ - min_ < 10:
            return super().get_ticks(min_, max_, max_ticks)
        step = next((step for step in _STEPS if (max_ - min_) / step <= _MOST_TICKS), _STEPS[-1])
        return [float(at * step) for at in range(math.ceil(min_ / step), math.floor(max_ / step) + 1)]

    def get_labels_for_ticks(self, ticks: Sequence[float]) -> list[str]:
        """The labels of these ticks, without the unit."""
        return [format_amount(tick, self.unit).removesuffix(self.unit).strip() for tick in ticks]


def draw_trend(
    plot: PlotWidget, points: Sequence[TrendPoint], unit: str = "", most: float | None = None
) -> None:
    """Draw the points as a line with a band; ``most`` is the largest possible value."""
    plot.clear()
    if not points:
        return
    app = plot.app
    plain = app.native_ansi_color
    line, band = (
        ("default", "default") if plain else (app.theme_variables["accent"], app.theme_variables["rail"])
    )
    low, high = choose_limits(points, most)
    plot.set_ylimits(low, high)
    plot.set_xlimits(1, max(2, points[-1].at))
    plot.set_xticks(choose_ticks(points[-1].at))
    if unit:
        plot.set_y_formatter(CostFormatter(unit))
    filled = fill_band(points, max(plot.size.width, 20), max(plot.size.height, 6), low, high)
    plot.scatter([x for x, _ in filled], [y for _, y in filled], marker="░", marker_style=band)
    means = [point.mean for point in points]
    places = [point.at for point in points]
    plot.plot(places, means, line_style=line, hires_mode=HiResMode.BRAILLE)
    if len(points) == 1:
        plot.scatter(places, means, marker="●", marker_style=line)


def choose_limits(points: Sequence[TrendPoint], most: float | None = None) -> tuple[float, float]:
    """The ends of the axis: around the band, with a small margin, and never below zero or above ``most``.

    >>> choose_limits([TrendPoint(1, 50, 40, 60)], 62)
    (38.8, 61.2)
    >>> choose_limits([TrendPoint(1, 0, 0, 0)])
    (0.0, 1.0)
    """
    low, high = min(point.low for point in points), max(point.high for point in points)
    margin = (high - low) * _MARGIN or max(abs(high) * _MARGIN, 1.0)
    top = high + margin if most is None else min(most, high + margin)
    bottom = max(0.0, low - margin)
    return bottom, top if top > bottom else bottom + 1.0


def fill_band(
    points: Sequence[TrendPoint], width: int, height: int, low: float, high: float
) -> list[tuple[float, float]]:
    """Places of a grid that lie within the band, about one for each cell of the plot."""
    first, last = points[0].at, points[-1].at
    found = []
    at = 0
    for column in range(width + 1):
        x = first + (last - first) * column / width
        while at + 1 < len(points) - 1 and points[at + 1].at < x:
            at += 1
        left, right = points[at], points[min(at + 1, len(points) - 1)]
        share = (x - left.at) / (right.at - left.at) if right.at > left.at else 0.0
        bottom = left.low + share * (right.low - left.low)
        top = left.high + share * (right.high - left.high)
        levels = [low + (high - low) * (row + 0.5) / height for row in range(height)]
        found += [(x, y) for y in levels if bottom <= y <= top]
    return found


def choose_ticks(many: int) -> list[float]:
    """At most six whole numbers for the axis of the interviews.

    >>> choose_ticks(3), choose_ticks(100)
    ([1, 2, 3], [1, 20, 40, 60, 80, 100])
    """
    step = max(1, -(-many // 5))
    return [1, *(at for at in range(step, many + 1, step) if at > 1)]
