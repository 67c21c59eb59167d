"""The evidence of an answer is the factor by which it multiplies the odds of an outcome."""

from __future__ import annotations

import numpy as np
import pytest

from odm_tui.engine.interview import Interview
from odm_tui.engine.problem import Problem
from tests.support.literal.evidence import odds_ratio


@pytest.mark.parametrize("seed", range(20))
def test_each_ratio_is_the_literal_ratio_of_odds_and_the_strongest_comes_first(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(2, 6)), int(rng.integers(2, 5))
    problem = Problem.build(
        [f"q{i}" for i in range(n)],
        [f"o{j}" for j in range(m)],
        prior=rng.dirichlet(np.ones(m)),
        expected=rng.uniform(0.05, 0.95, (n, m)),
    )
    interview = Interview(problem, "all", seed=seed)
    given = {i: int(rng.integers(2)) for i in range(n - 1)}
    for question, answer in given.items():
        interview.answer(answer, question)
    theta = interview.posterior.mean()
    outcome = int(rng.integers(m))
    found = interview.evidence(outcome)
    assert {one.question for one in found} == set(given)
    for one in found:
        literal = odds_ratio(problem.prior.tolist(), theta.tolist(), given, one.question, outcome)
        assert one.ratio == pytest.approx(literal)
    sizes = [abs(np.log(one.ratio)) for one in found]
    assert sizes == sorted(sizes, reverse=True)


def test_without_answers_there_is_no_evidence() -> None:
    interview = Interview(Problem.build(["q"], ["a", "b"]), "all")
    interview.dont_know(0)
    assert interview.evidence(0) == []
