"""Whether certainty can be believed: the calibration error of the belief, and of what is shown."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.results.contenders import format_table
from benchmarks.results.real_runs import OUTCOMES, hold_real
from benchmarks.results.scenario_blocks import Division, list_runs
from benchmarks.results.section import Rows, Section, Settings, Work
from benchmarks.results.sections.ceiling import NOW, make_unit
from odm_tui.engine.calibration import calibration_error, find_reliability
from odm_tui.engine.certainty import Certainty, evidence_of, find_bin
from odm_tui.engine.problem import Bools, Floats
from odm_tui.evaluation.data.dataset_sources import canonical_name
from odm_tui.evaluation.experiment.simulation import Trace

LONG = {
    "navigation": Division(files=5, blocks=3, length=300, streams=3),
    "led": Division(files=5, blocks=6, length=300, streams=2),
    "fico": Division(files=1, blocks=28, length=300, streams=2),
    "compas": Division(files=1, blocks=18, length=300, streams=3),
    "breastcancer": Division(files=1, blocks=2, length=228, streams=20),
    "troubleshooting": Division(files=5, blocks=5, length=300, streams=2),
}
"""Runs that are long enough to look at what is shown after 150 interviews."""


def show_in_order(said: Floats, right: Bools) -> Floats:
    """Return what is shown at each decision of a run, from the decisions before it."""
    evidence, shown = evidence_of([]), np.empty(said.shape)
    for at, (p, hit) in enumerate(zip(said, right, strict=True)):
        shown[at] = Certainty.of(evidence).share_right(p)
        evidence += evidence_of([(find_bin(float(p)), bool(hit), 1.0)])
    return shown


def compute(settings: Settings, work: Work) -> Rows:
    """Return the calibration errors by data set, over the decisions of all runs."""
    rows = []
    for name in settings["datasets"]:
        units = [make_unit(run, NOW, settings["stakes"]) for run in list_runs(name, LONG[name], settings)]
        traces = work.run_units(units)
        rows.append(_describe(canonical_name(name), [traces[unit] for unit in units], settings["after"]))
    calls = [
        (hold_real, (name, NOW, settings["real_runs"], settings["real_length"], settings["stakes"]))
        for name in settings["real"]
    ]
    for name, held in zip(settings["real"], work.run_calls(calls), strict=True):
        rows.append(_describe(name, held, settings["after"]))
    return rows


def _describe(name: str, traces: list[Trace], after: int) -> dict[str, Any]:
    said = [np.clip(trace.belief, 0.0, 1.0) for trace in traces]
    right = [trace.decision == trace.label for trace in traces]
    shown = [show_in_order(p, hit) for p, hit in zip(said, right, strict=True)]
    return {
        "dataset": name,
        "runs": f"{len(traces)} × {len(said[0])}",
        "parts": [
            {
                "right": float(np.concatenate([hit[part] for hit in right]).mean()),
                "said": _error(said, right, part),
                "shown": _error(shown, right, part),
            }
            for part in (slice(None), slice(after, None))
        ],
    }


def _error(stated: list[Floats], right: list[Bools], part: slice) -> float:
    """Return the calibration error of a part of all runs."""
    chosen = np.concatenate([each[part] for each in stated])
    return calibration_error(find_reliability(chosen, np.concatenate([hit[part] for hit in right])))


def render(settings: Settings, rows: Rows) -> str:
    """Return the table."""
    later = f"after {settings['after']}"
    header = ["data set", "runs × interviews", "right", "error of said", "error of shown"]
    header += [f"{later}: right", "error of said", "error of shown", "shown − said"]
    lines = []
    for row in rows:
        whole, late = row["parts"]
        figures = [f"{part[name]:.3f}" for part in (whole, late) for name in ("right", "said", "shown")]
        lines.append([row["dataset"], row["runs"], *figures, f"{late['shown'] - late['said']:+.3f}"])
    return format_table(header, lines, texts=2)


SECTION = Section(
    "certainty",
    "Certainty that can be believed",
    {
        "datasets": list(LONG),
        "most_runs": None,
        "most_scenarios": None,
        "stakes": 30.0,
        "after": 150,
        "real": list(OUTCOMES),
        "real_runs": 40,
        "real_length": 300,
    },
    {
        "datasets": ["breastcancer"],
        "most_runs": 2,
        "most_scenarios": 6,
        "after": 3,
        "real": ["car_evaluation"],
        "real_runs": 2,
        "real_length": 5,
    },
    compute,
    render,
)
