"""Check that a policy learns: that it finds the one question that tells, and comes to decide by it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from odm_tui.engine.interview import Ask, Interview
from odm_tui.engine.policy import Policy, policy_from
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Problem
from odm_tui.testing.checks import require

FIRST_WITHIN = 80
"""Within how many interviews the telling question must be asked for the first time."""
INTERVIEWS = 240
TELLING = 1
RIGHT = 0.75
"""The least share of right decisions in the last third of the even case: by the telling question 0.9, without it 0.5."""


@dataclass(frozen=True)
class _Case:
    """Two outcomes, the likelier one's prior, how often each gives yes to the telling question, and the stakes."""

    name: str
    prior: float
    telling: tuple[float, float]
    stakes: float
    interviews: int


_EVEN = _Case("equally likely outcomes", 0.5, (0.9, 0.1), 60, INTERVIEWS)
_UNEVEN = _Case("one likelier outcome, low stakes", 0.7, (0.95, 0.05), 20, FIRST_WITHIN)


def check_learning(policy: str | Policy, seeds: int = 2) -> None:
    """Check that a policy can't settle on asking nothing.

    Two outcomes that look the same at the start, three questions without expectations, one of which tells the
    outcomes apart. In simulated interviews that learn, with separate and with pooled priors, the policy must ask that
    question within 80 interviews, also where little is at stake, and it must decide by it in the end. Policies without
    exploration do not pass.

    Raises AssertionError with one sentence that says what is wrong.
    """
    made = policy_from(policy)
    for case in (_UNEVEN, _EVEN):
        plain = Problem.build(
            ["first", "telling", "last"],
            ["x", "y"],
            prior=[case.prior, 1 - case.prior],
            cost=1,
            stakes=case.stakes,
        )
        for pooled in (False, True):
            for seed in range(seeds):
                first, right = _learn(case, replace(plain, pooled=pooled), made, seed)
                where = f"({case.name}, {'pooled' if pooled else 'separate'} priors, seed {seed})"
                require(
                    first is not None and first < FIRST_WITHIN,
                    f"{made.name!r} did not ask the only question that tells within {FIRST_WITHIN} interviews {where}.",
                )
                require(
                    case is not _EVEN or right >= RIGHT,
                    f"{made.name!r} was right in {right:.0%} of its last interviews; with the question that tells it "
                    f"could be in 90 % {where}.",
                )


def _learn(case: _Case, problem: Problem, policy: Policy, seed: int) -> tuple[int | None, float]:
    """The interview that asked the telling question first, and the share of right decisions in the last third."""
    rng = np.random.default_rng([seed + 2, 11])
    theta = np.array([(0.5, 0.5), case.telling, (0.5, 0.5)])
    posterior = Posterior.of(problem)
    first, right = None, []
    for number in range(case.interviews):
        outcome = int(rng.random() >= case.prior)
        answers = (rng.random(len(theta)) < theta[:, outcome]).astype(np.int16)
        interview = Interview(problem, policy, posterior, seed=int(rng.integers(2**31)))
        while isinstance(interview.next, Ask):
            interview.answer(int(answers[interview.next.question]))
        if first is None and interview.answers[TELLING] >= 0:
            first = number
        right.append(interview.next.outcome == outcome)
        posterior = posterior.updated(interview.answers, outcome)
    return first, float(np.mean(right[-case.interviews // 3 :]))
