"""Hold logged interviews again with other policies.

A log holds only the answers to what was asked, so there are three ways:

- **logged answers**: follow a policy as long as the log has the answer that it asks for. Exact for the interviews
  that reach the end; their share is the coverage. These interviews are not like the others, so policies are never
  ranked by them.
- **model**: draw the answers that the log lacks from what the whole log taught about the right outcome, "don't know" as
  often as it was logged. Several draws give an interval. Right if the questions are independent given the outcome.
- **full information**: use only interviews in which everything was answered. Exact, if there are enough of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from odm_tui.engine.interview import Ask, Decide, Interview
from odm_tui.engine.policy import Policy, policy_from
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Bools, Floats, Problem
from odm_tui.engine.regret import with_known_theta
from odm_tui.evaluation.replay.dated_posterior import DatedPosterior, compute_interview_cost


@dataclass(frozen=True, eq=False)
class Case:
    """One interview to hold again: the known answers, the right outcome, and a seed.

    ``answers`` is (n,), -1 for a missing answer; ``unknown`` marks the questions answered with "don't know".
    ``paid`` is the cost of the logged interview, ``asked`` its number of questions, ``right`` whether its decision
    was right, ``referred`` whether it was handed over. ``skipped`` marks the skipped questions; None for none. ``began`` and ``confirmed`` are its
    moments, in half-lives since 1970, in a bank with a half-life.
    """

    answers: npt.NDArray[np.int16]
    unknown: Bools
    outcome: int
    seed: int
    paid: float
    asked: int
    right: bool
    skipped: Bools | None = None
    began: float = 0.0
    confirmed: float = 0.0
    referred: bool = False


@dataclass(frozen=True, eq=False)
class FollowedInterviews:
    """What a policy would have done, (T,) each; NaN for interviews that could not be followed to the end.

    An interview that is handed over is undecided, so it is not right; the cost is that of its questions.
    """

    cost: Floats
    questions: Floats
    right: Floats
    referred: Floats

    @property
    def covered(self) -> npt.NDArray[np.bool_]:
        """Which interviews could be followed to the end."""
        return ~np.isnan(self.cost)


def follow(
    problem: Problem, policy: Policy, cases: Sequence[Case], start: DatedPosterior
) -> FollowedInterviews:
    """Hold interviews again with another policy, in order; the policy learns from each."""
    known = start if policy.oracle.draws_a_set else start.without_pairs()
    cost, questions, right, referred = (np.full(len(cases), np.nan) for _ in range(4))
    for number, case in enumerate(cases):
        known = known.at(case.began)
        posterior = known.posterior
        interview = Interview(problem, policy, posterior, case.seed)
        reached = _hold(interview, case)
        answers, unknown = interview.answers, _mark_unknown(interview)
        if reached is not None:
            cost[number] = compute_interview_cost(posterior, answers, unknown, case.outcome)
            questions[number] = sum(step.kind != "skipped" for step in interview.steps)
            right[number] = not reached.refer and reached.outcome == case.outcome
            referred[number] = reached.refer
        known = known.updated(answers, unknown, case.outcome, case.confirmed)
    return FollowedInterviews(cost, questions, right, referred)


def _mark_unknown(interview: Interview) -> Bools:
    """Return which questions were answered with "don't know", (n,)."""
    made = np.zeros(len(interview.problem.questions), dtype=bool)
    made[[step.question for step in interview.steps if step.kind == "unknown"]] = True
    return made


def _hold(interview: Interview, case: Case) -> Decide | None:
    """Answer until the decision and return it; None if the policy asks for a missing answer."""
    while isinstance(upcoming := interview.next, Ask):
        question = upcoming.question
        if case.unknown[question]:
            interview.dont_know()
        elif case.skipped is not None and case.skipped[question]:
            interview.skip()
        elif case.answers[question] < 0:
            return None
        else:
            interview.answer(interview.problem.questions[question].answers[case.answers[question]])
    return upcoming


def collect_logged(cases: Sequence[Case]) -> FollowedInterviews:
    """Return what was logged."""
    return FollowedInterviews(
        np.array([case.paid for case in cases]),
        np.array([float(case.asked) for case in cases]),
        np.array([float(case.right) for case in cases]),
        np.array([float(case.referred) for case in cases]),
    )


def complete_cases(cases: Sequence[Case], learned: Posterior, seed: int) -> list[Case]:
    """Draw every missing answer from a theta that is drawn from what was learned, or "don't know", as often as that was.

    The same seed draws the same answers, so that policies are compared on the same cases.
    """
    rng, unknown_rng = np.random.default_rng(seed), np.random.default_rng([seed, 1])
    known = None if learned.unknown is None else learned.answerable()
    cumulative = np.cumsum(learned.sample(rng), axis=-1)
    made = []
    for case in cases:
        chance = rng.random(len(case.answers))
        drawn = (chance[:, None] > cumulative[:, case.outcome, :-1]).sum(axis=-1)
        sizes = learned.problem.valid.sum(axis=1)
        answers = np.where(case.answers < 0, np.minimum(drawn, sizes - 1), case.answers).astype(np.int16)
        unknown = case.unknown
        if known is not None:
            missing = (case.answers < 0) & (unknown_rng.random(len(known)) > known)
            unknown = unknown | (missing if case.skipped is None else missing & ~case.skipped)
        made.append(replace(case, answers=answers, unknown=unknown))
    return made


def informed_policy(policy: Policy, learned: Posterior) -> Policy:
    """Return the same oracle with the theta that the whole log taught; regret is measured against it.

    For a baseline that does not use theta, return W-EC².
    """
    same = policy if policy.oracle.uses_theta else policy_from("w-ec2-ts", policy.stop)
    return with_known_theta(same, learned.mean(), learned.outcome_prior())


def bootstrap_interval(
    differences: Floats, seed: int, level: float = 0.95, replicates: int = 2000
) -> tuple[float, float]:
    """Return a paired bootstrap interval for the mean of differences, (draws, T); NaN marks what is not covered.

    Each replicate takes one of the draws and as many interviews as there are, with replacement. So the interval
    contains both the uncertainty of the model and that of a small number of interviews.

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
