"""Check the off-policy estimates against a known truth: ``python -m benchmarks.off_policy``.

Interviews are simulated with a small bank and a known theta; the bank learns from each. Four policies are estimated
from each log. Their true cost and share of right decisions are computed from theta: the mean over the logged
interviews, each with what was known when it began. The table shows the mean error of the estimates, how often their
95 % intervals contain the truth, and how the error falls with the number of interviews.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from benchmarks.simulated_log import write_log
from odm_tui.banks import Bank, load_bank
from odm_tui.banks.policies import policy_for
from odm_tui.engine.policy import Policy
from odm_tui.engine.problem import Floats
from odm_tui.evaluation.intervals import Interval, mean_interval
from odm_tui.evaluation.parallel import run_calls
from odm_tui.evaluation.replay.in_step.drawn_interviews import DrawnInterviews
from odm_tui.evaluation.replay.in_step.drawn_policy import DrawnPolicy
from odm_tui.evaluation.replay.in_step.stacked_paths import StackedPaths
from odm_tui.evaluation.replay.logged_interviews import Tally, read_interviews
from odm_tui.evaluation.replay.logged_path import LoggedPath, find_path
from odm_tui.evaluation.replay.off_policy import OffPolicyEstimate, estimate, weight_paths

ESTIMATES = ("plain", "weighted", "doubly_robust", "model")
KINDS = ("", "_accuracy")
BANK = """
format = 1
title = "Three signs"
cost_unit = "minutes"
stakes = 20
outcome_prior = "fixed"
policy = { oracle = "w-ig", exploration = "ts", stop = { any = [{ confidence = 0.55 }, { max_questions = 2 }] } }
outcomes = [{ id = "x" }, { id = "y" }, { id = "z" }]
questions = [
    { id = "a", text = "A?", cost = { yes = 1.2, no = 0.8 } },
    { id = "b", text = "B?", cost = { yes = 0.9, no = 1.3 } },
    { id = "c", text = "C?", cost = 1.2 },
]
"""
P_YES = np.array([[0.8, 0.3, 0.3], [0.3, 0.8, 0.3], [0.3, 0.3, 0.8]])
THETA: Floats = np.stack([1 - P_YES, P_YES], axis=-1)
"""P(answer | outcome) of the simulated callers, (n, m, 2)."""
TRUE_DRAWS = 6
"""Draws of a policy per interview for its true values."""


LOGGED = ("w-ig-ts", "random")
"""The policies that hold the logged interviews; they take turns."""
TARGETS = ("w-ig-ts", "w-ig-sts", "w-ig-eps", "w-ig-map")


def small_bank() -> Bank:
    """Load the bank of the check."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "three-signs.toml"
        path.write_text(BANK, encoding="utf-8")
        return load_bank(str(path))


def logged_paths(bank: Bank, interviews: int, seed: int) -> list[LoggedPath]:
    """Write a log of simulated interviews, and read it as a replay does."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / f"{bank.name}.log.jsonl"
        write_log(log, bank, interviews, LOGGED, seed, theta=THETA)
        found = [find_path(bank, each) for each in read_interviews([log], bank, Tally())]
    return [path for path in found if isinstance(path, LoggedPath)]


def true_values(paths: Sequence[LoggedPath], policy: Policy, draws: int = TRUE_DRAWS) -> Floats:
    """Return the true cost and P(right) of a policy for each interview, (T, 2).

    The policy is drawn; the callers' outcomes and answers are summed exactly.
    """
    everyone = np.arange(len(paths))
    rngs = [np.random.default_rng(path.key(policy, "truth", 0)) for path in paths]
    before = [path.before for path in paths]
    drawn = DrawnPolicy.draw(policy, before, everyone.tolist(), [draws] * len(paths), rngs)
    n, m, width = THETA.shape
    found = np.zeros((len(paths) * draws, 2))
    for outcome in range(m):
        held = DrawnInterviews(StackedPaths.of([replace(path, outcome=outcome) for path in paths]), drawn)
        for answers in itertools.product(range(width), repeat=n):
            chance = paths[0].problem.prior[outcome] * np.prod(THETA[range(n), outcome, answers])
            replies = np.tile(np.array(answers, dtype=np.int16), (len(found), 1))
            found += chance * held.finish(held.start(), replies)
    return np.asarray(found.reshape(len(paths), draws, 2).mean(axis=1))


@dataclass(frozen=True)
class Trial:
    """One policy estimated from the first ``interviews`` of one log, and the truth, (2,).

    ``spread`` is the interval that the model's spread between interviews would give, (2, 2). It covers too little, so
    a replay has none.
    """

    found: OffPolicyEstimate
    truth: Floats
    spread: Floats

    def interval(self, name: str, column: int) -> Interval:
        """Return the interval of an estimate of the cost, column 0, or of the share of right decisions, column 1."""
        if name == "model":
            low, high = self.spread[column].tolist()
            return low, high
        found: Interval = getattr(self.found, f"{name}{KINDS[column]}_interval")
        return found


def trials(
    bank: Bank, interviews: int, sizes: Sequence[int], seed: int, targets: Sequence[str] = TARGETS
) -> list[Trial]:
    """Estimate every target from one log, and from only its first interviews."""
    paths = logged_paths(bank, interviews, seed)
    policies = {name: policy_for(bank, name) for name in targets}
    weighted = weight_paths(paths, policies, seed)
    made = []
    for name, policy in policies.items():
        truth = true_values(paths, policy)
        for n in sizes:
            first = weighted[name].first(n)
            spread = np.array([mean_interval(each, len(each) - 1)[1] for each in first.model.T])
            made.append(Trial(estimate(name, first), truth[:n].mean(axis=0), spread))
    return made


@dataclass(frozen=True)
class Line:
    """The errors of one estimate of one policy over all logs of one size."""

    policy: str
    estimate: str
    kind: str
    interviews: int
    logs: int
    withheld: int
    truth: float
    bias: float
    bias_error: float
    covered: float
    error: float
    mean_weight: float


def lines(done: Iterable[Trial]) -> Iterator[Line]:
    """Yield a line for each policy, number of interviews and estimate."""
    by_size: dict[tuple[str, int], list[Trial]] = {}
    for trial in done:
        by_size.setdefault((trial.found.policy, trial.found.interviews), []).append(trial)
    for (policy, interviews), group in by_size.items():
        kept = [trial for trial in group if trial.found.reason is None]
        for column, kind in enumerate(KINDS):
            for name in ESTIMATES if kept else ():
                truth = np.array([trial.truth[column] for trial in kept])
                off = np.array([getattr(trial.found, name + kind) for trial in kept]) - truth
                ends = np.array([trial.interval(name, column) for trial in kept])
                yield Line(
                    policy,
                    name,
                    kind,
                    interviews,
                    len(group),
                    len(group) - len(kept),
                    float(truth.mean()),
                    float(off.mean()),
                    float(off.std(ddof=1) / len(off) ** 0.5) if len(off) > 1 else float("nan"),
                    float(((ends[:, 0] <= truth) & (truth <= ends[:, 1])).mean()),
                    float(np.sqrt((off**2).mean())),
                    float(np.mean([trial.found.mean_weight for trial in group])),
                )


def table(made: Sequence[Line], interviews: int, smaller: int) -> str:
    """Return the lines of the largest logs as a table; the last column compares their error with smaller logs."""
    text = [
        f"| policy | estimate | of | truth | bias ± standard error | 95 % covers | error | error with {smaller} ÷ with {interviews} |",
        "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    errors = {(line.policy, line.estimate, line.kind, line.interviews): line.error for line in made}
    for line in made:
        if line.interviews != interviews:
            continue
        before = errors.get((line.policy, line.estimate, line.kind, smaller), float("nan"))
        text.append(
            f"| {line.policy} | {line.estimate.replace('_', ' ')} | {'right' if line.kind else 'cost'} "
            f"| {line.truth:.3f} | {line.bias:+.4f} ± {line.bias_error:.4f} | {line.covered:.1%} "
            f"| {line.error:.4f} | {before / line.error:.2f} |"
        )
    return "\n".join(text)


def run(logs: int, interviews: int, jobs: int = 1) -> Iterator[list[Trial]]:
    """Yield the trials of each of this many logs."""
    bank, sizes = small_bank(), (interviews // 4, interviews)
    for start in range(1, logs + 1, 2 * jobs):
        seeds = range(start, min(start + 2 * jobs, logs + 1))
        yield from run_calls([(trials, (bank, interviews, sizes, seed)) for seed in seeds], jobs)


def main() -> None:
    """Print the table; after Ctrl+C, for the logs done so far."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.off_policy")
    parser.add_argument("--logs", type=int, default=200)
    parser.add_argument("--interviews", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    began, done = time.monotonic(), []
    try:
        for made in run(given.logs, given.interviews, given.jobs):
            done.append(made)
            print(f"{len(done)} logs, {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
    report = list(lines(trial for made in done for trial in made))
    largest = [line for line in report if line.interviews == given.interviews]
    if not largest:
        raise SystemExit("Nothing was estimated.")
    print(table(report, given.interviews, given.interviews // 4))
    print(f"\n{len(done)} logs of {given.interviews} interviews by {' and '.join(LOGGED)} in turn.")
    for name in TARGETS:
        for line in [line for line in largest if line.policy == name][:1]:
            print(f"{name}: mean weight {line.mean_weight:.3f}, withheld for {line.withheld} logs.")


if __name__ == "__main__":
    main()
