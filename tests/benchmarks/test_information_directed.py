"""Information-directed sampling among the forms that the results compare ``lookahead-learn`` with."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from odm_tui.engine.oracles.lookahead import Lookahead
from odm_tui.engine.policy import policy_from
from odm_tui.evaluation.data.dataset import Dataset
from odm_tui.evaluation.experiment.batch.simulation import BatchMember
from odm_tui.evaluation.experiment.settings import Prior
from odm_tui.evaluation.experiment.simulation import apply_settings
from tests.support.literal import information_directed as literal

pytest.importorskip("numba")
STAKES, PLANNED = 9.0, 3


@pytest.mark.parametrize("seed", range(5))
def test_the_mixture_is_the_one_with_the_least_squared_regret_for_its_information(seed: int) -> None:
    from benchmarks.learning_forms.information_directed import take_action

    rng = np.random.default_rng(seed)
    taken = set()
    for _ in range(6):
        regrets, gains = rng.exponential(1.0, 4), rng.exponential(1.0, 4)
        gains[0] *= rng.integers(0, 2)
        for chance in rng.random(3):
            taken.add(take_action(regrets, gains, chance))
            assert take_action(regrets, gains, chance) == literal.take_action(
                regrets.tolist(), gains.tolist(), chance
            )
    assert len(taken) > 1


def test_a_small_regret_of_stopping_is_mixed_with_a_costly_question() -> None:
    from benchmarks.learning_forms.information_directed import take_action

    regrets, gains = np.array([0.1, 1.1]), np.array([0.0, 0.5])
    # Stopping gains nothing, so the question's share is D_stop / (D_question − D_stop) = 0.1.
    assert [take_action(regrets, gains, chance) for chance in (0.09, 0.11)] == [1, 0]
    assert take_action(regrets, np.zeros(2), 0.0) == 0
    assert take_action(np.array([0.0, 1.1]), gains, 0.0) == 0


@pytest.mark.parametrize("seed", range(4))
def test_the_regret_of_an_interview_and_its_information_are_those_of_their_definition(seed: int) -> None:
    from benchmarks.learning_forms.forms import tell_about
    from benchmarks.learning_forms.information_directed import find_regrets

    rng = np.random.default_rng(seed)
    drawn, mean = rng.beta(0.6, 0.6, (2, 5, 4, 3)), rng.beta(0.6, 0.6, (2, 4, 3))
    prior, cost = rng.dirichlet([2.0] * 3, 2), rng.uniform(0.1, 1.0, (2, 4, 2))
    regrets, first = np.empty(2), np.empty((2, 5), dtype=np.intp)
    find_regrets(drawn, mean, prior, cost, STAKES, PLANNED, regrets, first)
    for unit in range(2):
        given_up, questions = literal.regret(
            drawn[unit].tolist(),
            mean[unit].tolist(),
            cost[unit].tolist(),
            prior[unit].tolist(),
            STAKES,
            PLANNED,
        )
        assert given_up > 0
        assert regrets[unit] == pytest.approx(given_up)
        assert first[unit].tolist() == [4 if question is None else question for question in questions]
        told = literal.tell_about(drawn[unit].tolist(), questions)
        assert_allclose(tell_about(drawn[unit], first[unit]), told, atol=1e-12)


@pytest.mark.parametrize("sampled", [False, True])
def test_interviews_as_actions_ask_what_their_definition_asks(sampled: bool) -> None:
    from benchmarks.learning_forms.information_directed import hold_by_interview

    rng = np.random.default_rng(7)
    units, n, m = 24, 5, 3
    mean, samples = rng.beta(0.7, 0.7, (units, n, m)), rng.beta(0.7, 0.7, (units, int(sampled), n, m))
    teaches = rng.exponential(1.0, (units, n, m)) * (rng.random((units, n, 1)) < 0.7)
    regrets, prior = rng.exponential(0.3, units), rng.dirichlet([2.0] * m, units)
    cost, chances = rng.uniform(0.1, 1.0, (units, n, 2)), rng.random((units, n))
    answers, asked = rng.integers(0, 2, (units, n)).astype(np.int8), np.empty((units, n), dtype=np.int16)
    hold_by_interview(samples, mean, teaches, regrets, prior, cost, STAKES, chances, answers, PLANNED, asked)
    for unit in range(units):
        expected = literal.hold_by_interview(
            mean[unit].tolist(),
            teaches[unit].tolist(),
            float(regrets[unit]),
            prior[unit].tolist(),
            cost[unit].tolist(),
            STAKES,
            chances[unit].tolist(),
            answers[unit].tolist(),
            PLANNED,
            samples[unit, 0].tolist() if sampled else None,
        )
        assert asked[unit][asked[unit] >= 0].tolist() == expected
    assert len({int((row >= 0).sum()) for row in asked}) > 2


@pytest.mark.parametrize("planned", [1, 3])
def test_steps_as_actions_ask_what_their_definition_asks(planned: int) -> None:
    from benchmarks.learning_forms.information_directed import hold_by_step

    rng = np.random.default_rng(8)
    units, draws, n, m = 24, 6, 5, 3
    drawn, prior = rng.beta(0.7, 0.7, (units, draws, n, m)), rng.dirichlet([2.0] * m, units)
    cost, chances = rng.uniform(0.1, 1.0, (units, n, 2)), rng.random((units, n))
    answers, asked = rng.integers(0, 2, (units, n)).astype(np.int8), np.empty((units, n), dtype=np.int16)
    hold_by_step(drawn, prior, cost, STAKES, chances, answers, planned, asked)
    for unit in range(units):
        expected = literal.hold_by_step(
            drawn[unit].tolist(),
            prior[unit].tolist(),
            cost[unit].tolist(),
            STAKES,
            chances[unit].tolist(),
            answers[unit].tolist(),
            planned,
        )
        assert asked[unit][asked[unit] >= 0].tolist() == expected
    assert len({int((row >= 0).sum()) for row in asked}) > 2


def test_each_form_learns_in_its_own_way_and_the_same_way_twice() -> None:
    from benchmarks.learning_forms.forms import DIRECTED, hold_runs

    policy = replace(policy_from("lookahead-learn"), oracle=Lookahead(0.3))
    members = [
        BatchMember(*apply_settings(Dataset.load("led", 1, 12), policy, Prior.POOLED, 30.0, False), seed)
        for seed in (1, 2)
    ]
    held = {form: hold_runs(members, form, 30.0, 0.3).value for form in DIRECTED}
    again = {form: hold_runs(members, form, 30.0, 0.3).value for form in DIRECTED}
    assert len({each.tobytes() for each in held.values()}) == len(DIRECTED)
    for form, values in held.items():
        assert_allclose(again[form], values, rtol=0, atol=0)
