"""The most that can be right on a block of the cubes is what trying every adaptive plan finds."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.results.cube_ceiling import best_right, block_theta, context_first
from odm_tui.engine.problem import Floats
from odm_tui.evaluation.data.generated import cube


def best_literally(theta: Floats, weights: list[float], open_: frozenset[int], left: int) -> float:
    """max over the next question of the sum over its answers, down to the decision."""
    best = max(weights)
    for i in open_ if left else ():
        total = 0.0
        for answer in range(theta.shape[2]):
            after = [w * theta[i, j, answer] for j, w in enumerate(weights)]
            total += best_literally(theta, after, open_ - {i}, left - 1)
        best = max(best, total)
    return best


@pytest.mark.parametrize("seed", range(3))
def test_the_best_plan_is_the_best_of_all_plans(seed: int) -> None:
    theta = np.random.default_rng(seed).dirichlet(np.ones(3), (4, 3))
    expected = [best_literally(theta, [1 / 3] * 3, frozenset(range(4)), left) for left in range(5)]
    assert best_right(theta) == pytest.approx(expected)


def test_the_block_has_the_answers_that_the_cube_draws() -> None:
    data = cube(3, 0, 70, 40_000)
    for corner in range(8):
        own = data.answers[data.labels == corner][:, :10]
        shares = np.stack([(own == answer).mean(axis=0) for answer in range(3)], axis=-1)
        np.testing.assert_allclose(shares, block_theta()[:, corner], atol=0.03)


def test_context_takes_one_question_in_a_third_of_the_cases_and_else_two() -> None:
    assert context_first([0.1, 0.4, 0.7], 2) == pytest.approx(0.4 / 3 + 2 * 0.1 / 3)
