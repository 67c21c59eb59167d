"""Beliefs, answer chances, information gain and expected cost against sums over all sets of answers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.testing import assert_allclose

from odm_tui.engine.belief import IMPOSSIBLE, belief, belief_after, entropy, log_sum, normalise, safe_log
from odm_tui.engine.gains import expected_costs, information_gains, per_cost
from odm_tui.engine.model import Model
from odm_tui.engine.problem import Problem
from tests.support.literal import brute
from tests.support.literal.instances import Instance, instances, loud


@given(instances())
@settings(max_examples=160)
def test_the_belief_is_the_sum_over_all_sets_of_answers(it: Instance) -> None:
    with loud():
        ours = belief(it.prior, it.theta, it.given)
    assert_allclose(ours, brute.belief(it.prior, it.theta, it.sizes, it.answers), rtol=1e-9, atol=1e-15)


@given(instances())
@settings(max_examples=120)
def test_the_chance_of_every_answer_is_the_sum_over_all_sets_of_answers(it: Instance) -> None:
    with loud():
        ours = it.model.answer_chances(belief(it.prior, it.theta, it.given))
    for i in it.unasked:
        literal = brute.chances(it.prior, it.theta, it.sizes, it.answers, i)
        assert_allclose(ours[i, : it.sizes[i]], literal, rtol=1e-9, atol=1e-15)
        assert not ours[i, it.sizes[i] :].any()


@given(instances(most=130))
@settings(max_examples=120)
def test_information_gain_is_the_entropy_that_the_answer_takes_away(it: Instance) -> None:
    with loud():
        ours = information_gains(it.model, belief(it.prior, it.theta, it.given))
    literal = [brute.information_gain(it.prior, it.theta, it.sizes, it.answers, i) for i in it.unasked]
    assert_allclose(ours[it.unasked], literal, rtol=1e-9, atol=1e-13)
    assert (ours >= 0).all()


@given(instances())
@settings(max_examples=120)
def test_the_expected_cost_is_conditional_on_the_answers_so_far(it: Instance) -> None:
    with loud():
        ours = expected_costs(it.model, belief(it.prior, it.theta, it.given))
    literal = [brute.expected_cost(it.prior, it.theta, it.cost, it.sizes, it.answers, i) for i in it.unasked]
    assert_allclose(ours[it.unasked], literal, rtol=1e-9, atol=1e-15)


@given(instances())
@settings(max_examples=80)
def test_the_belief_after_each_answer_is_the_belief_with_that_answer(it: Instance) -> None:
    now = belief(it.prior, it.theta, it.given)
    for i in it.unasked:
        with loud():
            ours = belief_after(now, it.theta[i, :, : it.sizes[i]])
        for q in range(it.sizes[i]):
            more = {**it.answers, i: q}
            if brute.possible(it.prior, it.theta, it.sizes, more):
                literal = brute.belief(it.prior, it.theta, it.sizes, more)
                assert_allclose(ours[q], literal, rtol=1e-9, atol=1e-15)
            else:
                assert_allclose(ours[q], now, rtol=0, atol=0)


def test_a_thousand_answers_do_not_underflow() -> None:
    # P(x | y) is about 1e-1000 for both; the log-odds are 500 · log(.1/.1001) + 500 · log(.9/.8999).
    theta = np.tile([[[0.9, 0.1], [0.8999, 0.1001]]], (1000, 1, 1))
    answers = np.arange(1000) % 2
    with np.errstate(all="raise"):
        made = belief(np.array([0.5, 0.5]), theta, answers)
    log_odds = 500 * np.log(0.1 / 0.1001) + 500 * np.log(0.9 / 0.8999)
    assert_allclose(made[0] / made[1], np.exp(log_odds), rtol=1e-9)


def test_a_thousand_opposite_answers_end_at_a_sure_belief_without_a_warning() -> None:
    theta = np.tile([[[0.9, 0.1], [0.1, 0.9]]], (1000, 1, 1))
    with loud():
        made = belief(np.array([0.5, 0.5]), theta, np.ones(1000, dtype=int))
    assert made.tolist() == [0.0, 1.0]


def test_one_impossible_answer_rules_an_outcome_out_whatever_else_speaks_for_it() -> None:
    theta = np.tile([[[1e-300, 1.0 - 1e-300], [0.5, 0.5]]], (1000, 1, 1))
    theta[0] = [[1.0, 0.0], [0.5, 0.5]]
    with loud():
        made = belief(np.array([1 - 1e-12, 1e-12]), theta, np.ones(1000, dtype=int))
    assert made.tolist() == [0.0, 1.0]


def test_where_every_outcome_is_ruled_out_those_with_fewest_impossible_answers_share_the_belief() -> None:
    theta = np.array([[[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]], [[1.0, 0.0], [0.5, 0.5], [0.75, 0.25]]])
    with loud():
        made = belief(np.full(3, 1 / 3), theta, np.array([1, 1]))
    assert_allclose(made, [0, 2 / 3, 1 / 3], rtol=1e-6)


def test_no_quantity_is_nan_when_all_of_theta_is_0_or_1() -> None:
    problem = Problem.build(["a", "b"], ["x", "y"])
    model = Model(
        problem, np.array([1.0, 0.0]), np.array([[[0.0, 1.0], [1.0, 0.0]], [[1.0, 0.0], [1.0, 0.0]]])
    )
    for answers in ([-1, -1], [0, -1], [1, -1], [0, 1]):
        with loud():
            now = belief(model.prior, model.theta, np.array(answers))
            gains = information_gains(model, now)
            costs = expected_costs(model, now)
            ratio = per_cost(gains, costs)
        assert np.isfinite([now.sum(), *gains, *costs, *ratio]).all()
        assert_allclose(now.sum(), 1)


def test_an_outcome_with_a_prior_of_0_is_never_believed_while_another_is_possible() -> None:
    theta = np.array([[[0.5, 0.5], [0.0, 1.0]]])
    assert belief(np.array([1.0, 0.0]), theta, np.array([1])).tolist() == [1.0, 0.0]


def test_free_questions_keep_the_order_of_their_gains_and_come_first() -> None:
    ratio = per_cost(np.array([0.2, 0.1, 0.9, 0.0]), np.array([0.0, 0.0, 0.5, 0.0]))
    assert ratio.argsort()[::-1].tolist() == [0, 1, 2, 3]
    assert np.isfinite(ratio).all()


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_the_unit_of_the_costs_does_not_change_the_order_of_the_questions(scale: float) -> None:
    rng = np.random.default_rng(3)
    gains, costs = rng.random(50), rng.uniform(0.01, 1, 50)
    assert per_cost(gains, costs * scale).argsort().tolist() == (gains / costs).argsort().tolist()


def test_logarithms_of_0_are_finite_and_sums_in_log_space_are_exact() -> None:
    assert safe_log([0.0, 1.0]).tolist() == [IMPOSSIBLE, 0.0]
    assert_allclose(log_sum(np.array([-1000.0, -1001.0])), -1000 + np.log1p(np.exp(-1)))
    assert_allclose(normalise(np.array([IMPOSSIBLE, 2 * IMPOSSIBLE, IMPOSSIBLE])), [0.5, 0, 0.5])
    assert_allclose(entropy(np.array([0.25, 0.75, 0.0])), brute.entropy([0.25, 0.75]))
