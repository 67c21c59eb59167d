"""All contenders on all data sets, against W-EC²-TS by the paper's rule."""

from __future__ import annotations

from typing import Any

from benchmarks.results.contenders import (
    CONTENDERS,
    QUICK,
    RIVAL,
    SETTINGS,
    Held,
    format_difference,
    format_interval,
    format_table,
    pack,
    pack_contender,
    select,
)
from benchmarks.results.scenario_blocks import describe_runs
from benchmarks.results.section import Rows, Section, Settings, Work
from odm_tui.evaluation.data.dataset_sources import canonical_name

HEADER = [
    "policy",
    "rule",
    "stakes",
    "cost",
    "right",
    "utility (careful)",
    "cost / right, 2nd half",
    "cost − W-EC²-TS's",
    "right − W-EC²-TS's",
]


def compute(settings: Settings, work: Work) -> Rows:
    """Run all contenders; return their figures and differences by data set."""
    held = Held(work, settings, CONTENDERS)
    made = []
    for name, runs in held.runs.items():
        rival = held.figures(name, RIVAL)
        rows = []
        for contender in select(CONTENDERS, name):
            own, half = held.figures(name, contender), held.figures(name, contender, 0.5)
            row: dict[str, Any] = {
                **pack_contender(contender),
                "cost": pack(own.mean("cost")),
                "right": pack(own.mean("right")),
                "utility": own.mean("utility").value,
                "careful": own.mean("careful").value,
                "half": [half.mean("cost").value, half.mean("right").value],
            }
            if contender != RIVAL:
                row["cost_gap"] = pack(own.difference("cost", rival))
                row["right_gap"] = pack(own.difference("right", rival))
            rows.append(row)
        made.append({"dataset": name, "runs": describe_runs(runs), "rows": rows})
    return made


def render(settings: Settings, rows: Rows) -> str:
    """Return one table a data set."""
    parts = []
    for part in rows:
        table = format_table(HEADER, [_cells(row) for row in part["rows"]], texts=2)
        parts.append(f"**{canonical_name(part['dataset'])}**, {part['runs']}\n\n{table}")
    return "\n\n".join(parts)


def _cells(row: dict[str, Any]) -> list[str]:
    utility = f"{row['utility']:.2f}"
    if row["careful"] != row["utility"]:
        utility += f" ({round(row['careful'], 2) + 0.0:.2f})"  # + 0.0: no minus sign before a zero
    gaps = [format_difference(row[gap]) if gap in row else "" for gap in ("cost_gap", "right_gap")]
    return [
        row["policy"],
        row["rule"],
        row["stakes"],
        format_interval(row["cost"]),
        format_interval(row["right"]),
        utility,
        f"{row['half'][0]:.3f} / {row['half'][1]:.3f}",
        *gaps,
    ]


SECTION = Section("winners", "Better than the paper", SETTINGS, QUICK, compute, render)
