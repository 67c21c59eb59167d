"""Cost against accuracy: one point per policy, or one per stakes for policies that use stakes."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from odm_tui.engine.policy import policy_from
from odm_tui.engine.stopping import Value
from odm_tui.errors import BadArgument
from odm_tui.evaluation.data.dataset_sources import Source
from odm_tui.evaluation.experiment.metrics import mean_over_seeds, spread_over_seeds, utilities
from odm_tui.evaluation.experiment.optimum import Optimum, find_optimum
from odm_tui.evaluation.experiment.plan import WITH_VARIANTS, Experiment, Unit
from odm_tui.evaluation.experiment.simulation import Trace
from odm_tui.evaluation.parallel import run_calls

STAKES: tuple[float, ...] = (3.0, 10.0, 30.0, 100.0, 300.0)
FRONTIER_POLICIES = ("lookahead-ts", "w-eced-ts", "w-ec2-ts", "w-ig-ts", "random", "all", "dpp")
OPTIMUM = "optimum"


@dataclass(frozen=True)
class Point:
    """One policy at some stakes (None if it does not use them): means over seeds, and their spread."""

    stakes: float | None
    mean_cost: float
    std_cost: float
    accuracy: float
    std_accuracy: float
    mean_questions: float
    utility: float


@dataclass(frozen=True)
class Frontier:
    """The points of one data set by policy, with the optimum if it can be computed."""

    dataset: str
    scenarios: int
    lines: Mapping[str, tuple[Point, ...]]

    def as_dict(self) -> dict[str, Any]:
        """Return the frontier as ``--json`` prints it."""
        lines = [
            {"policy": policy, "points": [asdict(point) for point in points]}
            for policy, points in self.lines.items()
        ]
        return {"dataset": self.dataset, "scenarios": self.scenarios, "lines": lines}


def parse_stakes(text: str | None) -> tuple[float, ...]:
    """Return the stakes of a text such as ``3,10,30``, lowest first; without a text, the default ones.

    >>> parse_stakes("30,3,10")
    (3.0, 10.0, 30.0)
    """
    if text is None:
        return STAKES
    try:
        stakes = {float(part) for part in text.split(",")}
    except ValueError:
        stakes = set()
    if not stakes or not all(0 <= each < float("inf") for each in stakes):
        raise BadArgument(f"--grid must be stakes with commas between them, such as 3,10,30, not {text!r}.")
    return tuple(sorted(stakes))


def uses_stakes(policy: str) -> bool:
    """Return whether a policy depends on the stakes."""
    return isinstance(policy_from(policy.removesuffix(WITH_VARIANTS)).stop, Value)


def list_frontier_units(experiment: Experiment, grid: Sequence[float]) -> list[Unit]:
    """Return the units of a frontier; regret is not part of it."""
    return [
        unit
        for source in experiment.sources
        for _, _, units in _points_of(experiment, source, grid)
        for unit in units
    ]


def _points_of(
    experiment: Experiment, source: Source, grid: Sequence[float]
) -> Iterator[tuple[str, float | None, list[Unit]]]:
    """Yield the policy, the stakes and the units of all seeds for every point of a data set."""
    for policy in experiment.policies:
        for stakes in grid if uses_stakes(policy) else (None,):
            at_stakes = replace(experiment, stakes=stakes)
            yield policy, stakes, [at_stakes.unit(source, policy, seed) for seed in experiment.seeds]


def compute_frontiers(
    experiment: Experiment, grid: Sequence[float], traces: Mapping[Unit, Trace], jobs: int = 1
) -> list[Frontier]:
    """Return the frontier of every data set."""
    made = []
    for source in experiment.sources:
        lines: dict[str, tuple[Point, ...]] = {}
        scenarios = 0
        for policy, stakes, units in _points_of(experiment, source, grid):
            held = [traces[unit] for unit in units]
            scenarios = min(len(trace.cost) for trace in held)
            lines[policy] = (*lines.get(policy, ()), _point(stakes, held))
        best = _optimal_points(source, experiment.seeds, grid, jobs)
        if best:
            lines[OPTIMUM] = best
        made.append(Frontier(source.dataset, scenarios, lines))
    return made


def _point(stakes: float | None, traces: Sequence[Trace]) -> Point:
    cost = [trace.mean_cost for trace in traces]
    right = [trace.accuracy for trace in traces]
    return Point(
        stakes=stakes,
        mean_cost=mean_over_seeds(cost),
        std_cost=spread_over_seeds(cost),
        accuracy=mean_over_seeds(right),
        std_accuracy=spread_over_seeds(right),
        mean_questions=mean_over_seeds([float(trace.questions.mean()) for trace in traces]),
        utility=mean_over_seeds([float(utilities(trace.decision, trace.label).mean()) for trace in traces]),
    )


def _optimal_points(
    source: Source, seeds: Sequence[int], grid: Sequence[float], jobs: int
) -> tuple[Point, ...]:
    """Return the exact optimum at each of the stakes, or nothing if there is only a bound."""
    if not _load_optimum(source, seeds[0], grid[0]).exact:
        return ()
    calls = [(_load_optimum, (source, seed, stakes)) for stakes in grid for seed in seeds]
    found: list[Optimum] = run_calls(calls, jobs)
    points = []
    for at, stakes in enumerate(grid):
        best = found[at * len(seeds) : (at + 1) * len(seeds)]
        right = [each.accuracy for each in best]
        cost = [each.cost for each in best]
        asked = mean_over_seeds([each.questions for each in best])
        utility = 3.0 * mean_over_seeds(right) - 1.0  # 2 for right, -1 for wrong, and never undecided
        points.append(
            Point(
                stakes,
                mean_over_seeds(cost),
                spread_over_seeds(cost),
                mean_over_seeds(right),
                spread_over_seeds(right),
                asked,
                utility,
            )
        )
    return tuple(points)


def _load_optimum(source: Source, seed: int, stakes: float) -> Optimum:
    return find_optimum(source.load(seed), stakes)


def frontiers_to_csv(frontiers: Sequence[Frontier]) -> str:
    """Return CSV with one line for each data set, policy and stakes."""
    text = io.StringIO()
    names = ["stakes", "mean_cost", "std_cost", "accuracy", "std_accuracy", "mean_questions", "utility"]
    writer = csv.DictWriter(text, ["dataset", "policy", *names], lineterminator="\n")
    writer.writeheader()
    for each in frontiers:
        for policy, points in each.lines.items():
            for point in points:
                writer.writerow({"dataset": each.dataset, "policy": policy, **asdict(point)})
    return text.getvalue()


def axis_ranges(frontier: Frontier) -> tuple[float, float, float]:
    """Return the highest cost, the lowest accuracy and the highest accuracy of a frontier."""
    points = [point for line in frontier.lines.values() for point in line]
    right = np.array([point.accuracy for point in points])
    return max(point.mean_cost for point in points), float(right.min()), float(right.max())
