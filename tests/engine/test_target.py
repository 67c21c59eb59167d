"""A target for the mean cost: the stakes follow from the counts."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from odm_tui.engine.interview import Interview
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Problem
from odm_tui.engine.stakes import Stakes
from odm_tui.engine.target import apply_target, cost_of_interviews, current_factor
from odm_tui.errors import BadArgument
from odm_tui.evaluation.data.dataset import Dataset
from odm_tui.evaluation.experiment.simulation import simulate

PROBLEM = Problem.build(
    ["a", "b"],
    ["x", "y"],
    cost=[[[1.0, 2.0], [1.0, 3.0]], [[0.5, 0.5], [0.25, 4.0]]],
    stakes=20.0,
    target_cost=2.0,
)
INTERVIEWS = [((1, -1), 0), ((0, 1), 1), ((1, 1), 1), ((-1, 0), 0), ((0, 0), 1)]


def literal_stakes(interviews: list[tuple[tuple[int, int], int]], start: float, target: float) -> float:
    """The rule as it is written: one step after each confirmed interview."""
    stakes = start
    for answers, outcome in interviews:
        cost = sum(float(PROBLEM.cost[i, outcome, q]) for i, q in enumerate(answers) if q >= 0)
        stakes *= math.exp(0.1 * (target - cost) / target)
    return stakes


def learned(interviews: list[tuple[tuple[int, int], int]]) -> Posterior:
    posterior = Posterior.of(PROBLEM)
    for answers, outcome in interviews:
        posterior = posterior.updated(np.array(answers, dtype=np.int16), outcome)
    return posterior


def test_the_stakes_are_those_of_the_rule_step_by_step() -> None:
    for count in range(len(INTERVIEWS) + 1):
        held = INTERVIEWS[:count]
        interview = Interview(PROBLEM, "lookahead-mean", learned(held))
        assert_allclose(interview.problem.effective_stakes, literal_stakes(held, 20.0, 2.0), rtol=1e-12)


def test_the_order_does_not_matter_and_retracting_takes_back_exactly() -> None:
    backwards = learned(INTERVIEWS[::-1])
    assert current_factor(backwards) == current_factor(learned(INTERVIEWS))
    answers, outcome = INTERVIEWS[-1]
    shorter = learned(INTERVIEWS).retracted(np.array(answers, dtype=np.int16), outcome)
    assert current_factor(shorter) == current_factor(learned(INTERVIEWS[:-1]))
    merged = learned(INTERVIEWS[:2]).merged(learned(INTERVIEWS[2:]))
    assert current_factor(merged) == current_factor(learned(INTERVIEWS))


def test_an_answer_that_nobody_knew_has_cost_something() -> None:
    posterior = Posterior.of(PROBLEM, outcome_counts=[1, 0], interviews=1, unknown=[2, 0])
    assert_allclose(cost_of_interviews(posterior), 2 * 1.75)


def test_stakes_by_pair_move_together_and_the_limits_hold() -> None:
    pairs = replace(PROBLEM, stakes=Stakes.by_pair([[0, 5], [7, 0]]), refer_cost=1.0)
    moved = apply_target(pairs, replace(learned(INTERVIEWS), problem=pairs))
    factor = literal_stakes(INTERVIEWS, 1.0, 2.0)
    assert isinstance(moved.stakes, Stakes)
    assert_allclose(moved.stakes.table, np.array([[0, 5], [7, 0]]) * factor)
    assert moved.decision_stakes.refer == 1.0
    free = Posterior.of(PROBLEM, outcome_counts=[500, 500], interviews=1000)
    assert_allclose(current_factor(free), 100.0)


def test_without_a_target_nothing_moves() -> None:
    plain = replace(PROBLEM, target_cost=None)
    assert apply_target(plain, replace(learned(INTERVIEWS), problem=plain)) is plain
    with pytest.raises(BadArgument, match="target_cost"):
        replace(PROBLEM, target_cost=0.0)


@pytest.mark.parametrize("target", [0.7, 1.6])
def test_the_mean_cost_comes_near_the_target(target: float) -> None:
    rng = np.random.default_rng(4)
    theta = rng.beta(0.6, 0.6, (7, 4))
    labels = rng.integers(0, 4, 250)
    answers = (rng.random((250, 7)) < theta[:, labels].T).astype(np.int8)
    dataset = Dataset.from_arrays(answers, labels, cost=rng.uniform(0.2, 1.0, (7, 2)))
    trace = simulate(dataset, "lookahead-learn", protocol="live", stakes=5.0, seed=1, target_cost=target)
    assert abs(trace.realised[100:].mean() / target - 1) < 0.15
