"""Compare our policies with the paper's: the section "Better than the paper" of docs/results.md."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.scenario_files import FIRST, SEEDS, source
from odm_tui.engine.problem import Floats
from odm_tui.evaluation.data.dataset_sources import canonical_name
from odm_tui.evaluation.experiment.metrics import careful_utilities, utilities
from odm_tui.evaluation.experiment.optimum import Optimum, find_best_plan, find_optimum, follow_plan
from odm_tui.evaluation.experiment.plan import Unit
from odm_tui.evaluation.experiment.runner import run_units
from odm_tui.evaluation.experiment.settings import Prior, Protocol, Regions
from odm_tui.evaluation.experiment.simulation import Trace

LONG: Mapping[str, int | None] = {"navigation": None, "led": None, "compas": 600}
"""How many scenarios "once it has learned" uses (None: the whole file), for data sets with an exact optimum."""
LEARNED_STAKES = 30.0
LEARNERS = ("lookahead-ts", "lookahead-sts", "lookahead-mean")
REPLICATES = 2000


@dataclass(frozen=True)
class Contender:
    """One policy under one rule: ``paper`` is the paper's, with unknown regions; ``live`` is ours."""

    policy: str
    protocol: Protocol
    prior: Prior = Prior.SEPARATE
    stakes: float | None = None

    @property
    def cells(self) -> str:
        """The first three cells of the contender's row."""
        return f"{self.policy} | {_rule(self)} | {'' if self.stakes is None else f'{self.stakes:g}'}"

    def unit(self, dataset: str, seed: int, limit: int | None) -> Unit:
        """Return the contender's unit of one data set and seed."""
        return Unit(
            source(dataset, limit),
            self.policy,
            self.protocol,
            Regions.UNKNOWN,
            0.002,
            seed,
            self.stakes,
            prior=self.prior,
        )


PAPERS = ("w-ec2-ts", "w-ig-ts", "random", "all")
RIVAL = Contender("w-ec2-ts", Protocol.PAPER)
EVERYTHING = Contender("all", Protocol.PAPER)
CONTENDERS = (
    *(Contender(policy, Protocol.PAPER) for policy in PAPERS),
    *(Contender(policy, Protocol.LIVE) for policy in PAPERS),
    *(Contender(policy, Protocol.LIVE, Prior.POOLED) for policy in ("w-ec2-ts", "all")),
    *(
        Contender("lookahead-ts", Protocol.LIVE, Prior.POOLED, stakes)
        for stakes in (3.0, 5.0, 10.0, 30.0, 60.0, 300.0)
    ),
    *(
        Contender("lookahead-sts", Protocol.LIVE, Prior.POOLED, stakes)
        for stakes in (5.0, 10.0, 20.0, 30.0, 60.0)
    ),
    *(Contender("w-eced-ts", Protocol.LIVE, Prior.POOLED, stakes) for stakes in (10.0, 30.0, 60.0)),
)
OURS = tuple(each for each in CONTENDERS if each.stakes is not None)


@dataclass(frozen=True, eq=False)
class Figures:
    """The figures of interviews: lists of arrays by scenario, one per seed."""

    cost: list[Floats]
    right: list[Floats]
    utility: list[Floats]
    careful: list[Floats]

    @classmethod
    def of(cls, traces: Iterable[Trace], start: float = 0.0) -> Figures:
        """Return the figures of the interviews after some share of the run."""
        held = list(traces)
        parts = [slice(int(start * len(trace.cost)), None) for trace in held]
        pairs = list(zip(held, parts, strict=True))
        return cls(
            [trace.cost[part] for trace, part in pairs],
            [(trace.decision == trace.label)[part].astype(float) for trace, part in pairs],
            [utilities(trace.decision, trace.label)[part] for trace, part in pairs],
            [careful_utilities(trace)[part] for trace, part in pairs],
        )


def mean(values: Sequence[Floats]) -> float:
    """Return the mean over seeds of the means over scenarios."""
    return float(np.mean([each.mean() for each in values]))


def resampled(values: Sequence[Floats]) -> Floats:
    """Return bootstrap replicates of the mean: draw scenarios within their seed, always the same ones."""
    rng = np.random.default_rng(0)
    made = np.zeros(REPLICATES)
    for each in values:
        made += each[rng.integers(0, len(each), (REPLICATES, len(each)))].mean(axis=1)
    return made / len(values)


def interval(replicates: Floats) -> tuple[float, float]:
    """Return the 95 % interval of replicates."""
    low, high = np.quantile(replicates, [0.025, 0.975])
    return float(low), float(high)


@dataclass(frozen=True)
class Difference:
    """The mean difference of two contenders on the same scenarios, with its 95 % interval."""

    mean: float
    low: float
    high: float

    @classmethod
    def of(cls, ours: Sequence[Floats], theirs: Sequence[Floats]) -> Difference:
        gaps = [mine - yours for mine, yours in zip(ours, theirs, strict=True)]
        return cls(mean(gaps), *interval(resampled(gaps)))

    def __str__(self) -> str:
        noise = " (noise)" if self.low <= 0 <= self.high else ""
        return f"{self.mean:+.3f} [{self.low:+.3f}, {self.high:+.3f}]{noise}"


@cache
def held() -> Mapping[Unit, Trace]:
    """Run all interviews of this section."""
    units = [
        contender.unit(name, seed, limit)
        for name, limit in FIRST.items()
        for contender in CONTENDERS
        for seed in SEEDS
    ]
    units += [
        learner(policy).unit(name, seed, limit)
        for policy in LEARNERS
        for name, limit in LONG.items()
        for seed in SEEDS
    ]
    folder = os.environ.get("KEEP")
    return run_units(
        units, folder=None if folder is None else Path(folder), jobs=int(os.environ.get("JOBS", "2"))
    )


def learner(policy: str) -> Contender:
    """Return the contender of the long runs."""
    return Contender(policy, Protocol.LIVE, Prior.POOLED, LEARNED_STAKES)


def figures(name: str, contender: Contender, start: float = 0.0) -> Figures:
    """Return a contender's figures on one data set, after some share of the run."""
    limit = FIRST[name]
    return Figures.of((held()[contender.unit(name, seed, limit)] for seed in SEEDS), start)


def winners() -> str:
    """Return the tables of all contenders on all data sets, over the whole run and its second half."""
    traces = held()
    text = []
    for name, limit in FIRST.items():
        rival = figures(name, RIVAL)
        text += [
            f"**{canonical_name(name)}**, the first {limit} scenarios of each seed",
            "",
            (
                "| policy | rule | stakes | cost | right | utility (careful) "
                "| cost, 2nd half | right, 2nd half | utility (careful), 2nd half "
                "| cost − W-EC²-TS's | right − W-EC²-TS's |"
            ),
            "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
        ]
        for contender in CONTENDERS:
            whole, half = figures(name, contender), figures(name, contender, 0.5)
            cells = [
                contender.cells,
                *_cells(whole),
                *_cells(half),
            ]
            if contender == RIVAL:
                cells += ["", ""]
            else:
                cells += [
                    str(Difference.of(whole.cost, rival.cost)),
                    str(Difference.of(whole.right, rival.right)),
                ]
            text.append("| " + " | ".join(cells) + " |")
        text.append("")
    spent = sum(trace.seconds for trace in traces.values())
    text.append(
        f"Seeds {SEEDS[0]} to {SEEDS[-1]}. {len(traces)} runs, those of the longer runs below included, took "
        f"{spent / 60:.0f} minutes of run time in all, two at a time."
    )
    return "\n".join(text)


def _cells(made: Figures) -> list[str]:
    """Return cost, share of right decisions and utility, with the careful utility if decisions have a belief."""
    cautious = mean(made.careful)
    utility = f"{mean(made.utility):.2f}"
    if cautious != mean(made.utility):
        utility += f" ({round(cautious, 2) + 0.0:.2f})"  # + 0.0: no minus sign before a zero
    return [f"{mean(made.cost):.3f}", f"{mean(made.right):.3f}", utility]


def goals() -> str:
    """Return where ours has lower cost and higher accuracy than W-EC²-TS by the paper's rule."""
    text = [
        "| data set | W-EC²-TS, paper's rule: cost / right | both better, beyond noise | both better, but not beyond noise |",
        "| --- | ---: | --- | --- |",
    ]
    for name in FIRST:
        rival = figures(name, RIVAL)
        surely: list[str] = []
        perhaps: list[str] = []
        for contender in OURS:
            own = figures(name, contender)
            cost, right = Difference.of(own.cost, rival.cost), Difference.of(own.right, rival.right)
            if cost.mean < 0 < right.mean:
                (surely if cost.high < 0 < right.low else perhaps).append(_short(contender, own))
        text.append(
            f"| {canonical_name(name)} | {mean(rival.cost):.3f} / {mean(rival.right):.3f} "
            f"| {_list(surely)} | {_list(perhaps)} |"
        )
    return "\n".join(text)


def usefulness() -> str:
    """Compare the utility of ours with that of asking everything by the paper's rule."""
    text = [
        (
            "| data set | All, paper's rule: utility (cost) | ours, highest utility | difference "
            "| ours, highest careful utility | difference |"
        ),
        "| --- | ---: | --- | ---: | --- | ---: |",
    ]
    for name in FIRST:
        everything = figures(name, EVERYTHING)
        cells = [canonical_name(name), f"{mean(everything.utility):.2f} ({mean(everything.cost):.2f})"]
        for careful in (False, True):
            gained = {each: _utility(figures(name, each), careful) for each in OURS}
            best = max(gained, key=lambda each: mean(gained[each]))
            cells += [
                f"{mean(gained[best]):.2f}: {_short(best, figures(name, best))}",
                str(Difference.of(gained[best], everything.utility)),
            ]
        text.append("| " + " | ".join(cells) + " |")
    return "\n".join(text)


def values() -> str:
    """Return the value of each candidate for the default at stakes 30, about the default of these data sets."""
    stakes = 30.0
    default = Contender("lookahead-ts", Protocol.LIVE, Prior.POOLED, stakes)
    others = (
        Contender("lookahead-sts", Protocol.LIVE, Prior.POOLED, stakes),
        Contender("w-eced-ts", Protocol.LIVE, Prior.POOLED, stakes),
        Contender("w-ec2-ts", Protocol.LIVE, Prior.POOLED),
        Contender("all", Protocol.LIVE, Prior.POOLED),
        RIVAL,
    )
    names = ["lookahead-ts", *(f"{each.policy}, {_rule(each)}: difference" for each in others)]
    text = ["| data set | " + " | ".join(names) + " |", "| --- |" + " ---: |" * len(names)]
    for name in FIRST:
        own = _value(figures(name, default), stakes)
        gaps = [Difference.of(_value(figures(name, each), stakes), own) for each in others]
        text.append(f"| {canonical_name(name)} | {mean(own):.2f} | " + " | ".join(map(str, gaps)) + " |")
    return "\n".join(text)


def _value(made: Figures, stakes: float) -> list[Floats]:
    return [stakes * right - cost for right, cost in zip(made.right, made.cost, strict=True)]


def _rule(contender: Contender) -> str:
    return "paper's" if contender.protocol == Protocol.PAPER else f"live, {contender.prior}"


def _utility(made: Figures, careful: bool) -> list[Floats]:
    return made.careful if careful else made.utility


def _short(contender: Contender, own: Figures) -> str:
    return f"{contender.policy} at {contender.stakes:g} ({mean(own.cost):.3f} / {mean(own.right):.3f})"


def _list(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"


@cache
def optimum(name: str, stakes: float, limit: int | None) -> tuple[Optimum, ...]:
    """Return the optimum of each seed."""
    return tuple(find_optimum(source(name, limit).load(seed), stakes) for seed in SEEDS)


def optima() -> str:
    """Compare the second half of the run with the optimum, or the bound, at the same stakes."""
    text = [
        (
            "| data set | stakes | best | cost | right | value | lookahead-ts, 2nd half: cost / right | its value / the best "
            "| w-eced-ts, 2nd half: cost / right | its value / the best |"
        ),
        "| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, limit in FIRST.items():
        for stakes in (10.0, 30.0, 60.0):
            best = optimum(name, stakes, limit)
            value = float(np.mean([each.value for each in best]))
            error = float(np.sqrt(np.sum([each.error**2 for each in best])) / len(best))
            cells = [
                canonical_name(name),
                f"{stakes:g}",
                best[0].kind,
                f"{np.mean([each.cost for each in best]):.3f}" if best[0].exact else "for free",
                f"{np.mean([each.accuracy for each in best]):.3f}",
                f"{value:.2f}" + (f" ± {error:.3f}" if error else ""),
            ]
            for policy in ("lookahead-ts", "w-eced-ts"):
                own = figures(name, Contender(policy, Protocol.LIVE, Prior.POOLED, stakes), 0.5)
                share = (stakes * mean(own.right) - mean(own.cost)) / value
                cells += [f"{mean(own.cost):.3f} / {mean(own.right):.3f}", f"{share:.3f}"]
            text.append("| " + " | ".join(cells) + " |")
    return "\n".join(text)


def learned() -> str:
    """Compare the last third of long runs with the optimum that knows theta, on the same scenarios."""
    text = [
        (
            "| data set | scenarios | policy | cost / right | optimum, expected: cost / right "
            "| optimum, same scenarios: cost / right | cost / the optimum's | value / the optimum's |"
        ),
        "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    stakes = LEARNED_STAKES
    for name, limit in LONG.items():
        datasets = [source(name, limit).load(seed) for seed in SEEDS]
        length = len(datasets[0].labels)
        third = slice(length - length // 3, None)
        best = optimum(name, stakes, limit)
        same = []
        for dataset in datasets:
            plan = find_best_plan(dataset, stakes)
            assert plan is not None, "only data sets whose optimum can be computed are in LONG"
            same.append(follow_plan(plan, dataset))
        best_cost = [each.cost[third] for each in same]
        best_right = [each.right[third].astype(float) for each in same]
        best_value = [stakes * right - cost for right, cost in zip(best_right, best_cost, strict=True)]
        for policy in LEARNERS:
            traces = [held()[learner(policy).unit(name, seed, limit)] for seed in SEEDS]
            cost = [trace.cost[third] for trace in traces]
            right = [(trace.decision == trace.label)[third].astype(float) for trace in traces]
            value = [stakes * each - paid for each, paid in zip(right, cost, strict=True)]
            text.append(
                f"| {canonical_name(name)} | last {length // 3} of {length} | {policy} | {mean(cost):.3f} / {mean(right):.3f} "
                f"| {np.mean([each.cost for each in best]):.3f} / {np.mean([each.accuracy for each in best]):.3f} "
                f"| {mean(best_cost):.3f} / {mean(best_right):.3f} "
                f"| {ratio(cost, best_cost)} | {ratio(value, best_value)} |"
            )
    return "\n".join(text)


def ratio(ours: Sequence[Floats], best: Sequence[Floats]) -> str:
    """Return the ratio of two means on the same scenarios, with its 95 % interval."""
    # resampled() draws the same scenarios for both, so that they stay paired.
    low, high = interval(resampled(ours) / resampled(best))
    return f"{mean(ours) / mean(best):.3f} [{low:.3f}, {high:.3f}]"


TABLES: Mapping[str, Callable[[], str]] = {
    "winners": winners,
    "goals": goals,
    "usefulness": usefulness,
    "values": values,
    "optima": optima,
    "learned": learned,
}
