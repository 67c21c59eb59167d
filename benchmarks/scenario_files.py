"""The scenario files, costs and reference figures beside the checkout, which the results are made from."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from odm_tui.evaluation.data.dataset_sources import Source

DATA = Path(__file__).parents[1].parent / "shared" / "data"
SEEDS = tuple(range(130, 135))
FIRST: Mapping[str, int] = {
    "navigation": 300,
    "led": 300,
    "fico": 150,
    "compas": 150,
    "breastcancer": 80,
    "troubleshooting": 100,
}
"""How many scenarios of each data set the reference used."""


def source(dataset: str, limit: int | None) -> Source:
    """Return the scenario files and costs of a data set; without a limit, all scenarios."""
    return Source(
        dataset,
        data=str(DATA / "scenarios" / "{dataset}_seed{seed}.csv"),
        costs=str(DATA / "costs" / "costs_{dataset}.csv"),
        limit=limit,
    )
