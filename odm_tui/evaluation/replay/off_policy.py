"""Off-policy estimates: logged interviews weighted by how likely another policy would have held them.

Thompson Sampling asks each question with a probability. It is estimated by redrawing: fresh samples of theta
walk along the logged interview, and at each step it is counted how many of them would have asked what was
asked (or stopped where it stopped). The weight of an interview is the product over its steps of
P(other policy) / P(logged policy).
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
    """Three estimates of another policy's mean cost, and how many interviews they rest on in effect.

    ``weighted`` is inverse propensity, self-normalised; ``plain`` without that; ``doubly_robust`` adds the
    weighted error of the model to what the model says. ``mean_weight`` is 1 in expectation; far from it, the
    other policy does what the log hardly ever saw, and only the doubly robust figure says anything.
    """

    policy: str
    interviews: int
    plain: float
    weighted: float
    doubly_robust: float
    effective_sample_size: float
    mean_weight: float


def samples_theta(logged: LoggedInterview) -> bool:
    """Whether the interview was held by Thompson Sampling, and every question was the policy's own choice."""
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
    """How often fresh draws choose as the log did at each step, the stop included, (steps + 1,)."""
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
    """How likely the logged policy was to do what it did, step by step, for every interview.

    The logged draw itself counts as one more, so that nothing that happened has probability 0.
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
    """The weight of every interview for another policy, (T,); ``own`` is from :func:`estimate_own_chances`."""
    chances = (estimate_step_chances(problem, policy, logged, draws, seed) for logged in cases)
    return np.array([np.prod(other / known) for other, known in zip(chances, own, strict=True)])


def estimate(
    policy: str, weight: Floats, paid: Floats, predicted: Floats, model: Floats
) -> OffPolicyEstimate:
    """The estimates from weights and costs, (T,) each.

    ``paid`` is what the logged interviews cost, ``predicted`` what the model would have said of the
    questions they asked, ``model`` what it says that the other policy costs.

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
    """What the model says that the questions asked cost under the right outcome."""
    asked: npt.NDArray[np.intp] = np.asarray(logged.order, dtype=np.intp)
    return float(mean_cost[asked, logged.outcome].sum())
