"""The lookahead's plan against a literal recursion, and what the oracle makes of it."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from odm_tui.engine.belief import belief as belief_from
from odm_tui.engine.exploration import KnownTheta
from odm_tui.engine.gains import expected_costs, information_gains, per_cost
from odm_tui.engine.interview import Ask, Interview
from odm_tui.engine.lookahead.dynamic_program import Plan, add_unknown, make_lattice, make_plan
from odm_tui.engine.lookahead.planner import WORK_PER_MILLISECOND, Planner
from odm_tui.engine.oracles import ORACLES
from odm_tui.engine.oracles.lookahead import Lookahead
from odm_tui.engine.policy import Policy, policy_from
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Problem, Question
from odm_tui.engine.stopping import Never, Value
from tests.support.literal import planning
from tests.support.literal.instances import Instance, instances, made

few = st.sampled_from(((2,), (2, 2), (3, 2), (2, 2, 2), (2, 3, 2), (2, 2, 2, 2)))
stakes_tried = st.sampled_from((0.0, 0.5, 3.0, 30.0))


def plan_of(it: Instance, stakes: float, belief: np.ndarray | None = None) -> Plan:
    mean_cost = (it.cost * it.theta).sum(axis=-1)
    return make_plan(it.prior if belief is None else belief, it.theta, mean_cost, stakes, it.sizes)


def ragged(it: Instance, array: np.ndarray) -> list[list[list[float]]]:
    return [array[i, :, :size].tolist() for i, size in enumerate(it.sizes)]


@given(st.integers(0, 10_000), few, st.integers(1, 4), stakes_tried, st.sampled_from((0.0, 0.4)))
@settings(max_examples=80)
def test_the_value_of_a_plan_is_that_of_the_literal_recursion(
    seed: int, sizes: tuple[int, ...], outcomes: int, stakes: float, certain: float
) -> None:
    it = made(seed, sizes, outcomes, certain=certain)
    plan = plan_of(it, stakes)
    literal = planning.value(it.prior.tolist(), ragged(it, it.theta), ragged(it, it.cost), stakes)
    assert_allclose(plan.values[0], literal, rtol=1e-9, atol=1e-12)
    for i, worth in enumerate(plan.worths()):
        expected = planning.worth(i, it.prior.tolist(), ragged(it, it.theta), ragged(it, it.cost), stakes)
        assert_allclose(worth, expected, rtol=1e-9, atol=1e-12)


@given(st.integers(0, 10_000), few, st.integers(2, 4), stakes_tried)
@settings(max_examples=60)
def test_following_a_plan_costs_and_decides_as_its_value_says(
    seed: int, sizes: tuple[int, ...], outcomes: int, stakes: float
) -> None:
    plan = plan_of(made(seed, sizes, outcomes), stakes)
    cost, right, questions = plan.outcome
    assert_allclose(stakes * right - cost, plan.values[0], rtol=1e-9, atol=1e-12)
    assert 0 <= questions <= len(sizes)


@given(st.integers(0, 10_000), st.sampled_from(((2, 2, 2), (2, 3, 2))), stakes_tried)
@settings(max_examples=40)
def test_the_plan_after_an_answer_is_a_part_of_the_plan_before_it(
    seed: int, sizes: tuple[int, ...], stakes: float
) -> None:
    it = made(seed, sizes, 3)
    plan = plan_of(it, stakes)
    for i, q in product(range(len(sizes)), range(2)):
        given_answers = np.full(len(sizes), -1)
        given_answers[i] = q
        state = plan.lattice.state(given_answers)
        after = belief_from(it.prior, it.theta, given_answers)
        again = plan_of(it, stakes, after).worths()
        again[i] = -np.inf
        inside = plan.worths(state)
        # A plan made anew may ask question i a second time later on; the part of the old one may not.
        assert (again[np.isfinite(again)] >= inside[np.isfinite(inside)] - 1e-9).all()
        assert_allclose(plan.stop_worth(state), stakes * after.max(), rtol=1e-9)


def test_questions_that_are_asleep_are_planned_for_only_where_they_wake() -> None:
    it = made(5, (2, 2, 2), 3)
    allowed = np.ones((27, 3), dtype=bool)
    digits = make_lattice((2, 2, 2)).digits
    allowed[:, 2] = digits[:, 0] == 2
    mean_cost = (it.cost * it.theta).sum(axis=-1)
    plan = make_plan(it.prior, it.theta, mean_cost, 30.0, it.sizes, allowed)
    literal = planning.value(
        it.prior.tolist(),
        ragged(it, it.theta),
        ragged(it, it.cost),
        30.0,
        allowed=lambda question, answers: question != 2 or answers.get(0) == 1,
    )
    assert_allclose(plan.values[0], literal, rtol=1e-9)
    assert plan.worths()[2] == -np.inf


def known(it: Instance, oracle: Lookahead) -> Policy:
    return Policy(oracle, KnownTheta(it.theta, it.prior), Value())


@pytest.mark.parametrize("seed", range(6))
def test_where_all_questions_fit_the_oracle_follows_the_exact_optimum(seed: int) -> None:
    it = made(seed, (2, 2, 3, 2), 3)
    problem = Problem.build(
        it.problem.questions, it.problem.outcomes, prior=it.prior, cost=it.cost, stakes=5.0
    )
    total_cost = total_right = 0.0
    for answers in product(*(range(size) for size in it.sizes)):
        chances = it.prior * np.prod([it.theta[i, :, q] for i, q in enumerate(answers)], axis=0)
        interview = Interview(problem, known(it, Lookahead()))
        while isinstance(interview.next, Ask):
            interview.answer(answers[interview.next.question])
        asked = [step.question for step in interview.steps]
        total_cost += sum(it.cost[i, :, answers[i]] @ chances for i in asked)
        belief = belief_from(it.prior, it.theta, interview.answers)
        total_right += chances[belief.argmax()]
    cost, right, _ = plan_of(it, 5.0).outcome
    assert_allclose([total_cost, total_right], [cost, right], rtol=1e-9)


def test_a_plan_for_all_questions_is_made_once_an_interview(monkeypatch: pytest.MonkeyPatch) -> None:
    from odm_tui.engine.lookahead import planner

    calls = []

    def counted(*arguments: Any) -> Plan:
        calls.append(1)
        return make_plan(*arguments)

    monkeypatch.setattr(planner, "make_plan", counted)
    it = made(3, (2, 2, 2, 2), 3)
    problem = Problem.build(it.problem.questions, it.problem.outcomes, cost=it.cost, stakes=50.0)
    interview = Interview(problem, Policy(Lookahead(), KnownTheta(it.theta), Never()))
    while isinstance(interview.next, Ask):
        interview.answer(0)
    assert len(interview.steps) == 4
    assert len(calls) == 1
    interview.undo(2)
    interview.dont_know()  # the old plan could ask this question again, so it does not fit
    assert interview.next
    assert len(calls) == 2


def test_more_time_means_more_questions_in_a_plan() -> None:
    rng = np.random.default_rng(0)
    problem = Problem.build(
        [f"q{i}" for i in range(30)], [f"o{j}" for j in range(15)], expected=rng.random((30, 15))
    )
    held = []
    for milliseconds in (0.1, 1, 10, 100):
        spec = {"oracle": "lookahead", "exploration": "mean", "milliseconds": milliseconds}
        interview = Interview(problem, policy_from(spec))
        oracle = interview.policy.oracle
        assert isinstance(oracle, Lookahead)
        held.append(len(oracle.plan_for(interview.situation).questions))
    assert held == sorted(held)
    assert held[0] < held[-1]


def test_without_stakes_nothing_is_worth_asking() -> None:
    problem = Problem.build(["a", "b"], ["x", "y"], expected=[[0.9, 0.1], [0.8, 0.3]], stakes=0)
    assert not isinstance(Interview(problem, "lookahead-mean").next, Ask)


def test_it_asks_two_questions_that_only_together_are_worth_it() -> None:
    # Neither question alone changes the decision; both together do. One step ahead sees no worth in either.
    third = 1 / 3
    theta_a = [[0.9, 0.1], [0.1, 0.9], [0.5, 0.5]]
    theta_b = [[0.9, 0.1], [0.9, 0.1], [0.1, 0.9]]
    problem = Problem.build(
        [Question("a"), Question("b")],
        ["x", "y", "z"],
        prior=[third, third, third],
        expected=[[row[1] for row in theta_a], [row[1] for row in theta_b]],
        worth=1e6,
        cost=0.2,
        stakes=1.0,
    )
    interview = Interview(problem, "lookahead-mean")
    assert isinstance(interview.next, Ask)


@given(instances())
@settings(max_examples=40)
def test_the_oracle_never_proposes_what_is_not_available(it: Instance) -> None:
    interview = Interview(it.problem, Policy(Lookahead(1.0), KnownTheta(it.theta, it.prior), Never()))
    for question, answer in it.answers.items():
        interview.answer(answer, question)
    if isinstance(interview.next, Ask):
        assert interview.available[interview.next.question]


# -- questions that sleep ---------------------------------------------------------------------------------


@st.composite
def with_prerequisites(draw: st.DrawFn, most: int) -> tuple[Instance, Problem]:
    """A problem in which questions may wait for answers to one or two earlier ones, in chains."""
    sizes = tuple(draw(st.lists(st.sampled_from((2, 3)), min_size=2, max_size=most)))
    it = made(draw(st.integers(0, 10_000)), sizes, 3)
    order = draw(st.permutations(range(len(sizes))))
    questions = list(it.problem.questions)
    for at, i in enumerate(order[1:], start=1):
        others = draw(st.lists(st.sampled_from(order[:at]), max_size=2, unique=True))
        ask_if = tuple((questions[j].id, (draw(st.integers(0, sizes[j] - 1)),)) for j in others)
        questions[i] = replace(questions[i], ask_if=ask_if)
    return it, Problem.build(questions, it.problem.outcomes, prior=it.prior, cost=it.cost, stakes=30.0)


def wakes(problem: Problem, question: int, answers: dict[int, int]) -> bool:
    """Whether a question can be asked after these answers, read literally."""
    ways = dict(problem.prerequisites).get(question, ((),))
    return any(all(answers.get(other) in wanted for other, wanted in way) for way in ways)


@given(with_prerequisites(most=4))
@settings(max_examples=60)
def test_where_all_questions_fit_a_plan_with_chains_of_prerequisites_is_the_exact_optimum(
    drawn: tuple[Instance, Problem],
) -> None:
    it, problem = drawn
    interview = Interview(problem, Policy(Lookahead(1000), KnownTheta(it.theta, it.prior), Never()))
    made_plan = Lookahead(1000).plan_for(interview.situation)
    literal = planning.value(
        it.prior.tolist(),
        ragged(it, it.theta),
        ragged(it, it.cost),
        30.0,
        allowed=lambda question, answers: wakes(problem, question, answers),
    )
    assert sorted(made_plan.questions) == list(range(len(it.sizes)))
    assert_allclose(made_plan.plan.values[0], literal, rtol=1e-9)


@given(with_prerequisites(most=9), st.sampled_from((0.001, 0.01, 0.1, 1.0)), st.data())
@settings(max_examples=120)
def test_a_plan_holds_what_the_literal_walk_down_the_ranking_holds(
    drawn: tuple[Instance, Problem], milliseconds: float, data: st.DataObject
) -> None:
    it, problem = drawn
    interview = Interview(problem, Policy(ORACLES["w-ig"], KnownTheta(it.theta, it.prior), Never()))
    while bool(interview.available.any()) and data.draw(st.booleans(), label="one more step"):
        question = data.draw(st.sampled_from(np.flatnonzero(interview.available).tolist()))
        answer = data.draw(st.integers(-1, it.sizes[question] - 1))
        interview.skip(question) if answer < 0 else interview.answer(answer, question)
    if not interview.available.any():
        return
    situation = interview.situation
    answers = {s.question: s.answer for s in interview.steps if s.answer is not None}
    put = {s.question for s in interview.steps}
    waits_for = {
        i: [other for other, wanted in conditions if answers.get(other) not in wanted]
        for i, (conditions,) in problem.prerequisites
        if i not in put and not wakes(problem, i, answers)
    }
    asleep_for_good = put.copy()
    while more := {i for i, w in waits_for.items() if asleep_for_good & set(w)} - asleep_for_good:
        asleep_for_good |= more
    gains = information_gains(situation.model, situation.belief)
    rank = per_cost(gains, expected_costs(situation.model, situation.belief))
    ranking = sorted(set(range(len(it.sizes))) - asleep_for_good, key=lambda i: (-rank[i], i))

    def fits(questions: list[int]) -> bool:
        sizes = [it.sizes[i] for i in questions]
        states = np.prod([size + 1 for size in sizes])
        return bool(states * (3 + 2 * max(sizes) * len(sizes)) <= milliseconds * WORK_PER_MILLISECOND)

    held = planning.held_questions(ranking, waits_for, fits)
    planned = Planner(milliseconds).plan_for(situation)
    best_awake = next(i for i in ranking if interview.available[i])
    assert set(planned.questions.tolist()) == set(held or [best_awake])
    for i in planned.questions.tolist():
        assert all(other in planned.questions for other in waits_for.get(i, ()))


def test_a_sleeping_question_that_tells_much_is_worth_asking_what_wakes_it() -> None:
    # "telling" sleeps until "switch", which says nothing itself; the others are cheap, rank higher and fill the plan.
    problem = Problem.build(
        [Question("switch"), Question("telling", ask_if=(("switch", (0, 1)),)), "one", "two"],
        ["x", "y"],
        expected=[[0.5, 0.5], [0.99, 0.01], [0.51, 0.5], [0.5, 0.51]],
        worth=1e6,
        cost=[1.0, 1.0, 0.0001, 0.0001],
        stakes=100.0,
    )
    spec = {"oracle": "lookahead", "exploration": "mean", "stop": "value", "milliseconds": 0.004}
    interview = Interview(problem, policy_from(spec))
    assert interview.next == Ask(0)
    interview.answer("no")
    assert interview.next == Ask(1)


def test_what_wakes_a_question_takes_no_place_in_a_plan_that_has_none_for_the_question_itself() -> None:
    problem = Problem.build(
        ["one", "two", Question("perfect", ask_if=(("one", (0, 1)), ("two", (0, 1)))), "good"],
        ["x", "y"],
        expected=[[0.5, 0.5], [0.5, 0.5], [0.999, 0.001], [0.9, 0.1]],
        worth=1e6,
        stakes=100.0,
    )
    spec = {"oracle": "lookahead", "exploration": "mean", "stop": "value", "milliseconds": 0.004}
    assert Interview(problem, policy_from(spec)).next == Ask(3), "a plan of two questions"


# -- questions that stay unanswered ----------------------------------------------------------------------


def value_with_unknown(
    belief: list[float],
    theta: list[list[list[float]]],
    cost: list[list[float]],
    stakes: float,
    answerable: list[float],
    left: tuple[int, ...],
) -> float:
    """The value by its definition: a question without an answer costs the same, tells nothing, and is gone."""
    best = stakes * max(belief)
    for i in left:
        rest = tuple(other for other in left if other != i)
        worth = -sum(b * cost[i][j] for j, b in enumerate(belief))
        worth += (1 - answerable[i]) * value_with_unknown(belief, theta, cost, stakes, answerable, rest)
        for q in range(len(theta[i][0])):
            joint = [b * theta[i][j][q] for j, b in enumerate(belief)]
            chance = sum(joint)
            if chance > 0:
                after = [p / chance for p in joint]
                worth += (
                    answerable[i] * chance * value_with_unknown(after, theta, cost, stakes, answerable, rest)
                )
        best = max(best, worth)
    return best


@pytest.mark.parametrize("seed", range(12))
def test_a_plan_goes_on_after_a_dont_know_as_the_definition_says(seed: int) -> None:
    rng = np.random.default_rng(seed)
    k, m = int(rng.integers(1, 5)), int(rng.integers(2, 4))
    answers = tuple(int(size) for size in rng.integers(2, 4, k)) if k < 4 else (2,) * k
    theta = np.zeros((k, m, max(answers)))
    for i, size in enumerate(answers):
        theta[i, :, :size] = rng.dirichlet(np.ones(size), m)
    belief, cost = rng.dirichlet(np.ones(m)), rng.uniform(0, 2, (k, m))
    answerable = rng.uniform(0.2, 0.99, k)
    with_unknown, sizes = add_unknown(theta, answers, answerable)
    plan = make_plan(belief, with_unknown, cost, 20.0, sizes)
    literal = value_with_unknown(
        belief.tolist(),
        [theta[i, :, :size].tolist() for i, size in enumerate(answers)],
        cost.tolist(),
        20.0,
        answerable.tolist(),
        tuple(range(k)),
    )
    assert plan.values[0] == pytest.approx(literal, rel=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_the_oracle_counts_on_as_many_dont_knows_as_were_given_so_far(seed: int) -> None:
    rng = np.random.default_rng(seed)
    theta = rng.uniform(0.05, 0.95, (3, 3))
    problem = Problem.build(["a", "b", "c"], ["x", "y", "z"], expected=theta, worth=50, cost=0.5, stakes=30)
    posterior = Posterior.of(problem, unknown=[5, 1, 9])
    situation = Interview(problem, "lookahead-mean", posterior).situation
    made, worths = policy_from("lookahead-mean").oracle.planner.worths(situation)
    literal = value_with_unknown(
        situation.belief.tolist(),
        np.stack([1 - theta, theta], axis=-1).tolist(),
        [[0.5] * 3] * 3,
        30.0,
        posterior.answerable().tolist(),
        (0, 1, 2),
    )
    assert max(made.plan.stop_worth(made.state), worths.max()) == pytest.approx(literal, rel=1e-9)


def test_an_interview_stays_in_its_plan_after_a_dont_know() -> None:
    rng = np.random.default_rng(3)
    problem = Problem.build(
        ["a", "b", "c", "d"], ["x", "y", "z"], expected=rng.random((4, 3)), worth=50, cost=0.5, stakes=60
    )
    posterior = Posterior.of(problem, unknown=[5, 1, 9, 3])
    interview = Interview(problem, "lookahead-mean", posterior)
    model = interview.situation.model
    while isinstance(interview.next, Ask):
        planner = policy_from("lookahead-mean").oracle.planner
        made = planner.plan_for(interview.situation)
        fresh = replace(interview.situation, model=replace(model, memo={}))
        alone = planner.plan_for(fresh)
        assert made.plan.worths(made.state).max() == pytest.approx(
            alone.plan.worths(alone.state).max(), rel=1e-9
        )
        interview.dont_know() if len(interview.steps) % 2 == 0 else interview.answer("yes")
    assert len(model.memo["whole plans", planner]) == 1
    assert any(step.kind == "unknown" for step in interview.steps)
