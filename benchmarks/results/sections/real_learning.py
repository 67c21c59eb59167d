"""Real data learned from scratch: the default beside the ceiling, and with a target for the cost beside W-EC²-TS."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.results.contenders import format_difference, format_interval, format_table, pack
from benchmarks.results.real_runs import OUTCOMES, hold_paper, hold_real
from benchmarks.results.section import Rows, Section, Settings, Work
from benchmarks.results.sections.ceiling import BEFORE, NOW
from odm_tui.engine.problem import Floats
from odm_tui.evaluation.experiment.plan import CEILING_POLICY
from odm_tui.evaluation.experiment.simulation import Trace
from odm_tui.evaluation.intervals import estimate_mean, estimate_ratio

FIRST, POOLED, CEILING = f"{BEFORE}, pooled", f"{NOW}, pooled", "full, pooled"
CONTENDERS = {
    FIRST: (BEFORE, "asked", "pooled"),
    POOLED: (NOW, "asked", "pooled"),
    CEILING: (CEILING_POLICY, "full", "pooled"),
    NOW: (NOW, "asked", "shared"),
    "full": (CEILING_POLICY, "full", "shared"),
    "theta known": (CEILING_POLICY, "known", "shared"),
}


def compute(settings: Settings, work: Work) -> Rows:
    """Return the values at each of the stakes, and the figures with a target."""
    return {"values": _values(settings, work), "targets": _targets(settings, work)}


def _values(settings: Settings, work: Work) -> list[dict[str, Any]]:
    runs, length = settings["runs"], settings["length"]
    lines = [(name, stakes) for name in settings["datasets"] for stakes in settings["stakes"]]
    calls = [
        (hold_real, (name, policy, runs, length, stakes, None, knowledge, prior))
        for name, stakes in lines
        for policy, knowledge, prior in CONTENDERS.values()
    ]
    held = iter(work.run_calls(calls))
    rows: list[dict[str, Any]] = []
    for name, stakes in lines:
        values: dict[str, Floats] = {
            who: np.array([stakes * trace.accuracy - trace.mean_cost for trace in next(held)])
            for who in CONTENDERS
        }
        gained, way = values[NOW] - values[FIRST], values[CEILING] - values[FIRST]
        each = range(runs)
        rows.append(
            {
                "dataset": name,
                "stakes": stakes,
                "values": {who: float(value.mean()) for who, value in values.items()},
                "gained": pack(estimate_mean(gained, each)),
                "by_sharing": pack(estimate_mean(values[NOW] - values[POOLED], each)),
                "way": pack(estimate_ratio(gained, way, each)),
                "of_full": pack(estimate_ratio(values[NOW], values["full"], each)),
            }
        )
    return rows


def _targets(settings: Settings, work: Work) -> list[dict[str, Any]]:
    runs, length, names = settings["runs"], settings["length"], settings["targets"]
    single = [(name, run) for name in names for run in range(runs)]
    rivals = work.run_calls([(hold_paper, (name, run, length)) for name, run in single])
    rows, calls = [], []
    for at, name in enumerate(names):
        theirs: list[Trace] = rivals[at * runs : (at + 1) * runs]
        target = settings["share"] * float(np.mean([trace.realised.mean() for trace in theirs]))
        calls.append((hold_real, (name, NOW, runs, length, settings["start"], target)))
        rows.append({"dataset": name, "target": target, "rival": _figures(theirs)})
    made: list[dict[str, Any]] = []
    for row, ours in zip(rows, work.run_calls(calls), strict=True):
        own = _figures(ours)
        figures: dict[str, Any] = {"dataset": row["dataset"], "target": row["target"]}
        for name in ("cost", "right"):
            figures[name] = [pack(estimate_mean(each[name], range(runs))) for each in (row["rival"], own)]
            figures[f"{name}_gap"] = pack(estimate_mean(own[name] - row["rival"][name], range(runs)))
        made.append(figures)
    return made


def _figures(traces: list[Trace]) -> dict[str, Floats]:
    return {
        "cost": np.array([trace.mean_cost for trace in traces]),
        "right": np.array([trace.accuracy for trace in traces]),
    }


def render(settings: Settings, rows: Rows) -> str:
    """Return the tables."""
    values = format_table(
        [
            "data set",
            "stakes",
            *CONTENDERS,
            f"{NOW} − {FIRST}",
            "by sharing",
            f"way to {CEILING}",
            "share of full",
        ],
        [
            [
                row["dataset"],
                f"{row['stakes']:g}",
                *(f"{row['values'][who]:.2f}" for who in CONTENDERS),
                format_difference(row["gained"]),
                format_difference(row["by_sharing"]),
                format_interval(row["way"]),
                format_interval(row["of_full"]),
            ]
            for row in rows["values"]
        ],
    )
    header = ["data set", "target", "W-EC²-TS: cost", "right", f"{NOW} with the target: cost", "right"]
    targets = format_table(
        [*header, "cost: difference", "right: difference"],
        [
            [
                row["dataset"],
                f"{row['target']:.3f}",
                *(format_interval(row[name][at]) for at in range(2) for name in ("cost", "right")),
                format_difference(row["cost_gap"]),
                format_difference(row["right_gap"]),
            ]
            for row in rows["targets"]
        ],
    )
    return f"{values}\n\n{targets}"


SECTION = Section(
    "real-learning",
    "Real data, learned from scratch",
    {
        "datasets": list(OUTCOMES),
        "stakes": [30.0, 60.0],
        "runs": 40,
        "length": 100,
        "targets": ["car_evaluation", "dermatology", "soybean"],
        "share": 0.9,
        "start": 5.0,
    },
    {"datasets": ["car_evaluation"], "stakes": [30.0], "runs": 2, "length": 5, "targets": ["car_evaluation"]},
    compute,
    render,
)
