"""Explanations: what each question would tell and cost, and whether the choice explores."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from odm_tui.engine.exploration import EXPLORATIONS
from odm_tui.engine.hypotheses import Hypotheses
from odm_tui.engine.interview import Ask, Decide, Interview
from odm_tui.engine.policy import policy_from, policy_names
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Problem, Question
from tests.support.literal import brute
from tests.support.literal.instances import Instance, instances, loud, made

PROBLEM = Problem.build(
    [
        "a",
        Question("b", ("p", "q", "r")),
        Question("c", thresholds=(1.0, 2.0)),
        Question("d", ask_if=(("a", (1,)),)),
        "e",
    ],
    ["x", "y", "z"],
    prior=[0.5, 0.3, 0.2],
    cost=[1.1, 1.2, 0, 1, 1.2],
    stakes=30,
)


def learned(seed: int = 0, interviews: int = 12) -> Posterior:
    rng = np.random.default_rng(seed)
    made = Posterior.of(PROBLEM)
    for _ in range(interviews):
        made = made.updated(
            np.array([rng.integers(len(q.answers)) for q in PROBLEM.questions]), int(rng.integers(3))
        )
    return made


@pytest.mark.parametrize("name", policy_names())
@pytest.mark.parametrize("seed", range(3))
def test_the_proposed_question_comes_first_and_the_others_by_their_score(name: str, seed: int) -> None:
    interview = Interview(PROBLEM, policy_from(name, {"confidence": 0.999}), learned(), seed=seed)
    while isinstance(interview.next, Ask):
        explained = interview.explain(top=10)
        asked = [c.question for c in explained.candidates]
        assert asked[0] == interview.next.question
        assert sorted(asked) == np.flatnonzero(interview.available).tolist()
        rest = explained.candidates[1:]
        planned = [c.net for c in rest if c.net is not None]
        assert planned == sorted(planned, reverse=True)
        others = [c.score for c in rest if c.net is None]
        assert others == sorted(others, reverse=True)
        for candidate in explained.candidates:
            assert np.isfinite([candidate.gain, candidate.cost, candidate.score]).all()
            assert candidate.gain >= 0
            assert candidate.cost >= 0
            if candidate.cost > 0:
                assert candidate.score == pytest.approx(candidate.gain / candidate.cost)
        interview.answer(interview.problem.questions[interview.next.question].answers[0])


def test_three_questions_are_explained_if_no_number_is_asked_for() -> None:
    assert len(Interview(PROBLEM, policy_from("w-ig-mean", "never"), learned()).explain().candidates) == 3


@pytest.mark.parametrize("name", ["w-ec2-mean", "w-ig-mean", "w-ec2-ts", "w-ig-bucb"])
def test_without_epsilon_the_proposed_question_has_the_highest_score(name: str) -> None:
    for seed in range(10):
        interview = Interview(PROBLEM, policy_from(name, "never"), learned(seed), seed=seed)
        best, *rest = interview.explain(top=10).candidates
        assert best.score >= max(c.score for c in rest)


@pytest.mark.parametrize("name", ["lookahead-mean", "lookahead-ts"])
def test_the_proposed_question_of_a_plan_is_the_best_by_what_it_saves(name: str) -> None:
    for seed in range(10):
        interview = Interview(PROBLEM, policy_from(name, "never"), learned(seed), seed=seed)
        best, *rest = interview.explain(top=10).candidates
        assert best.net is not None
        planned = [candidate.net for candidate in rest if candidate.net is not None]
        assert best.net >= max(planned) - 1e-9 * max(1.0, abs(best.net))
        assert planned == sorted(planned, reverse=True)


@given(instances(most=100), st.integers(1, 5))
@settings(max_examples=50)
def test_the_belief_after_each_answer_is_a_bayes_update_of_the_posterior_mean(it: Instance, top: int) -> None:
    problem = it.problem
    interview = Interview(problem, "w-ig-ts", seed=top)
    for i, q in it.answers.items():
        interview.answer(q, i)
    mean = Posterior.of(problem).mean()
    with loud():
        explained = interview.explain(top)
    assert len(explained.candidates) == min(top, len(it.unasked))
    for candidate in explained.candidates:
        i = candidate.question
        assert candidate.belief_after.shape == (it.sizes[i], len(it.prior))
        chances = brute.chances(it.prior, mean, it.sizes, it.answers, i)
        assert_allclose(candidate.chances, chances, rtol=1e-9)
        for q in range(it.sizes[i]):
            after = brute.belief(it.prior, mean, it.sizes, {**it.answers, i: q})
            assert_allclose(candidate.belief_after[q], after, rtol=1e-9, atol=1e-15)
        # The beliefs after, weighed by the chances of the answers, are the belief now.
        assert_allclose(candidate.chances @ candidate.belief_after, interview.belief, rtol=1e-9)


@pytest.mark.parametrize(
    ("oracle", "exploration"),
    [
        (oracle, name)
        for name in sorted(EXPLORATIONS)
        for oracle in (("lookahead",) if EXPLORATIONS[name].needs_plans else ("w-ec2", "w-ig"))
    ],
)
def test_a_choice_explores_exactly_when_the_mean_would_ask_something_else(
    oracle: str, exploration: str
) -> None:
    seen = set()
    for seed in range(25):
        posterior = learned(seed)
        spec: dict[str, object] = {"oracle": oracle, "exploration": exploration, "stop": "never"}
        interview = Interview(PROBLEM, spec, posterior, seed=seed)
        greedy = Interview(PROBLEM, {**spec, "exploration": "mean"}, posterior, seed=seed)
        rng = np.random.default_rng(seed)
        while isinstance(interview.next, Ask):
            assert isinstance(greedy.next, Ask)
            explained = interview.explain()
            differs = interview.next != greedy.next
            assert explained.explores == differs
            assert explained.instead == (greedy.next.question if differs else None)
            seen.add(differs)
            i = interview.next.question
            answer = PROBLEM.questions[i].answers[rng.integers(len(PROBLEM.questions[i].answers))]
            for each in (interview, greedy):
                each.answer(answer, i)
    assert seen == ({False} if exploration == "mean" else {False, True})


@pytest.mark.parametrize("name", ["random", "all", "dpp"])
def test_an_oracle_that_does_not_look_at_theta_does_not_explore(name: str) -> None:
    interview = Interview(PROBLEM, policy_from(name, "never"), learned(), seed=4)
    while isinstance(interview.next, Ask):
        assert not interview.explain().explores
        interview.dont_know()


def test_a_choice_that_only_the_budget_forces_does_not_explore() -> None:
    problem = Problem.build(
        ["telling", "dull"], ["x", "y"], cost=[10, 1], expected=[[0.99, 0.01], [0.51, 0.5]]
    )
    spec = {"oracle": "w-ig", "exploration": "eps", "epsilon": 0, "stop": {"budget": 5}}
    interview = Interview(problem, spec)
    assert interview.next == Ask(1), "the telling question does not fit into the budget"
    assert not interview.explain().explores


def test_a_choice_that_only_always_ask_forces_does_not_explore() -> None:
    problem = Problem.build(
        ["telling", Question("consent", always_ask=True)], ["x", "y"], expected=[[0.99, 0.01], [0.51, 0.5]]
    )
    spec = {"oracle": "w-ig", "exploration": "eps", "epsilon": 0, "stop": {"max_questions": 0}}
    interview = Interview(problem, spec)
    assert interview.next == Ask(1)
    assert not interview.explain().explores


def test_with_known_regions_a_greedy_choice_does_not_explore() -> None:
    explores = []
    for seed in range(30):
        it = made(seed, (2, 2, 2, 2), 2)
        rows = np.random.default_rng(seed).permutation(np.array(brute.all_hypotheses(it.sizes)))
        full = np.ones((2, 4), dtype=bool)
        known = Hypotheses(rows[:8].reshape(2, 4, 4).astype(np.int8), full, ~full)
        posterior = Posterior.of(it.problem, counts=it.theta * 20)
        spec = {"oracle": "w-ec2", "exploration": "eps", "epsilon": 0, "stop": "never"}
        interview = Interview(it.problem, spec, posterior, hypotheses=known)
        explores.append(interview.explain().explores)
    assert not any(explores)


def test_a_decision_is_explained_by_the_questions_that_were_left() -> None:
    interview = Interview(PROBLEM, {"oracle": "w-ec2", "stop": {"max_questions": 1}}, learned())
    interview.answer("yes", "a")
    assert isinstance(interview.next, Decide)
    explained = interview.explain(top=10)
    assert sorted(c.question for c in explained.candidates) == [1, 2, 3, 4]
    assert not explained.explores


def test_when_nothing_is_left_there_is_nothing_to_explain() -> None:
    interview = Interview(Problem.build(["a"], ["x", "y"]), "all")
    interview.answer("yes")
    assert interview.explain().candidates == ()


STOPS = [
    "region",
    "never",
    "value",
    {"confidence": 0.9},
    {"budget": 4},
    {"max_questions": 3},
    {"any": ["region", {"confidence": 0.99}]},
]


@pytest.mark.parametrize("stop", STOPS, ids=str)
@pytest.mark.parametrize("name", policy_names())
def test_the_cost_to_come_is_finite_and_0_at_the_decision(name: str, stop: object) -> None:
    interview = Interview(PROBLEM, policy_from(name, stop), learned(), seed=1)
    while isinstance(interview.next, Ask):
        with loud():
            to_come = interview.expected_cost_to_come
        assert math.isfinite(to_come)
        assert to_come >= 0
        assert interview.expected_cost_to_come == to_come, "it moves only with the answers"
        interview.answer(PROBLEM.questions[interview.next.question].answers[-1])
    assert interview.expected_cost_to_come == 0


def test_the_cost_to_come_is_at_least_the_cost_of_the_next_question_where_all_cost_the_same() -> None:
    problem = Problem.build([f"q{i}" for i in range(6)], ["x", "y"], cost=7)
    for stop in ({"max_questions": 1}, {"max_questions": 4}, "never"):
        interview = Interview(problem, policy_from("w-ig-ts", stop))
        assert 7 <= interview.expected_cost_to_come <= 42 + 1e-9
    only = Interview(problem, policy_from("w-ig-ts", {"max_questions": 1}))
    assert only.expected_cost_to_come == pytest.approx(7)


def test_a_question_is_asked_to_learn_also_where_the_mean_would_decide() -> None:
    """On a fresh bank the mean decides at once, so every question of an exploring policy is asked to learn."""
    problem = Problem.build(["a", "b", "c"], ["x", "y"])
    for name in ("w-ec2-ts", "w-ig-bucb", "lookahead-ts", "w-eced-sts"):
        asked = [Interview(problem, name, seed=seed) for seed in range(10)]
        explained = [one.explain() for one in asked if isinstance(one.next, Ask)]
        assert explained
        assert all(each.explores and each.instead is None for each in explained)


def test_without_exploration_nothing_is_asked_to_learn() -> None:
    problem = Problem.build(["a", "b"], ["x", "y"], expected=[[0.9, 0.1], [0.7, 0.2]])
    interview = Interview(problem, "w-ec2-mean")
    assert isinstance(interview.next, Ask)
    assert not interview.explain().explores
