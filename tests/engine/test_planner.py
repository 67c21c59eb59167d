"""Plans over questions that sleep: whatever a plan holds can be reached, and the way to a situation changes nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from odm_tui.engine.interview import Ask, Interview
from odm_tui.engine.lookahead import planner
from odm_tui.engine.lookahead.planner import _MEMORY, Planner
from odm_tui.engine.policy import Policy, policy_from
from odm_tui.engine.problem import Problem, Question
from tests.support.literal import planning

VALUE: dict[str, Any] = {"oracle": "lookahead", "exploration": "mean", "stop": "value"}


@pytest.mark.parametrize("stop", ["value", "region", {"confidence": 0.95}, {"max_questions": 5}])
def test_a_gate_is_asked_however_many_good_questions_sleep_behind_it(stop: Any) -> None:
    questions = [Question("gate"), *(Question(f"q{i}", ask_if=(("gate", (1,)),)) for i in range(15))]
    expected = [[0.5, 0.5]] + [[0.9, 0.1]] * 15
    problem = Problem.build(questions, ["a", "b"], expected=expected, stakes=100)
    for exploration in ("mean", "ts"):
        interview = Interview(problem, {**VALUE, "exploration": exploration, "stop": stop})
        assert interview.next == Ask(0)


def test_a_question_that_nobody_could_answer_is_not_planned_with_again() -> None:
    questions = [Question("gate"), Question("perfect", ask_if=(("gate", (1,)),)), Question("useless")]
    problem = Problem.build(
        questions, ["a", "b"], expected=[[0.5, 0.5], [0.999, 0.001], [0.5, 0.5]], worth=1000, stakes=100
    )
    interview = Interview(problem, VALUE)
    interview.answer("yes", "gate")
    assert interview.next == Ask(1)
    interview.dont_know("perfect")
    assert not isinstance(interview.next, Ask)


def test_a_chain_of_gates_is_seen_to_its_end() -> None:
    questions = [
        Question("first"),
        Question("second", ask_if=(("first", (0, 1)),)),
        Question("perfect", ask_if=(("second", (0, 1)),)),
    ]
    problem = Problem.build(
        questions, ["a", "b"], expected=[[0.5, 0.5], [0.5, 0.5], [0.999, 0.001]], worth=1000, stakes=100
    )
    interview = Interview(problem, VALUE)
    for place in range(3):
        assert interview.next == Ask(place)
        interview.answer("yes")


@pytest.mark.parametrize("stops", [(), ((1, None),)])
def test_a_plan_asks_what_tells_more_before_a_red_flag_can_end_the_interview(stops: Any) -> None:
    questions = [Question("flag", stops=stops), Question("sure"), Question("surer")]
    problem = Problem.build(
        questions, ["a", "b"], expected=[[0.6, 0.4], [0.8, 0.2], [0.9, 0.1]], worth=1000, cost=1, stakes=100
    )
    flag, sure, surer = Planner().worths(Interview(problem, VALUE).situation)[1]
    assert (flag < sure - 1) == (flag < surer - 1) == bool(stops)


@pytest.mark.parametrize("seed", range(12))
def test_the_worth_of_questions_with_red_flags_is_that_of_the_literal_plan(seed: int) -> None:
    rng = np.random.default_rng(seed)
    flags = [
        (int(i), int(rng.integers(2))) for i in rng.choice(4, size=int(rng.integers(1, 4)), replace=False)
    ]
    questions = [
        Question(f"q{i}", stops=tuple((answer, None) for at, answer in flags if at == i)) for i in range(4)
    ]
    problem = Problem.build(
        questions,
        ["x", "y", "z"],
        expected=rng.uniform(0.05, 0.95, size=(4, 3)),
        cost=rng.uniform(0.5, 3.0, size=4),
        stakes=30.0,
    )
    situation = Interview(problem, VALUE).situation
    made, worths = Planner().worths(situation)
    theta = situation.model.theta.tolist()
    for at, question in enumerate(made.questions.tolist()):
        literal = planning.worth(
            question,
            situation.belief.tolist(),
            theta,
            problem.cost.tolist(),
            30.0,
            allowed=lambda _, answers: not any(pair in flags for pair in answers.items()),
        )
        assert worths[at] == pytest.approx(literal, rel=1e-9)


def random_problem(rng: np.random.Generator) -> Problem:
    """Some questions, a third of them behind one or two others."""
    n = int(rng.integers(3, 9))
    questions = []
    for i in range(n):
        gates: list[int] = (
            rng.choice(i, size=min(i, int(rng.integers(1, 3))), replace=False).tolist() if i else []
        )
        asleep = rng.random() < 1 / 3
        ask_if = tuple((f"q{g}", (int(rng.integers(2)),)) for g in gates) if asleep else ()
        questions.append(Question(f"q{i}", ask_if=ask_if, always_ask=bool(rng.random() < 0.1)))
    return Problem.build(
        questions,
        ["x", "y", "z"],
        expected=rng.choice([0.1, 0.3, 0.5, 0.9], size=(n, 3)),
        cost=rng.choice([1.0, 2.0], size=n),
        stakes=float(rng.choice([5.0, 30.0])),
    )


def small(rng: np.random.Generator) -> Policy:
    spec = policy_from("lookahead-ts").spec()
    spec["milliseconds"] = float(rng.choice([0.005, 0.1, 50.0]))
    spec["stop"] = ("value", "never", {"confidence": 0.9})[int(rng.integers(3))]
    return policy_from(spec)


@pytest.mark.parametrize("block", range(6))
def test_thinking_ahead_and_taking_back_lead_to_the_same_questions_as_the_straight_way(block: int) -> None:
    for seed in range(block * 25, block * 25 + 25):
        rng = np.random.default_rng(seed)
        problem, policy = random_problem(rng), small(rng)
        winding = Interview(problem, policy, seed=seed)
        for _ in range(12):
            if rng.random() < 0.7:
                for _ in winding.think_ahead():
                    pass
            if winding.steps and (rng.random() < 0.3 or not isinstance(winding.next, Ask)):
                winding.undo(int(rng.integers(1, len(winding.steps) + 1)))
            elif isinstance(winding.next, Ask):
                said = int(rng.integers(3))
                winding.dont_know() if said == 2 else winding.answer(said)
            straight = Interview(problem, policy, seed=seed)
            for step in winding.steps:
                assert straight.next == Ask(step.question)
                straight.dont_know() if step.answer is None else straight.answer(step.answer)
            assert straight.next == winding.next


def test_the_plans_that_an_interview_keeps_stay_within_their_memory() -> None:
    rng = np.random.default_rng(1)
    problem = Problem.build(
        [f"q{i}" for i in range(10)],
        [f"y{j}" for j in range(40)],
        expected=rng.uniform(0.05, 0.95, (10, 40)),
        stakes=500,
    )
    policy = policy_from("lookahead-ts")
    interview = Interview(problem, policy)
    for question in range(10):
        for _ in interview.think_ahead(question):
            pass
    kept = [
        made.plan.size
        for key, value in interview.situation.model.memo.items()
        if isinstance(key, tuple) and key[0] == "whole plans"
        for made, _ in value
    ]
    assert sum(kept) <= max(_MEMORY, max(kept))


@pytest.mark.parametrize(("fit", "kept"), [(2.0, [2, 3]), (1.0, [3]), (0.5, [3])])
def test_where_plans_take_too_much_memory_the_oldest_goes_first_and_the_latest_stays(
    monkeypatch: pytest.MonkeyPatch, fit: float, kept: list[int]
) -> None:
    problem = Problem.build(["a", "b", "c"], ["x", "y"], expected=[[0.9, 0.2], [0.7, 0.4], [0.6, 0.1]])
    interview = Interview(problem, VALUE)
    made = Planner().plan_for(interview.situation)
    starts = [np.full(3, number) for number in range(4)]
    memo: dict[Any, Any] = {("whole plans", Planner()): [(made, start) for start in starts]}
    monkeypatch.setattr(planner, "_MEMORY", fit * made.plan.size)
    planner._limit_memory(replace(interview.situation.model, memo=memo))
    assert [int(start[0]) for _, start in memo["whole plans", Planner()]] == kept
