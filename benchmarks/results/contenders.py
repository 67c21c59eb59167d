"""The policies that the section "Better than the paper" compares, and their figures over learning runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.results.scenario_blocks import DIVISIONS, LearningRun, list_runs
from benchmarks.results.section import Settings, Work
from odm_tui.engine.problem import Floats
from odm_tui.evaluation.experiment.metrics import careful_utilities, utilities
from odm_tui.evaluation.experiment.plan import Unit
from odm_tui.evaluation.experiment.settings import Prior, Protocol, Regions
from odm_tui.evaluation.experiment.simulation import Trace
from odm_tui.evaluation.intervals import ClusterEstimate, estimate_mean, mean_interval

ETA = 0.002


@dataclass(frozen=True)
class Contender:
    """One policy under one rule: ``paper`` is the paper's, with unknown regions; ``live`` is ours.

    Without ``stakes``, they are the default of a bank: sixty questions of the mean cost.
    """

    policy: str
    protocol: Protocol
    prior: Prior = Prior.SEPARATE
    stakes: float | None = None

    @property
    def rule(self) -> str:
        """The rule in words."""
        return "paper's" if self.protocol == Protocol.PAPER else f"live, {self.prior}"

    @property
    def stakes_text(self) -> str:
        """The stakes, if the policy uses them."""
        if not self.uses_stakes:
            return ""
        return "default" if self.stakes is None else f"{self.stakes:g}"

    @property
    def uses_stakes(self) -> bool:
        """Whether the policy stops by what a wrong decision costs."""
        return self in OURS

    def unit(self, run: LearningRun) -> Unit:
        """Return the contender's unit of one learning run."""
        return Unit(
            run.source,
            self.policy,
            self.protocol,
            Regions.UNKNOWN,
            ETA,
            run.seed,
            self.stakes,
            prior=self.prior,
        )


STAKES = (None, 10.0, 30.0, 60.0)
"""The stakes that are compared, fixed beforehand: the default of a bank, and three figures."""
PAPERS = ("w-ec2-ts", "w-ig-ts", "random", "all")
RIVAL = Contender("w-ec2-ts", Protocol.PAPER)
EVERYTHING = Contender("all", Protocol.PAPER)
OURS = (
    *(Contender("lookahead-ts", Protocol.LIVE, Prior.SHARED, stakes) for stakes in STAKES),
    *(Contender("lookahead-sts", Protocol.LIVE, Prior.SHARED, stakes) for stakes in STAKES),
    Contender("w-eced-ts", Protocol.LIVE, Prior.SHARED, 30.0),
)
"""Ours; w-eced-ts, whose interviews are not held in step, only at one of the stakes."""
CONTENDERS = (
    *(Contender(policy, Protocol.PAPER) for policy in PAPERS),
    *(Contender(policy, Protocol.LIVE, Prior.SHARED) for policy in ("w-ec2-ts", "all")),
    *OURS,
)

FEW_DATASETS: Mapping[str, tuple[str, ...]] = {
    "w-eced-ts": ("navigation", "led", "compas"),
    "w-ec2-bucb": ("navigation", "led", "fico", "compas", "breastcancer"),
    "w-ig-bucb": ("navigation", "led", "fico", "compas", "breastcancer"),
}
"""On which data sets policies are held whose interviews can't be held in step and take long; others everywhere."""

SETTINGS: Settings = {"datasets": list(DIVISIONS), "most_runs": None, "most_scenarios": None}
QUICK: Settings = {"datasets": ["breastcancer"], "most_runs": 2, "most_scenarios": 4}


@dataclass(frozen=True, eq=False)
class RunFigures:
    """The figures of learning runs, (runs,) each: means over the run, or over its second half."""

    cost: Floats
    right: Floats
    utility: Floats
    careful: Floats
    blocks: tuple[int, ...]

    @classmethod
    def of(cls, traces: Iterable[Trace], blocks: Sequence[int], start: float = 0.0) -> RunFigures:
        """Return the figures of the interviews after some share of each run."""
        rows = []
        for trace in traces:
            part = slice(int(start * len(trace.cost)), None)
            columns = (
                trace.cost,
                trace.decision == trace.label,
                utilities(trace.decision, trace.label),
                careful_utilities(trace),
            )
            rows.append([float(np.mean(column[part])) for column in columns])
        cost, right, utility, careful = np.array(rows).T
        return cls(cost, right, utility, careful, tuple(blocks))

    def mean(self, name: str) -> ClusterEstimate:
        """Return the mean of a figure with its interval."""
        return estimate_mean(getattr(self, name), self.blocks)

    def difference(self, name: str, other: RunFigures) -> ClusterEstimate:
        """Return the mean difference to another contender in the same runs."""
        return estimate_mean(getattr(self, name) - getattr(other, name), self.blocks)

    def value(self, stakes: float) -> Floats:
        """Return stakes · right − cost of each run."""
        return stakes * self.right - self.cost


class Held:
    """The traces of contenders on data sets, and their figures."""

    def __init__(self, work: Work, settings: Settings, contenders: Sequence[Contender]) -> None:
        self.runs: dict[str, list[LearningRun]] = {
            name: list_runs(name, DIVISIONS[name], settings) for name in settings["datasets"]
        }
        units = [
            contender.unit(run)
            for name, runs in self.runs.items()
            for contender in select(contenders, name)
            for run in runs
        ]
        self.traces: Mapping[Unit, Trace] = work.run_units(units)

    def figures(self, name: str, contender: Contender, start: float = 0.0) -> RunFigures:
        """Return a contender's figures on one data set, after some share of each run."""
        runs = self.runs[name]
        traces = (self.traces[contender.unit(run)] for run in runs)
        return RunFigures.of(traces, [run.block for run in runs], start)


def select(contenders: Sequence[Contender], dataset: str) -> list[Contender]:
    """Return the contenders that are held on a data set."""
    return [each for each in contenders if dataset in FEW_DATASETS.get(each.policy, (dataset,))]


def pack(estimate: ClusterEstimate) -> list[float]:
    """Return an estimate as JSON holds it: value, low, high."""
    return [estimate.value, estimate.low, estimate.high]


def unpack(values: Sequence[float]) -> ClusterEstimate:
    """Return the estimate that :func:`pack` converted."""
    return ClusterEstimate(*values)


def pack_contender(contender: Contender) -> dict[str, Any]:
    """Return the cells that name a contender."""
    return {"policy": contender.policy, "rule": contender.rule, "stakes": contender.stakes_text}


def format_interval(values: Sequence[float], sign: str = "") -> str:
    """Return a figure with its interval.

    >>> format_interval([0.5, 0.25, 0.75], "+")
    '+0.500 [+0.250, +0.750]'
    """
    value, low, high = values
    return f"{value:{sign}.3f} [{low:{sign}.3f}, {high:{sign}.3f}]"


def format_mean(values: Floats, digits: int) -> str:
    """Return the mean of independent runs with its 95 % interval; for splits of one data set see ``random_splits``.

    >>> format_mean(np.array([1.0, 2.0, 3.0]), 1)
    '2.0 [-0.5, 4.5]'
    """
    mean, (low, high) = mean_interval(values, len(values) - 1)
    return f"{mean:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def format_mean_difference(values: Floats, digits: int) -> str:
    """Return the paired difference of independent runs; it is called noise if the interval does not exclude 0.

    A difference that is 0 in every run is no noise: both did the same.

    >>> format_mean_difference(np.array([-1.0, 2.0, 3.0]), 1)
    '1.3 [-3.8, 6.5] (noise)'
    >>> format_mean_difference(np.zeros(3), 1)
    '0.0 [0.0, 0.0]'
    """
    _, (low, high) = mean_interval(values, len(values) - 1)
    excludes = low > 0 or high < 0 or not values.any()
    return format_mean(values, digits) + ("" if excludes else " (noise)")


def format_difference(values: Sequence[float]) -> str:
    """Return a difference with its interval; it is called noise if the interval does not exclude 0.

    A difference that is 0 everywhere is no noise: both did the same.

    >>> format_difference([0.5, -0.25, 1.25])
    '+0.500 [-0.250, +1.250] (noise)'
    """
    same = not any(values)
    return format_interval(values, "+") + ("" if same or unpack(values).excludes(0.0) else " (noise)")


def format_table(header: Sequence[str], rows: Iterable[Sequence[str]], texts: int = 1) -> str:
    """Return a Markdown table; the first ``texts`` columns are text, the others figures.

    >>> print(format_table(["policy", "cost"], [["all", "1.0"]]))
    | policy | cost |
    | --- | ---: |
    | all | 1.0 |
    """
    lines = [header, ["---" if at < texts else "---:" for at in range(len(header))], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
