"""Cost, utility, regret and the bound, on cases small enough to compute by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from odm_tui.engine.regret import regret, regret_bound
from odm_tui.evaluation.data.dataset import Dataset
from odm_tui.evaluation.experiment.metrics import (
    careful_utilities,
    charge_wrong_decisions,
    running_mean,
    spread_over_seeds,
    summarise,
    utilities,
)
from odm_tui.evaluation.experiment.simulation import Trace, simulate


def two_questions() -> Dataset:
    """Two questions, two outcomes, four scenarios: every share is a half, a quarter or a whole.

    theta(yes): x0 is 1/2 under outcome 0 and 1 under 1; x1 is 0 under 0 and 1/2 under 1.
    Costs (no, yes): x0 0.2 and 0.6; x1 0.1 and 0.5.
    """
    return Dataset.from_arrays(
        [[0, 0], [1, 0], [1, 0], [1, 1]],
        [0, 0, 1, 1],
        outcomes=["a", "b"],
        cost=[[0.2, 0.6], [0.1, 0.5]],
        hypotheses=4,
    )


def trace(cost: list[float], decision: list[int], label: list[int], questions: list[int]) -> Trace:
    return Trace(
        cost=np.array(cost),
        realised=np.array(cost) * 2,
        questions=np.array(questions, dtype=np.int32),
        decision=np.array(decision, dtype=np.int32),
        label=np.array(label, dtype=np.int32),
        belief=np.full(len(label), np.nan),
        seconds=3.0,
    )


def test_a_question_costs_the_mean_of_its_answers_under_the_right_outcome() -> None:
    # x0: 0.5·0.2 + 0.5·0.6 = 0.4 and 0.6;  x1: 0.1 and 0.5·0.1 + 0.5·0.5 = 0.3
    assert two_questions().mean_cost == pytest.approx(np.array([[0.4, 0.6], [0.1, 0.3]]))


def test_asking_everything_costs_the_sum_over_all_questions() -> None:
    held = simulate(two_questions(), "all", eta=0.0)
    assert held.cost == pytest.approx([0.5, 0.5, 0.9, 0.9])


def test_realised_costs_are_those_of_the_answers_given() -> None:
    held = simulate(two_questions(), "all", eta=0.0)
    assert held.realised == pytest.approx([0.2 + 0.1, 0.6 + 0.1, 0.6 + 0.1, 0.6 + 0.5])


def test_utility_is_two_for_right_minus_one_for_wrong_and_nothing_for_undecided() -> None:
    assert utilities(np.array([0, 1, -1, 2]), np.array([0, 0, 0, 2])).tolist() == [2, -1, 0, 2]


def test_a_careful_decision_is_left_open_where_it_does_not_pay() -> None:
    held = replace(
        trace([0.0] * 4, [0, 0, 1, 1], [0, 0, 0, 0], [0] * 4), belief=np.array([0.3, 0.4, 0.2, np.nan])
    )
    assert careful_utilities(held).tolist() == [0, 2, 0, -1]


def test_the_running_mean_is_over_the_interviews_so_far() -> None:
    assert running_mean(np.array([3.0, 1.0, 5.0])).tolist() == [3.0, 2.0, 3.0]


def test_regret_is_what_was_paid_beyond_the_oracle_that_knows() -> None:
    assert regret([0.9, 0.5, 0.9], [0.5, 0.5, 1.0]) == pytest.approx([0.4, 0.4, 0.3])


def test_the_bound_is_the_theorem_s() -> None:
    # 4mn + 2mn sqrt(8 T log T) with m = 2, n = 3, T = 100
    expected = 24 + 12 * math.sqrt(800 * math.log(100))
    assert float(regret_bound(3, 2, 100)) == pytest.approx(expected)


def test_a_seed_s_summary_holds_the_figures_of_its_interviews() -> None:
    held = trace([1.0, 3.0], [1, -1], [1, 0], [2, 4])
    best = trace([0.5, 1.0], [1, 0], [1, 0], [1, 1])
    made = summarise(7, held, best, np.array([4.0, 4.0]))
    assert (made.seed, made.mean_cost, made.realised_cost, made.mean_questions) == (7, 2.0, 4.0, 3.0)
    assert (made.accuracy, made.utility, made.undecided) == (0.5, 1.0, 0.5)
    # 1 − 0.5 for the right decision; the second interview decides nothing, so it is charged 4: 4 − 1
    assert (made.regret, made.ratio_to_all) == (3.5, 0.5)
    assert (made.questions, made.scenarios, made.seconds) == (6, 2, 3.0)


def test_a_policy_that_asks_nothing_has_no_small_regret() -> None:
    """It is charged what asking everything costs wherever it is wrong, and so is the reference."""
    silent = trace([0.0, 0.0, 0.0], [1, 1, -1], [1, 0, 0], [0, 0, 0])
    best = trace([1.0, 1.0, 1.0], [1, 0, 1], [1, 0, 0], [1, 1, 1])
    everything = np.array([5.0, 6.0, 7.0])
    assert charge_wrong_decisions(silent, everything).tolist() == [0.0, 6.0, 7.0]
    assert charge_wrong_decisions(best, everything).tolist() == [1.0, 1.0, 7.0]
    assert summarise(1, silent, best, everything).regret == pytest.approx(-1 + 5 + 0)


def test_the_spread_over_seeds_takes_them_as_the_population() -> None:
    assert spread_over_seeds([1.0, 3.0]) == 1.0
