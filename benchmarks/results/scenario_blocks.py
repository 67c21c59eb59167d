"""The learning runs behind the tables: blocks of disjoint scenarios × random streams, at least 40 a data set.

The files of navigation, LED and troubleshooting are independent samples, so their blocks are disjoint. The five files of
fico, compas and breast cancer are drawn from the same cases, so only the first one is divided. Runs of the same block
share their scenarios and are one cluster.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from benchmarks.results.section import Settings
from benchmarks.scenario_files import SEEDS, source
from odm_tui.evaluation.data.dataset_sources import Source


@dataclass(frozen=True)
class Division:
    """How the scenarios of a data set are divided: ``blocks`` of ``length`` in each of ``files``, ``streams`` runs each."""

    files: int
    blocks: int
    length: int
    streams: int

    @property
    def clusters(self) -> int:
        """How many blocks there are in all."""
        return self.files * self.blocks

    @property
    def runs(self) -> int:
        """How many learning runs there are in all."""
        return self.clusters * self.streams


DIVISIONS: Mapping[str, Division] = {
    "navigation": Division(files=5, blocks=4, length=250, streams=2),
    "led": Division(files=5, blocks=8, length=250, streams=1),
    "fico": Division(files=1, blocks=40, length=150, streams=1),
    "compas": Division(files=1, blocks=40, length=139, streams=1),
    "breastcancer": Division(files=1, blocks=6, length=76, streams=7),
    "troubleshooting": Division(files=5, blocks=8, length=100, streams=1),
}
LONG: Mapping[str, Division] = {
    "navigation": Division(files=5, blocks=1, length=1000, streams=8),
    "led": Division(files=5, blocks=2, length=1000, streams=4),
    "compas": Division(files=1, blocks=8, length=699, streams=5),
}
"""The long runs of "once it has learned", for data sets whose optimum is exact."""


@dataclass(frozen=True)
class LearningRun:
    """One learning run: its scenarios, the block they are, and the seed of everything that is drawn."""

    source: Source
    block: int
    seed: int


def list_runs(dataset: str, division: Division, settings: Settings | None = None) -> list[LearningRun]:
    """Return the learning runs of a data set, from as many blocks as possible.

    The settings ``most_runs`` and ``most_scenarios`` make them fewer and shorter, for a trial.
    """
    limits = settings or {}
    length = limits.get("most_scenarios") or division.length
    runs = []
    for stream in range(division.streams):
        for file in range(division.files):
            whole = source(dataset, None)
            data = (whole.data or "").replace("{seed}", str(SEEDS[file]))
            for block in range(division.blocks):
                number = file * division.blocks + block
                part = replace(whole, data=data, limit=length, skip=block * division.length)
                runs.append(LearningRun(part, number, 1000 * stream + number))
    return runs[: limits.get("most_runs")]


def describe_runs(runs: Sequence[LearningRun]) -> str:
    """Return how many runs of how many scenarios there are, in words.

    >>> describe_runs(list_runs("led", Division(files=2, blocks=1, length=250, streams=2)))
    '4 runs of 250 scenarios, 2 disjoint blocks'
    """
    blocks = len({run.block for run in runs})
    return f"{len(runs)} runs of {runs[0].source.limit} scenarios, {blocks} disjoint blocks"
