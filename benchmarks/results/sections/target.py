"""The headline: a target for the mean cost, a tenth below what W-EC²-TS costs, beside W-EC²-TS by the paper's rule."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.results.contenders import (
    QUICK,
    RIVAL,
    SETTINGS,
    RunFigures,
    format_difference,
    format_interval,
    format_table,
    pack,
)
from benchmarks.results.scenario_blocks import DIVISIONS, describe_runs, list_runs
from benchmarks.results.section import Rows, Section, Settings, Work
from benchmarks.results.sections.ceiling import NOW, make_unit
from odm_tui.evaluation.data.dataset_sources import canonical_name


def compute(settings: Settings, work: Work) -> Rows:
    """Run W-EC²-TS, then the default with the target that follows from its cost; return both and the differences."""
    rows: list[dict[str, Any]] = []
    for name in settings["datasets"]:
        runs = list_runs(name, DIVISIONS[name], settings)
        blocks = [run.block for run in runs]
        theirs = [RIVAL.unit(run) for run in runs]
        traces = work.run_units(theirs)
        rival = RunFigures.of((traces[unit] for unit in theirs), blocks)
        target = settings["share"] * float(np.mean([traces[unit].realised.mean() for unit in theirs]))
        ours = [replace(make_unit(run, NOW, settings["start"]), target_cost=target) for run in runs]
        held = work.run_units(ours)
        own = RunFigures.of((held[unit] for unit in ours), blocks)
        rows.append(
            {
                "dataset": name,
                "runs": describe_runs(runs),
                "target": target,
                "rival": [pack(rival.mean("cost")), pack(rival.mean("right"))],
                "own": [pack(own.mean("cost")), pack(own.mean("right"))],
                "cost_gap": pack(own.difference("cost", rival)),
                "right_gap": pack(own.difference("right", rival)),
            }
        )
    return rows


def render(settings: Settings, rows: Rows) -> str:
    """Return the table."""
    header = [
        "data set",
        "runs",
        "target",
        "W-EC²-TS: cost",
        "right",
        f"{NOW} with the target: cost",
        "right",
        "cost: difference",
        "right: difference",
    ]
    lines = [
        [
            canonical_name(row["dataset"]),
            row["runs"],
            f"{row['target']:.3f}",
            *map(format_interval, (*row["rival"], *row["own"])),
            format_difference(row["cost_gap"]),
            format_difference(row["right_gap"]),
        ]
        for row in rows
    ]
    return format_table(header, lines, texts=2)


SECTION = Section(
    "target",
    "A target for the cost",
    {**SETTINGS, "share": 0.9, "start": 10.0},
    QUICK,
    compute,
    render,
)
