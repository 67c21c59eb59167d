"""A target for the mean cost: the stakes follow from the counts."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from odm_tui.engine.interview import Interview
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Problem
from odm_tui.engine.stakes import Stakes
from odm_tui.engine.target import apply_target, stakes_factor, with_target
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
    """The rule as it is written: one step after each confirmed interview, within 1/100 and 100 of the start."""
    stakes = start
    for answers, outcome in interviews:
        cost = sum(float(PROBLEM.cost[i, outcome, q]) for i, q in enumerate(answers) if q >= 0)
        stakes *= math.exp(0.1 * (target - cost) / target)
        stakes = min(max(stakes, start / 100), start * 100)
    return stakes


def learned(interviews: list[tuple[tuple[int, int], int]], problem: Problem = PROBLEM) -> Posterior:
    posterior = Posterior.of(problem)
    for answers, outcome in interviews:
        posterior = posterior.updated(np.array(answers, dtype=np.int16), outcome)
    return posterior


def test_the_stakes_are_those_of_the_rule_step_by_step() -> None:
    for count in range(len(INTERVIEWS) + 1):
        held = INTERVIEWS[:count]
        interview = Interview(PROBLEM, "lookahead-mean", learned(held))
        assert_allclose(interview.problem.effective_stakes, literal_stakes(held, 20.0, 2.0), rtol=1e-12)


def test_a_problem_gets_another_target_or_none_and_stays_the_same_object_with_its_own() -> None:
    assert with_target(PROBLEM, 2.0) is PROBLEM
    assert [with_target(PROBLEM, target).target_cost for target in (3.0, None)] == [3.0, None]


@given(
    answers=st.lists(
        st.tuples(st.tuples(st.integers(-1, 1), st.integers(-1, 1)), st.integers(0, 1)), max_size=40
    ),
    target=st.sampled_from([0.05, 0.3, 2.0, 9.0]),
)
@settings(max_examples=60, deadline=None)
def test_at_the_limits_too_the_stakes_are_those_of_the_rule(
    answers: list[tuple[tuple[int, int], int]], target: float
) -> None:
    posterior = learned(answers, replace(PROBLEM, target_cost=target))
    assert_allclose(20.0 * stakes_factor(posterior.moved), literal_stakes(answers, 20.0, target), rtol=1e-9)


def test_the_order_does_not_matter_and_retracting_takes_back() -> None:
    whole = learned(INTERVIEWS)
    assert_allclose(learned(INTERVIEWS[::-1]).moved, whole.moved, rtol=1e-12)
    answers, outcome = INTERVIEWS[-1]
    shorter = whole.retracted(np.array(answers, dtype=np.int16), outcome)
    assert_allclose(shorter.moved, learned(INTERVIEWS[:-1]).moved, atol=1e-12)
    merged = learned(INTERVIEWS[:2]).merged(learned(INTERVIEWS[2:]))
    assert_allclose(merged.moved, whole.moved, rtol=1e-12)


def test_each_interview_counts_with_its_own_target() -> None:
    before = learned(INTERVIEWS[:3], replace(PROBLEM, target_cost=1.0))
    now = replace(before, problem=PROBLEM)
    for answers, outcome in INTERVIEWS[3:]:
        now = now.updated(np.array(answers, dtype=np.int16), outcome)
    middle = literal_stakes(INTERVIEWS[:3], 20.0, 1.0)
    found = Interview(PROBLEM, "lookahead-mean", now).problem.effective_stakes
    assert_allclose(found, literal_stakes(INTERVIEWS[3:], middle, 2.0))


def test_the_stakes_of_an_interview_are_moved_once() -> None:
    held = Interview(PROBLEM, "lookahead-mean", learned(INTERVIEWS))
    again = Interview(held.problem, "lookahead-mean", held.posterior)
    assert again.problem.effective_stakes == held.problem.effective_stakes
    assert held.problem.target_cost is None


def test_a_target_that_cannot_be_met_does_not_wind_up() -> None:
    posterior = learned([INTERVIEWS[1]] * 1000, replace(PROBLEM, target_cost=0.1))
    assert_allclose(stakes_factor(posterior.moved), 0.01)
    eased = replace(posterior, problem=replace(PROBLEM, target_cost=100.0))
    for _ in range(60):
        eased = eased.updated(np.array(INTERVIEWS[3][0], dtype=np.int16), INTERVIEWS[3][1])
    assert stakes_factor(eased.moved) > 1.0


def test_stakes_by_pair_move_together_and_the_limits_hold() -> None:
    pairs = replace(PROBLEM, stakes=Stakes.by_pair([[0, 5], [7, 0]]), refer_cost=1.0)
    moved = apply_target(pairs, learned(INTERVIEWS).moved)
    factor = literal_stakes(INTERVIEWS, 1.0, 2.0)
    assert isinstance(moved.stakes, Stakes)
    assert_allclose(moved.stakes.table, np.array([[0, 5], [7, 0]]) * factor)
    assert moved.decision_stakes.refer == 1.0
    assert_allclose(stakes_factor(learned([((-1, -1), 0)] * 1000).moved), 100.0)


def test_without_a_target_nothing_moves() -> None:
    plain = replace(PROBLEM, target_cost=None)
    assert apply_target(plain, 3.0) is plain
    assert learned(INTERVIEWS, plain).moved == 0.0
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
