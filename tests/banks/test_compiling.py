"""A bank becomes the engine's arrays, and the arrays go back to ids."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from odm_tui.banks import Bank
from tests.support.sample_banks import SMALL, generated, loaded


@pytest.fixture
def bank(tmp_path: Path) -> Bank:
    return loaded(tmp_path, SMALL)


def test_the_shape_is_questions_by_outcomes_by_answers_at_most(bank: Bank) -> None:
    assert bank.problem.shape == (3, 3, 4)


def test_ids_and_answers_keep_their_order_there_and_back(bank: Bank) -> None:
    problem = bank.problem
    assert problem.outcomes == tuple(outcome.id for outcome in bank.outcomes)
    assert [problem.positions[question.id] for question in bank.questions] == [0, 1, 2]
    for question, compiled in zip(bank.questions, problem.questions, strict=True):
        assert compiled.answers == tuple(answer.id for answer in question.answers)
        assert [compiled.index(answer.id) for answer in question.answers] == list(
            range(len(question.answers))
        )


def test_answers_have_ids_and_labels(bank: Bank) -> None:
    assert [[(a.id, a.label) for a in question.answers] for question in bank.questions] == [
        [("no", "No"), ("yes", "Yes")],
        [("red", "red"), ("amber", "Amber"), ("not-lit", "Not lit")],
        [
            ("<=20", "at most 20 ms"),
            ("20..80", "20 to 80 ms"),
            ("80..300", "80 to 300 ms"),
            (">300", "above 300 ms"),
        ],
    ]


def test_costs_go_by_answer_and_outcome(bank: Bank) -> None:
    # Outcomes down, answers across; lights: no, yes.
    assert bank.problem.cost[0].tolist() == [[40, 5, 0, 0], [20, 5, 0, 0], [20, 5, 0, 0]]


def test_answers_that_are_not_named_cost_the_default(bank: Bank) -> None:
    assert bank.problem.cost[1].tolist() == [[1, 3, 3, 0]] * 3
    assert bank.problem.cost[2].tolist() == [[3, 3, 3, 3]] * 3


@pytest.mark.parametrize(
    ("cost", "rows"),
    [
        ("7", [[7, 7], [7, 7], [7, 7]]),
        ('{ "*" = 7 }', [[7, 7], [7, 7], [7, 7]]),
        ('{ yes = 2, "*" = { wifi = 9 } }', [[3, 2], [9, 2], [3, 2]]),
        ("{ no = { router = 0 } }", [[3, 3], [3, 3], [0, 3]]),
    ],
)
def test_every_form_of_cost_is_understood(tmp_path: Path, cost: str, rows: list[list[float]]) -> None:
    text = SMALL.replace('{ yes = 5, no = { line-fault = 40, "*" = 20 } }', cost)
    assert loaded(tmp_path, text).problem.cost[0, :, :2].tolist() == rows


def test_costs_of_a_number_go_by_interval(tmp_path: Path) -> None:
    text = SMALL.replace("always_ask", 'cost = { "<=20" = 1, "80..300" = 2, "*" = 9 }\nalways_ask')
    assert loaded(tmp_path, text).problem.cost[2, 0].tolist() == [1, 9, 2, 9]


def test_never_is_taken_as_one_in_a_hundred(bank: Bank) -> None:
    # Worth 10: P(yes) of 0 becomes 0.1 yes and 9.9 no; 0.8 becomes 8 and 2.
    np.testing.assert_allclose(bank.problem.pseudo[0, :, :2], [[9.9, 0.1], [2.0, 8.0], [2.0, 8.0]])


def test_answers_left_out_share_what_is_left(bank: Bank) -> None:
    np.testing.assert_allclose(bank.problem.pseudo[1, 0, :3], [7, 2, 1])


def test_an_outcome_of_which_nothing_is_said_starts_with_two_of_each_answer(bank: Bank) -> None:
    assert bank.problem.pseudo[1, 1:, :3].tolist() == [[2, 2, 2], [2, 2, 2]]
    assert bank.problem.pseudo[2, 0].tolist() == [2, 2, 2, 2]


def test_thresholds_left_out_lie_between_their_neighbours(bank: Bank) -> None:
    # above_20 = 0.9, above_80 is halfway to above_300 = 0.3, so 0.6; worth 20.
    np.testing.assert_allclose(bank.problem.pseudo[2, 1], [2, 6, 6, 6])


@pytest.mark.parametrize(
    ("said", "shares"),
    [
        ("{ above_80 = 0.4 }", [0.3, 0.3, 0.2, 0.2]),
        ("{ }", [0.25, 0.25, 0.25, 0.25]),
        ("{ above_20 = 0.5 }", [0.5, 1 / 6, 1 / 6, 1 / 6]),
        ("{ above_300 = 0.7 }", [0.1, 0.1, 0.1, 0.7]),
    ],
)
def test_thresholds_at_the_ends_lie_between_one_and_zero(
    tmp_path: Path, said: str, shares: list[float]
) -> None:
    text = SMALL.replace("{ above_20 = 0.9, above_300 = 0.3 }", said)
    np.testing.assert_allclose(loaded(tmp_path, text).problem.pseudo[2, 1] / 20, shares)


def test_impossible_answers_of_a_choice_get_a_little_at_the_expense_of_the_rest(tmp_path: Path) -> None:
    text = SMALL.replace("{ red = 0.7, amber = 0.2 }", "{ red = 1 }")
    np.testing.assert_allclose(loaded(tmp_path, text).problem.pseudo[1, 0, :3], [9.8, 0.1, 0.1])


def test_probabilities_that_almost_sum_to_one_are_scaled(tmp_path: Path) -> None:
    text = SMALL.replace("{ red = 0.7, amber = 0.2 }", "{ red = 0.3333, amber = 0.3333, not-lit = 0.3333 }")
    np.testing.assert_allclose(loaded(tmp_path, text).problem.pseudo[1, 0, :3], [10 / 3] * 3)


def test_worth_may_go_by_question_and_outcome(tmp_path: Path) -> None:
    text = SMALL.replace("ping = 20", 'lights = { wifi = 100, "*" = 5 }')
    np.testing.assert_allclose(
        loaded(tmp_path, text).problem.pseudo[0, :, :2], [[4.95, 0.05], [20.0, 80.0], [1.0, 4.0]]
    )


def test_without_worth_knowledge_counts_as_eight_observations(tmp_path: Path) -> None:
    text = SMALL.replace('worth = { "*" = 10, ping = 20 }\n', "")
    np.testing.assert_allclose(loaded(tmp_path, text).problem.pseudo[0, 1, :2], [1.6, 6.4])


def test_priors_are_scaled_to_one(tmp_path: Path) -> None:
    text = (
        SMALL.replace("prior = 0.2", "prior = 4")
        .replace("prior = 0.5", "prior = 10")
        .replace("0.3\n\n[[q", "6\n\n[[q")
    )
    np.testing.assert_allclose(loaded(tmp_path, text).problem.prior, [0.2, 0.5, 0.3])


def test_prerequisites_are_the_indices_of_the_answers(bank: Bank) -> None:
    assert bank.problem.prerequisites == ((1, (((0, (0,)),),)), (2, (((1, (0, 1)),),)))


@pytest.mark.parametrize(
    ("said", "indices"),
    [
        ('"above_80"', (2, 3)),
        ('"at_most_80"', (0, 1)),
        ('["at_most_20", "above_300"]', (0, 3)),
        ('"above_80.0"', (2, 3)),
        ("{ above = 80 }", (2, 3)),
        ("{ above = 20, at_most = 300 }", (1, 2)),
    ],
)
def test_a_prerequisite_on_a_number_names_a_threshold(
    tmp_path: Path, said: str, indices: tuple[int, ...]
) -> None:
    text = SMALL.replace('ask_if = { lights = "no" }', f"ask_if = {{ ping = {said} }}").replace(
        'ask_if = { colour = ["red", "amber"] }', ""
    )
    assert loaded(tmp_path, text).problem.prerequisites == ((1, (((2, indices),),)),)


def test_always_ask_stakes_and_the_worth_of_learned_priors_reach_the_engine(tmp_path: Path) -> None:
    text = SMALL.replace("stakes = 900", 'stakes = 900\noutcome_prior = "learned"\noutcome_prior_worth = 30')
    problem = loaded(tmp_path, text).problem
    assert problem.always.tolist() == [False, False, True]
    assert (problem.stakes, problem.outcome_worth) == (900.0, 30.0)


def test_error_rates_reach_the_engine_and_are_nan_where_nobody_said(tmp_path: Path, bank: Bank) -> None:
    text = SMALL.replace("always_ask = true", "always_ask = true\nerror_rate = 0.05")
    np.testing.assert_array_equal(loaded(tmp_path, text).problem.error_rates, [np.nan, np.nan, 0.05])
    assert bank.problem.error_rates is None


def test_learning_is_pooled_unless_the_bank_wants_it_separate(tmp_path: Path, bank: Bank) -> None:
    assert bank.problem.pooled
    separate = SMALL.replace("stakes = 900", 'learning = "separate"')
    assert not loaded(tmp_path, separate).problem.pooled


def test_fixed_priors_are_worth_nothing_to_learn_from(bank: Bank) -> None:
    assert bank.problem.outcome_worth == 0.0


def test_a_generated_bank_compiles_to_what_it_says(tmp_path: Path) -> None:
    problem = loaded(tmp_path, generated(20, 15)).problem
    said = np.array([[((31 * i + 17 * j + i * j) % 97 + 1) / 100 for j in range(15)] for i in range(20)])
    np.testing.assert_allclose(problem.pseudo[:, :, 1], 10 * said)
    np.testing.assert_allclose(problem.pseudo.sum(axis=2), 10)
