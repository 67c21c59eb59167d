"""Which questions a plan is about: rounding decides nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from odm_tui.engine.lookahead.planner import Planner
from odm_tui.engine.lookahead.ranking import NO_GAIN, find_levels, rank_by_gain
from odm_tui.engine.model import Model
from odm_tui.engine.problem import Floats, Problem
from odm_tui.engine.situation import Draws, Situation

PLANS_OF_TWO = Planner(0.005)


def start(yes: Floats, learning: Floats | None = None) -> Situation:
    """The start of an interview with questions of equal cost and this P(yes), (n, m)."""
    n, m = yes.shape
    problem = Problem.build([f"q{i}" for i in range(n)], [f"y{j}" for j in range(m)], cost=1.0)
    model = Model(problem, problem.prior, np.stack([1.0 - yes, yes], axis=-1), learning=learning)
    return Situation.at_start(model, Draws(np.arange(n), np.zeros(n + 1)), np.ones(n, dtype=bool), None)


@pytest.mark.parametrize("seed", range(8))
def test_of_questions_that_tell_as_much_a_plan_holds_the_first(seed: int) -> None:
    column = np.random.default_rng(seed).random(5)
    # The same numbers under other outcomes, which are all as likely: sums in another order.
    situation = start(np.stack([np.roll(column, place) for place in range(6)]))
    assert PLANS_OF_TWO.plan_for(situation).questions.tolist() == [0, 1]


@pytest.mark.parametrize("seed", range(8))
def test_of_questions_that_tell_nothing_a_plan_holds_the_first(seed: int) -> None:
    rng = np.random.default_rng(seed)
    situation = replace(
        start(np.repeat(rng.random((6, 1)), 5, axis=1)), log_joint=np.log(rng.dirichlet(np.ones(5)))
    )
    assert PLANS_OF_TWO.plan_for(situation).questions.tolist() == [0, 1]


def test_of_questions_that_tell_nothing_a_plan_holds_those_that_teach_most() -> None:
    learning = np.array([0.0, 0.1, 0.3, 0.1 + 0.2, 0.2, 0.0])
    situation = start(np.full((6, 5), 0.3), np.repeat(learning[:, None], 5, axis=1))
    assert PLANS_OF_TWO.plan_for(situation).questions.tolist() == [2, 3]


def test_gains_per_cost_decide_where_they_differ_by_more_than_rounding() -> None:
    rng = np.random.default_rng(1)
    gains, costs = rng.random((4, 50)), rng.random((4, 50))
    expected = np.argsort(-gains / costs, axis=1)
    assert rank_by_gain(gains, costs).tolist() == expected.tolist()
    assert rank_by_gain(gains[2], costs[2]).tolist() == expected[2].tolist()


def test_a_free_question_comes_first_if_it_tells_anything() -> None:
    free = np.array([1.0, 0.0, 0.0, 0.0])
    assert rank_by_gain(np.array([0.5, NO_GAIN / 2, 1e-6, 0.1]), free).tolist() == [3, 2, 0, 1]


def test_equal_values_are_one_level_and_those_below_the_next() -> None:
    values = np.array([[1.0, 2.0 - 1e-14, 2.0, 1.0 + 1e-14], [3.0, 2.0, 1.0, 0.0]])
    assert find_levels(values, np.full((2, 4), 1e-12)).tolist() == [[1, 0, 0, 1], [0, 1, 2, 3]]
