"""Compare costs as a share of the cost of All with those of the paper's Table 1."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from benchmarks.results.contenders import ETA, format_table
from benchmarks.results.section import Rows, Section, Settings, Work
from benchmarks.results.sections.agreement import COMPARED
from benchmarks.scenario_files import FIRST, SEEDS, source
from odm_tui.evaluation.data.dataset_sources import canonical_name
from odm_tui.evaluation.experiment.plan import Unit
from odm_tui.evaluation.experiment.settings import Protocol, Regions

TABLE_1: Mapping[str, tuple[float, ...]] = {
    "navigation": (1.746, 1.746, 1.859, 1.867, 1.975, 2.305, 2.300),
    "led": (2.032, 2.061, 2.418, 2.438, 2.644, 3.147, 3.137),
    "fico": (1.159, 1.101, 1.935, 2.067, 3.078, 8.353, 8.249),
    "compas": (3.056, 3.090, 4.197, 4.034, 4.719, 6.101, 5.923),
    "breast-cancer": (1.437, 1.554, 2.091, 2.213, 6.376, 14.181, 9.286),
    "troubleshooting": (6.207, 7.615, 12.010, 12.563, 23.236, 38.113, 24.538),
}
"""The mean costs of the paper's Table 1, in the order of COMPARED."""


def compute(settings: Settings, work: Work) -> Rows:
    """Run the paper's protocol with known regions; return the share of the cost of All."""
    units = {
        (name, policy, seed): Unit(
            source(name, settings["scenarios"]), policy, Protocol.PAPER, Regions.KNOWN, ETA, seed
        )
        for name in settings["datasets"]
        for policy in COMPARED
        for seed in settings["seeds"]
    }
    traces = work.run_units(list(units.values()))
    everything = COMPARED.index("all")
    rows = []
    for name in settings["datasets"]:
        shares = []
        for policy in COMPARED:
            pairs = [
                (traces[units[name, policy, seed]], traces[units[name, "all", seed]])
                for seed in settings["seeds"]
            ]
            shares.append(float(np.mean([own.cost.sum() / full.cost.sum() for own, full in pairs])))
        table = TABLE_1[canonical_name(name)]
        rows.append({"dataset": name, "ours": shares, "papers": [cost / table[everything] for cost in table]})
    return rows


def render(settings: Settings, rows: Rows) -> str:
    """Return the table: our line above the paper's."""
    lines = []
    for row in rows:
        lines.append([canonical_name(row["dataset"]), *(f"{share:.3f}" for share in row["ours"])])
        lines.append(["in the paper", *(f"{share:.3f}" for share in row["papers"])])
    return format_table(["data set", *COMPARED], lines)


SECTION = Section(
    "paper",
    "The paper's formulas",
    settings={"datasets": list(FIRST), "scenarios": 500, "seeds": list(SEEDS)},
    quick={"datasets": ["breastcancer"], "scenarios": 5, "seeds": [130]},
    compute=compute,
    render=render,
)
