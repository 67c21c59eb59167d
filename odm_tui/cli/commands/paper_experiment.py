"""``odm-tui experiment paper``: all six data sets of the paper's section 6 in one run, with its figures."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from odm_tui.errors import BadArgument

if TYPE_CHECKING:
    from odm_tui.cli.commands.experiment_options import ExperimentOptions

PAPER = "paper"
"""Stands for all data sets of the paper."""


def list_paper_runs(options: ExperimentOptions) -> list[tuple[str, ExperimentOptions]]:
    """Return the runs of the paper's section 6, each with the sub-folder of --out for its files.

    Section 6.2 has known regions, section 6.4 unknown ones. Where costs are drawn, they differ by outcome, and
    real-valued tests are asked as pairs of test and threshold (section 6.5).
    """
    if options.out is None:
        raise BadArgument("The paper's experiments draw figures. Name a folder for them with --out FOLDER.")
    if options.frontier or options.protocol not in (None, "paper") or options.regions is not None:
        raise BadArgument(
            "The paper's experiments have their own protocol and regions. Leave out --frontier, --protocol and --regions."
        )
    datasets, missing = find_paper_datasets(options.data)
    if missing:
        typer.echo(
            f"{' and '.join(missing)} can't be shipped and are left out. Name their scenarios with "
            "--data 'FOLDER/{dataset}_seed{seed}.csv'.",
            file=sys.stderr,
        )
    common = replace(
        options,
        datasets=datasets,
        charts=True,
        plot=False,
        pairs=True,
        costs_by_outcome=options.costs is None,
    )
    out = options.out
    return [
        (f"Section 6, regions {regions}", replace(common, regions=regions, out=out / f"regions-{regions}"))
        for regions in ("known", "unknown")
    ]


def find_paper_datasets(data: str | None) -> tuple[list[str], list[str]]:
    """Return the data sets that can be run, by the names that their files have, and those that are missing."""
    from odm_tui.evaluation.data.dataset_sources import GENERATED, PAPER_HYPOTHESES

    if data is not None:
        return [_find_spelling(name, data) for name in PAPER_HYPOTHESES], []
    shipped = [name for name in PAPER_HYPOTHESES if name in GENERATED or name == "breast-cancer"]
    return shipped, [name for name in PAPER_HYPOTHESES if name not in shipped]


def _find_spelling(name: str, data: str) -> str:
    """Return the name as its files have it: breast-cancer may be breastcancer."""
    for spelling in (name, name.replace("-", ""), name.replace("-", "_")):
        folder = Path(data.replace("{dataset}", spelling)).parent
        pattern = Path(data.replace("{dataset}", spelling).replace("{seed}", "*")).name
        if any(folder.glob(pattern)):
            return spelling
    return name
