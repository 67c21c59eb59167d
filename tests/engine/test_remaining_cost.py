"""The cost that is announced as still to come, against interviews that were carried to their end."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from odm_tui.banks import load_bank
from odm_tui.engine import remaining_cost, simulated_policy
from odm_tui.engine.interview import Ask, Interview
from odm_tui.engine.model import Model
from odm_tui.engine.policy import policy_from
from odm_tui.engine.posterior import KNOWN, NOT_KNOWN, Posterior
from odm_tui.engine.problem import Problem, Question
from odm_tui.engine.remaining_cost import ForecastStart

BANKS = Path(__file__).parents[2] / "question_banks"


@pytest.fixture
def large(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether the bank counts as too large for its own policy to be simulated."""
    if request.param:
        monkeypatch.setattr(simulated_policy, "LARGEST", 0)
        monkeypatch.setattr(simulated_policy, "LARGEST_WITHOUT_PLANS", 0)


def carried_to_the_end(problem: Problem, policy: object, count: int = 60) -> tuple[float, float, float]:
    """The mean forecast at the start, the mean real cost and its standard error, with answers drawn from the model."""
    rng = np.random.default_rng(5)
    forecast, real = np.zeros(count), np.zeros(count)
    for seed in range(count):
        interview = Interview(problem, policy, seed=seed)  # type: ignore[arg-type]
        theta = interview.posterior.mean()
        truth = int(rng.choice(len(problem.outcomes), p=interview.belief))
        forecast[seed] = interview.expected_cost_to_come
        while isinstance(interview.next, Ask):
            question = interview.next.question
            answer = int(rng.choice(theta.shape[2], p=theta[question, truth]))
            interview.answer(problem.questions[question].answers[answer])
        real[seed] = interview.cost_if(truth)
    return float(forecast.mean()), float(real.mean()), float(real.std(ddof=1) / count**0.5)


def is_near(forecast: float, real: float, error: float) -> bool:
    """Whether a forecast is within 20 % of the real cost, as far as so few interviews can tell."""
    return (real - 2 * error) / 1.2 < forecast < (real + 2 * error) * 1.2


@pytest.mark.parametrize(("name", "count"), [("led", 100), ("troubleshooting", 20), ("home-network", 25)])
def test_the_forecast_at_the_start_is_near_what_interviews_really_cost(name: str, count: int) -> None:
    bank = load_bank(BANKS / f"{name}.toml")
    assert is_near(*carried_to_the_end(bank.problem, bank.policy, count))


@pytest.mark.parametrize(
    ("questions", "outcomes", "policy"),
    [(7, 10, "lookahead-ts"), (5, 3, "lookahead-learn"), (6, 4, "w-ec2-ts"), (6, 4, "w-ig-sts")],
)
def test_the_forecast_is_near_the_real_cost_on_a_fresh_bank_too(
    questions: int, outcomes: int, policy: str
) -> None:
    """Under the mean all outcomes look alike there, and a forecast from it says one question, about a quarter."""
    problem = Problem.build(
        [f"q{i}" for i in range(questions)], [f"o{j}" for j in range(outcomes)], stakes=60
    )
    assert is_near(*carried_to_the_end(problem, policy))


def carried_with_unknown(
    answered: float, policy: object, count: int, forecasts: int = 99
) -> tuple[list[float], list[list[float]]]:
    """What interviews with the LED bank paid, and before the first questions the cost so far and to come.

    Callers know the answers with this chance, and the bank has learned so.
    """
    problem = load_bank(BANKS / "led.toml").problem
    known = KNOWN + Posterior.of(problem).seen.sum(axis=(1, 2))
    posterior = Posterior.of(problem, unknown=known / answered - known - NOT_KNOWN)
    np.testing.assert_allclose(posterior.answerable(), answered)
    theta, rng = posterior.mean(), np.random.default_rng(5)
    paid: list[float] = []
    totals: list[list[float]] = []
    for seed in range(count):
        interview = Interview(problem, policy, posterior, seed)  # type: ignore[arg-type]
        truth = int(rng.choice(len(problem.outcomes), p=interview.belief))
        totals.append([])
        while isinstance(interview.next, Ask):
            if len(totals[-1]) < forecasts:
                totals[-1].append(interview.cost_so_far + interview.expected_cost_to_come)
            question = interview.next.question
            if rng.random() < answered:
                yes = int(rng.random() < theta[question, truth, 1])
                interview.answer(problem.questions[question].answers[yes])
            else:
                interview.dont_know()
        paid.append(interview.cost_if(truth))
        totals[-1].append(interview.cost_so_far)
    return paid, totals


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize(
    ("large", "stop"),
    [(False, "value"), (True, {"confidence": 0.7})],
    indirect=["large"],
    ids=["simulated", "estimated"],
)
def test_the_forecast_counts_answers_that_nobody_knows(stop: object) -> None:
    policy = policy_from("lookahead-ts" if stop == "value" else "w-ig-mean", stop)
    paid, totals = carried_with_unknown(0.7, policy, 250, forecasts=1)
    differences = np.array([total[0] for total in totals]) - paid
    assert abs(differences.mean()) < 3 * differences.std(ddof=1) / len(paid) ** 0.5


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("large", [True], indirect=True)
@pytest.mark.parametrize("policy", ["lookahead-ts", "w-ig-mean", "w-ec2-ts"])
def test_the_estimate_without_simulation_goes_on_where_the_policy_does(policy: str) -> None:
    """A question that is often not answered is worth less, and is asked all the same."""
    paid, totals = carried_with_unknown(0.7, policy_from(policy, "value"), 100, forecasts=1)
    assert np.mean([total[0] for total in totals]) == pytest.approx(np.mean(paid), rel=0.2)


def test_answers_that_nobody_knows_do_not_make_the_forecast_climb() -> None:
    _, totals = carried_with_unknown(0.7, policy_from("lookahead-ts"), 40)
    moves, start = np.concatenate([np.diff(total) for total in totals]), np.mean([each[0] for each in totals])
    assert abs(moves.mean()) < 0.05 * start
    assert moves.std() < 0.35 * start


def test_the_forecast_is_the_same_bit_for_bit_where_every_question_is_answered() -> None:
    """The same draws as before any "don't know" was counted."""
    for fallback in (False, True):
        with pytest.MonkeyPatch.context() as patch:
            if fallback:
                patch.setattr(simulated_policy, "LARGEST", 0)
            problem = load_bank(BANKS / "led.toml").problem
            before, after = (
                Interview(problem, "lookahead-ts", seed=3),
                Interview(problem, "lookahead-ts", seed=3),
            )
            all_answered = np.ones(len(problem.questions))
            object.__setattr__(after.transitions.mean, "answerable", all_answered)
            assert after.expected_cost_to_come == before.expected_cost_to_come


@pytest.mark.parametrize(("fresh", "most"), [(False, 0.25), (True, 0.55)])
def test_the_forecast_does_not_climb_on_average_within_an_interview(fresh: bool, most: float) -> None:
    """What was paid and what is to come have the same mean before every question, and the next answer moves it little."""
    problem = load_bank(BANKS / "led.toml").problem
    if fresh:
        problem = Problem.build(problem.questions, problem.outcomes, cost=problem.cost, stakes=problem.stakes)
    rng = np.random.default_rng(2)
    moves, start = [], []
    for seed in range(60):
        interview = Interview(problem, "lookahead-ts", seed=seed)
        theta = interview.posterior.mean()
        truth = int(rng.choice(len(problem.outcomes), p=interview.belief))
        totals = []
        while isinstance(interview.next, Ask):
            totals.append(interview.cost_so_far + interview.expected_cost_to_come)
            question = interview.next.question
            interview.answer(
                problem.questions[question].answers[int(rng.random() < theta[question, truth, 1])]
            )
        totals.append(interview.cost_so_far)
        moves += np.diff(totals).tolist()
        start += totals[:1]
    assert abs(np.mean(moves)) < 0.05 * np.mean(start)
    assert np.std(moves) < most * np.mean(start)


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("large", [False, True], indirect=True, ids=["simulated", "estimated"])
def test_rules_that_must_all_be_met_end_an_imagined_interview_together() -> None:
    problem = load_bank(BANKS / "led.toml").problem
    stop = {"all": [{"confidence": 0.5}, {"max_questions": 7}]}
    assert Interview(problem, policy_from("lookahead-mean", stop)).expected_cost_to_come == pytest.approx(7)


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("large", [False, True], indirect=True, ids=["simulated", "estimated"])
def test_the_first_of_several_rules_ends_an_imagined_interview() -> None:
    problem = load_bank(BANKS / "led.toml").problem
    stop = {"any": ["never", {"max_questions": 2}]}
    assert Interview(problem, policy_from("lookahead-mean", stop)).expected_cost_to_come == pytest.approx(2)


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("large", [False, True], indirect=True, ids=["simulated", "estimated"])
def test_a_budget_ends_an_imagined_interview() -> None:
    problem = Problem.build([f"q{i}" for i in range(6)], ["x", "y"], cost=7)
    interview = Interview(problem, policy_from("w-ig-mean", {"budget": 20}))
    assert interview.expected_cost_to_come == pytest.approx(14)
    interview.answer("yes")
    assert interview.expected_cost_to_come == pytest.approx(7), "what was spent counts"


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("large", [False, True], indirect=True, ids=["simulated", "estimated"])
def test_a_question_that_the_first_one_wakes_is_part_of_the_forecast() -> None:
    questions = [Question("first"), Question("second", ask_if=(("first", (0, 1)),))]
    problem = Problem.build(questions, ["x", "y"], cost=7)
    assert Interview(problem, policy_from("w-ig-mean", "never")).expected_cost_to_come == pytest.approx(14)


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("large", [False, True], indirect=True, ids=["simulated", "estimated"])
def test_a_question_that_is_always_asked_is_part_of_the_forecast() -> None:
    questions = [Question("first", always_ask=True), Question("second", always_ask=True), Question("third")]
    problem = Problem.build(questions, ["x", "y"], cost=7)
    interview = Interview(problem, policy_from("w-ig-mean", {"max_questions": 1}))
    assert interview.expected_cost_to_come == pytest.approx(14)


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("large", [False, True], indirect=True, ids=["simulated", "estimated"])
def test_a_question_without_an_answer_wakes_none_in_the_forecast() -> None:
    """Each of 16 questions is answered 3 times in 10, and then one more is asked."""
    questions = [Question(f"q{i}") for i in range(16)]
    questions += [Question(f"r{i}", ask_if=((f"q{i}", (0, 1)),)) for i in range(16)]
    problem = Problem.build(questions, ["x", "y"])
    rarely = (KNOWN / 0.3 - KNOWN - NOT_KNOWN) * np.ones(32)
    posterior = Posterior.of(problem, unknown=rarely)
    np.testing.assert_allclose(posterior.answerable(), 0.3)
    forecast = Interview(problem, policy_from("w-ig-mean", "never"), posterior).expected_cost_to_come
    assert forecast == pytest.approx(16 * 1.3, abs=3 * (16 * 0.3 * 0.7 / 48) ** 0.5)


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("large", [False, True], indirect=True, ids=["simulated", "estimated"])
def test_answers_are_imagined_as_often_as_they_are_expected() -> None:
    """One of four outcomes answers yes, which wakes a question of 100."""
    questions = [Question("first"), Question("second", ask_if=(("first", (1,)),))]
    expected = [[1.0, 0.0, 0.0, 0.0], [0.5, 0.5, 0.5, 0.5]]
    problem = Problem.build(questions, list("wxyz"), cost=[1.0, 100.0], expected=expected, worth=1e6)
    interview = Interview(problem, policy_from("w-ig-mean", "never"))
    assert interview.expected_cost_to_come == pytest.approx(1 + 25, abs=15)


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("large", [True], indirect=True)
def test_the_estimate_for_a_large_bank_is_near_the_real_cost_of_asking_by_information() -> None:
    problem = load_bank(BANKS / "led.toml").problem
    assert is_near(*carried_to_the_end(problem, policy_from("w-ig-mean", {"confidence": 0.9}), 60))


def test_rare_answers_lower_the_bar_for_another_question_by_no_more_than_their_share() -> None:
    """Questions that nobody can answer tell next to nothing, and a policy that asks one all the same goes on."""
    problem = Problem.build(["a", "b", "c"], ["x", "y"], expected=[[0.6, 0.4]] * 3, worth=1e3, stakes=1.0)
    posterior = Posterior.of(problem, unknown=[4000.0, 4000.0, 1000.0])
    model, start = Model.of(posterior, posterior.mean()), np.array([0.5, 0.5])
    none = np.zeros(3, dtype=bool)
    forecast = ForecastStart(model, start, model, start, np.full(3, -1, dtype=np.int16), none, 0, 0, 0.0)
    open_ = np.array([True, False, True])
    share = posterior.answerable()[open_].mean()
    assert remaining_cost._reserve(forecast, open_) == pytest.approx(remaining_cost.RESERVE * share)
    all_answered = replace(forecast, oracle=replace(model, answerable=None))
    assert remaining_cost._reserve(all_answered, open_) == remaining_cost.RESERVE


def test_where_an_outcome_is_certain_certainty_is_worth_nothing_more() -> None:
    problem = Problem.build(["a"], ["x", "y"], stakes=10.0)
    model = Model.of(Posterior.of(problem), Posterior.of(problem).mean())
    beliefs = np.array([[1.0, 0.0], [0.5, 0.5]])
    found = remaining_cost._gain_per_loss(model, beliefs, np.array([[2.0], [2.0]]))
    assert found == pytest.approx([0.0, 10.0 * 0.5 * 2.0 / np.log(2)])
