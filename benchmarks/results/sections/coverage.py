"""Risk and coverage: how often the surest decisions are right, beside asking everything by the paper's rule."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.results.contenders import (
    EVERYTHING,
    QUICK,
    SETTINGS,
    RunFigures,
    format_difference,
    format_table,
    pack,
)
from benchmarks.results.scenario_blocks import DIVISIONS, list_runs
from benchmarks.results.section import Rows, Section, Settings, Work
from benchmarks.results.sections.ceiling import NOW, make_unit
from odm_tui.evaluation.data.dataset_sources import canonical_name
from odm_tui.evaluation.experiment.coverage import CoveragePoint, find_coverage
from odm_tui.evaluation.experiment.simulation import Trace

SHARES = (0.25, 0.5, 0.75, 1.0)
STEPS = 100


def compute(settings: Settings, work: Work) -> Rows:
    """Return the curve of the default, its figures where it may hand over, and those of asking everything."""
    rows: list[dict[str, Any]] = []
    for name in settings["datasets"]:
        runs = list_runs(name, DIVISIONS[name], settings)
        blocks = [run.block for run in runs]
        everything = [EVERYTHING.unit(run) for run in runs]
        ours = [make_unit(run, NOW, settings["stakes"]) for run in runs]
        refer = settings["refer"] * settings["stakes"]
        careful = [replace(unit, refer_cost=refer) for unit in ours]
        traces = work.run_units([*everything, *ours, *careful])
        paper = RunFigures.of((traces[unit] for unit in everything), blocks)
        handing = RunFigures.of((traces[unit] for unit in careful), blocks)
        curve = find_coverage([traces[unit] for unit in ours], STEPS)
        utility = paper.mean("utility").value
        rows.append(
            {
                "dataset": name,
                "all": _figures([traces[unit] for unit in everything]),
                "surest": [point.right for point in curve if _is_shown(point)],
                "most": max((point.coverage for point in curve if point.utility >= utility), default=0.0),
                "handing": _figures([traces[unit] for unit in careful]),
                "gap": pack(handing.difference("utility", paper)),
            }
        )
    return rows


def _is_shown(point: CoveragePoint) -> bool:
    return any(abs(point.coverage - share) < 0.5 / STEPS for share in SHARES)


def _figures(traces: list[Trace]) -> dict[str, float | None]:
    """Return the share of interviews that decide, the share of right ones among them, the utility and the cost."""
    decision = np.concatenate([trace.decision for trace in traces])
    right = decision == np.concatenate([trace.label for trace in traces])
    decided = decision >= 0
    return {
        "decided": float(decided.mean()),
        "right": float(right[decided].mean()) if decided.any() else None,
        "utility": float((2.0 * right - 1.0 * (decided & ~right)).mean()),
        "cost": float(np.mean([trace.mean_cost for trace in traces])),
    }


def render(settings: Settings, rows: Rows) -> str:
    """Return the tables."""
    curves = format_table(
        ["data set", *(f"surest {share:.0%}" for share in SHARES), "decided with All's utility"],
        [
            [
                canonical_name(row["dataset"]),
                *(f"{right:.3f}" for right in row["surest"]),
                f"{row['most']:.0%}",
            ]
            for row in rows
        ],
    )
    handed = format_table(
        [
            "data set",
            *("All, paper's rule: decided", "right", "utility", "cost"),
            *(f"{NOW}, may hand over: decided", "right", "utility", "cost"),
            "utility: difference",
        ],
        [
            [
                canonical_name(row["dataset"]),
                *_format(row["all"]),
                *_format(row["handing"]),
                format_difference(row["gap"]),
            ]
            for row in rows
        ],
    )
    return f"{curves}\n\n{handed}"


def _format(figures: dict[str, float | None]) -> list[str]:
    return ["" if value is None else f"{value:.3f}" for value in figures.values()]


SECTION = Section(
    "coverage",
    "Risk and coverage",
    {**SETTINGS, "stakes": 60.0, "refer": 2 / 3},
    QUICK,
    compute,
    render,
)
