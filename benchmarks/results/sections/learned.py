"""Compare the last third of long runs with the optimal policy that knows theta, on the same scenarios."""

from __future__ import annotations

import numpy as np

from benchmarks.results.contenders import Contender, RunFigures, format_interval, format_table, pack
from benchmarks.results.scenario_blocks import LONG, LearningRun, describe_runs, list_runs
from benchmarks.results.section import Rows, Section, Settings, Work
from benchmarks.results.sections.optima import find_optima
from odm_tui.evaluation.data.dataset_sources import canonical_name
from odm_tui.evaluation.experiment.optimum import find_best_plan, follow_plan
from odm_tui.evaluation.experiment.settings import Prior, Protocol
from odm_tui.evaluation.intervals import estimate_ratio

POLICIES = ("lookahead-ts", "lookahead-sts", "lookahead-mean")


def compute(settings: Settings, work: Work) -> Rows:
    """Return the figures of the last third of each policy's runs and of the optimum."""
    stakes = settings["stakes"]
    runs = {name: list_runs(name, LONG[name], settings) for name in settings["datasets"]}
    contenders = [Contender(policy, Protocol.LIVE, Prior.SHARED, stakes) for policy in POLICIES]
    units = [contender.unit(run) for each in runs.values() for contender in contenders for run in each]
    traces = work.run_units(units)
    rows = []
    for name, each in runs.items():
        length = each[0].source.limit or 0
        start = (length - length // 3) / length
        optima = find_optima(each, stakes)
        best = np.array([_follow_best(run, stakes, start) for run in each])
        for contender in contenders:
            own = RunFigures.of(
                (traces[contender.unit(run)] for run in each), [run.block for run in each], start
            )
            value = stakes * best[:, 1] - best[:, 0]
            rows.append(
                {
                    "dataset": name,
                    "scenarios": f"last {length // 3} of {length}",
                    "runs": describe_runs(each),
                    "policy": contender.policy,
                    "own": [own.mean("cost").value, own.mean("right").value],
                    "expected": [
                        float(np.mean([found.cost for found in optima])),
                        float(np.mean([found.accuracy for found in optima])),
                    ],
                    "same": best.mean(axis=0).tolist(),
                    "cost": pack(estimate_ratio(own.cost, best[:, 0], own.blocks)),
                    "value": pack(estimate_ratio(own.value(stakes), value, own.blocks)),
                }
            )
    return rows


def _follow_best(run: LearningRun, stakes: float, start: float) -> tuple[float, float]:
    """Return mean cost and share of right decisions of the optimal policy in the last part of a run's scenarios."""
    dataset = run.source.load(run.seed)
    plan = find_best_plan(dataset, stakes)
    if plan is None:
        raise ValueError(f"{dataset.name}: the optimum can't be computed; only data sets in LONG can be used")
    followed = follow_plan(plan, dataset)
    part = slice(int(start * len(dataset.labels)), None)
    return float(followed.cost[part].mean()), float(followed.right[part].mean())


def render(settings: Settings, rows: Rows) -> str:
    """Return the table and what the runs were."""
    header = [
        "data set",
        "scenarios",
        "policy",
        "cost / right",
        "optimum, expected: cost / right",
        "optimum, same scenarios: cost / right",
        "cost / the optimum's",
        "value / the optimum's",
    ]
    lines = [
        [
            canonical_name(row["dataset"]),
            row["scenarios"],
            row["policy"],
            *(f"{row[key][0]:.3f} / {row[key][1]:.3f}" for key in ("own", "expected", "same")),
            format_interval(row["cost"]),
            format_interval(row["value"]),
        ]
        for row in rows
    ]
    notes = {canonical_name(row["dataset"]): row["runs"] for row in rows}
    described = "; ".join(f"{name}: {text}" for name, text in notes.items())
    return f"{format_table(header, lines, texts=3)}\n\n{described}."


SECTION = Section(
    "learned",
    "Once it has learned",
    {"datasets": list(LONG), "most_runs": None, "most_scenarios": None, "stakes": 30.0},
    {"datasets": ["navigation"], "most_runs": 2, "most_scenarios": 9},
    compute,
    render,
)
