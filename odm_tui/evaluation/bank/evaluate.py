"""Evaluate a bank: hold interviews with the rows of a table or with simulated callers, with several policies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from odm_tui.banks.bank import Bank
from odm_tui.banks.policies import policy_for
from odm_tui.engine.policy import Policy
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Problem
from odm_tui.engine.stakes import Stakes
from odm_tui.engine.target import apply_target
from odm_tui.errors import BadArgument
from odm_tui.evaluation.bank.callers import CallerGroup, draw_callers, holds_rows, split_folds
from odm_tui.evaluation.bank.decision_tree import follow_decision_tree, has_decision_tree
from odm_tui.evaluation.bank.figures import Details, PolicyFigures, describe_trial, summarise_trial
from odm_tui.evaluation.bank.trial import Trial, ask_everything, hold_interviews, join_trials
from odm_tui.evaluation.data.case_table import read_case_table
from odm_tui.evaluation.parallel import run_each

Way = Literal["folds", "new rows", "simulated"]
POLICIES = ("w-ec2-ts", "w-ig-ts")
"""The policies beside the bank's own, if none are named."""
STAKES = (0.25, 4.0)
"""The stakes beside the bank's own, as shares of them."""
WORLDS = 8
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class EvaluationOptions:
    """What to compare, and how.

    ``stakes`` are other stakes for the bank's own policy; None for a quarter and four times the bank's. ``most`` is how
    many rows are used at most, drawn at random, or how many callers are simulated.
    """

    policies: tuple[str, ...] | None = None
    stakes: tuple[float, ...] | None = None
    folds: int = 10
    most: int | None = None
    seed: int = 0
    jobs: int = 1
    label: str | None = None
    compare: bool = True
    """Whether other policies, other stakes, the tree and asking everything stand beside the bank's own policy."""


@dataclass(frozen=True)
class Evaluation:
    """What interviews with a bank are like: one line per policy, the bank's own first, and its details."""

    bank: Bank
    way: Way
    callers: int
    folds: int
    data: str
    notes: tuple[str, ...]
    rows: tuple[PolicyFigures, ...]
    details: Details

    def as_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "bank": self.bank.name,
            "data": self.data or None,
            "way": self.way,
            "callers": self.callers,
            "folds": self.folds or None,
            "notes": list(self.notes),
            "rows": [asdict(row) for row in self.rows],
            **self.details.as_dict(),
        }


def evaluate_bank(
    bank: Bank,
    data: Path | None = None,
    options: EvaluationOptions | None = None,
    *,
    posterior: Posterior | None = None,
    progress: Progress = lambda done, total: None,
) -> Evaluation:
    """Hold interviews with a bank and return what they were like.

    ``posterior`` is what the bank has learned; None for what it knows from its file alone.
    """
    options = options or EvaluationOptions()
    known = Posterior.of(bank.problem) if posterior is None else posterior
    known = replace(known, problem=apply_target(known.problem, known.moved))
    notes: tuple[str, ...] = ()
    if data is None:
        way: Way = "simulated"
        callers = 400 if options.most is None else options.most
        groups = draw_callers(known, callers, min(WORLDS, callers), options.seed)
    else:
        way, groups, notes = _read_groups(bank, known, data, options)
    contenders = list(_contenders(bank, groups, options))
    total = sum(len(group.outcomes) for _, _, _, group in contenders)
    trials: dict[tuple[str, float], list[tuple[int, Trial]]] = {}
    done = 0
    calls = [(at, *contender, options.seed) for at, contender in enumerate(contenders)]
    for at, trial in run_each(_run, calls, jobs=options.jobs):
        name, stakes, _, _ = contenders[at]
        trials.setdefault((name, stakes), []).append((at, trial))
        done += len(trial.cost)
        progress(done, total)
    joined = {
        key: join_trials([trial for _, trial in sorted(parts, key=lambda part: part[0])])
        for key, parts in trials.items()
    }
    return _summarise(bank, known.problem, groups, way, str(data or ""), notes, contenders, joined)


def _summarise(
    bank: Bank,
    problem: Problem,
    groups: Sequence[CallerGroup],
    way: Way,
    data: str,
    notes: tuple[str, ...],
    contenders: Sequence[_Contender],
    joined: dict[tuple[str, float], Trial],
) -> Evaluation:
    everything = join_trials([ask_everything(group) for group in groups])
    cost_of_all = float(everything.cost.mean())
    rows: list[PolicyFigures] = []
    for name, factor in dict.fromkeys((name, factor) for name, factor, _, _ in contenders):
        rows.append(summarise_trial(name, with_stakes(problem, factor), joined[name, factor], cost_of_all))
    if len(rows) > 1:
        rows.append(summarise_trial("all", problem, everything, cost_of_all))
    first = next(iter(joined[name, factor] for name, factor, _, _ in contenders))
    callers = sum(len(group.outcomes) for group in groups)
    folds = len(groups) if way == "folds" else 0
    return Evaluation(bank, way, callers, folds, data, notes, tuple(rows), describe_trial(problem, first))


_Contender = tuple[str, float, Policy | None, CallerGroup]
"""A name, its share of the bank's stakes, the policy (None for the tree), and callers."""


def _contenders(
    bank: Bank, groups: Sequence[CallerGroup], options: EvaluationOptions
) -> Iterator[_Contender]:
    own = policy_for(bank, None)
    lines: list[tuple[str, float, Policy | None]] = [(own.name, 1.0, own)]
    if options.compare:
        names = POLICIES if options.policies is None else options.policies
        lines += [(name, 1.0, policy_for(bank, name)) for name in names if name != own.name]
        stakes = bank.problem.effective_stakes
        shares = STAKES if options.stakes is None else tuple(each / stakes for each in options.stakes)
        lines += [(own.name, share, own) for share in shares if share != 1.0]
        if has_decision_tree() and groups[0].learned is not None:
            lines.append(("tree", 1.0, None))
    for name, share, policy in lines:
        yield from ((name, share, policy, group) for group in groups)


def _run(call: tuple[int, str, float, Policy | None, CallerGroup, int]) -> tuple[int, Trial]:
    at, _, share, policy, group, seed = call
    if policy is None:
        return at, follow_decision_tree(group, seed)
    problem = with_stakes(group.posterior.problem, share)
    priced = replace(group, posterior=replace(group.posterior, problem=problem))
    return at, hold_interviews(priced, policy, seed + 1000 * at)


def with_stakes(problem: Problem, share: float) -> Problem:
    """Return the same problem with all stakes times a factor."""
    if share == 1.0:
        return problem
    stakes = problem.stakes
    scaled = stakes.scale(share) if isinstance(stakes, Stakes) else problem.effective_stakes * share
    return replace(problem, stakes=scaled)


def _read_groups(
    bank: Bank, known: Posterior, data: Path, options: EvaluationOptions
) -> tuple[Way, list[CallerGroup], tuple[str, ...]]:
    table = read_case_table(data, bank, options.label)
    answers, outcomes = table.answers, table.outcomes
    rng = np.random.default_rng(options.seed)
    notes = list(table.notes)
    if holds_rows(bank.problem, answers, outcomes):
        if options.folds < 2:
            raise BadArgument("The bank was made from these rows, so it needs at least 2 folds.")
        folds = min(options.folds, len(outcomes))
        groups = split_folds(known, answers, outcomes, folds, rng)
        return "folds", _thin(groups, options.most, rng), tuple(notes)
    if bank.cases is not None and bank.cases.file == data.name:
        notes.append(
            "The bank was made from a file of this name, but with other rows or answers: "
            "rows that it has learned from are easy for it."
        )
    rows = rng.permutation(len(outcomes))[: options.most]
    return "new rows", [CallerGroup(known, answers[rows], outcomes[rows])], tuple(notes)


def _thin(groups: list[CallerGroup], most: int | None, rng: np.random.Generator) -> list[CallerGroup]:
    """Take about as many callers from each fold that there are ``most`` in all."""
    if most is None:
        return groups
    thinned = []
    for number, group in enumerate(groups):
        size = max(1, most // len(groups) + (number < most % len(groups)))
        kept = rng.permutation(len(group.outcomes))[:size]
        thinned.append(replace(group, answers=group.answers[kept], outcomes=group.outcomes[kept]))
    return thinned
