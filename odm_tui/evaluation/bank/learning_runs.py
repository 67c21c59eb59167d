"""What each policy and horizon mean for a bank: simulated interviews that learn from each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from odm_tui.banks.bank import Bank
from odm_tui.banks.policies import policy_for
from odm_tui.engine.exploration import LearningValue
from odm_tui.engine.interview import Interview
from odm_tui.engine.interview_tree import InterviewTree
from odm_tui.engine.oracles.lookahead import Lookahead
from odm_tui.engine.policy import DEFAULT, Policy
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Floats
from odm_tui.engine.target import with_target
from odm_tui.errors import BadArgument
from odm_tui.evaluation.bank.callers import draw_callers
from odm_tui.evaluation.bank.trial import charges
from odm_tui.evaluation.intervals import estimate_mean
from odm_tui.evaluation.parallel import run_each

HORIZONS = (0.0, 40.0, 150.0)
OTHERS = ("lookahead-sts", "lookahead-ts", "w-ec2-ts")
"""What is compared with the bank's own policy, beside the default at each of the horizons."""
MILLISECONDS = 0.3
"""How long a plan may take here: plans of about five questions are worth as much as deeper ones."""


@dataclass(frozen=True)
class LearningRow:
    """One policy and horizon: means over all interviews of all runs, with intervals over runs.

    ``value`` is stakes less losses and cost; ``gap`` is how much more it is than the bank's own policy's, in the same
    runs. ``late`` is the value in the last quarter of the runs.
    """

    policy: str
    horizon: float | None
    is_own: bool
    questions: float
    cost: float
    right: float
    value: float
    gap: float
    gap_low: float
    gap_high: float
    late: float

    def as_dict(self) -> dict[str, Any]:
        """The row as plain values."""
        return asdict(self)


@dataclass(frozen=True)
class _Contender:
    policy: Policy
    horizon: float | None
    is_own: bool = False


def list_contenders(
    bank: Bank, policies: Sequence[str] | None = None, horizons: Sequence[float] = HORIZONS
) -> list[_Contender]:
    """Return the bank's own policy, and those to compare it with; the default has a line for each horizon."""
    own = policy_for(bank, None)
    made = [_Contender(own, bank.problem.horizon if _learns(own) else None, is_own=True)]
    for name in policies or (DEFAULT, *OTHERS):
        policy = policy_for(bank, name)
        for horizon in horizons if _learns(policy) else (None,):
            contender = _Contender(policy, horizon)
            if replace(contender, is_own=True) != made[0]:
                made.append(contender)
    return made


def _learns(policy: Policy) -> bool:
    return isinstance(policy.exploration, LearningValue)


def compare_learning(
    bank: Bank,
    posterior: Posterior | None = None,
    *,
    policies: Sequence[str] | None = None,
    horizons: Sequence[float] = HORIZONS,
    runs: int = 40,
    interviews: int = 40,
    seed: int = 0,
    jobs: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[LearningRow, ...]:
    """Hold the same simulated runs with every policy; each learns from its own interviews.

    In each run theta is drawn from what the bank knows, and from the ``posterior`` if there is one; so the bank's
    expectations are neither exact nor wrong on average.
    """
    if runs < 2 or interviews < 4:
        raise BadArgument("A comparison needs at least 2 runs of 4 interviews.")
    known = Posterior.of(bank.problem) if posterior is None else posterior
    known = replace(known, problem=with_target(known.problem, None))
    contenders = list_contenders(bank, policies, horizons)
    calls = [
        (at, run, known, contender, interviews, seed)
        for at, contender in enumerate(contenders)
        for run in range(runs)
    ]
    figures = np.zeros((len(contenders), runs, 5))
    for done, (at, run, found) in enumerate(run_each(_hold_run, calls, jobs=jobs), start=1):
        figures[at, run] = found
        progress(done, len(calls))
    rows = []
    for at, contender in enumerate(contenders):
        questions, cost, right, value, late = figures[at].mean(axis=0).tolist()
        gap = estimate_mean(figures[at, :, 3] - figures[0, :, 3], range(runs))
        rows.append(
            LearningRow(
                contender.policy.name,
                contender.horizon,
                contender.is_own,
                questions,
                cost,
                right,
                value,
                gap.value,
                gap.low,
                gap.high,
                late,
            )
        )
    return tuple(rows)


def _hold_run(call: tuple[int, int, Posterior, _Contender, int, int]) -> tuple[int, int, Floats]:
    """Hold one run; return questions, cost, share right, value, and value of the last quarter."""
    at, run, known, contender, interviews, seed = call
    policy, problem = contender.policy, known.problem
    if isinstance(policy.oracle, Lookahead):
        policy = replace(policy, oracle=Lookahead(MILLISECONDS))
    if contender.horizon is not None:
        problem = replace(problem, horizon=contender.horizon)
    (group,) = draw_callers(known, interviews, 1, seed * 1_000_003 + run, one_theta=True)
    posterior = replace(known, problem=problem)
    costs, losses = charges(known), problem.decision_stakes
    table = losses.table
    rows = np.zeros((interviews, 4))
    for number, (answers, outcome) in enumerate(zip(group.answers, group.outcomes, strict=True)):
        held = InterviewTree(Interview(problem, policy, posterior, 1000 * run + number)).hold(answers)
        asked = np.array(held.questions, dtype=np.intp)
        paid = float(costs[asked, outcome, np.array(held.answers, dtype=np.intp)].sum())
        decided, refers = held.decision.outcome, held.decision.refer
        lost = losses.refer if refers and losses.refer is not None else float(table[decided, outcome])
        right = float(decided == outcome and not refers)
        rows[number] = len(asked), paid, right, losses.most - lost - paid
        learned = np.full(len(problem.questions), -1, dtype=np.int16)
        learned[asked] = held.answers
        posterior = posterior.updated(learned, int(outcome))
    late = rows[-max(1, interviews // 4) :, 3].mean()
    return at, run, np.append(rows.mean(axis=0), late)
