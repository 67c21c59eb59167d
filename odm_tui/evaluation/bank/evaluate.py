"""Evaluate a bank: hold interviews with the rows of a table or with simulated callers, with several policies."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from odm_tui.banks.bank import Bank
from odm_tui.banks.policies import policy_for
from odm_tui.engine.policy import Policy
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Problem
from odm_tui.engine.stakes import Stakes
from odm_tui.engine.stepping import finish
from odm_tui.engine.target import apply_target
from odm_tui.errors import BadArgument
from odm_tui.evaluation.bank.callers import (
    CallerGroup,
    draw_callers,
    has_variants,
    without_variants,
)
from odm_tui.evaluation.bank.case_groups import Way, read_groups
from odm_tui.evaluation.bank.decision_tree import follow_decision_tree, has_decision_tree
from odm_tui.evaluation.bank.figures import Details, EvaluationRow, describe_trial, summarise_trial
from odm_tui.evaluation.bank.trial import Trial, ask_everything, hold_stepwise, join_trials
from odm_tui.evaluation.parallel import run_each

POLICIES = ("w-ec2-ts", "w-ig-ts")
"""The policies beside the bank's own, if none are named."""
STAKES = (0.25, 4.0)
"""The stakes beside the bank's own, as shares of them."""
GROUPS = 8
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
    rows: tuple[EvaluationRow, ...]
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
    plan = plan_evaluation(bank, data, options, posterior=posterior)
    trials: dict[int, Trial] = {}
    done = 0
    calls = [(at, contender, options.seed) for at, contender in enumerate(plan.contenders)]
    for at, trial in run_each(_run, calls, jobs=options.jobs):
        trials[at] = trial
        done += len(trial.cost)
        progress(done, plan.interviews)
    return plan.summarise(trials)


def plan_evaluation(
    bank: Bank, data: Path | None, options: EvaluationOptions, *, posterior: Posterior | None = None
) -> EvaluationPlan:
    """Return the interviews that an evaluation consists of; none of them is held yet."""
    return finish(plan_stepwise(bank, data, options, posterior=posterior))


def plan_stepwise(
    bank: Bank, data: Path | None, options: EvaluationOptions, *, posterior: Posterior | None = None
) -> Generator[None, None, EvaluationPlan]:
    """Plan the same evaluation; yield before each longer computation."""
    yield
    known = Posterior.of(bank.problem) if posterior is None else posterior
    known = replace(known, problem=apply_target(known.problem, known.moved))
    notes: tuple[str, ...] = ()
    if data is None:
        way: Way = "simulated"
        callers = 400 if options.most is None else options.most
        groups = draw_callers(known, callers, min(GROUPS, callers), options.seed)
    else:
        way, groups, notes = yield from read_groups(
            bank,
            known,
            data,
            label=options.label,
            folds=options.folds,
            most=options.most,
            seed=options.seed,
        )
    contenders = tuple(_contenders(bank, groups, options))
    return EvaluationPlan(bank, known.problem, way, str(data or ""), notes, tuple(groups), contenders)


@dataclass(frozen=True)
class Contender:
    """One line of an evaluation with some of its callers: a policy and its share of the bank's stakes.

    The policy is None for the decision tree.
    """

    name: str
    share: float
    policy: Policy | None
    group: CallerGroup
    number: int
    """The place of the group: all lines draw the same random numbers for it, so that they differ in nothing else."""


@dataclass(frozen=True)
class EvaluationPlan:
    """The interviews of an evaluation: one contender for each line and group of callers."""

    bank: Bank
    problem: Problem
    """The bank's, with the stakes that a target for the cost has led to."""
    way: Way
    data: str
    notes: tuple[str, ...]
    groups: tuple[CallerGroup, ...]
    contenders: tuple[Contender, ...]

    @property
    def interviews(self) -> int:
        """How many interviews there are in all."""
        return sum(len(contender.group.outcomes) for contender in self.contenders)

    def summarise(self, trials: Mapping[int, Trial]) -> Evaluation:
        """Return the figures; ``trials`` are the interviews of each contender, by its place.

        A line whose callers have not all called is left out. The first line must be there.
        """
        parts: dict[tuple[str, float], list[Trial | None]] = {}
        for at, contender in enumerate(self.contenders):
            parts.setdefault((contender.name, contender.share), []).append(trials.get(at))
        joined = {
            key: join_trials([trial for trial in line if trial is not None])
            for key, line in parts.items()
            if None not in line
        }
        everything = join_trials([ask_everything(group) for group in self.groups])
        cost_of_all = float(everything.cost.mean())
        rows = [
            summarise_trial(name, with_stakes(self.problem, share), trial, cost_of_all)
            for (name, share), trial in joined.items()
        ]
        if len(parts) > 1 and len(joined) == len(parts):
            rows.append(summarise_trial("all", self.problem, everything, cost_of_all))
        first = joined[next(iter(parts))]
        callers = sum(len(group.outcomes) for group in self.groups)
        folds = len(self.groups) if self.way == "folds" else 0
        details = describe_trial(self.problem, first)
        return Evaluation(self.bank, self.way, callers, folds, self.data, self.notes, tuple(rows), details)


def _contenders(bank: Bank, groups: Sequence[CallerGroup], options: EvaluationOptions) -> Iterator[Contender]:
    own = policy_for(bank, None)
    lines: list[tuple[str, float, Policy | None]] = [(own.name, 1.0, own)]
    if options.compare:
        names = POLICIES if options.policies is None else options.policies
        lines += [(name, 1.0, policy_for(bank, name)) for name in names if name not in (own.name, "all")]
        stakes = bank.problem.effective_stakes
        if options.stakes and not stakes:
            raise BadArgument(
                "The bank's stakes are 0: write stakes above 0 into the bank to compare them with others."
            )
        shares = STAKES if options.stakes is None else tuple(each / stakes for each in options.stakes)
        lines += [(own.name, share, own) for share in shares if share != 1.0]
        if has_decision_tree() and groups[0].learned is not None:
            lines.append(("tree", 1.0, None))
    for name, share, policy in lines:
        yield from (Contender(name, share, policy, group, at) for at, group in enumerate(groups))
        if (
            policy is own
            and share == 1.0
            and options.compare
            and any(has_variants(group) for group in groups)
        ):
            yield from (
                Contender(f"{name}, one variant", share, policy, without_variants(group), at)
                for at, group in enumerate(groups)
            )


def _run(call: tuple[int, Contender, int]) -> tuple[int, Trial]:
    at, contender, seed = call
    return at, finish(hold_contender(contender, seed))


def hold_contender(
    contender: Contender, seed: int, count: Callable[[int], None] = lambda held: None
) -> Generator[None, None, Trial]:
    """Hold a contender's interviews; yield before each longer computation, and call ``count`` with how many were held."""
    group = contender.group
    if contender.policy is None:
        yield
        trial = follow_decision_tree(group, seed)
        count(len(group.outcomes))
        return trial
    problem = with_stakes(group.posterior.problem, contender.share)
    priced = replace(group, posterior=replace(group.posterior, problem=problem))
    return (
        yield from hold_stepwise(priced, contender.policy, seed + 1000 * contender.number, lambda: count(1))
    )


def with_stakes(problem: Problem, share: float) -> Problem:
    """Return the same problem with all stakes times a factor."""
    if share == 1.0:
        return problem
    stakes = problem.stakes
    scaled = stakes.scale(share) if isinstance(stakes, Stakes) else problem.effective_stakes * share
    return replace(problem, stakes=scaled)
