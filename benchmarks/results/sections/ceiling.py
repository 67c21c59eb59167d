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
PLANS_OF_FIVE = 0.3
"""The milliseconds in which plans hold five questions on all six data sets; deeper plans are worth about as much."""
REFERENCES = ("lookahead-ts, pooled", "lookahead-sts, pooled", "lookahead-learn, pooled", "full, pooled")
"""Policies and the ceiling with the pooled prior, as they were when the aim of half of the way was set."""
COLUMNS = (*REFERENCES, NOW, "full", "theta known")


def make_unit(run: LearningRun, policy: str, stakes: float, prior: Prior = Prior.SHARED) -> Unit:
    """Return the unit of a policy in one learning run."""
    return Unit(
        run.source,
        policy,
        Protocol.LIVE,
        Regions.UNKNOWN,
        ETA,
        run.seed,
        stakes,
        prior=prior,
        milliseconds=PLANS_OF_FIVE,
    )


def _make_units(run: LearningRun, stakes: float) -> list[Unit]:
    """Return the units of one learning run, in the order of the columns."""
    ours = make_unit(run, NOW, stakes)
    pooled = [make_unit(run, policy, stakes, Prior.POOLED) for policy in (BEFORE, "lookahead-sts", NOW)]
    ceilings = [ours.ceilings[knowledge] for knowledge in (Knowledge.FULL, Knowledge.KNOWN)]
    return [*pooled, pooled[-1].ceilings[Knowledge.FULL], ours, *ceilings]


def compute(settings: Settings, work: Work) -> Rows:
    """Return the values of all policies and references, by data set and stakes."""
    rows: list[dict[str, Any]] = []
    for name in settings["datasets"]:
        runs = list_runs(name, DIVISIONS[name], settings)
        blocks = [run.block for run in runs]
        for stakes in settings["stakes"]:
            units = dict(
                zip(COLUMNS, zip(*(_make_units(run, stakes) for run in runs), strict=True), strict=True)
            )
            traces = work.run_units([unit for each in units.values() for unit in each])
            values: dict[str, Floats] = {
                who: np.array([stakes * traces[unit].accuracy - traces[unit].mean_cost for unit in each])
                for who, each in units.items()
            }
            before, pooled, ceiling = (values[f"{who}, pooled"] for who in (BEFORE, NOW, "full"))
            ours = values[NOW]
            rows.append(
                {
                    "dataset": name,
                    "stakes": stakes,
                    "values": {who: float(each.mean()) for who, each in values.items()},
                    "gained": pack(estimate_mean(ours - before, blocks)),
                    "by_sharing": pack(estimate_mean(ours - pooled, blocks)),
                    "way": pack(estimate_ratio(ours - before, ceiling - before, blocks)),
                    "way_pooled": pack(estimate_ratio(pooled - before, ceiling - before, blocks)),
                    "of_full": pack(estimate_ratio(ours, values["full"], blocks)),
                    "of_known": pack(estimate_ratio(ours, values["theta known"], blocks)),
                }
            )
    return rows


def render(settings: Settings, rows: Rows) -> str:
    """Return the tables: the values, and what they say of the default."""
    lines = [(canonical_name(row["dataset"]), f"{row['stakes']:g}", row) for row in rows]
    values = format_table(
        ["data set", "stakes", *COLUMNS],
        [[name, stakes, *(f"{row['values'][who]:.2f}" for who in COLUMNS)] for name, stakes, row in lines],
    )
    header = [
        "data set",
        "stakes",
        f"{NOW} − lookahead-ts, pooled",
        "by sharing",
        "way to full, pooled",
        f"the same of {NOW}, pooled",
        "share of full",
        "share of theta known",
    ]
    shares = format_table(
        header,
        [
            [
                name,
                stakes,
                format_difference(row["gained"]),
                format_difference(row["by_sharing"]),
                *(format_interval(row[key]) for key in ("way", "way_pooled")),
                *(format_interval(row[key]) for key in ("of_full", "of_known")),
            ]
            for name, stakes, row in lines
        ],
    )
    return f"{values}\n\n{shares}"


SECTION = Section(
    "ceiling",
    "Near the ceiling",
    {**SETTINGS, "stakes": [10.0, 30.0, 60.0]},
    {**QUICK, "stakes": [30.0]},
    compute,
    render,
)
