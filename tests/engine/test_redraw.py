"""An interview that would ask nothing draws theta again, so that no policy stays silent for ever."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from odm_tui.engine import interview as interviews
from odm_tui.engine.exploration import EXPLORATIONS, redraw_chance
from odm_tui.engine.interview import Ask, Interview
from odm_tui.engine.model import Model
from odm_tui.engine.policy import Policy, policy_from
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Problem, Question
from odm_tui.testing import check_learning

SEEDS = range(60)
DRAWING = ("ts", "sts", "learn", "bucb")


def useless(always: bool = False, stakes: float = 10.0) -> Posterior:
    """Four answers to each question that tell nothing, and little at stake: hardly any draw asks for more."""
    made = [Question(f"q{i}", always_ask=always and i == 0) for i in range(4)]
    problem = Problem.build(made, ["x", "y"], prior=[0.7, 0.3], cost=1, stakes=stakes)
    return Posterior.of(replace(problem, pooled=True), np.ones((4, 2, 2)), np.array([2.0, 2.0]), 4)


def count_asking(posterior: Posterior, policy: Policy | str) -> int:
    """How many of the interviews with SEEDS choose a question."""
    held = (Interview(posterior.problem, policy, posterior, seed=seed) for seed in SEEDS)
    return sum(isinstance(each.next, Ask) for each in held)


def test_the_chance_falls_like_one_over_the_root_but_its_sum_has_no_limit() -> None:
    assert redraw_chance(0, 7) == 1
    assert redraw_chance(21, 7) == pytest.approx(0.5)
    sums = [sum(redraw_chance(t, 10) for t in range(end)) for end in (1_000, 4_000, 16_000)]
    assert np.diff(sums)[1] > 1.8 * np.diff(sums)[0]


@pytest.mark.parametrize("exploration", DRAWING)
def test_more_interviews_ask_something_than_without_redraws(
    exploration: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    posterior, policy = useless(), policy_from(f"lookahead-{exploration}")
    with_redraws = count_asking(posterior, policy)
    monkeypatch.setattr(interviews, "REDRAWS", 0)
    assert with_redraws > count_asking(posterior, policy) + 5


def test_interviews_that_ask_by_themselves_keep_their_theta(monkeypatch: pytest.MonkeyPatch) -> None:
    posterior = useless(stakes=60.0)

    def asked_with(redraws: int) -> dict[int, np.ndarray]:
        monkeypatch.setattr(interviews, "REDRAWS", redraws)
        held = {seed: Interview(posterior.problem, "lookahead-ts", posterior, seed=seed) for seed in SEEDS}
        return {s: i.situation.model.theta for s, i in held.items() if isinstance(i.next, Ask)}

    few, many = asked_with(0), asked_with(4)
    assert few
    assert all(np.array_equal(few[seed], many[seed]) for seed in few)


def test_how_often_theta_is_drawn_again_follows_the_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    posterior, drawn = useless(), []
    exploration = EXPLORATIONS["ts"]
    monkeypatch.setattr(type(exploration), "redraw", lambda *_: drawn.append(1))
    silent = 0
    for seed in range(400):
        silent += not isinstance(Interview(posterior.problem, "lookahead-ts", posterior, seed=seed).next, Ask)
    chance = redraw_chance(4, 4)
    assert silent > 200
    assert len(drawn) / silent == pytest.approx(chance, abs=3 * np.sqrt(chance * (1 - chance) / silent))


def test_theta_is_drawn_again_four_times_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    posterior = replace(useless(stakes=0.0), outcome_counts=np.zeros(2))
    kind, drawn = type(EXPLORATIONS["ts"]), []
    redraw = kind.redraw

    def note(*given: Any) -> Model | None:
        drawn.append(redraw(*given))
        return drawn[-1]

    monkeypatch.setattr(kind, "redraw", note)
    interview = Interview(posterior.problem, "lookahead-ts", posterior)
    assert not isinstance(interview.next, Ask)
    assert len(drawn) == 4


@pytest.mark.parametrize("exploration", DRAWING)
def test_a_policy_that_never_explores_draws_nothing_again(exploration: str) -> None:
    policy = replace(policy_from(f"lookahead-{exploration}"), explore="never")
    assert count_asking(useless(), policy) == 0


def test_a_quiet_policy_draws_again_only_while_no_outcome_leads(monkeypatch: pytest.MonkeyPatch) -> None:
    policy = replace(policy_from("lookahead-ts"), explore="quiet")
    assert count_asking(useless(), policy) == 0
    three = Problem.build(["a", "b"], ["x", "y", "z"], prior=[0.4, 0.3, 0.3], cost=1, stakes=5)
    posterior = Posterior.of(replace(three, pooled=True), np.ones((2, 3, 2)), np.full(3, 2.0), 6)
    with_redraws = count_asking(posterior, policy)
    monkeypatch.setattr(interviews, "REDRAWS", 0)
    assert with_redraws > count_asking(posterior, policy)


@pytest.mark.parametrize("name", ["lookahead-mean", "lookahead-map"])
def test_a_policy_without_exploration_stays_silent(name: str) -> None:
    assert count_asking(useless(), name) == 0


def test_limits_hold_for_a_redraw_too() -> None:
    spec = {"oracle": "lookahead", "exploration": "ts", "stop": {"any": ["value", {"max_questions": 0}]}}
    assert count_asking(useless(), policy_from(spec)) == 0


def test_a_question_that_is_always_asked_does_not_count_as_asking(monkeypatch: pytest.MonkeyPatch) -> None:
    posterior = useless(always=True)

    def own_questions() -> int:
        count = 0
        for seed in SEEDS:
            interview = Interview(posterior.problem, "lookahead-ts", posterior, seed=seed)
            interview.dont_know()
            count += isinstance(interview.next, Ask)
        return count

    with_redraws = own_questions()
    monkeypatch.setattr(interviews, "REDRAWS", 0)
    assert with_redraws > own_questions() + 5


def test_the_bounds_of_a_redrawn_model_hold_its_theta() -> None:
    posterior, exploration = useless(), EXPLORATIONS["bucb"]
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        first = exploration.model(posterior, rng)
        redrawn = exploration.redraw(posterior, first, rng)
        assert first.bounds is not None
        assert redrawn is not None
        assert redrawn.bounds is not None
        assert (redrawn.bounds.low <= redrawn.theta).all()
        assert (redrawn.theta <= redrawn.bounds.high).all()
        assert (redrawn.bounds.low <= first.bounds.low).all()
        assert (redrawn.bounds.high >= first.bounds.high).all()


def test_the_same_seed_draws_the_same_theta_again() -> None:
    posterior = useless()
    for seed in SEEDS:
        one, other = (
            Interview(posterior.problem, "lookahead-ts", posterior, seed=seed).situation.model.theta
            for _ in range(2)
        )
        assert np.array_equal(one, other)


def test_without_redraws_the_default_policy_locks_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interviews, "REDRAWS", 0)
    with pytest.raises(AssertionError, match="asked something in"):
        check_learning("lookahead-learn", seeds=1)
