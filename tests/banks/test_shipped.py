"""The banks in question_banks/: their shapes, that they check clean, and that they can tell their outcomes apart."""

from __future__ import annotations

import functools
import runpy
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from odm_tui.banks import Bank, load_bank
from odm_tui.engine.interview import Ask, Decide, Interview
from odm_tui.engine.policy import policy_from
from odm_tui.engine.problem import Floats, Ints, Problem

FOLDER = Path(__file__).parents[2] / "question_banks"
NAMES = ("breast-cancer", "home-network", "led", "lung", "navigation", "troubleshooting")

SHAPES = {
    "troubleshooting": (74, 15),
    "navigation": (5, 20),
    "lung": (4, 3),
    "led": (7, 10),
    "breast-cancer": (30, 2),
    "home-network": (15, 10),
}
ASKING_EVERYTHING = {
    "troubleshooting": 0.93,
    "navigation": 0.65,
    "lung": 0.80,
    "led": 0.65,
    "breast-cancer": 0.95,
    "home-network": 0.80,
}
WITH_ITS_OWN_POLICY = {
    "troubleshooting": 0.85,
    "navigation": 0.60,
    "lung": 0.75,
    "led": 0.60,
    "breast-cancer": 0.90,
    "home-network": 0.72,
}
LIT_SEGMENTS = {
    "zero": "1110111",
    "one": "0010010",
    "two": "1011101",
    "three": "1011011",
    "four": "0111010",
    "five": "1101011",
    "six": "1101111",
    "seven": "1010010",
    "eight": "1111111",
    "nine": "1111011",
}


def shipped(name: str) -> Bank:
    return load_bank(FOLDER / f"{name}.toml")


def expected(problem: Problem) -> Floats:
    """P(answer | outcome) as the bank expects it."""
    return np.asarray(problem.pseudo / problem.pseudo.sum(axis=-1, keepdims=True))


def drawn(problem: Problem, outcome: int, rng: np.random.Generator) -> Ints:
    """One caller: an answer to every question, as the bank expects it of this outcome."""
    above = expected(problem)[:, outcome].cumsum(axis=-1)
    return np.asarray((rng.random((len(above), 1)) > above).sum(axis=-1), dtype=np.intp)


def woken(problem: Problem, answers: Ints) -> list[int]:
    """The questions that can be asked of this caller, prerequisites of prerequisites included."""
    waits = dict(problem.prerequisites)

    def awake(question: int) -> bool:
        ways = waits.get(question, ((),))
        return any(all(awake(other) and answers[other] in wake for other, wake in way) for way in ways)

    return [i for i in range(len(problem.questions)) if awake(i)]


def held(bank: Bank, count: int) -> Iterator[tuple[int, Interview]]:
    """Interviews under the bank's own policy with drawn callers: the true outcome, and the interview at its end."""
    assert bank.policy is not None
    policy = policy_from(bank.policy)
    rng = np.random.default_rng(20250102)
    for seed, outcome in enumerate(rng.choice(len(bank.outcomes), p=bank.problem.prior, size=count)):
        answers = drawn(bank.problem, outcome, rng)
        interview = Interview(bank.problem, policy, seed=seed)
        while isinstance(step := interview.next, Ask):
            question = bank.problem.questions[step.question]
            interview.answer(question.answers[answers[step.question]])
        yield int(outcome), interview


@dataclass(frozen=True)
class Held:
    """What came of one interview; the interview itself, with its plans, takes 20 MB."""

    outcome: int
    """The true one."""
    decided: int
    call: list[tuple[str, str]]
    """Each question that was asked and its answer, by name, in order."""


@functools.cache
def first_day(name: str) -> list[Held]:
    """120 interviews of a bank that has learned nothing yet."""
    return [
        Held(outcome, decided(interview), call(interview)) for outcome, interview in held(shipped(name), 120)
    ]


def decided(interview: Interview) -> int:
    assert isinstance(interview.next, Decide)
    return interview.next.outcome


def call(interview: Interview) -> list[tuple[str, str]]:
    """Each question that was asked and its answer, by name, in order."""
    questions = [interview.problem.questions[step.question] for step in interview.steps]
    return [
        (q.id, q.answers[interview.answers[s.question]])
        for q, s in zip(questions, interview.steps, strict=True)
    ]


def test_every_bank_in_the_folder_is_looked_at_here() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.toml")) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_bank_has_its_shape(name: str) -> None:
    assert shipped(name).problem.shape[:2] == SHAPES[name]


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_bank_loads_without_a_warning(name: str) -> None:
    assert not shipped(name).warnings


@pytest.mark.parametrize("name", NAMES)
def test_every_question_is_one_that_can_be_read_aloud_and_has_help(name: str) -> None:
    for question in shipped(name).questions:
        assert question.text.endswith("?"), question.id
        assert question.help, question.id


@pytest.mark.parametrize("name", NAMES)
def test_every_outcome_comes_with_advice(name: str) -> None:
    assert all(outcome.advice for outcome in shipped(name).outcomes)


@pytest.mark.parametrize("name", NAMES)
def test_no_two_outcomes_are_expected_to_answer_alike(name: str) -> None:
    theta = expected(shipped(name).problem)
    apart = np.abs(theta[:, :, None] - theta[:, None]).max(axis=(0, 3))
    assert apart[~np.eye(len(apart), dtype=bool)].min() > 0.25


@pytest.mark.parametrize("name", NAMES)
def test_asking_everything_finds_the_outcome_well_above_chance(name: str) -> None:
    problem = shipped(name).problem
    rng = np.random.default_rng(20250101)
    log_theta = np.log(np.where(problem.valid[:, None], expected(problem), 1.0))
    right = 0
    for outcome in rng.choice(len(problem.outcomes), p=problem.prior, size=600):
        answers = drawn(problem, outcome, rng)
        asked = woken(problem, answers)
        belief = np.log(problem.prior) + log_theta[asked, :, answers[asked]].sum(axis=0)
        right += int(belief.argmax() == outcome)
    assert right / 600 > ASKING_EVERYTHING[name]


@pytest.mark.parametrize("name", NAMES)
def test_the_banks_own_policy_finds_the_outcome_on_the_first_day(name: str) -> None:
    right = [interview.decided == interview.outcome for interview in first_day(name)]
    assert np.mean(right) > WITH_ITS_OWN_POLICY[name]


def test_support_calls_end_within_fifteen_questions_on_average() -> None:
    asked = [len(interview.call) for interview in first_day("troubleshooting")]
    assert np.mean(asked) <= 15


def test_the_breast_cancer_bank_is_what_its_script_writes() -> None:
    pytest.importorskip("sklearn", reason="scikit-learn, which holds the data, is not installed")
    script = runpy.run_path(str(FOLDER / "make_breast_cancer.py"))
    assert (FOLDER / "breast-cancer.toml").read_text(encoding="utf-8") == script["format_bank"]()


def test_breast_cancer_questions_have_two_or_three_thresholds_in_the_order_of_the_data() -> None:
    questions = shipped("breast-cancer").questions
    assert {len(question.thresholds) for question in questions} == {2, 3}
    assert [questions[i].id for i in (0, 10, 20, 29)] == [
        "mean-radius",
        "radius-error",
        "worst-radius",
        "worst-fractal-dimension",
    ]


def test_the_breast_cancer_bank_is_right_on_nine_of_ten_of_the_samples_it_was_made_from() -> None:
    datasets = pytest.importorskip(
        "sklearn.datasets", reason="scikit-learn, which holds the data, is not installed"
    )
    data = datasets.load_breast_cancer()
    problem = shipped("breast-cancer").problem
    assert list(problem.outcomes) == list(data.target_names)
    answers = np.array(
        [[q.interval(x) for q, x in zip(problem.questions, row, strict=True)] for row in data.data]
    )
    log_theta = np.log(np.where(problem.valid[:, None], expected(problem), 1.0))
    belief = np.log(problem.prior) + log_theta[np.arange(30), :, answers].sum(axis=1)
    assert (belief.argmax(axis=1) == data.target).mean() > 0.9


def test_the_breast_cancer_bank_needs_fewer_than_three_measurements_of_real_samples() -> None:
    datasets = pytest.importorskip(
        "sklearn.datasets", reason="scikit-learn, which holds the data, is not installed"
    )
    data, bank = datasets.load_breast_cancer(), shipped("breast-cancer")
    assert bank.policy is not None
    policy, right, asked = policy_from(bank.policy), [], []
    for seed in range(0, len(data.target), 4):
        interview = Interview(bank.problem, policy, seed=seed)
        while isinstance(step := interview.next, Ask):
            interview.answer(float(data.data[seed, step.question]))
        right.append(step.outcome == data.target[seed])
        asked.append(len(interview.steps))
    assert np.mean(right) > 0.9
    assert np.mean(asked) < 3


@pytest.mark.parametrize("name", ["lung", "breast-cancer"])
def test_a_medical_bank_says_that_it_is_not_for_medical_use(name: str) -> None:
    assert "not for medical use" in (shipped(name).notice or "").lower()


def test_a_biopsy_is_cheapest_where_the_tumour_is_found_and_dearest_where_it_is_missed() -> None:
    problem = shipped("lung").problem
    cost = problem.cost[problem.positions["biopsy"]]
    malignant = problem.outcomes.index("malignant")
    assert cost[malignant, 1] == cost.min()
    assert cost[malignant, 0] == cost.max()


def test_a_segment_is_lit_nine_times_in_ten_where_it_belongs_to_the_digit() -> None:
    problem = shipped("led").problem
    lit = np.array([[int(segment) for segment in LIT_SEGMENTS[digit]] for digit in problem.outcomes])
    np.testing.assert_allclose(expected(problem)[:, :, 1].T, np.where(lit, 0.9, 0.1))


def test_each_charging_stop_has_an_answer_set_of_its_own() -> None:
    likeliest = expected(shipped("navigation").problem).argmax(axis=-1)
    assert len({tuple(column) for column in likeliest.T}) == 20


def test_support_costs_differ_by_symptom_and_by_answer() -> None:
    cost = shipped("troubleshooting").problem.cost[:, 0]
    assert len(np.unique(cost.mean(axis=1))) > 20
    assert (cost[:, 0] != cost[:, 1]).sum() > 20


def test_the_home_network_bank_shows_what_the_format_can_do() -> None:
    bank = shipped("home-network")
    assert bank.outcome_prior == "learned"
    assert {question.type for question in bank.questions} == {"yes_no", "choice", "number"}
    assert any(question.always_ask for question in bank.questions)
    assert any(question.ask_if for question in bank.questions)


def test_home_network_calls_begin_with_the_trouble() -> None:
    first = {interview.call[0][0] for interview in first_day("home-network")}
    assert first == {"complaint"}


def test_a_router_without_any_light_is_not_asked_to_do_anything() -> None:
    problem = shipped("home-network").problem
    interview = Interview(problem, "w-ec2-mean")
    interview.answer("none", "complaint")
    interview.answer("dark", "internet-light")
    needs_power = [problem.positions[key] for key in ("restart", "router-page", "by-cable")]
    assert not interview.available[needs_power].any()


@pytest.mark.parametrize("trouble", ["none", "slow", "drops", "some"])
def test_a_router_with_a_light_can_be_tried_whatever_the_trouble(trouble: str) -> None:
    problem = shipped("home-network").problem
    interview = Interview(problem, "w-ec2-mean")
    interview.answer(trouble, "complaint")
    interview.answer("steady", "internet-light")
    needs_power = [problem.positions[key] for key in ("restart", "router-page", "by-cable")]
    assert interview.available[needs_power].all()


WORKS = {"slow-overall", "apps-crash", "adverts", "touch-dead", "no-signal", "wifi-fails", "password-refused"}


def test_support_calls_begin_with_the_trouble_and_never_doubt_what_was_said() -> None:
    for said in (interview.call for interview in first_day("troubleshooting")):
        assert said[0][0] == "trouble"
        asked = {question for question, _ in said}
        assert not (said[0][1] == "dead" and asked & WORKS), (
            "a phone that does not start shows nothing of this"
        )
        assert not ("stuck-on-logo" in asked and said[0][1] != "dead"), "this phone has started"
        assert not ({"heard-badly", "no-signal"} <= asked), "without a signal nobody hears anything"


@pytest.mark.parametrize("trouble", ["dead", "battery", "screen", "other"])
@pytest.mark.parametrize("seed", range(3))
def test_a_bulging_phone_is_switched_off_whatever_else_is_likely(trouble: str, seed: int) -> None:
    bank = shipped("troubleshooting")
    places = bank.problem.positions
    interview = Interview(bank.problem, "lookahead-ts", seed=seed)
    interview.answer(trouble, places["trouble"])
    assert interview.next == Ask(places["bulging"])
    interview.answer("yes")
    upcoming = interview.next
    assert isinstance(upcoming, Decide)
    assert upcoming.flag is not None
    flag = bank.questions[upcoming.flag[0]].answers[upcoming.flag[1]].stop
    assert flag is not None
    assert "switch it off" in flag.advice
    assert "Do not press or charge it" in flag.advice
