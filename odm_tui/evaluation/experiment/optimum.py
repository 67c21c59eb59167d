"""Find the best that any policy could reach on a data set: the exact optimum, or a bound if that is too large.

The objective is the lookahead's: value = stakes · P(right) − cost, under the theta and P(y) of the data, with answers
independent given the outcome, as in the paper's model. In a real data set they are not, so its scenarios can be easier
or harder, and a policy's value can come out above the optimum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from odm_tui.engine.lookahead.dynamic_program import Plan, make_plan
from odm_tui.engine.problem import Floats
from odm_tui.evaluation.data.dataset import Dataset

MOST_WORK = 20_000_000
"""States × (outcomes + questions) up to which the optimum is computed: 12 yes/no questions, about 200 MB."""
DRAWS = 20_000
"""How many sets of answers are drawn for a bound that is too large to sum exactly."""


@dataclass(frozen=True)
class Optimum:
    """The best value at these stakes or, if ``exact`` is False, a value that no policy exceeds.

    A bound is stakes · P(right | all answers), with every answer for free: its cost is 0 and it asks all questions.
    ``error`` is the standard error of its value, 0 if all sets of answers were summed.
    """

    stakes: float
    exact: bool
    cost: float
    accuracy: float
    questions: float
    error: float = 0.0

    @property
    def value(self) -> float:
        """stakes · P(right) − cost."""
        return self.stakes * self.accuracy - self.cost

    @property
    def kind(self) -> str:
        """What the figures are: ``optimum`` or ``bound``."""
        return "optimum" if self.exact else "bound"


def find_optimum(dataset: Dataset, stakes: float | None = None) -> Optimum:
    """Return the optimum of a data set, or the bound if the plan would be too large.

    Without ``stakes``, take those of the data set's problem.
    """
    if stakes is None:
        stakes = dataset.problem.effective_stakes
    plan = find_best_plan(dataset, stakes)
    if plan is not None:
        cost, right, questions = plan.outcome
        return Optimum(stakes, True, cost, right, questions)
    right, error = accuracy_given_all(dataset)
    return Optimum(stakes, False, 0.0, right, float(len(dataset.problem.questions)), stakes * error)


def find_best_plan(dataset: Dataset, stakes: float) -> Plan | None:
    """Return the optimal policy under the data's theta, or None if it has too many states to compute."""
    sizes = _sizes(dataset)
    n, m, _ = dataset.problem.shape
    if np.prod([size + 1.0 for size in sizes]) * (m + n) > MOST_WORK:
        return None
    return make_plan(dataset.problem.prior, dataset.theta, dataset.mean_cost, stakes, sizes)


def accuracy_given_all(dataset: Dataset) -> tuple[float, float]:
    """Return P(right | all answers) = E[max_j P(j | x)] under the data's theta, and its standard error."""
    prior, theta = dataset.problem.prior, dataset.theta
    sizes = _sizes(dataset)
    if np.prod(np.array(sizes, dtype=float)) * len(prior) <= MOST_WORK:
        joint = prior[None, :]
        for i, size in enumerate(sizes):
            joint = (theta[i, :, :size].T[:, None, :] * joint[None]).reshape(-1, len(prior))
        return float(joint.max(axis=1).sum()), 0.0
    rng = np.random.default_rng(dataset.seed)
    labels = rng.choice(len(prior), size=DRAWS, p=prior)
    chance = rng.random((DRAWS, len(sizes)))
    log_joint = np.zeros((DRAWS, len(prior))) + _log(prior)
    drawn = np.zeros(chance.shape, dtype=np.intp)
    for q, upto in enumerate(np.cumsum(theta, axis=-1)[..., :-1].transpose(2, 1, 0)):
        drawn[chance > upto[labels]] = q + 1
    drawn = np.minimum(drawn, np.array(sizes) - 1)
    for q in range(theta.shape[2]):
        log_joint += (drawn == q) @ _log(theta[:, :, q])
    belief = np.exp(log_joint - log_joint.max(axis=1, keepdims=True))
    best = 1.0 / belief.sum(axis=1)
    return float(best.mean()), float(best.std(ddof=1) / np.sqrt(DRAWS))


@dataclass(frozen=True, eq=False)
class FollowedPlan:
    """The result of a plan in every scenario, (T,) each; the cost is the paper's, at the right outcome."""

    cost: Floats
    right: npt.NDArray[np.bool_]


def follow_plan(plan: Plan, dataset: Dataset) -> FollowedPlan:
    """Follow a plan for all questions through the scenarios of a data set."""
    states = np.zeros(len(dataset.labels), dtype=np.intp)
    cost = np.zeros(len(states))
    while True:
        moves = plan.moves(states)
        asks = np.flatnonzero(moves >= 0)
        if not len(asks):
            return FollowedPlan(cost, plan.joint[states].argmax(axis=1) == dataset.labels)
        questions = moves[asks]
        cost[asks] += dataset.mean_cost[questions, dataset.labels[asks]]
        states[asks] += plan.lattice.strides[questions] * (
            dataset.answers[asks, questions].astype(np.intp) + 1
        )


def _sizes(dataset: Dataset) -> tuple[int, ...]:
    return tuple(len(question.answers) for question in dataset.problem.questions)


def _log(chances: Floats) -> Floats:
    """Return log p, with a large negative number for 0, so that 0 times it is 0."""
    return np.log(np.maximum(chances, 1e-300))
