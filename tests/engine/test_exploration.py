"""How explorations draw theta, where they go beyond the mean, and that they all learn."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from odm_tui.engine.exploration import EXPLORATIONS
from odm_tui.engine.interview import Ask, Decide, Interview
from odm_tui.engine.model import Model
from odm_tui.engine.oracles.base import choose_best
from odm_tui.engine.policy import policy_from, policy_names
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Problem, Question
from odm_tui.testing import check_learning


def spread(exploration: str, pseudo: float, seen: float) -> float:
    """The variance of theta over many samples, for Beta(pseudo, pseudo) and as many yes as no answers."""
    problem = Problem.build(["q"], ["x", "y"], pseudo=np.full((1, 2, 2), pseudo))
    posterior = Posterior.of(problem, np.full((1, 2, 2), seen), [2 * seen, 2 * seen])
    rng = np.random.default_rng(1)
    made = EXPLORATIONS[exploration]
    return float(np.var([made.model(posterior, rng).theta[0, :, 1] for _ in range(4000)]))


@pytest.mark.parametrize(("pseudo", "seen"), [(1.0, 0.0), (4.0, 0.0), (1.0, 3.0), (4.0, 2.0)])
def test_three_in_four_steady_samples_count_what_was_observed_three_times(pseudo: float, seen: float) -> None:
    """A Beta(a, a) has the variance 1 / (4 · (2a + 1))."""
    assert spread("ts", pseudo, seen) == pytest.approx(1 / (4 * (2 * (pseudo + seen) + 1)), rel=0.06)
    steady = 1 / (4 * (2 * (pseudo + 3 * seen) + 1))
    assert spread("sts", pseudo, seen) == pytest.approx(
        0.75 * steady + 0.25 * spread("ts", pseudo, seen), rel=0.06
    )


def learned(problem: Problem, interviews: int, seed: int = 3) -> Posterior:
    rng = np.random.default_rng(seed)
    posterior = Posterior.of(problem)
    for _ in range(interviews):
        answers = np.array([rng.integers(-1, len(question.answers)) for question in problem.questions])
        posterior = posterior.updated(answers, int(rng.integers(len(problem.outcomes))))
    return posterior


MIXED = ["a", Question("b", ("r", "g", "b")), Question("c", tuple("pqrst")), "d"]


@pytest.mark.parametrize("interviews", [0, 1, 7, 60])
@pytest.mark.parametrize("questions", [["a", "b"], MIXED], ids=["yes/no", "mixed"])
def test_the_theta_of_bayesucb_is_drawn_within_its_bounds(
    questions: list[str | Question], interviews: int
) -> None:
    problem = Problem.build(questions, ["x", "y", "z"])
    posterior = learned(problem, interviews)
    draws = []
    for seed in range(200):
        model = EXPLORATIONS["bucb"].model(posterior, np.random.default_rng(seed))
        assert model.bounds is not None
        assert (model.theta >= model.bounds.low - 1e-9).all()
        assert (model.theta <= model.bounds.high + 1e-9).all()
        assert_allclose(model.theta.sum(axis=-1), 1)
        draws.append(model.theta)
    low, high = posterior.bounds(1 - 1 / (interviews + 3))
    assert model.bounds is not None
    assert_allclose(model.bounds.low, np.minimum(low, posterior.mean()))
    assert_allclose(model.bounds.high, np.maximum(high, posterior.mean()))
    spread = np.ptp(draws, axis=0)[problem.valid[:, None, :].repeat(3, axis=1)]
    width = (high - low)[problem.valid[:, None, :].repeat(3, axis=1)]
    assert (spread > 0.5 * width).all(), "the draws fill the bounds"


def test_a_draw_within_bounds_follows_the_beta_that_is_cut_off_there() -> None:
    from scipy.stats import beta, kstest

    posterior = Posterior.of(Problem.build(["a"], ["x"], pseudo=[[[3.0, 5.0]]]))
    low, high = posterior.bounds(0.8)
    rng = np.random.default_rng(5)
    drawn = [posterior.sample_within(low, high, 0.8, rng)[0, 0, 1] for _ in range(2000)]
    levels = (beta(5, 3).cdf(drawn) - 0.2) / 0.6
    assert kstest(levels, "uniform").pvalue > 0.01


@pytest.mark.parametrize("part", ["mean", "low", "high"])
def test_outcomes_about_which_the_same_is_known_are_one_region_for_mean_and_bounds(part: str) -> None:
    """So a list must come from a draw: from means and bounds alone nothing would ever be asked."""
    problem = Problem.build(["a", "b", "c"], ["x", "y"])
    posterior = Posterior.of(problem)
    low, high = posterior.bounds(0.9)
    theta = {
        "mean": posterior.mean(),
        "low": low / low.sum(-1, keepdims=True),
        "high": high / high.sum(-1, keepdims=True),
    }
    listing = policy_from("w-ec2-bucb").listing_rule(2).listing(Model.of(posterior, theta[part]))
    assert listing.hypotheses.regions_among(listing.hypotheses.listed) == 1


@pytest.mark.parametrize("oracle", ["w-ec2", "w-ig", "w-eced", "lookahead"])
def test_bayesucb_asks_in_the_first_interview_already(oracle: str) -> None:
    problem = Problem.build([f"q{i}" for i in range(5)], ["x", "y", "z"])
    first = [Interview(problem, f"{oracle}-bucb", seed=seed).next for seed in range(20)]
    assert sum(isinstance(step, Ask) for step in first) >= 15


@pytest.mark.parametrize("stop", ["region", "value", {"confidence": 0.1}])
def test_epsilon_greedy_also_asks_where_the_mean_would_stop(stop: object) -> None:
    problem = Problem.build(["a", "b", "c"], ["x", "y"])
    spec = {"oracle": "w-ec2", "exploration": "eps", "epsilon": 0.3, "stop": stop}
    asked = [isinstance(Interview(problem, spec, seed=seed).next, Ask) for seed in range(300)]
    assert np.mean(asked) == pytest.approx(0.3, abs=0.08)


@pytest.mark.parametrize(
    ("stop", "limited"),
    [
        ({"max_questions": 0}, True),
        ({"budget": 0}, True),
        ({"any": ["region", {"max_questions": 0}]}, True),
        ({"any": ["region", {"budget": 0.5}]}, True),
        ({"all": ["region", {"max_questions": 0}]}, False),
        ({"all": [{"budget": 0}, {"max_questions": 0}]}, True),
    ],
)
def test_epsilon_greedy_keeps_to_limits(stop: object, limited: bool) -> None:
    problem = Problem.build(["a", "b", "c"], ["x", "y"])
    spec = {"oracle": "w-ec2", "exploration": "eps", "epsilon": 1.0, "stop": stop}
    assert isinstance(Interview(problem, spec, seed=1).next, Decide if limited else Ask)


@pytest.mark.parametrize("oracle", ["w-ec2", "w-ig", "w-eced"])
def test_of_questions_that_differ_by_rounding_only_the_first_is_asked(oracle: str) -> None:
    """Equal columns in another order of outcomes give sums that differ in the last digits."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        column = rng.uniform(0.05, 0.95, 5)
        expected = np.array([column, 1 - column, column, 1 - column])
        problem = Problem.build(list("abcd"), list("vwxyz"), expected=expected, worth=7.3, cost=0.7)
        assert Interview(problem, f"{oracle}-mean", seed=1).next == Ask(0)
        assert choose_best(np.array([0.3, 0.3 * (1 + 1e-13), 0.1]), np.ones(3), np.ones(3, dtype=bool)) == 0
        assert choose_best(np.array([0.3, 0.3 * (1 + 1e-6), 0.1]), np.ones(3), np.ones(3, dtype=bool)) == 1


@pytest.mark.parametrize("name", [n for n in policy_names() if policy_from(n).exploration.explores])
def test_every_exploring_policy_finds_the_question_that_tells(name: str) -> None:
    check_learning(name, seeds=1)


@pytest.mark.parametrize("name", ["w-ec2-mean", "lookahead-map"])
def test_a_policy_without_exploration_does_not_find_it(name: str) -> None:
    with pytest.raises(AssertionError, match="did not ask the only question that tells"):
        check_learning(name, seeds=1)


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
