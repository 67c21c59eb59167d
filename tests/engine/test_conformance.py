"""One suite over every oracle × exploration × stop rule: the exported checks, and what only built-in policies promise."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from odm_tui.engine import usual_odds
from odm_tui.engine.exploration import EXPLORATIONS
from odm_tui.engine.interview import Ask, Interview
from odm_tui.engine.interview_state import Transitions
from odm_tui.engine.oracles import ORACLES
from odm_tui.engine.policy import Policy, fit_together, policy_from, policy_names
from odm_tui.engine.problem import Problem
from odm_tui.engine.stopping import STOP_RULES
from odm_tui.testing import check_exploration, check_oracle, check_stop_rule, checks, conformance
from odm_tui.testing.checks import CHECKS, check_other_answer, check_rules
from odm_tui.testing.interviews import (
    STOPS,
    extreme_problem,
    finish,
    make_move,
    make_script,
    mixed_problem,
    run_script,
    sample_posterior,
)
from tests.support.literal.instances import loud

PAIRS = [
    (oracle, exploration)
    for oracle, exploration in product(ORACLES, EXPLORATIONS)
    if fit_together(ORACLES[oracle], EXPLORATIONS[exploration])
]


@pytest.fixture(autouse=True)
def _few_usual_interviews(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the bar for contradictions from 20 interviews: what is promised does not depend on how many there are."""
    monkeypatch.setattr(usual_odds, "INTERVIEWS", 20)


@pytest.mark.parametrize("stop", STOPS)
@pytest.mark.parametrize(("oracle", "exploration"), PAIRS)
def test_every_interview_keeps_the_rules(oracle: str, exploration: str, stop: str) -> None:
    spec = {"oracle": oracle, "exploration": exploration, "stop": STOPS[stop], "hypotheses": 6}
    check_rules(policy_from(spec))


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("name", policy_names())
def test_every_policy_passes_the_check(name: str, check: str) -> None:
    CHECKS[check](policy_from(name))


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> list[Policy]:
    """The policies that an exported check hands on; the two tests above check each of them."""
    policies: list[Policy] = []
    monkeypatch.setattr(conformance, "check_policy", policies.append)
    return policies


@pytest.mark.parametrize("name", ORACLES)
def test_every_oracle_passes_the_exported_check(name: str, checked: list[Policy]) -> None:
    check_oracle(name, explorations=["ts"])
    assert checked == [policy_from(name if name in policy_names() else f"{name}-ts")]


@pytest.mark.parametrize("name", EXPLORATIONS)
def test_every_exploration_passes_the_exported_check(name: str, checked: list[Policy]) -> None:
    oracle = "lookahead" if EXPLORATIONS[name].needs_plans else "w-ig"
    check_exploration(name, oracles=[oracle])
    assert checked == [policy_from(f"{oracle}-{name}")]


@pytest.mark.parametrize("name", ["w-ec2", "lookahead"])
def test_the_exported_check_of_a_policy_is_all_checks_with_every_stop_rule(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules: list[object] = []
    made: list[str] = []
    monkeypatch.setattr(checks, "check_rules", lambda policy: rules.append(policy.stop.spec()))
    monkeypatch.setattr(
        checks, "CHECKS", {key: lambda policy, key=key: made.append(f"{policy.name} {key}") for key in CHECKS}
    )
    check_oracle(name, explorations=["ts"])
    assert rules == [policy_from(f"{name}-ts", spec).stop.spec() for spec in STOPS.values()]
    assert made == [f"{name}-ts {key}" for key in CHECKS]


@pytest.mark.parametrize("spec", STOPS.values(), ids=STOPS.keys())
def test_every_stop_rule_passes_the_exported_check(spec: object) -> None:
    check_stop_rule(spec)  # type: ignore[arg-type]  # what a bank writes


def test_every_stop_rule_that_can_be_named_is_checked() -> None:
    assert set(STOP_RULES) <= {*STOPS, "max_questions"}


@pytest.mark.parametrize("name", ["w-ec2-ts", "w-ig-ts", "random", "w-ig-eps", "dpp"])
def test_another_seed_gives_other_questions_where_chance_is_part_of_the_policy(name: str) -> None:
    problem = mixed_problem()
    orders = set()
    for seed in range(20):
        interview = Interview(problem, policy_from(name, "never"), sample_posterior(problem), seed=seed)
        finish(interview, make_script(problem, 1))
        orders.add(tuple(s.question for s in interview.steps))
    assert len(orders) > 1


def test_an_answer_that_was_thought_of_is_not_worked_out_again(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = mixed_problem()
    interview = Interview(problem, "w-ec2-ts", sample_posterior(problem), seed=1)
    for _ in interview.think_ahead():
        pass
    script = make_script(problem, 1)
    assert isinstance(interview.next, Ask)
    make_move(interview, script[interview.next.question])
    monkeypatch.setattr(Transitions, "find_next", None)
    assert interview.next


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
        check_other_answer(problem, policy_from(spec), seed)


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


@pytest.mark.parametrize("name", [n for n in policy_names() if policy_from(n).needs_hypotheses])
def test_with_few_hypotheses_the_list_is_made_again_and_the_interview_goes_on(name: str) -> None:
    again = 0
    for make, seed in product((mixed_problem, extreme_problem), range(12)):
        problem = make()
        spec = {**policy_from(name).spec(), "hypotheses": 1, "stop": STOPS["sure"]}
        interview = Interview(problem, spec, sample_posterior(problem, seed), seed=seed)
        listing = interview.situation.listing
        for _ in run_script(interview, make_script(problem, seed, answered=1.0)):
            again += interview.situation.listing is not listing
            listing = interview.situation.listing
            assert interview.situation.alive is None or interview.situation.alive.any()
    oracle = policy_from(name).oracle
    if oracle.needs_hypotheses and not oracle.tolerates_errors:
        assert again, "one hypothesis an outcome can't fit all these answers"
