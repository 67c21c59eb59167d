"""Regret: the cost of learning, compared with the same oracle that knows theta; and the theorem's bound."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from odm_tui.engine.exploration import KnownTheta
from odm_tui.engine.interview import Ask, Decide, Interview
from odm_tui.engine.policy import Policy
from odm_tui.engine.posterior import answer_indices
from odm_tui.engine.problem import Floats
from odm_tui.errors import BadArgument


def run_to_end(interview: Interview, answers: object) -> Decide:
    """Run an interview to its end with a full set of answers, one per question."""
    given = answer_indices(interview.problem, answers)
    while isinstance(interview.next, Ask):
        question = interview.next.question
        if given[question] < 0:
            interview.dont_know()
        else:
            interview.answer(interview.problem.questions[question].answers[given[question]])
    return interview.next


def with_known_theta(policy: Policy, theta: Floats, prior: Floats | None = None) -> Policy:
    """The same oracle and stop rule with the true theta: regret is measured against it."""
    return replace(policy, exploration=KnownTheta(theta, prior))


def super_arm_cost(mean_cost: Floats, asked: npt.ArrayLike, outcome: int) -> float:
    """Σ_{ij in S} mu_ij: the expected cost of the questions asked under the outcome (-f_mu(S)).

    ``mean_cost`` is mu_ij of the true theta, (n, m): the paper's eq:params.
    """
    return float(mean_cost[np.asarray(asked, dtype=np.intp), outcome].sum())


def regret(costs: npt.ArrayLike, best_costs: npt.ArrayLike) -> Floats:
    """Regret after each interview: the summed gaps to the oracle that knows theta (eq:regret).

    >>> regret([3.0, 2.0, 2.5], [2.0, 2.0, 1.5]).tolist()
    [1.0, 1.0, 2.0]
    """
    paid, best = np.asarray(costs, dtype=np.float64), np.asarray(best_costs, dtype=np.float64)
    if paid.shape != best.shape or paid.ndim != 1:
        raise BadArgument("The regret needs two lists of costs of the same length.")
    return np.cumsum(paid - best)


def regret_bound(questions: int, outcomes: int, interviews: npt.ArrayLike) -> Floats:
    """The theorem's bound 4mn + 2mn · sqrt(8 T log T), for costs from 0 to 1.

    >>> float(regret_bound(5, 20, 1))
    400.0
    """
    arms = questions * outcomes
    horizon = np.asarray(interviews, dtype=np.float64)
    if (horizon < 1).any():
        raise BadArgument("The bound holds for 1 interview or more.")
    return np.asarray(4 * arms + 2 * arms * np.sqrt(8 * horizon * np.log(horizon)))
