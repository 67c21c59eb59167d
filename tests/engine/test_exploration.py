"""How far a sampled theta strays from what is known."""

from __future__ import annotations

import numpy as np
import pytest

from odm_tui.engine.exploration import EXPLORATIONS
from odm_tui.engine.interview import Interview
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Problem


def spread(exploration: str, pseudo: float) -> float:
    """The variance of theta over many samples, for Beta(pseudo, pseudo)."""
    problem = Problem.build(["q"], ["x", "y"], pseudo=np.full((1, 2, 2), pseudo))
    posterior, rng = Posterior.of(problem), np.random.default_rng(1)
    made = EXPLORATIONS[exploration]
    return float(np.var([made.model(posterior, rng).theta[0, :, 1] for _ in range(4000)]))


@pytest.mark.parametrize("pseudo", [1.0, 4.0])
def test_steadier_thompson_sampling_is_three_times_as_sure(pseudo: float) -> None:
    """A Beta(a, a) has the variance 1 / (4 · (2a + 1)); three times the counts have 1 / (4 · (6a + 1))."""
    assert spread("ts", pseudo) == pytest.approx(1 / (4 * (2 * pseudo + 1)), rel=0.06)
    assert spread("sts", pseudo) == pytest.approx(1 / (4 * (6 * pseudo + 1)), rel=0.06)


def test_a_question_that_hardly_anybody_can_answer_sinks_in_a_plan() -> None:
    """Of two questions alike, the lookahead asks the one that gets answers."""
    problem = Problem.build(
        ["rarely", "often"], ["x", "y"], expected=[[0.9, 0.1], [0.9, 0.1]], worth=50, cost=1, stakes=30
    )
    unknown = np.array([40.0, 0.0])
    posterior = Posterior.of(problem, interviews=40, unknown=unknown)
    interview = Interview(
        problem, {"oracle": "lookahead", "exploration": "mean", "stop": "value"}, posterior, seed=1
    )
    assert interview.question is not None
    assert interview.question.id == "often"
