"""Contradictions at a policy's decision: the evidence, and the bar from interviews of the same policy."""

from __future__ import annotations

import numpy as np
import pytest

from odm_tui.engine import contradiction, usual_odds
from odm_tui.engine.contradiction import FALSE_ALARMS, settled_odds, share_as_odd
from odm_tui.engine.interview import Ask, Decide, Interview
from odm_tui.engine.model import Model
from odm_tui.engine.posterior import KNOWN, NOT_KNOWN, Posterior
from odm_tui.engine.problem import Problem, Question
from tests.support.literal import contradictions as literal


def random_problem(rng: np.random.Generator) -> Problem:
    """Five questions, one with three answers, and four outcomes that they tell apart."""
    pseudo = rng.uniform(0.2, 5, (5, 4, 3)) ** 2
    pseudo[[0, 1, 3, 4], :, 2] = 0.0
    questions: list[str | Question] = ["a", "b", Question("c", ("p", "q", "r")), "d", "e"]
    return Problem.build(
        questions,
        list("wxyz"),
        prior=rng.dirichlet(np.full(4, 3.0)),
        pseudo=pseudo,
        error_rates=[0.1, np.nan, 0.05, 0.2, 0.1],
    )


def test_the_odds_that_can_be_settled_are_those_of_their_definition() -> None:
    rng, seen = np.random.default_rng(3), 0
    for _ in range(40):
        problem = random_problem(rng)
        posterior = Posterior.of(problem)
        mean = Model.of(posterior, posterior.mean())
        theta = [[mean.theta[i, j, : 3 if i == 2 else 2].tolist() for j in range(4)] for i in range(5)]
        rows = np.stack([rng.integers(-1, 3 if i == 2 else 2, 6) for i in range(5)], axis=1)
        available = (rows < 0) & (rng.random(rows.shape) < 0.8)
        odds, _ = settled_odds(mean, np.arange(5), rows, available)
        for row, left, found in zip(rows, available, odds, strict=True):
            given = {i: int(q) for i, q in enumerate(row) if q >= 0}
            rates = [0.1, 0.02, 0.05, 0.2, 0.1]
            expected = literal.settled_odds(mean.prior, theta, given, np.flatnonzero(left).tolist(), rates)
            assert found == pytest.approx([expected.get(i, 0.0) for i in range(5)], rel=1e-9, abs=1e-15)
            seen += any(expected.values())
    assert seen > 60


def noisy_problem() -> Problem:
    """Eight questions about five outcomes; answers are wrong now and then, so errors can be settled by others."""
    theta = np.clip(np.random.default_rng(8).beta(0.5, 0.5, (8, 5)), 0.04, 0.96)
    return Problem.build(
        [f"q{i}" for i in range(8)], list("vwxyz"), expected=theta, worth=1e4, cost=1, stakes=25
    )


def hold(interview: Interview, answers: np.ndarray) -> Decide:
    while isinstance(interview.next, Ask):
        interview.answer(int(answers[interview.next.question]))
    return interview.next


def hold_many(count: int, policy: str = "lookahead-mean") -> tuple[float, list[bool]]:
    """The share of false alarms, and for each wrong answer that changed the decision whether it was found."""
    problem = noisy_problem()
    theta = Posterior.of(problem).mean()
    alarms, found = [], []
    for number in range(count):
        if number % 10 == 0:
            interview = Interview(problem, policy, seed=number)
        rng = np.random.default_rng([number, 3])
        answers = (rng.random(8) < theta[:, rng.integers(5), 1]).astype(int)
        decided = hold(interview, answers)
        alarms.append(interview.contradiction is not None)
        asked = [step.question for step in interview.steps]
        at = int(rng.integers(len(asked)))
        interview.undo(len(asked) - at)
        answers[asked[at]] = 1 - answers[asked[at]]
        if hold(interview, answers).outcome != decided.outcome and interview.available.any():
            found.append(interview.contradiction is not None)
        interview.undo(len(interview.steps))
    return float(np.mean(alarms)), found


def test_false_alarms_use_up_five_in_a_hundred_interviews_of_a_policy_and_errors_are_found() -> None:
    alarms, found = hold_many(600)
    assert 0.03 <= alarms <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 600)
    assert np.mean(found) > 1.5 * alarms


def test_false_alarms_are_five_in_a_hundred_on_average_over_interviews() -> None:
    problem = noisy_problem()

    def evidence(seeds: range) -> list[np.ndarray]:
        usual = (Interview(problem, "lookahead-mean", seed=seed)._usual_odds for seed in seeds)
        return [each.values() for each in usual if each is not None]

    observed, coins = np.concatenate(evidence(range(1000, 1010))), np.random.default_rng(5).random(2000)
    alarms = [
        np.mean(
            [
                share_as_odd(usual, odds, coin) <= FALSE_ALARMS
                for odds, coin in zip(observed, coins, strict=True)
            ]
        )
        for usual in evidence(range(40))
    ]
    assert np.std(alarms) < 0.025
    assert np.mean(alarms) == pytest.approx(0.05, abs=0.008)


@pytest.mark.parametrize("answered", [0.8, 0.55])
def test_false_alarms_are_five_in_a_hundred_however_many_answers_nobody_knows(answered: float) -> None:
    problem = noisy_problem()
    known = KNOWN + Posterior.of(problem).seen.sum(axis=(1, 2))
    posterior = Posterior.of(problem, unknown=np.maximum(known / answered - known - NOT_KNOWN, 0.0))
    theta, alarms = posterior.mean(), np.zeros((30, 30))
    for seed, each in np.ndindex(alarms.shape):
        if each == 0:
            interview = Interview(problem, "lookahead-mean", posterior, seed)
        rng = np.random.default_rng([seed, each])
        truth = rng.integers(5)
        while isinstance(interview.next, Ask):
            question = interview.next.question
            if rng.random() < answered:
                interview.answer(int(rng.random() < theta[question, truth, 1]))
            else:
                interview.dont_know()
        alarms[seed, each] = interview.contradiction is not None
        interview.undo(len(interview.steps))
    error = alarms.mean(axis=1).std(ddof=1) / 30**0.5
    assert abs(alarms.mean() - FALSE_ALARMS) < 3 * error


def test_two_interviews_do_not_share_the_error_of_their_bars() -> None:
    problem = noisy_problem()
    one, other = (Interview(problem, "lookahead-mean", seed=seed)._usual_odds for seed in (1, 2))
    assert one is not None
    assert other is not None
    assert not np.array_equal(one.values(), other.values())


def test_a_higher_bar_raises_more_alarms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contradiction, "FALSE_ALARMS", 0.3)
    assert hold_many(150)[0] > 0.1


def contradicted_and_available() -> tuple[Interview, bool]:
    """The first interview of the policy that ends with a contradiction."""
    problem = noisy_problem()
    for seed in range(300):
        rng = np.random.default_rng([seed, 9])
        interview = Interview(problem, "lookahead-mean")
        hold(interview, rng.integers(0, 2, 8))
        if interview.contradiction is not None:
            return interview, bool(interview.available.any())
    raise AssertionError("no contradiction was found")


def test_a_contradiction_at_a_decision_names_another_outcome_and_what_would_settle_it() -> None:
    interview, available = contradicted_and_available()
    found = interview.contradiction
    assert found is not None
    assert available
    assert found.outcome == interview.next.outcome  # type: ignore[union-attr]  # it has come to its decision
    assert found.otherwise != found.outcome
    assert found.settle is not None
    assert interview.answers[found.question] >= 0


def test_thinking_ahead_makes_the_bar_ready_and_changes_nothing() -> None:
    problem = noisy_problem()
    plain, ahead = Interview(problem, "lookahead-mean"), Interview(problem, "lookahead-mean")
    for _ in ahead.think_ahead():
        pass
    assert ahead._usual_odds is not None
    assert not ahead._usual_odds.extend(), "nothing is left to do"
    assert plain._usual_odds is not None
    assert plain._usual_odds.extend()
    assert np.array_equal(plain._usual_odds.values(), ahead._usual_odds.values())


def test_where_a_policy_takes_too_long_to_simulate_right_answers_to_the_same_questions_are_compared() -> None:
    large = Problem.build([f"q{i}" for i in range(40)], [f"o{j}" for j in range(8)])
    assert Interview(large, "w-ec2-ts")._usual_odds is None
    assert Interview(large, "lookahead-ts")._usual_odds is not None


def test_with_a_question_of_the_operators_own_the_same_questions_are_compared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    interview = Interview(noisy_problem(), "lookahead-mean")
    proposed = interview.next
    assert isinstance(proposed, Ask)
    interview.answer(1, next(i for i in range(8) if i != proposed.question))
    hold(interview, np.random.default_rng(1).integers(0, 2, 8))
    monkeypatch.setattr(usual_odds.UsualOdds, "values", lambda _: pytest.fail("the policy's bar was used"))
    _ = interview.contradiction
