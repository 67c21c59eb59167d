"""Regret, the theorem's bound, and interviews held with the true theta."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from odm_tui.engine.interview import Interview
from odm_tui.engine.model import Model
from odm_tui.engine.policy import policy_from
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Problem
from odm_tui.engine.regret import regret, regret_bound, run_to_end, super_arm_cost, with_known_theta
from odm_tui.errors import BadArgument

# The first question tells the outcomes apart for certain; the second says nothing; the third is dear.
TRUTH = np.array([[[0.0, 1.0], [1.0, 0.0]], [[0.5, 0.5], [0.5, 0.5]], [[0.1, 0.9], [0.9, 0.1]]])
PROBLEM = Problem.build(
    ["telling", "idle", "dear"],
    ["x", "y"],
    cost=[[[0.2, 0.4], [0.1, 0.3]], [[0.5, 0.5], [0.5, 0.5]], [[1.0, 1.0], [1.0, 1.0]]],
)


def test_regret_is_the_running_sum_of_the_gaps() -> None:
    assert_allclose(regret([1.0, 0.5, 2.0], [0.5, 0.5, 0.25]), [0.5, 0.5, 2.25])
    assert regret([], []).shape == (0,)


def test_an_interview_may_cost_less_than_the_knowing_oracle() -> None:
    assert_allclose(regret([0.25, 1.0], [0.5, 0.5]), [-0.25, 0.25])


@pytest.mark.parametrize(("costs", "best"), [([1.0, 2.0], [1.0]), ([[1.0]], [[1.0]])])
def test_regret_of_lists_that_do_not_match_is_refused(costs: list[float], best: list[float]) -> None:
    with pytest.raises(BadArgument, match="same length"):
        regret(costs, best)


@pytest.mark.parametrize(("n", "m", "horizon"), [(5, 20, 1), (5, 20, 300), (12, 2, 1000)])
def test_the_bound_is_the_theorems(n: int, m: int, horizon: int) -> None:
    literal = 4 * m * n + 2 * m * n * math.sqrt(8 * horizon * math.log(horizon))
    assert_allclose(regret_bound(n, m, horizon), literal)


def test_the_bound_is_given_for_many_horizons_at_once() -> None:
    assert_allclose(regret_bound(2, 3, [1, 10, 100]), [float(regret_bound(2, 3, t)) for t in (1, 10, 100)])


@pytest.mark.parametrize("horizon", [0, -1, [5, 0]])
def test_the_bound_of_no_interviews_is_refused(horizon: object) -> None:
    with pytest.raises(BadArgument, match="1 interview or more"):
        regret_bound(2, 3, horizon)  # type: ignore[arg-type]


def test_the_cost_of_a_super_arm_is_its_expected_cost_under_the_outcome() -> None:
    mean_cost = Model(PROBLEM, PROBLEM.prior, TRUTH).mean_cost
    # mu of the telling question is 0.4 under x, where it is always yes, and 0.1 under y.
    assert_allclose(mean_cost, [[0.4, 0.1], [0.5, 0.5], [1.0, 1.0]])
    assert super_arm_cost(mean_cost, [0, 1], 0) == pytest.approx(0.9)
    assert super_arm_cost(mean_cost, [0], 1) == pytest.approx(0.1)
    assert super_arm_cost(mean_cost, [], 1) == 0


@pytest.mark.parametrize("name", ["w-ec2-ts", "w-ig-ts"])
@pytest.mark.parametrize(("answers", "outcome"), [([1, 0, 1], 0), ([0, 1, 0], 1)])
def test_the_oracle_that_knows_theta_asks_the_telling_question_alone(
    name: str, answers: list[int], outcome: int
) -> None:
    policy = with_known_theta(policy_from(name), TRUTH)
    # The decision is the posterior mean's, so it must have learned which answer means what.
    posterior = Posterior.of(PROBLEM).updated([1, None, None], 0).updated([0, None, None], 1)
    interview = Interview(PROBLEM, policy, posterior)
    decision = run_to_end(interview, answers)
    assert [step.question for step in interview.steps] == [0]
    assert decision.outcome == outcome
    assert decision.rule == "region"


def test_regret_against_itself_is_0_when_theta_is_known() -> None:
    rng = np.random.default_rng(0)
    yes = rng.beta(2, 2, size=(5, 4))
    theta = np.stack([1 - yes, yes], axis=-1)
    problem = Problem.build([f"q{i}" for i in range(5)], [f"o{j}" for j in range(4)], cost=rng.random((5, 2)))
    mean_cost = Model(problem, problem.prior, theta).mean_cost
    policy = with_known_theta(policy_from("w-ec2-ts"), theta)
    costs = []
    for seed in (1, 2):
        paid = []
        for truth in range(4):
            interview = Interview(problem, policy, seed=seed)
            run_to_end(interview, (yes[:, truth] > 0.5).astype(int))
            paid.append(super_arm_cost(mean_cost, [s.question for s in interview.steps], truth))
        costs.append(paid)
    assert_allclose(regret(*costs), 0, atol=1e-12)


def test_holding_an_interview_says_dont_know_where_no_answer_is_given() -> None:
    interview = Interview(PROBLEM, policy_from("all"))
    run_to_end(interview, [None, 1, None])
    assert [(s.question, s.kind) for s in interview.steps] == [
        (0, "unknown"),
        (1, "answered"),
        (2, "unknown"),
    ]


def test_a_known_theta_of_another_shape_is_refused() -> None:
    with pytest.raises(BadArgument, match="theta has the shape"):
        Interview(PROBLEM, with_known_theta(policy_from("w-ig-ts"), TRUTH[:2]))
