"""Results at the terminal: a table, and lines drawn with braille dots."""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence

import numpy as np
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from odm_tui.engine.problem import Floats
from odm_tui.evaluation.report.results import Row

COLOURS = ("bright_blue", "bright_red", "bright_green", "yellow", "magenta", "cyan", "white")
DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bits of a braille character's dots, by row and column."""


def tables(rows: Sequence[Row]) -> RenderableType:
    """The figures of section 6: a table a data set, one line a policy; 80 columns are enough."""
    first = rows[0]
    seeds = len(first.seeds)
    what = f"Protocol {first.protocol}, regions {first.regions}, {seeds} seed{'s' if seeds > 1 else ''}"
    parts: list[RenderableType] = [Text(what, style="bold")]
    for dataset in dict.fromkeys(row.dataset for row in rows):
        chosen = [row for row in rows if row.dataset == dataset]
        parts += [Text(f"\n{dataset}, {chosen[0].scenarios} scenarios"), _table(chosen), *_values(chosen)]
    return Group(*parts)


def _table(rows: Sequence[Row]) -> Table:
    made = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1, 0, 0))
    made.add_column("policy", no_wrap=True)
    for name in ("cost ± std", "/All", "real", "asked", "right", "undec", "util", "regret", "µs/q"):
        made.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        told = row.told()
        made.add_row(
            Text(row.policy),
            f"{told['mean_cost']:.3f} ± {told['std_cost']:.3f}",
            f"{told['ratio_to_all']:.3f}",
            f"{told['realised_cost']:.3f}",
            f"{told['mean_questions']:.2f}",
            f"{told['accuracy']:.2f}",
            f"{told['undecided']:.2f}",
            f"{told['utility']:.2f}",
            f"{told['regret']:.1f}",
            f"{told['microseconds_per_question']:.0f}",
        )
    return made


def _values(rows: Sequence[Row]) -> list[RenderableType]:
    """What each policy is worth at the stakes, beside the best that any could be worth."""
    told = [row.told() for row in rows]
    best = told[0]["optimum"]
    title = Text(f"\nvalue = {told[0]['stakes']:.4g} (stakes) × right − cost", style="bold")
    made = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1, 0, 0))
    made.add_column("policy", no_wrap=True)
    for name in ("cost", "right", "value", f"/{best['kind']}"):
        made.add_column(name, justify="right", no_wrap=True)
    for each in told:
        share = "" if each["ratio_to_optimum"] is None else f"{each['ratio_to_optimum']:.3f}"
        figures = (f"{each['mean_cost']:.3f}", f"{each['accuracy']:.3f}", f"{each['value']:.3f}")
        made.add_row(Text(each["policy"]), *figures, share)
    cost = f"{best['cost']:.3f}" if best["kind"] == "optimum" else "for free"
    made.add_row(best["kind"], cost, f"{best['accuracy']:.3f}", f"{best['value']:.3f}", "", style="bold")
    return [title, made]


LEGEND = (
    "cost: by the data's theta, at the right outcome; /All: share of what asking everything costs; real: the "
    "cost of the answers given; asked: questions; right, undec: shares of decisions; util: 2 right, -1 wrong, "
    "0 undecided; regret: summed, against the oracle that knows theta; µs/q: microseconds a question; optimum: the "
    "best policy under the data's theta and P(y), answers independent given the outcome; bound: what none exceeds, "
    "all answers for free"
)


def plot(
    title: str,
    lines: Mapping[str, Floats],
    *,
    width: int,
    height: int = 14,
    logarithmic: bool = False,
    across: str = "interviews",
) -> RenderableType:
    """Lines over the interviews, all in one picture; each ends in its letter, so that no colour is needed."""
    drawn = {
        name: np.log10(np.maximum(values, 1.0)) if logarithmic else values for name, values in lines.items()
    }
    low = min(float(values.min()) for values in drawn.values())
    high = max(float(values.max()) for values in drawn.values())
    spread = max(high - low, 1e-9)
    columns = max(width - 12, 10)
    dots = np.zeros((height, columns), dtype=np.uint8)
    owner = np.full((height, columns), -1)
    letters: dict[tuple[int, int], int] = {}
    for number, values in enumerate(drawn.values()):
        at = np.linspace(0, len(values) - 1, 2 * columns)
        level = (np.interp(at, np.arange(len(values)), values) - low) / spread
        ys = np.clip(((1 - level) * (4 * height - 1)).round().astype(int), 0, 4 * height - 1)
        for x, y in enumerate(ys):
            row, column = y // 4, x // 2
            dots[row, column] |= DOTS[y % 4][x % 2]
            owner[row, column] = number
        end = int(ys[-1]) // 4
        while (end, columns) in letters and end + 1 < height:
            end += 1
        letters[end, columns] = number
    text = Text()
    for row in range(height):
        share = 1 - (row / (height - 1))
        value = low + share * spread
        label = (
            f"{10**value if logarithmic else value:9.4g} " if row % 3 == 0 or row == height - 1 else " " * 10
        )
        text.append(label, style="dim")
        for column in range(columns):
            colour = COLOURS[owner[row, column] % len(COLOURS)] if owner[row, column] >= 0 else ""
            text.append(chr(0x2800 + int(dots[row, column])) if dots[row, column] else " ", style=colour)
        if (row, columns) in letters:
            number = letters[row, columns]
            text.append(string.ascii_lowercase[number % 26], style=COLOURS[number % len(COLOURS)])
        text.append("\n")
    length = max(len(values) for values in lines.values())
    text.append(" " * 10 + "1" + f"{length} {across}".rjust(columns - 1), style="dim")
    legend = Text(" " * 10)
    for number, name in enumerate(lines):
        legend.append(f"{string.ascii_lowercase[number % 26]} {name}  ", style=COLOURS[number % len(COLOURS)])
    return Group(Text(title, style="bold"), text, legend)
