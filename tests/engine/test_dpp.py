"""DPP draws against the probabilities of their kernel."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest
from numpy.testing import assert_allclose

from odm_tui.engine.interview import Ask, Interview
from odm_tui.engine.oracles.dpp import draw_questions, kernel_of_answers, kernel_of_posterior, sample_dpp
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Floats, Problem, Question
from tests.support.literal.instances import loud

DRAWS = 4_000


def kernels() -> dict[str, Floats]:
    rng = np.random.default_rng(8)
    full = rng.normal(size=(6, 5))
    answers = rng.integers(0, 2, size=(30, 6)).astype(float)
    return {
        "full rank": full.T @ full / 3,
        "low rank": full[:2].T @ full[:2],
        "of answers": kernel_of_answers(answers) / 20,
        "with a question never answered yes": np.diag([1.0, 0.0, 3.0, 0.2]),
    }


@pytest.mark.parametrize("name", list(kernels()))
def test_questions_and_pairs_are_drawn_as_often_as_the_marginal_kernel_says(name: str) -> None:
    kernel = kernels()[name]
    n = len(kernel)
    marginal = kernel @ np.linalg.inv(kernel + np.eye(n))
    rng = np.random.default_rng(20)
    with loud():
        drawn = np.array([sample_dpp(kernel, rng) for _ in range(DRAWS)])
    for i in range(n):
        _agree(drawn[:, i].mean(), marginal[i, i])
    for i, k in combinations(range(n), 2):
        both = marginal[i, i] * marginal[k, k] - marginal[i, k] ** 2
        _agree((drawn[:, i] & drawn[:, k]).mean(), both)


def _agree(frequency: float, probability: float) -> None:
    """Within 4.5 standard errors: with a fixed seed and some 60 comparisons, a right sampler passes."""
    p = min(max(probability, 0.0), 1.0)
    assert abs(frequency - p) <= 4.5 * np.sqrt(p * (1 - p) / DRAWS) + 1e-9


def test_whole_sets_are_drawn_in_proportion_to_their_determinants() -> None:
    rng = np.random.default_rng(1)
    root = rng.normal(size=(4, 3))
    kernel = root.T @ root / 2
    drawn = [tuple(np.flatnonzero(sample_dpp(kernel, rng)).tolist()) for _ in range(DRAWS)]
    total = np.linalg.det(kernel + np.eye(3))
    for size in range(4):
        for items in combinations(range(3), size):
            p = np.linalg.det(kernel[np.ix_(items, items)]) / total if items else 1 / total
            _agree(drawn.count(items) / DRAWS, p)


def test_no_draw_is_larger_than_the_rank_of_its_kernel() -> None:
    vector = np.arange(1.0, 7.0)
    rng = np.random.default_rng(0)
    sizes = {int(sample_dpp(np.outer(vector, vector), rng).sum()) for _ in range(500)}
    assert sizes == {0, 1}


def test_an_empty_kernel_draws_nothing() -> None:
    assert not sample_dpp(np.zeros((4, 4)), np.random.default_rng(0)).any()


def random_answers(problem: Problem, interviews: int, seed: int) -> npt.NDArray[np.int16]:
    rng = np.random.default_rng(seed)
    sizes = [len(question.answers) for question in problem.questions]
    return np.array([[rng.integers(-1, size) for size in sizes] for _ in range(interviews)], dtype=np.int16)


def test_the_kernel_is_the_product_of_the_answer_matrix_with_itself() -> None:
    problem = Problem.build(["a", Question("b", ("low", "mid", "high")), "c", "d"], ["x", "y"])
    answers = random_answers(problem, 30, 1)
    posterior = Posterior.of(problem)
    for number, row in enumerate(answers):
        posterior = posterior.updated(row, number % 2)
    scaled = np.maximum(answers, 0) / np.array([1, 2, 1, 1])
    assert_allclose(kernel_of_posterior(posterior), scaled.T @ scaled)
    posterior = posterior.retracted(answers[4], 0)
    rest = np.delete(scaled, 4, axis=0)
    assert_allclose(kernel_of_posterior(posterior), rest.T @ rest)


def test_twenty_questions_and_two_outcomes_give_a_kernel_of_full_rank() -> None:
    """Sums by outcome alone have a rank of at most two, however many interviews there were."""
    problem = Problem.build([f"q{i}" for i in range(20)], ["x", "y"])
    posterior = Posterior.of(problem)
    rng = np.random.default_rng(4)
    for _ in range(200):
        posterior = posterior.updated(rng.integers(0, 2, 20).astype(np.int16), int(rng.integers(2)))
    sizes = [draw_questions(kernel_of_posterior(posterior), rng).sum() for _ in range(100)]
    assert np.mean(sizes) > 19


def test_where_only_counts_are_known_the_squares_are_exact_and_the_products_are_those_of_mixed_answers() -> (
    None
):
    problem = Problem.build(["a", "b"], ["x"])
    posterior = Posterior.of(problem, counts=[[[2, 2]], [[1, 3]]], outcome_counts=[4], interviews=4)
    rng = np.random.default_rng(3)
    a, b = np.array([1, 1, 0, 0.0]), np.array([1, 1, 1, 0.0])
    mean = np.mean([rng.permutation(a) @ rng.permutation(b) for _ in range(20_000)])
    kernel = kernel_of_posterior(posterior)
    assert_allclose(kernel[0, 1], mean, rtol=0.02)
    assert_allclose(np.diagonal(kernel), [2, 3])


def test_merged_posteriors_add_up_their_kernels() -> None:
    problem = Problem.build(["a", "b"], ["x", "y"])
    one = Posterior.of(problem).updated(["yes", "yes"], "x")
    other = Posterior.of(problem).updated(["yes", "no"], "y")
    assert kernel_of_posterior(one.merged(other)).tolist() == [[2, 1], [1, 1]]
    counts_only = Posterior.of(problem, other.counts, other.outcome_counts, 1)
    assert one.merged(counts_only).products is None


def test_before_anything_was_learned_dpp_asks_everything() -> None:
    interview = Interview(Problem.build(["a", "b"], ["x", "y"]), "dpp")
    while isinstance(interview.next, Ask):
        interview.answer("no")
    assert len(interview.steps) == 2


def test_a_question_that_a_dpp_can_not_draw_is_asked_until_an_answer_counts() -> None:
    problem = Problem.build(["a", "b"], ["x", "y"])
    posterior = Posterior.of(problem)
    for _ in range(5):
        posterior = posterior.updated(["yes", "no"], "x")
    for seed in range(5):
        chosen = Interview(problem, "dpp", posterior, seed=seed).situation.draws.chosen
        assert chosen is not None
        assert chosen[1]


def test_dpp_asks_exactly_the_set_that_it_drew() -> None:
    problem = Problem.build([f"q{i}" for i in range(6)], ["x", "y"])
    seen = np.random.default_rng(0).integers(0, 2, size=(20, 6))
    interview = Interview(problem, "dpp", seed=3, seen=seen)
    chosen = interview.situation.draws.chosen
    assert chosen is not None
    assert chosen.any()
    asked = []
    while isinstance(interview.next, Ask):
        asked.append(interview.next.question)
        interview.answer("yes")
    assert asked == np.flatnonzero(chosen).tolist()
