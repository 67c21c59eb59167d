"""How near the default comes to the ceiling: the value of learning policies beside *full* and *theta known*."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.results.contenders import (
    ETA,
    QUICK,
    SETTINGS,
    format_difference,
    format_interval,
    format_table,
    pack,
)
from benchmarks.results.scenario_blocks import DIVISIONS, LearningRun, list_runs
from benchmarks.results.section import Rows, Section, Settings, Work
from odm_tui.engine.problem import Floats
from odm_tui.evaluation.data.dataset_sources import canonical_name
from odm_tui.evaluation.experiment.plan import Unit
from odm_tui.evaluation.experiment.settings import Knowledge, Prior, Protocol, Regions
from odm_tui.evaluation.intervals import estimate_mean, estimate_ratio

BEFORE, NOW = "lookahead-ts", "lookahead-learn"
POLICIES = (BEFORE, "lookahead-sts", NOW)
PLANS_OF_FIVE = 0.3
"""The milliseconds in which plans hold five questions on all six data sets; deeper plans are worth about as much."""


def make_unit(run: LearningRun, policy: str, stakes: float) -> Unit:
    """Return the unit of a policy in one learning run."""
    return Unit(
        run.source,
        policy,
        Protocol.LIVE,
        Regions.UNKNOWN,
        ETA,
        run.seed,
        stakes,
        prior=Prior.POOLED,
        milliseconds=PLANS_OF_FIVE,
    )


def compute(settings: Settings, work: Work) -> Rows:
    """Return the values of all policies and references, by data set and stakes."""
    rows: list[dict[str, Any]] = []
    for name in settings["datasets"]:
        runs = list_runs(name, DIVISIONS[name], settings)
        blocks = [run.block for run in runs]
        for stakes in settings["stakes"]:
            units = {policy: [make_unit(run, policy, stakes) for run in runs] for policy in POLICIES}
            units |= {
                knowledge.value: [make_unit(run, NOW, stakes).ceilings[knowledge] for run in runs]
                for knowledge in (Knowledge.FULL, Knowledge.KNOWN)
            }
            traces = work.run_units([unit for each in units.values() for unit in each])
            values: dict[str, Floats] = {
                who: np.array([stakes * traces[unit].accuracy - traces[unit].mean_cost for unit in each])
                for who, each in units.items()
            }
            gained, open_ = values[NOW] - values[BEFORE], values["full"] - values[BEFORE]
            rows.append(
                {
                    "dataset": name,
                    "stakes": stakes,
                    "values": {who: float(each.mean()) for who, each in values.items()},
                    "gained": pack(estimate_mean(gained, blocks)),
                    "of_full": pack(estimate_ratio(values[NOW], values["full"], blocks)),
                    "of_known": pack(estimate_ratio(values[NOW], values["known"], blocks)),
                    "way": float(gained.mean() / open_.mean()) if open_.mean() > 0 else None,
                }
            )
    return rows


def render(settings: Settings, rows: Rows) -> str:
    """Return the table."""
    header = [
        "data set",
        "stakes",
        *POLICIES,
        "full",
        "theta known",
        f"{NOW} − {BEFORE}",
        "way to full",
        "share of full",
        "share of theta known",
    ]
    lines = [
        [
            canonical_name(row["dataset"]),
            f"{row['stakes']:g}",
            *(f"{row['values'][who]:.2f}" for who in (*POLICIES, "full", "known")),
            format_difference(row["gained"]),
            "" if row["way"] is None else f"{row['way']:.2f}",
            format_interval(row["of_full"]),
            format_interval(row["of_known"]),
        ]
        for row in rows
    ]
    return format_table(header, lines)


SECTION = Section(
    "ceiling",
    "Near the ceiling",
    {**SETTINGS, "stakes": [10.0, 30.0, 60.0]},
    {**QUICK, "stakes": [30.0]},
    compute,
    render,
)
