"""One suite over every oracle × exploration × stop rule: what every interview keeps to.

A *script* says beforehand what becomes of each question if it is asked: an answer, don't know, or skip.
So an interview and its repetition get the same answers whatever the order of the questions.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import islice, product
from typing import Any, Literal

import numpy as np
import pytest
from numpy.testing import assert_allclose

from odm_tui.engine.exploration import EXPLORATIONS
from odm_tui.engine.interview import Ask, Decide, Interview
from odm_tui.engine.oracles import ORACLES
from odm_tui.engine.policy import Policy, policy_from, policy_names
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Problem, Question
from odm_tui.engine.stopping import AllOf, AnyOf, StopRule
from odm_tui.engine.transitions import Transitions
from tests.support.literal.instances import loud

STOPS: dict[str, Any] = {
    "region": "region",
    "never": "never",
    "value": "value",
    "confidence": {"confidence": 0.8},
    "sure": {"confidence": 1},
    "budget": {"budget": 6},
    "no budget": {"budget": 0},
    "count": {"max_questions": 3},
    "none": {"max_questions": 0},
    "any": {"any": [{"confidence": 0.95}, "region", {"max_questions": 4}, {"budget": 50}]},
    "all": {"all": [{"confidence": 0.6}, {"any": ["region", {"max_questions": 2}]}]},
}


def rule_names(rule: StopRule) -> set[str]:
    """The names of a rule and of all rules within it."""
    parts = rule.rules if isinstance(rule, (AnyOf, AllOf)) else ()
    return {rule.name}.union(*(rule_names(part) for part in parts))


POLICIES = list(product(ORACLES, EXPLORATIONS))
Move = tuple[Literal["answered", "unknown", "skipped"], int | None]
Script = list[Move]


def policy(oracle: str, exploration: str, stop: str) -> Policy:
    return policy_from({"oracle": oracle, "exploration": exploration, "stop": STOPS[stop], "hypotheses": 6})


@cache
def bank() -> Problem:
    """Yes/no, choices and numbers; prerequisites in a chain; always-ask, one of them asleep; free ones."""
    cost = np.zeros((8, 3, 9))
    rng = np.random.default_rng(0)
    sizes = [2, 3, 2, 4, 2, 2, 9, 2]
    for i, size in enumerate(sizes):
        cost[i, :, :size] = rng.uniform(0.5, 3, (3, size))
    cost[2] = 0
    return Problem.build(
        [
            "lights",
            Question("colour", ("red", "amber", "off"), ask_if=(("lights", (0,)),)),
            Question("blinks", ask_if=(("colour", (0, 1)), ("cables", (1,)))),
            Question("ping", thresholds=(20, 80, 300)),
            Question("consent", always_ask=True),
            Question("callback", always_ask=True, ask_if=(("consent", (1,)),)),
            Question("room", tuple(f"r{q}" for q in range(9))),
            "cables",
        ],
        ["line", "router", "wifi"],
        prior=[0.5, 0.3, 0.2],
        cost=cost,
        stakes=40,
        outcome_worth=5,
    )


@cache
def free() -> Problem:
    """Nothing costs anything, and one outcome has a prior of 0."""
    return Problem.build(
        ["a", "b", Question("c", ("p", "q", "r")), "d"],
        ["x", "y", "z"],
        prior=[0.6, 0.4, 0],
        cost=0,
        stakes=3,
    )


@cache
def brittle() -> Problem:
    """Parameters near 0: samples and modes of exactly 0 and 1, so that any answer may be impossible."""
    pseudo = np.random.default_rng(1).choice([1e-4, 1e-9, 1.0], size=(5, 3, 2))
    return Problem.build([f"q{i}" for i in range(5)], ["x", "y", "z"], pseudo=pseudo, stakes=3)


@cache
def smallest() -> Problem:
    return Problem.build(["a"], ["x"], stakes=1)


@cache
def many() -> Problem:
    """More questions than a plan holds, some of which are alike: which one comes first is a matter of the last digit."""
    expected = np.random.default_rng(2).choice([0.2, 0.5, 0.8], size=(14, 3))
    return Problem.build([f"q{i}" for i in range(14)], ["x", "y", "z"], expected=expected, stakes=90)


PROBLEMS = {"bank": bank, "free": free, "brittle": brittle, "smallest": smallest}


def learned(problem: Problem, seed: int = 0) -> Posterior:
    rng = np.random.default_rng(seed)
    made = Posterior.of(problem)
    for _ in range(8):
        answers = np.array([rng.integers(-1, len(q.answers)) for q in problem.questions])
        made = made.updated(answers, int(rng.integers(len(problem.outcomes))))
    return made


def script(problem: Problem, seed: int, answered: float = 0.85) -> Script:
    rng = np.random.default_rng(seed)
    made: Script = []
    for question in problem.questions:
        answer = int(rng.integers(len(question.answers)))
        chance = rng.random()
        if chance < answered:
            made.append(("answered", answer))
        else:
            made.append(("unknown", None) if chance < (1 + answered) / 2 else ("skipped", None))
    return made


def put(interview: Interview, move: Move, question: int | None = None) -> None:
    """Make one move at the proposed question, or at another."""
    kind, answer = move
    if question is None:
        assert isinstance(interview.next, Ask)
        at = interview.next.question
    else:
        at = question
    if kind == "answered":
        assert answer is not None
        interview.answer(interview.problem.questions[at].answers[answer], question)
    elif kind == "unknown":
        interview.dont_know(question)
    else:
        interview.skip(question)


def held(interview: Interview, moves: Script) -> Iterator[int]:
    """Hold an interview by a script; gives each question just before it is put."""
    for _ in range(len(moves) + 1):
        if isinstance(interview.next, Decide):
            return
        question = interview.next.question
        yield question
        put(interview, moves[question])
    pytest.fail("the interview does not end")


def state(interview: Interview) -> tuple[object, ...]:
    """Everything that can be seen of an interview, to the last bit; what was proposed earlier aside."""
    steps = tuple((s.question, s.kind, s.answer, s.cost) for s in interview.steps)
    return (
        interview.next,
        steps,
        interview.belief.tobytes(),
        interview.answers.tobytes(),
        interview.available.tobytes(),
        interview.cost_so_far,
        interview.situation.belief.tobytes(),
        interview.situation.regions,
    )


def awake(problem: Problem, interview: Interview) -> set[int]:
    """Which questions may be asked, by reading the prerequisites literally."""
    answers = {problem.questions[s.question].id: s.answer for s in interview.steps}
    asked = {s.question for s in interview.steps}
    return {
        i
        for i, question in enumerate(problem.questions)
        if i not in asked
        and all(other in answers and answers[other] in wanted for other, wanted in question.ask_if)
    }


@pytest.mark.parametrize("stop", STOPS)
@pytest.mark.parametrize(("oracle", "exploration"), POLICIES)
def test_every_interview_keeps_the_rules(oracle: str, exploration: str, stop: str) -> None:
    """Terminates; asks nothing twice and nothing that sleeps; always-ask before all else; decides well."""
    for seed, (name, make) in enumerate(PROBLEMS.items()):
        problem = make()
        posterior = learned(problem, seed)
        counts, outcome_counts = posterior.counts.copy(), posterior.outcome_counts.copy()
        with loud():
            interview = Interview(problem, policy(oracle, exploration, stop), posterior, seed=seed)
            for question in held(interview, script(problem, seed)):
                assert question in awake(problem, interview), f"{name}: asleep or asked twice"
                assert set(np.flatnonzero(interview.available)) == awake(problem, interview)
                due = {i for i in awake(problem, interview) if problem.questions[i].always_ask}
                assert not due or question in due, f"{name}: always-ask questions come first"
        assert interview.situation.asked == len(interview.steps), f"{name}: one chance move a step"
        due = {i for i in awake(problem, interview) if problem.questions[i].always_ask}
        assert not due, f"{name}: always-ask questions come before any stop"
        decision = interview.next
        assert isinstance(decision, Decide)
        assert decision.reason
        assert decision.rule in {*rule_names(interview.policy.stop), "exhausted", "oracle"}
        if decision.rule == "exhausted":
            assert not awake(problem, interview)
        assert_allclose(interview.belief, literal_belief(interview), rtol=1e-9, atol=1e-15)
        assert decision.outcome == int(interview.belief.argmax())
        assert decision.belief == interview.belief.max()
        assert interview.cost_so_far == pytest.approx(literal_cost(interview), rel=1e-9)
        assert (posterior.counts == counts).all(), f"{name}: an interview learns nothing by itself"
        assert (posterior.outcome_counts == outcome_counts).all()
        assert posterior.interviews == 8


def literal_belief(interview: Interview, steps: int | None = None) -> list[float]:
    mean, prior = interview.posterior.mean(), interview.posterior.outcome_prior()
    weights = [float(p) for p in prior]
    for step in interview.steps[:steps]:
        if step.answer is not None:
            weights = [w * float(mean[step.question, j, step.answer]) for j, w in enumerate(weights)]
    return [w / sum(weights) for w in weights]


def literal_cost(interview: Interview) -> float:
    """An answer costs what the outcomes say, weighed by the belief after it; skipping costs nothing."""
    mean, cost, total = interview.posterior.mean(), interview.problem.cost, 0.0
    for number, step in enumerate(interview.steps, start=1):
        now = literal_belief(interview, number)
        for j, p in enumerate(now):
            if step.kind == "answered":
                total += p * cost[step.question, j, step.answer]
            elif step.kind == "unknown":
                total += p * float(mean[step.question, j] @ cost[step.question, j])
    return total


@pytest.mark.parametrize("name", policy_names())
def test_the_same_seed_policy_counts_and_answers_give_the_same_questions(name: str) -> None:
    for stop in ("region", "any", "never"):
        for make in (bank, brittle):
            problem = make()
            for seed in range(3):
                made = [
                    Interview(problem, policy_from(name, STOPS[stop]), learned(problem, seed), seed=seed)
                    for _ in range(2)
                ]
                for interview in made:
                    for _ in held(interview, script(problem, seed)):
                        pass
                assert made[0].steps == made[1].steps
                assert state(made[0]) == state(made[1])


@pytest.mark.parametrize("name", ["w-ec2-ts", "w-ig-ts", "random", "w-ig-eps", "dpp"])
def test_another_seed_gives_other_questions_where_chance_is_part_of_the_policy(name: str) -> None:
    problem = bank()
    orders = set()
    for seed in range(20):
        interview = Interview(problem, policy_from(name, "never"), learned(problem), seed=seed)
        for _ in held(interview, script(problem, 1)):
            pass
        orders.add(tuple(s.question for s in interview.steps))
    assert len(orders) > 1


@pytest.mark.parametrize("name", policy_names())
def test_undo_to_any_depth_is_exact_and_redoing_leads_to_the_same(name: str) -> None:
    for stop, make, seed in (
        ("region", bank, 1),
        ("any", brittle, 2),
        ("never", bank, 3),
        ("budget", free, 4),
    ):
        problem = make()
        moves = script(problem, seed)
        interview = Interview(problem, policy_from(name, STOPS[stop]), learned(problem), seed=seed)
        states = [state(interview) for _ in held(interview, moves)]
        states.append(state(interview))
        for depth in range(len(states)):
            interview.undo(depth)
            assert state(interview) == states[len(states) - 1 - depth]
            for _ in held(interview, moves):
                pass
            assert state(interview) == states[-1]
        for back in reversed(states[:-1]):
            interview.undo()
            assert state(interview) == back


@pytest.mark.parametrize("name", policy_names())
def test_thinking_ahead_changes_nothing(name: str) -> None:
    """Thought to the end, half-way or about another question: the questions and all else are the same."""
    for stop, make, seed in (
        ("region", bank, 1),
        ("value", bank, 2),
        ("any", brittle, 3),
        ("never", free, 4),
        ("value", many, 5),
    ):
        problem = make()
        moves = script(problem, seed)
        rules, posterior = policy_from(name, STOPS[stop]), learned(problem)
        straight = Interview(problem, rules, posterior, seed=seed)
        states = [state(straight) for _ in held(straight, moves)]
        thoughtful = Interview(problem, rules, posterior, seed=seed)
        for number, _ in enumerate(held(thoughtful, moves)):
            before = state(thoughtful)
            for _ in islice(thoughtful.think_ahead(), (None, 2, 0)[number % 3]):
                assert state(thoughtful) == before
            others = np.flatnonzero(thoughtful.available)
            for _ in thoughtful.think_ahead(int(others[-1])):
                pass
            assert state(thoughtful) == states[number]
        assert state(thoughtful) == state(straight)
        assert thoughtful.steps == straight.steps


def test_an_answer_that_was_thought_of_is_not_worked_out_again(monkeypatch: pytest.MonkeyPatch) -> None:
    interview = Interview(bank(), "w-ec2-ts", learned(bank()), seed=1)
    for _ in interview.think_ahead():
        pass
    moves = script(bank(), 1)
    assert isinstance(interview.next, Ask)
    put(interview, moves[interview.next.question])
    monkeypatch.setattr(Transitions, "find_next", None)
    assert interview.next


@pytest.mark.parametrize("name", policy_names())
def test_answers_given_again_in_order_resume_the_interview(name: str) -> None:
    """What `next` from a file of answers relies on: each answer names its question."""
    problem = bank()
    for seed in range(3):
        interview = Interview(problem, policy_from(name, STOPS["any"]), learned(problem), seed=seed)
        for _ in held(interview, script(problem, seed)):
            resumed = Interview(problem, policy_from(name, STOPS["any"]), learned(problem), seed=seed)
            for step in interview.steps:
                put(resumed, (step.kind, step.answer), step.question)
            assert state(resumed) == state(interview)
            assert resumed.steps == interview.steps


@pytest.mark.parametrize("name", policy_names())
def test_a_changed_answer_is_as_if_given_so_from_the_start(name: str) -> None:
    problem = bank()
    moves, posterior, rules = script(problem, 1), learned(problem), policy_from(name, "never")
    first = Interview(problem, rules, posterior, seed=1)
    for _ in held(first, moves):
        pass
    for number, step in enumerate(first.steps):
        for new in (None, *range(len(problem.questions[step.question].answers))):
            interview = Interview(problem, rules, posterior, seed=1)
            for _ in held(interview, moves):
                pass
            name_of = None if new is None else problem.questions[step.question].answers[new]
            dropped = interview.change(number, name_of)
            other = Interview(problem, rules, posterior, seed=1)
            kept = [s for s in first.steps if s.question not in {d.question for d in dropped}]
            for old in kept:
                move: Move = (old.kind, old.answer)
                if old.question == step.question:
                    move = ("unknown", None) if new is None else ("answered", new)
                put(other, move, old.question)
            assert state(interview) == state(other)
            for gone in dropped:
                assert problem.questions[gone.question].ask_if


def taken_another_way(problem: Problem, rules: Policy, seed: int) -> None:
    """Undo a step and answer it otherwise: as if the first answer had never been given."""
    moves = script(problem, seed, answered=1.0)
    for depth in range(1, 5):
        one, other = (Interview(problem, rules, learned(problem), seed=seed) for _ in range(2))
        for interview in (one, other):
            for _ in range(depth - 1):
                if isinstance(interview.next, Ask):
                    put(interview, moves[interview.next.question])
        if isinstance(one.next, Decide):
            return
        question = one.next.question
        put(one, moves[question])
        assert one.next
        one.undo()
        answer = (moves[question][1] or 0) + 1
        otherwise: Move = ("answered", answer % len(problem.questions[question].answers))
        for interview in (one, other):
            put(interview, otherwise, question)
        assert state(one) == state(other)


@pytest.mark.parametrize("name", policy_names())
def test_an_answer_that_was_undone_leaves_no_trace(name: str) -> None:
    for stop, make in (("never", bank), ("any", brittle)):
        for seed in range(2):
            taken_another_way(make(), policy_from(name, STOPS[stop]), seed)


@pytest.mark.parametrize("milliseconds", [0.5, 2])
def test_an_answer_that_was_undone_leaves_no_trace_where_the_first_plan_cannot_hold_all_questions(
    milliseconds: float,
) -> None:
    rng = np.random.default_rng(2)
    problem = Problem.build(
        [f"q{i}" for i in range(7)],
        ["x", "y", "z"],
        expected=rng.random((7, 3)),
        cost=rng.uniform(0.5, 2, 7),
        stakes=200,
    )
    spec = {"oracle": "lookahead", "exploration": "mean", "stop": "never", "milliseconds": milliseconds}
    for seed in range(8):
        taken_another_way(problem, policy_from(spec), seed)


@pytest.mark.parametrize("oracle", [name for name, oracle in ORACLES.items() if oracle.needs_hypotheses])
def test_a_long_row_of_surprising_answers_does_not_overflow(oracle: str) -> None:
    usual = np.random.default_rng(0).integers(0, 2, size=(60, 3))
    pseudo = np.where(np.stack([1 - usual, usual], axis=-1) == 1, 1.0, 1e-6)
    problem = Problem.build([f"q{i}" for i in range(60)], ["x", "y", "z"], pseudo=pseudo)
    interview = Interview(problem, policy_from({"oracle": oracle, "exploration": "bucb", "stop": "never"}))
    number = 0
    with loud():
        while isinstance(interview.next, Ask):
            interview.answer(int(1 - usual[interview.next.question, number % 3]))
            number += 1
    assert np.isfinite(interview.belief).all()


@pytest.mark.parametrize("kind", ["unknown", "skipped"])
@pytest.mark.parametrize("stop", STOPS)
@pytest.mark.parametrize("name", policy_names())
def test_an_interview_without_a_single_answer_comes_to_its_end(
    name: str, stop: str, kind: Literal["unknown", "skipped"]
) -> None:
    problem = bank()
    interview = Interview(problem, policy_from(name, STOPS[stop]), learned(problem), seed=1)
    with loud():
        for _ in held(interview, [(kind, None)] * len(problem.questions)):
            pass
    assert (interview.answers == -1).all()
    assert_allclose(interview.belief, learned(problem).outcome_prior(), rtol=1e-9)
    assert (interview.cost_so_far > 0) == (kind == "unknown" and bool(interview.steps))


@pytest.mark.parametrize("name", policy_names())
def test_the_operator_may_always_ask_something_else(name: str) -> None:
    problem = bank()
    for seed in range(3):
        moves = script(problem, seed)
        interview = Interview(problem, policy_from(name, "never"), learned(problem), seed=seed)
        rng = np.random.default_rng(seed)
        while isinstance(interview.next, Ask):
            proposed = interview.next.question
            others = [i for i in np.flatnonzero(interview.available).tolist() if i != proposed]
            question = int(rng.choice(others)) if others else proposed
            put(interview, moves[question], question)
            assert interview.steps[-1].question == question
            assert interview.steps[-1].proposed == proposed
            assert_allclose(interview.belief, literal_belief(interview), rtol=1e-9)


@pytest.mark.parametrize("name", policy_names())
def test_every_possible_answer_to_every_question_can_be_given_first(name: str) -> None:
    for make in PROBLEMS.values():
        problem = make()
        for i, question in enumerate(problem.questions):
            if question.ask_if:
                continue
            for answer in question.answers:
                interview = Interview(problem, policy_from(name, STOPS["sure"]), seed=i)
                with loud():
                    interview.answer(answer, i)
                    assert interview.next
                    assert np.isfinite(interview.belief).all()
                    assert interview.belief.sum() == pytest.approx(1)


@pytest.mark.parametrize("name", [n for n in policy_names() if policy_from(n).needs_hypotheses])
def test_with_few_hypotheses_the_list_is_made_again_and_the_interview_goes_on(name: str) -> None:
    again = 0
    for make, seed in product((bank, brittle), range(12)):
        problem = make()
        spec = {**policy_from(name).spec(), "hypotheses": 1, "stop": STOPS["sure"]}
        interview = Interview(problem, spec, learned(problem, seed), seed=seed)
        listing = interview.situation.listing
        for _ in held(interview, script(problem, seed, answered=1.0)):
            again += interview.situation.listing is not listing
            listing = interview.situation.listing
            assert interview.situation.alive is None or interview.situation.alive.any()
    oracle = policy_from(name).oracle
    if oracle.needs_hypotheses and not oracle.tolerates_errors:
        assert again, "one hypothesis an outcome can't fit all these answers"
