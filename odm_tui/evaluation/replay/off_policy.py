"""Off-policy estimates: weight each logged interview by how likely another policy is to hold it.

Thompson Sampling asks each question with some probability. It is estimated with new samples of theta: at each step of
the logged interview, count how many of them choose the same question, or stop where it stopped. The weight of an
interview is the product over its steps of P(other policy) / P(logged policy).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from odm_tui.engine.interview import Ask, Interview
from odm_tui.engine.policy import Policy, policy_from
from odm_tui.engine.problem import Floats, Problem
from odm_tui.errors import BadArgument
from odm_tui.evaluation.replay.logged_interviews import LoggedInterview

STOP = -1


@dataclass(frozen=True)
class OffPolicyEstimate:
    """Three estimates of another policy's mean cost, and the effective number of interviews behind them.

    ``weighted`` is inverse propensity, self-normalised; ``plain`` is not normalised; ``doubly_robust`` adds the
    weighted error of the model to the model's cost. ``mean_weight`` is 1 in expectation. If it is far from 1, the log
    hardly contains what the other policy does, and only the doubly robust estimate is useful.
    """

    policy: str
    interviews: int
    plain: float
    weighted: float
    doubly_robust: float
    effective_sample_size: float
    mean_weight: float


def samples_theta(logged: LoggedInterview) -> bool:
    """Return whether Thompson Sampling chose every question of the interview."""
    try:
        policy = policy_from(logged.started.policy)
    except BadArgument:
        return False
    own = all(getattr(event, "proposed", None) is None for event in logged.events)
    straight = {event.name for event in logged.events}.isdisjoint({"undone", "changed", "stopped"})
    return policy.oracle.uses_theta and policy.exploration.name == "ts" and own and straight


def estimate_step_chances(
    problem: Problem, policy: Policy, logged: LoggedInterview, draws: int, seed: int
) -> Floats:
    """Return the share of new samples that choose as the log did at each step and at the stop, (steps + 1,)."""
    matches = np.zeros(len(logged.order) + 1)
    for draw in range(draws):
        interview = Interview(problem, policy, logged.before, seed + draw)
        for step, question in enumerate((*logged.order, STOP)):
            upcoming = interview.next
            chosen = upcoming.question if isinstance(upcoming, Ask) else STOP
            matches[step] += chosen == question
            if question == STOP or not interview.available[question]:
                break
            if question in logged.unknown:
                interview.dont_know(question)
            else:
                answer = problem.questions[question].answers[logged.answers[question]]
                interview.answer(answer, question)
    return matches / draws


def estimate_own_chances(
    problem: Problem, cases: Sequence[LoggedInterview], draws: int, seed: int
) -> list[Floats]:
    """Return the probability of each step under the logged policy, for every interview.

    The logged choice counts as one more sample, so that nothing that happened has probability 0.
    """
    found = (
        estimate_step_chances(problem, policy_from(logged.started.policy), logged, draws, seed)
        for logged in cases
    )
    return [(chances * draws + 1.0) / (draws + 1.0) for chances in found]


def compute_weights(
    problem: Problem,
    policy: Policy,
    cases: Sequence[LoggedInterview],
    own: Sequence[Floats],
    draws: int,
    seed: int,
) -> Floats:
    """Return the weight of every interview for another policy, (T,); ``own`` is from :func:`estimate_own_chances`."""
    chances = (estimate_step_chances(problem, policy, logged, draws, seed) for logged in cases)
    return np.array([np.prod(other / known) for other, known in zip(chances, own, strict=True)])


def estimate(
    policy: str, weight: Floats, paid: Floats, predicted: Floats, model: Floats
) -> OffPolicyEstimate:
    """Return the estimates from weights and costs, (T,) each.

    ``paid`` is the cost of the logged interviews, ``predicted`` the model's cost of the questions that they asked,
    ``model`` the model's cost of the other policy.

    >>> one = np.ones(2)
    >>> estimate("same", one, np.array([1.0, 3.0]), np.array([1.0, 2.0]), np.array([1.0, 2.0])).doubly_robust
    2.0
    """
    total = float(weight.sum())
    squares = float((weight**2).sum())
    return OffPolicyEstimate(
        policy=policy,
        interviews=len(weight),
        plain=float((weight * paid).mean()),
        weighted=float((weight * paid).sum() / total) if total > 0 else float("nan"),
        doubly_robust=float((model + weight * (paid - predicted)).mean()),
        effective_sample_size=total**2 / squares if squares > 0 else 0.0,
        mean_weight=float(weight.mean()),
    )


def predict_cost(mean_cost: Floats, logged: LoggedInterview) -> float:
    """Return the model's cost of the questions asked, under the right outcome."""
    asked: npt.NDArray[np.intp] = np.asarray(logged.order, dtype=np.intp)
    return float(mean_cost[asked, logged.outcome].sum())
