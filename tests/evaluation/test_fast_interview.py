"""The fast interview of simulations, against the engine's own functions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from odm_tui.engine.belief import belief
from odm_tui.engine.gains import ec2_gains, information_gains
from odm_tui.engine.hypotheses import Contested, list_hypotheses, log_weights
from odm_tui.engine.model import Model
from odm_tui.engine.problem import Problem, Question, never_certain
from odm_tui.evaluation.experiment.agents import ALMOST
from odm_tui.evaluation.experiment.fast_interview import UNDECIDED, FastInterview, HypothesisTable
from tests.support.literal.instances import consistent

SEEDS = st.integers(0, 10_000)


def a_model(seed: int, width: int = 2) -> Model:
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(2, 8)), int(rng.integers(2, 6))
    answers = tuple(f"a{q}" for q in range(width))
    problem = Problem.build(
        [Question(f"q{i}", answers=answers) for i in range(n)],
        [f"y{j}" for j in range(m)],
        cost=rng.random(n),
    )
    return Model(problem, rng.dirichlet(np.ones(m)), rng.dirichlet(np.full(width, 2.0), size=(n, m)))


def shares(gains: np.ndarray) -> np.ndarray:
    """Gains up to a common factor, which no choice depends on."""
    shared: np.ndarray = gains / max(gains.sum(), 1e-300)
    return shared


@given(SEEDS, st.sampled_from(["apart", "likeliest"]), st.sampled_from([2, 3]))
def test_gains_along_an_interview_are_the_engine_s(seed: int, contested: Contested, width: int) -> None:
    model = a_model(seed, width)
    rng = np.random.default_rng(seed + 1)
    hypotheses = list_hypotheses(model.log_prior, model.log_theta, 6, contested=contested)
    interview = FastInterview(model, HypothesisTable.of(hypotheses, width))
    answers = np.full(len(interview.available), -1)
    for question in rng.permutation(len(answers)):
        now = belief(model.prior, model.theta, answers)
        weights = np.where(
            consistent(hypotheses, answers),
            np.exp(log_weights(hypotheses, model.log_prior, model.log_theta)),
            0.0,
        )
        expected = ec2_gains(hypotheses, weights, model.answer_chances(now))
        assert shares(interview.ec2_gains()) == pytest.approx(shares(expected), abs=1e-9)
        assert interview.information_gains() == pytest.approx(information_gains(model, now), abs=1e-9)
        assert interview.regions == hypotheses.regions_among(consistent(hypotheses, answers))
        answers[question] = int(rng.integers(0, width))
        interview.add_answer(int(question), int(answers[question]))
        if not interview.alive.any():
            break


def test_one_region_left_is_the_decision() -> None:
    model = a_model(3)
    listed = HypothesisTable.of(list_hypotheses(model.log_prior, model.log_theta, 4), 2)
    interview = FastInterview(model, listed)
    only = listed.rows[0]
    for question, answer in enumerate(only):
        interview.add_answer(question, int(answer))
    assert interview.decision == listed.region[0]


def test_a_contested_hypothesis_that_stands_apart_decides_nothing() -> None:
    problem = Problem.build(["a"], ["y0", "y1"])
    model = Model(problem, problem.prior, np.full((1, 2, 2), 0.5))
    interview = FastInterview(
        model, HypothesisTable.of(list_hypotheses(model.log_prior, model.log_theta, 2, contested="apart"), 2)
    )
    assert interview.regions == 1
    assert interview.decision == UNDECIDED


def test_more_than_one_region_decides_nothing() -> None:
    model = a_model(3)
    interview = FastInterview(
        model, HypothesisTable.of(list_hypotheses(model.log_prior, model.log_theta, 4), 2)
    )
    assert interview.regions > 1
    assert interview.decision == UNDECIDED


def test_a_row_that_is_added_counts_like_a_listed_one() -> None:
    model = a_model(11)
    whole = HypothesisTable.of(list_hypotheses(model.log_prior, model.log_theta, 4), 2)
    fewer = HypothesisTable(whole.rows[:-1], whole.region[:-1], whole.outcomes, whole.columns[:-1])
    again = fewer.with_row(whole.rows[-1], int(whole.region[-1]))
    assert FastInterview(model, again).ec2_gains() == pytest.approx(FastInterview(model, whole).ec2_gains())
    assert again.find(whole.rows[-1]) == len(whole.rows) - 1
    assert fewer.find(whole.rows[-1]) is None


def test_what_the_data_never_showed_is_almost_impossible() -> None:
    theta = np.array([[[0.0, 1.0, 0.0]], [[0.5, 0.5, 0.0]]])
    valid = np.array([[True, True, True], [True, True, False]])
    lifted = never_certain(theta, valid, ALMOST)
    assert lifted[0, 0] == pytest.approx([1e-5, 1 - 2e-5, 1e-5])
    assert lifted[1, 0].tolist() == [0.5, 0.5, 0.0]
