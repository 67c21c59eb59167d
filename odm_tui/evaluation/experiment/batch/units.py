"""Which units can be held in step, and how several of them are run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from odm_tui.engine.oracles.lookahead import Lookahead
from odm_tui.engine.problem import Problem
from odm_tui.evaluation.experiment.batch.simulation import BatchMember, plan_depth, simulate_together
from odm_tui.evaluation.experiment.plan import Unit
from odm_tui.evaluation.experiment.simulation import Trace

POLICIES = (
    "lookahead-learn",
    "lookahead-ts",
    "lookahead-sts",
    "lookahead-mean",
    "w-ec2-ts",
    "w-ec2-sts",
    "w-ec2-mean",
)
MOST_COLUMNS = 62
"""How many questions may differ within one outcome's list of hypotheses: one bit of a number each."""
MOST_QUESTIONS = 2 * MOST_COLUMNS
DEEPEST = 12
"""The most questions in one plan: 3^12 states take 17 megabytes."""


def can_batch(unit: Unit) -> bool:
    """Whether a unit's interviews can be held in step with others; what can't is held one by one.

    They can for live interviews of the policies in :data:`POLICIES` about yes/no questions that are all awake from
    the start, none of which must be asked, all answered, with outcome shares that are not learned, equal stakes, and
    outcomes without variants. The lookahead also needs costs that do not depend on the outcome. Loads the unit's data.
    """
    return batch_key(unit) is not None and is_batchable(_member(unit))


def batch_key(unit: Unit) -> Unit | None:
    """What the units of one batch share, as a unit without seed, stakes and file; None where settings forbid a batch."""
    if unit.protocol != "live" or unit.policy not in POLICIES or not has_numba():
        return None
    data = None if unit.source.data is None else ""
    return replace(
        unit,
        source=replace(unit.source, data=data, skip=0),
        seed=0,
        stakes=None,
        target_cost=None,
        refer_cost=None,
    )


@cache
def has_numba() -> bool:
    """Whether kernels can be compiled here."""
    try:
        import numba  # noqa: F401  # only whether it can be imported matters
    except ImportError:  # not installed, or not made for this version of numpy
        return False
    return True


def run_together(units: Sequence[Unit]) -> Iterator[tuple[Unit, Trace]]:
    """Run units that share their batch key; those that can't be held in step here are run one by one."""
    batches: dict[tuple[object, ...], list[tuple[Unit, BatchMember]]] = {}
    for unit in units:
        member = _member(unit)
        if has_numba() and is_batchable(member):
            dataset = member.dataset
            alike = (dataset.problem.shape, dataset.answers.shape, dataset.hypotheses)
            batches.setdefault(alike, []).append((unit, member))
        else:
            yield unit, unit.run()
    for batch in batches.values():
        first = batch[0][0]
        traces = simulate_together(
            [member for _, member in batch], first.regions, first.eta, knowledge=first.knowledge
        )
        yield from zip((unit for unit, _ in batch), traces, strict=True)


def _member(unit: Unit) -> BatchMember:
    return BatchMember(*unit.prepare(), unit.seed)


def is_batchable(member: BatchMember) -> bool:
    """Whether a member's data and policy are such that its interviews can be held in step."""
    dataset, oracle = member.dataset, member.policy.oracle
    problem = dataset.problem
    n, m, _ = problem.shape
    if not _is_plain(problem) or dataset.answers.min(initial=0) < 0 or member.policy.explore != "always":
        return False
    if isinstance(oracle, Lookahead):
        same_for_all_outcomes = not np.ptp(problem.cost, axis=1).any()
        return same_for_all_outcomes and plan_depth(n, m, oracle.milliseconds) <= DEEPEST
    if problem.refer_cost is not None:
        return False  # not all oracles look at what referring costs
    columns = min(n, dataset.hypotheses - 1)
    return n <= MOST_QUESTIONS and columns <= MOST_COLUMNS


def _is_plain(problem: Problem) -> bool:
    sizes = problem.valid.sum(axis=1)
    conditional = problem.prerequisites or problem.always.any() or problem.outcome_worth
    if problem.named_variants is not None:
        return False
    return bool((sizes == 2).all()) and not conditional and problem.decision_stakes.is_equal
