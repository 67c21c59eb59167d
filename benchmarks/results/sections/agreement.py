"""Compare our mean costs with those of the authors' program, paired by seed."""

from __future__ import annotations

import csv
from typing import Any

import numpy as np

from benchmarks.results.contenders import ETA, format_table
from benchmarks.results.section import Rows, Section, Settings, Work
from benchmarks.scenario_files import DATA, FIRST, SEEDS, source
from odm_tui.evaluation.data.dataset_sources import canonical_name
from odm_tui.evaluation.experiment.plan import Unit
from odm_tui.evaluation.experiment.settings import Protocol, Regions

COMPARED = ("w-ec2-ts", "w-ec2-bucb", "w-ig-ts", "w-ig-bucb", "random", "all", "dpp")


def compute(settings: Settings, work: Work) -> Rows:
    """Run the authors' protocol with their seeds; return the mean costs of ours and theirs."""
    rows = [
        {"dataset": name, "regions": regions.value, "policy": policy}
        for regions in Regions
        for name in settings["datasets"]
        if not (regions is Regions.UNKNOWN and name == "troubleshooting")
        for policy in settings["policies"]
    ]
    seeds = settings["seeds"]
    units = {
        (at, seed): Unit(
            source(row["dataset"], FIRST[row["dataset"]]),
            row["policy"],
            Protocol.AUTHORS,
            Regions(row["regions"]),
            ETA,
            seed,
        )
        for at, row in enumerate(rows)
        for seed in seeds
    }
    traces = work.run_units(list(units.values()))
    theirs = _read_reference()
    return [
        {
            **row,
            "ours": [traces[units[at, seed]].mean_cost for seed in seeds],
            "theirs": [
                theirs.get((row["regions"], canonical_name(row["dataset"]), row["policy"], seed))
                for seed in seeds
            ],
        }
        for at, row in enumerate(rows)
    ]


def _read_reference() -> dict[tuple[str, str, str, int], float]:
    with (DATA / "reference_per_seed.csv").open() as lines:
        return {
            (
                row["setting"],
                canonical_name(row["dataset"]),
                row["algorithm"].lower(),
                int(row["seed"]),
            ): float(row["mean_cost"])
            for row in csv.DictReader(lines)
        }


def render(settings: Settings, rows: Rows) -> str:
    """Return the table."""
    header = ["data set", "regions", "policy", "ours", "theirs", "difference ± standard error"]
    return format_table(header, [_cells(row) for row in rows], texts=3)


def _cells(row: dict[str, Any]) -> list[str]:
    ours = np.array(row["ours"])
    cells = [canonical_name(row["dataset"]), row["regions"], row["policy"], f"{ours.mean():.4f}"]
    if None in row["theirs"]:
        return [*cells, "", ""]
    theirs = np.array(row["theirs"])
    gaps = ours - theirs
    if np.abs(gaps).max() < 1e-5 * max(1.0, float(theirs.max())):
        text = "equal"
    else:
        text = f"{gaps.mean():+.4f} ± {gaps.std(ddof=1) / np.sqrt(len(gaps)):.4f}"
    return [*cells, f"{theirs.mean():.4f}", text]


SECTION = Section(
    "agreement",
    "Agreement with the authors' program",
    settings={"datasets": list(FIRST), "policies": list(COMPARED), "seeds": list(SEEDS)},
    quick={"datasets": ["breastcancer"], "policies": ["w-ec2-ts", "all"], "seeds": [130, 131]},
    compute=compute,
    render=render,
)
