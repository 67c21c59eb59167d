"""Check that a policy learns: that it finds the one question that tells, and comes to decide by it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from odm_tui.engine.interview import Ask, Interview
from odm_tui.engine.policy import Policy, policy_from
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Floats, Problem
from odm_tui.testing.checks import require

FIRST_WITHIN = 80
"""Within how many interviews the telling question must be asked for the first time."""
INTERVIEWS = 240
TELLING = 1
RIGHT = 0.75
"""The least share of right decisions in the last third of the even case: by the telling question 0.9, without it 0.5."""
ASKS = 0.05
"""The least share of the last interviews that ask anything, where most questions tell nothing."""


@dataclass(frozen=True)
class _Case:
    """Two outcomes, the likelier one's prior, how often each gives yes to the telling question, and the stakes."""

    name: str
    prior: float
    telling: tuple[float, float]
    stakes: float
    interviews: int
    questions: int = 3

    @property
    def theta(self) -> Floats:
        """P(yes) of each question under each outcome: ½ but for the telling one."""
        theta = np.full((self.questions, 2), 0.5)
        theta[TELLING] = self.telling
        return theta


@dataclass(frozen=True)
class _Learned:
    """What came of a run: when the telling question was asked first, and shares in the last third of it."""

    first: int | None
    right: float
    asks: float


_EVEN = _Case("equally likely outcomes", 0.5, (0.9, 0.1), 60, INTERVIEWS)
_UNEVEN = _Case("one likelier outcome, low stakes", 0.7, (0.95, 0.05), 20, FIRST_WITHIN)
_CROWDED = _Case("one telling question among twelve, lowest stakes", 0.7, (0.95, 0.05), 8, 150, questions=12)
_PRIORS = (("separate", (False, False)), ("pooled", (True, False)), ("shared", (True, True)))
"""How learning starts: its name, and whether priors are pooled, and shared too."""


def check_learning(policy: str | Policy, seeds: int = 2) -> None:
    """Check that a policy can't settle on asking nothing.

    Two outcomes that look the same at the start, three questions without expectations, one of which tells the
    outcomes apart. In simulated interviews that learn, with separate, pooled and shared priors, the policy must ask
    that question within 80 interviews, also where little is at stake, and it must decide by it in the end. With twelve
    questions, pooled or shared priors, and so little at stake that most of what is asked seems not worth its cost, it
    must still ask something in the end. Policies without exploration do not pass.

    Raises AssertionError with one sentence that says what is wrong.
    """
    made = policy_from(policy)
    for case in (_UNEVEN, _EVEN, _CROWDED):
        plain = Problem.build(
            [f"q{i}" for i in range(case.questions)],
            ["x", "y"],
            prior=[case.prior, 1 - case.prior],
            cost=1,
            stakes=case.stakes,
        )
        for prior, (pooled, shared) in _PRIORS:
            # Where priors are pooled or shared, one question that tells nothing makes the next seem to tell less.
            if case is _CROWDED and prior == "separate":
                continue
            for seed in range(seeds):
                learned = _learn(case, replace(plain, pooled=pooled, shared=shared), made, seed)
                where = f"({case.name}, {prior} priors, seed {seed})"
                if case is _CROWDED:
                    require(
                        learned.asks >= ASKS,
                        f"{made.name!r} asked something in {learned.asks:.0%} of its last interviews, though a "
                        f"question that tells is worth its cost {where}.",
                    )
                    continue
                require(
                    learned.first is not None and learned.first < FIRST_WITHIN,
                    f"{made.name!r} did not ask the only question that tells within {FIRST_WITHIN} interviews {where}.",
                )
                require(
                    case is not _EVEN or learned.right >= RIGHT,
                    f"{made.name!r} was right in {learned.right:.0%} of its last interviews; with the question that "
                    f"tells it could be in 90 % {where}.",
                )


def _learn(case: _Case, problem: Problem, policy: Policy, seed: int) -> _Learned:
    """Hold the interviews of a run, each with what was learned before it."""
    rng = np.random.default_rng([seed + 2, 11])
    theta = case.theta
    posterior = Posterior.of(problem)
    first, right, asks = None, [], []
    for number in range(case.interviews):
        outcome = int(rng.random() >= case.prior)
        answers = (rng.random(len(theta)) < theta[:, outcome]).astype(np.int16)
        interview = Interview(problem, policy, posterior, seed=int(rng.integers(2**31)))
        while isinstance(interview.next, Ask):
            interview.answer(int(answers[interview.next.question]))
        if first is None and interview.answers[TELLING] >= 0:
            first = number
        right.append(interview.next.outcome == outcome)
        asks.append(bool(interview.steps))
        posterior = posterior.updated(interview.answers, outcome)
    last = slice(-case.interviews // 3, None)
    return _Learned(first, float(np.mean(right[last])), float(np.mean(asks[last])))
