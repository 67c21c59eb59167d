"""The table of the main figures of policies over seeds or learning runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.results.contenders import RunFigures, format_interval, format_table, pack
from benchmarks.results.scenario_blocks import LearningRun
from odm_tui.evaluation.data.dataset_sources import canonical_name
from odm_tui.evaluation.experiment.plan import Unit
from odm_tui.evaluation.experiment.simulation import Trace
from odm_tui.evaluation.intervals import estimate_mean, estimate_ratio

HEADER = ["data set", "policy", "cost", "share of All", "questions", "right", "undecided", "utility"]


def summarise_runs(
    dataset: str,
    policy: str,
    units: Sequence[Unit],
    traces: Mapping[Unit, Trace],
    runs: Sequence[LearningRun],
) -> dict[str, Any]:
    """Return the figures of one policy on one data set, those with an interval as value, low, high."""
    held = [traces[unit] for unit in units]
    blocks = [run.block for run in runs]
    loaded = [run.source.load(run.seed) for run in runs]
    all_costs = [float(each.mean_cost.sum(axis=0)[each.labels].mean()) for each in loaded]
    figures = RunFigures.of(held, blocks)
    return {
        "dataset": dataset,
        "policy": policy,
        "cost": pack(figures.mean("cost")),
        "share": pack(estimate_ratio(figures.cost, all_costs, blocks)),
        "questions": float(np.mean([trace.questions.mean() for trace in held])),
        "right": pack(figures.mean("right")),
        "undecided": float(np.mean([(trace.decision < 0).mean() for trace in held])),
        "utility": pack(estimate_mean(figures.utility, blocks)),
    }


def render_figures(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the table of such rows."""
    return format_table(
        HEADER,
        [
            [
                canonical_name(row["dataset"]),
                row["policy"],
                format_interval(row["cost"]),
                f"{row['share'][0]:.3f}",
                f"{row['questions']:.2f}",
                format_interval(row["right"]),
                f"{row['undecided']:.3f}",
                format_interval(row["utility"]),
            ]
            for row in rows
        ],
        texts=2,
    )
