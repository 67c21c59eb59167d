"""Whether certainty can be believed: the calibration error of the belief, and of what is shown."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.results.contenders import QUICK, SETTINGS, Contender, format_table
from benchmarks.results.scenario_blocks import DIVISIONS, describe_runs, list_runs
from benchmarks.results.section import Rows, Section, Settings, Work
from odm_tui.engine.calibration import calibration_error, find_reliability
from odm_tui.engine.certainty import Certainty, evidence_of, find_bin
from odm_tui.engine.problem import Bools, Floats
from odm_tui.evaluation.data.dataset_sources import canonical_name
from odm_tui.evaluation.experiment.settings import Prior, Protocol


def show_in_order(said: Floats, right: Bools) -> Floats:
    """Return what is shown at each decision of a run, from the decisions before it."""
    evidence, shown = evidence_of([]), np.empty(said.shape)
    for at, (p, hit) in enumerate(zip(said, right, strict=True)):
        shown[at] = Certainty.of(evidence).share_right(p)
        evidence += evidence_of([(find_bin(float(p)), bool(hit), 1.0)])
    return shown


def compute(settings: Settings, work: Work) -> Rows:
    """Return the calibration errors by data set, over the decisions of all runs."""
    rows: list[dict[str, Any]] = []
    for name in settings["datasets"]:
        runs = list_runs(name, DIVISIONS[name], settings)
        units = [
            Contender(settings["policy"], Protocol.LIVE, Prior.POOLED, settings["stakes"]).unit(run)
            for run in runs
        ]
        traces = work.run_units(units)
        said = [np.clip(traces[unit].belief, 0.0, 1.0) for unit in units]
        right = [traces[unit].decision == traces[unit].label for unit in units]
        shown = [show_in_order(p, hit) for p, hit in zip(said, right, strict=True)]
        rows.append(
            {
                "dataset": name,
                "runs": describe_runs(runs),
                "right": float(np.concatenate(right).mean()),
                "said": _summarise(said, right),
                "shown": _summarise(shown, right),
            }
        )
    return rows


def _summarise(stated: list[Floats], right: list[Bools]) -> dict[str, float]:
    """Return the mean of what was stated, and its calibration error."""
    all_stated = np.concatenate(stated)
    curve = find_reliability(all_stated, np.concatenate(right))
    return {"mean": float(all_stated.mean()), "error": calibration_error(curve)}


def render(settings: Settings, rows: Rows) -> str:
    """Return the table."""
    header = ["data set", "right", "said", "shown", "error of said", "error of shown", "runs"]
    lines = [
        [
            canonical_name(row["dataset"]),
            f"{row['right']:.3f}",
            f"{row['said']['mean']:.3f}",
            f"{row['shown']['mean']:.3f}",
            f"{row['said']['error']:.3f}",
            f"{row['shown']['error']:.3f}",
            row["runs"],
        ]
        for row in rows
    ]
    return format_table(header, lines)


SECTION = Section(
    "certainty",
    "Certainty that can be believed",
    {**SETTINGS, "policy": "lookahead-ts", "stakes": 30.0},
    QUICK,
    compute,
    render,
)
