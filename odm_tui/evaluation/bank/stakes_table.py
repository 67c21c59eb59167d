"""What each setting of the stakes means for a bank: questions, cost and right decisions of simulated interviews."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from odm_tui.banks.bank import Bank
from odm_tui.banks.policies import policy_for
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.target import with_target
from odm_tui.errors import BadArgument
from odm_tui.evaluation.bank.callers import draw_callers
from odm_tui.evaluation.bank.evaluate import with_stakes
from odm_tui.evaluation.bank.figures import summarise_trial
from odm_tui.evaluation.bank.trial import hold_interviews, join_trials

FACTORS = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0, 2.0, 4.0)
"""The settings that are tried, as factors of the bank's stakes."""
GROUPS = 10
"""Callers of one group meet policies with the same seeds."""


@dataclass(frozen=True)
class StakesRow:
    """One setting: all stakes times ``factor``, where the largest is ``stakes``.

    ``questions`` and ``cost`` are means of an interview, ``right`` is the share of right decisions among those that
    were not handed over, with its 95 % interval, ``referred`` the share that was handed over.
    """

    factor: float
    stakes: float
    questions: float
    cost: float
    right: float
    right_low: float
    right_high: float
    referred: float

    def as_dict(self) -> dict[str, Any]:
        """The row as plain values."""
        return asdict(self)


def compare_stakes(
    bank: Bank,
    posterior: Posterior | None = None,
    *,
    factors: Sequence[float] = FACTORS,
    callers: int = 200,
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[StakesRow, ...]:
    """Hold interviews with the same simulated callers under every setting of the stakes.

    The callers come from what the bank knows, and from the ``posterior`` if there is one. Nothing is learned, and a target for the cost moves nothing.
    """
    if not factors or not all(0 < factor < float("inf") for factor in factors):
        raise BadArgument("The factors of the stakes must be numbers above 0.")
    if callers < 1:
        raise BadArgument(f"The number of callers must be 1 or more, not {callers}.")
    known = Posterior.of(bank.problem) if posterior is None else posterior
    known = replace(known, problem=with_target(known.problem, None))
    groups = draw_callers(known, callers, min(GROUPS, callers), seed)
    policy, rows, done = policy_for(bank, None), [], 0
    for factor in sorted(set(factors)):
        problem = with_stakes(known.problem, factor)
        parts = []
        for at, group in enumerate(groups):
            priced = replace(group, posterior=replace(group.posterior, problem=problem))
            parts.append(hold_interviews(priced, policy, seed + 1000 * at))
            done += 1
            progress(done, len(groups) * len(set(factors)))
        found = summarise_trial(policy.name, problem, join_trials(parts), 0.0)
        rows.append(
            StakesRow(
                factor,
                found.stakes,
                found.questions,
                found.cost,
                found.right,
                found.right_low,
                found.right_high,
                found.referred,
            )
        )
    return tuple(rows)
