"""A bank's settings for learning, stopping and wrong answers reach the interview and the commands."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from odm_tui.banks import Bank
from odm_tui.banks.policies import policy_for
from odm_tui.cli import app as cli
from odm_tui.engine.policy import DEFAULT_POLICY, policy_from
from odm_tui.evaluation.replay.audit import Audit
from odm_tui.evaluation.replay.logged_interviews import Tally, read_interviews
from odm_tui.session import Archive, Session
from odm_tui.session.next_step import next_step
from odm_tui.store.paths import StatePaths
from tests.support.faults.interviews import BANK, sample_answer, sample_bank

DAY = 86_400.0
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def run(state: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("ODM_TUI_STATE_DIR", str(state))

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as end:
            cli.main(arguments)
        captured = capsys.readouterr()
        return int(end.value.code or 0), captured.out, captured.err

    return run


def bank_with(tmp_path: Path, *lines: str) -> Bank:
    """Load the sample bank with more lines at its top."""
    return sample_bank(tmp_path / "banks", BANK.replace("format = 1", "\n".join(["format = 1", *lines])))


def hold(bank: Bank, state: Path, seed: int, day: float = 1.0, unknown: tuple[str, ...] = ()) -> Session:
    """Run and confirm an interview on this day, with some unknown answers."""
    session = Session.start(bank, state, seed=seed, operator="op", clock=lambda: day * DAY)
    while session.question is not None:
        if session.question.id in unknown:
            session.dont_know()
        else:
            session.answer(sample_answer(session.question))
    session.confirm(("flu", "cold")[seed % 2])
    return session


# -- drift --------------------------------------------------------------------------------------------


def test_a_resumed_interview_knows_what_it_knew_although_old_interviews_count_less_now(
    tmp_path: Path, state: Path
) -> None:
    bank = bank_with(tmp_path, "half_life_days = 10")
    for seed in range(3):
        hold(bank, state, seed, day=1 + 7 * seed, unknown=("noise",))
    going = Session.start(bank, state, seed=9, operator="op")
    before, asked = going.interview.posterior, going.question
    going.leave()
    hold(bank, state, 4, day=200)
    again = Session.resume(bank, going.id, state)
    np.testing.assert_array_equal(again.interview.posterior.counts, before.counts)
    np.testing.assert_array_equal(again.interview.posterior.outcome_counts, before.outcome_counts)
    np.testing.assert_array_equal(again.interview.posterior.unknown, before.unknown)
    assert again.question == asked
    again.leave()
    assert 0 < Archive.of(bank, state).read_snapshot().counts.posterior(bank.problem).outcome_counts[1] < 1e-4


def test_interviews_with_drift_and_dont_knows_ask_the_same_questions_when_they_are_audited(
    tmp_path: Path, state: Path
) -> None:
    bank = bank_with(tmp_path, "half_life_days = 10")
    for seed in range(8):
        hold(bank, state, seed, day=1 + 4 * seed, unknown=("noise", "colour")[: seed % 3])
    audit = Audit(bank)
    for logged in read_interviews([StatePaths.of(state, bank.name).log], bank, Tally()):
        audit.check(logged)
    assert (audit.checked, audit.same) == (8, 8), audit.differences


def test_a_question_that_nobody_knows_sinks(tmp_path: Path, state: Path) -> None:
    bank = bank_with(tmp_path)
    for seed in range(6):
        hold(bank, state, seed, unknown=("cough",))
    session = Session.start(bank, state, seed=1, operator="op")
    answerable = session.interview.posterior.answerable()
    session.leave()
    assert answerable.argmin() == bank.problem.positions["cough"]
    assert answerable.min() < 0.9


# -- pooling ------------------------------------------------------------------------------------------


def test_the_state_does_not_depend_on_how_learning_is_pooled(tmp_path: Path) -> None:
    kept = []
    asks_all = BANK.replace(
        'oracle = "w-ec2", exploration = "ts", stop = { max_questions = 5 }', 'oracle = "all"'
    )
    for learning in ("shared", "pooled", "separate"):
        folder = tmp_path / learning
        bank = sample_bank(folder, asks_all.replace("format = 1", f'format = 1\nlearning = "{learning}"'))
        assert bank.problem.pooled is (learning != "separate")
        assert bank.problem.shared is (learning == "shared")
        for seed in range(3):
            hold(bank, folder / "state", seed)
        found = json.loads(StatePaths.of(folder / "state", "sample").state.read_bytes())
        kept.append(
            {key: value for key, value in found.items() if key not in ("bank_hash", "crc", "decisions")}
        )
    assert kept[0] == kept[1] == kept[2]


# -- policies -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["w-ig-ts", "w-ec2-bucb", "w-eced-ts", "random"])
def test_a_policy_that_is_named_leaves_the_banks_stop_rule_in_force(
    tmp_path: Path, state: Path, name: str
) -> None:
    bank = bank_with(tmp_path)
    session = Session.start(bank, state, policy=name, seed=1, operator="op")
    session.leave()
    assert session.interview.policy.name == name
    started = session.record.started
    assert started is not None
    assert isinstance(started.policy, Mapping)
    assert started.policy["stop"] == {"max_questions": 5}


@pytest.mark.parametrize("name", ["all", "dpp", "lookahead-ts"])
def test_oracles_that_know_when_to_stop_keep_their_own_rule(tmp_path: Path, name: str) -> None:
    assert policy_for(bank_with(tmp_path), name) == policy_from(name)


def test_a_policy_that_is_described_or_a_bank_without_a_rule_changes_nothing(tmp_path: Path) -> None:
    described = {"oracle": "w-ig", "stop": {"confidence": 0.5}}
    assert policy_for(bank_with(tmp_path), described) == policy_from(described)
    for own, name in (
        ("", DEFAULT_POLICY),
        ('policy = "w-ec2-ts"', "w-ec2-ts"),
        ('policy = { oracle = "w-ec2" }', "w-ec2-ts"),
    ):
        bank = sample_bank(
            tmp_path / "banks", "\n".join(own if "policy" in line else line for line in BANK.split("\n"))
        )
        assert policy_for(bank, "w-ig-ts") == policy_from("w-ig-ts")
        assert policy_for(bank, None) == policy_from(name)


def test_next_stops_by_the_banks_rule_too(tmp_path: Path) -> None:
    answers: dict[str, Any] = {}
    bank = bank_with(tmp_path)
    while (step := next_step(bank, answers, policy="w-ig-ts"))["status"] == "question":
        answers[step["question"]["id"]] = sample_answer(bank.question(step["question"]["id"]))
    assert len(answers) == 5
    assert "5 questions have been asked" in step["stop_reason"]


# -- contradictions -----------------------------------------------------------------------------------

CONTRARY = """
format = 1
title = "Contrary"
policy = { oracle = "w-ig", exploration = "mean", stop = "never" }
[[outcomes]]
id = "x"
label = "The X"
[[outcomes]]
id = "z"
label = "The Z"
[[questions]]
id = "one"
text = "One?"
[[questions]]
id = "two"
text = "Two?"
[[questions]]
id = "odd"
text = "How odd?"
type = "number"
unit = "mm"
thresholds = [5]
cost = 4
[[questions]]
id = "strange"
text = "How strange?"
type = "choice"
answers = ["Hardly", { id = "very", label = "Very much" }]
cost = 4
[[questions]]
id = "dear"
text = "Dear?"
cost = 9
[[questions]]
id = "cheap"
text = "Cheap?"
cost = 2
[expected]
worth = 100_000
one = { x = 0.9, z = 0.2 }
two = { x = 0.9, z = 0.2 }
odd = { x = { above_5 = 0.002 }, z = { above_5 = 0.95 } }
strange = { x = { very = 0.002 }, z = { very = 0.95 } }
dear = { x = 0.99, z = 0.01 }
cheap = { x = 0.9, z = 0.05 }
"""


@pytest.fixture
def contrary(tmp_path: Path) -> Bank:
    return sample_bank(tmp_path / "banks", CONTRARY)


def answered(bank: Bank, state: Path, **answers: str | float) -> Session:
    session = Session.start(bank, state, seed=1, operator="op")
    for question, answer in answers.items():
        session.pick(question)
        session.answer(answer)
    return session


@pytest.mark.parametrize(
    ("question", "answer", "label"), [("odd", 7.25, "7.25 mm"), ("strange", "very", "Very much")]
)
def test_the_answer_that_the_others_speak_against_is_named_as_it_was_given(
    contrary: Bank, state: Path, question: str, answer: str | float, label: str
) -> None:
    session = answered(contrary, state, one="yes", two="yes", **{question: answer})
    session.stop()
    found = session.contradiction
    session.leave()
    assert found is not None
    assert (found.question.id, found.answer, found.label) == (question, answer, label)
    assert (found.outcome.label, found.otherwise.label) == ("The Z", "The X")
    assert found.settle is not None
    assert found.settle.id == "cheap"
    assert 0 < found.chance < 0.05


def test_answers_that_agree_are_no_contradiction_and_undoing_ends_one(contrary: Bank, state: Path) -> None:
    session = answered(contrary, state, one="yes", two="yes", odd=7)
    assert session.contradiction is None, "only decisions are looked at"
    session.undo()
    session.stop()
    assert session.contradiction is None
    session.leave()


def test_next_tells_the_same_contradiction_as_the_session(
    run: Run, contrary: Bank, state: Path, tmp_path: Path
) -> None:
    session = answered(contrary, state, one="yes", two="yes", odd=7)
    answers: dict[str, object] = {"one": "yes", "two": "yes", "odd": 7}
    sheet = tmp_path / "answers.json"
    of_it = ("next", "--bank", str(contrary.path), "--answers", str(sheet))
    while session.question is not None:
        sheet.write_text(json.dumps(answers))
        assert json.loads(run(*of_it, "--json")[1])["contradiction"] is None, "only decisions are looked at"
        answers[session.question.id] = "skipped"
        session.skip()
    found = session.contradiction
    session.leave()
    assert found is not None
    sheet.write_text(json.dumps(answers))
    step = json.loads(run(*of_it, "--json")[1])
    assert step["contradiction"] == found.values()
    assert set(found.values()) == {"question", "answer", "chance", "outcome", "otherwise", "settle"}
    assert "contradiction: odd=7 makes z likely, but the other answers make x likely" in run(*of_it)[1]


# -- state show ---------------------------------------------------------------------------------------


def test_the_state_says_what_drifts_what_is_pooled_and_what_nobody_knows(
    run: Run, tmp_path: Path, state: Path
) -> None:
    bank = bank_with(tmp_path, "half_life_days = 10")
    today = int(time.time() // 86_400)
    for seed in range(6):
        hold(bank, state, seed, day=today + 2, unknown=("cough",))  # by a clock that is ahead
    hold(bank, state, 6, day=today - 10, unknown=("cough",))
    shown = json.loads(run("state", "show", "--bank", str(bank.path), "--json")[1])
    assert shown["drift"] == {"half_life_days": 10, "weight": pytest.approx(6.5, abs=0.05)}
    assert shown["pooled"] == {"pairs": 11, "of": 18, "learning": "shared"}
    (least,) = shown["not_known"]
    assert (least["question"], least["answered"]) == ("cough", 0)
    assert least["chance"] > 0.1
    assert shown["interviews"] == 7
    out = run("state", "show", "--bank", str(bank.path))[1]
    assert "Interviews count half after 10 days: together as much as 6.5 new ones." in out
    assert "11 of 18 pairs of question and outcome have no expectation" in out
    assert "often not known" in out


@pytest.mark.parametrize(
    ("learning", "told"),
    [("shared", "all questions and outcomes"), ("pooled", "the question for all outcomes")],
)
def test_the_state_says_with_what_each_pair_shares_what_is_learned(
    run: Run, tmp_path: Path, learning: str, told: str
) -> None:
    bank = bank_with(tmp_path, f'learning = "{learning}"')
    shown = json.loads(run("state", "show", "--bank", str(bank.path), "--json")[1])
    assert shown["pooled"] == {"pairs": 11, "of": 18, "learning": learning}
    out = run("state", "show", "--bank", str(bank.path))[1]
    assert f"Learning is {learning}: 11 of 18 pairs" in out
    assert f"what was learned about {told}" in out


def test_the_state_of_a_bank_without_these_says_nothing_of_them(
    run: Run, tmp_path: Path, state: Path
) -> None:
    bank = bank_with(tmp_path, 'learning = "separate"')
    hold(bank, state, 1)
    shown = json.loads(run("state", "show", "--bank", str(bank.path), "--json")[1])
    assert (shown["drift"], shown["pooled"], shown["not_known"]) == (None, None, [])
    out = run("state", "show", "--bank", str(bank.path))[1]
    assert not any(word in out for word in ("half after", "pooled", "not known"))
