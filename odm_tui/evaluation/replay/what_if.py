"""What if other policies had held the same interviews? Three ways, because a log holds only what was asked.

- **logged answers**: a policy is followed as long as the log has the answer to what it asks. Exact where it
  reaches the end, and silent where it does not; how often it does is the coverage.
- **model**: answers that the log lacks are drawn from what all of it taught about the right outcome. Many
  draws give an interval. Right if the questions are independent within an outcome.
- **full information**: only interviews in which everything was answered. Exact, if there are enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from odm_tui.engine.interview import Ask, Interview
from odm_tui.engine.policy import Policy, policy_from
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Floats, Problem
from odm_tui.engine.regret import with_known_theta

MIN_COVERAGE = 0.5
"""The coverage below which policies are not ranked by logged answers."""


@dataclass(frozen=True, eq=False)
class Case:
    """One interview as other policies meet it: the answers there are, the right outcome, and a seed.

    ``answers`` is (n,), -1 where there is none; ``unknown`` marks the questions that nobody could answer.
    ``paid`` and ``asked`` are what the logged interview cost and how many questions it put; ``right``
    whether its decision was.
    """

    answers: npt.NDArray[np.int16]
    unknown: npt.NDArray[np.bool_]
    outcome: int
    seed: int
    paid: float
    asked: int
    right: bool


@dataclass(frozen=True, eq=False)
class FollowedInterviews:
    """What a policy would have done, (T,) each; NaN cost where the log could not tell."""

    cost: Floats
    questions: Floats
    right: Floats

    @property
    def covered(self) -> npt.NDArray[np.bool_]:
        """Which interviews could be followed to their end."""
        return ~np.isnan(self.cost)


def follow(problem: Problem, policy: Policy, cases: Sequence[Case], start: Posterior) -> FollowedInterviews:
    """Hold the interviews again with another policy, in order, learning as it goes."""
    posterior = start
    cost, questions, right = (np.full(len(cases), np.nan) for _ in range(3))
    for number, case in enumerate(cases):
        interview = Interview(problem, policy, posterior, case.seed)
        reached = _hold(interview, case)
        if reached is not None:
            cost[number] = interview.cost_if(case.outcome)
            questions[number] = len(interview.steps)
            right[number] = reached == case.outcome
        posterior = posterior.updated(interview.answers, case.outcome)
    return FollowedInterviews(cost, questions, right)


def _hold(interview: Interview, case: Case) -> int | None:
    """Answer until the decision; None if the policy asks what nobody was asked."""
    while isinstance(upcoming := interview.next, Ask):
        question = upcoming.question
        if case.unknown[question]:
            interview.dont_know()
        elif case.answers[question] < 0:
            return None
        else:
            interview.answer(interview.problem.questions[question].answers[case.answers[question]])
    return upcoming.outcome


def collect_logged(cases: Sequence[Case]) -> FollowedInterviews:
    """What was really done."""
    return FollowedInterviews(
        np.array([case.paid for case in cases]),
        np.array([float(case.asked) for case in cases]),
        np.array([float(case.right) for case in cases]),
    )


def complete_cases(cases: Sequence[Case], learned: Posterior, seed: int) -> list[Case]:
    """The cases with every missing answer drawn from a theta that is drawn from what was learned.

    The same seed draws the same answers, so that policies are compared on the same people.
    """
    rng = np.random.default_rng(seed)
    cumulative = np.cumsum(learned.sample(rng), axis=-1)
    made = []
    for case in cases:
        chance = rng.random(len(case.answers))
        drawn = (chance[:, None] > cumulative[:, case.outcome, :-1]).sum(axis=-1)
        sizes = learned.problem.valid.sum(axis=1)
        answers = np.where(case.answers < 0, np.minimum(drawn, sizes - 1), case.answers).astype(np.int16)
        made.append(Case(answers, case.unknown, case.outcome, case.seed, case.paid, case.asked, case.right))
    return made


def informed_policy(policy: Policy, learned: Posterior) -> Policy:
    """The same oracle, given what the whole log taught: what regret is measured against.

    A baseline that does not look at theta is measured against W-EC².
    """
    same = policy if policy.oracle.uses_theta else policy_from("w-ec2-ts", policy.stop)
    return with_known_theta(same, learned.mean(), learned.outcome_prior())


def bootstrap_interval(
    differences: Floats, seed: int, level: float = 0.95, replicates: int = 2000
) -> tuple[float, float]:
    """A paired bootstrap interval for the mean of differences, (draws, T); NaN where not covered.

    Each replicate takes one of the draws and as many interviews as there are, with replacement, so that
    the interval holds both what the model does not know and what so few interviews can't tell.

    >>> bootstrap_interval(np.full((1, 8), 0.5), seed=0)
    (0.5, 0.5)
    """
    rng = np.random.default_rng(seed)
    known = ~np.isnan(differences).any(axis=0)
    values = differences[:, known]
    if values.size == 0:
        return float("nan"), float("nan")
    count = values.shape[1]
    means = np.empty(replicates)
    for replicate in range(replicates):
        row = values[rng.integers(len(values))]
        means[replicate] = row[rng.integers(0, count, count)].mean()
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
