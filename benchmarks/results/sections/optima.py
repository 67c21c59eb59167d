"""Compare the second half of each run with the optimum, or its bound, at the same stakes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from benchmarks.results.contenders import (
    QUICK,
    SETTINGS,
    Contender,
    Held,
    format_interval,
    format_table,
    pack,
)
from benchmarks.results.scenario_blocks import LearningRun
from benchmarks.results.section import Rows, Section, Settings, Work
from odm_tui.evaluation.data.dataset_sources import canonical_name
from odm_tui.evaluation.experiment.optimum import Optimum, find_optimum
from odm_tui.evaluation.experiment.settings import Prior, Protocol
from odm_tui.evaluation.intervals import estimate_ratio

POLICIES = ("lookahead-ts", "lookahead-sts")


@cache
def optimum_of_file(data: str, run: LearningRun, stakes: float) -> Optimum:
    """Return the optimum of a file's theta and P(y); the blocks of a file share it."""
    return find_optimum(run.source.load(run.seed), stakes)


def find_optima(runs: Sequence[LearningRun], stakes: float) -> list[Optimum]:
    """Return the optimum of each run's file."""
    first: dict[str, LearningRun] = {}
    for run in runs:
        first.setdefault(run.source.data or "", run)
    return [optimum_of_file(run.source.data or "", first[run.source.data or ""], stakes) for run in runs]


def compute(settings: Settings, work: Work) -> Rows:
    """Return the best possible figures and those of ours, by data set and stakes."""
    contenders = {
        (policy, stakes): Contender(policy, Protocol.LIVE, Prior.SHARED, stakes)
        for policy in POLICIES
        for stakes in settings["stakes"]
    }
    held = Held(work, settings, list(contenders.values()))
    rows = []
    for name, runs in held.runs.items():
        for stakes in settings["stakes"]:
            best = find_optima(runs, stakes)
            row: dict[str, Any] = {
                "dataset": name,
                "stakes": stakes,
                "kind": best[0].kind,
                "cost": float(np.mean([each.cost for each in best])) if best[0].exact else None,
                "right": float(np.mean([each.accuracy for each in best])),
                "value": float(np.mean([each.value for each in best])),
            }
            for policy in POLICIES:
                own = held.figures(name, contenders[policy, stakes], 0.5)
                share = estimate_ratio(own.value(stakes), [each.value for each in best], own.blocks)
                row[policy] = [own.mean("cost").value, own.mean("right").value, pack(share)]
            rows.append(row)
    return rows


def render(settings: Settings, rows: Rows) -> str:
    """Return the table."""
    header = ["data set", "best", "stakes", "cost", "right", "value"]
    for policy in POLICIES:
        header += [f"{policy}, 2nd half: cost / right", "its value / the best"]
    lines = []
    for row in rows:
        cells = [
            canonical_name(row["dataset"]),
            row["kind"],
            f"{row['stakes']:g}",
            "for free" if row["cost"] is None else f"{row['cost']:.3f}",
            f"{row['right']:.3f}",
            f"{row['value']:.2f}",
        ]
        for policy in POLICIES:
            cost, right, share = row[policy]
            cells += [f"{cost:.3f} / {right:.3f}", format_interval(share)]
        lines.append(cells)
    return format_table(header, lines, texts=2)


SECTION = Section(
    "optima",
    "The distance from the optimum",
    {**SETTINGS, "stakes": [10.0, 30.0, 60.0]},
    {**QUICK, "stakes": [30.0]},
    compute,
    render,
)
