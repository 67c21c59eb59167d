"""When in a run ``lookahead-learn`` is behind *full*: fifth by fifth, split in cost and wrong decisions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.results.contenders import format_table
from benchmarks.results.scenario_blocks import LearningRun
from benchmarks.results.sections.ceiling import NOW, make_unit
from odm_tui.engine.problem import Floats
from odm_tui.evaluation.data.dataset_sources import canonical_name
from odm_tui.evaluation.experiment.batch.units import run_together
from odm_tui.evaluation.experiment.plan import Unit
from odm_tui.evaluation.experiment.settings import Knowledge, Prior

PARTS = 5


def write_by_time(lines: Iterator[tuple[str, float, Sequence[LearningRun]]], prior: Prior) -> None:
    """Print a table with one line for each data set and each of the stakes: the gap, and how much of it is cost."""
    parts = [f"{part + 1}/{PARTS} of the run" for part in range(PARTS)]
    print(format_table(["data set", "stakes", *parts], []))
    for name, stakes, runs in lines:
        units = [make_unit(run, NOW, stakes, prior) for run in runs]
        value, cost = _read(units, stakes)
        best, paid = _read([unit.ceilings[Knowledge.FULL] for unit in units], stakes)
        gaps, more = split(best - value), split(cost - paid)
        cells = [f"{gap:.2f} ({own:+.2f})" for gap, own in zip(gaps, more, strict=True)]
        print("| " + " | ".join([canonical_name(name), f"{stakes:g}", *cells]) + " |", flush=True)


def split(values: Floats) -> list[float]:
    """The mean of each fifth of the interviews.

    >>> split(np.array([1.0, 3.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 9.0, 9.0]))
    [2.0, 5.0, 5.0, 5.0, 9.0]
    """
    return [float(part.mean()) for part in np.array_split(values, PARTS)]


def _read(units: Sequence[Unit], stakes: float) -> tuple[Floats, Floats]:
    """The value and the cost of each interview, mean over the runs, (interviews,) each."""
    traces = [trace for _, trace in run_together(units)]
    cost = np.mean([trace.cost for trace in traces], axis=0)
    right = np.mean([trace.decision == trace.label for trace in traces], axis=0)
    return np.asarray(stakes * right - cost), np.asarray(cost)
