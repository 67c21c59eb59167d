"""An answer that is a red flag ends the interview at once, in every face, and undo leaves it again."""

from __future__ import annotations

from pathlib import Path

import pytest

from odm_tui.banks import Bank, load_bank
from odm_tui.banks.parsing.findings import BadBank
from odm_tui.errors import BadArgument
from odm_tui.session import Archive, Session
from odm_tui.session.next_step import next_step
from odm_tui.store.events import Decided
from odm_tui.store.log import read_log, valid_entries
from odm_tui.views.interview import interview_view
from tests.support.faults.interviews import BANK, sample_bank

FLAGGED = """
[[questions]]
id = "smoke"
text = "Does it smoke?"
stop = { yes = { label = "Fire", advice = "Leave the house." } }
warn.no = "Keep watching it."
[[questions]]
id = "heat"
text = "How hot is it?"
type = "number"
thresholds = [40, 60]
stop.above_60 = "line-fault"
warn.above_40 = "Do not touch it."
[[questions]]
id = "smell"
text = "What does it smell of?"
type = "choice"
answers = ["nothing", { id = "gas", label = "Gas", stop = { outcome = "cold", label = "Gas", advice = "Open the windows." } }]
[[questions]]
id = "consent"
text = "Does the caller agree?"
always_ask = true

[expected]
"""
POLICIES = ("lookahead-ts", "w-ec2-ts", "w-ig-mean", "all", "random", "dpp")


@pytest.fixture
def bank(tmp_path: Path) -> Bank:
    return sample_bank(tmp_path / "banks", BANK.replace("\n[expected]\n", FLAGGED, 1))


def answer(session: Session, question: str, given: str | float) -> None:
    if session.question is None or session.question.id != question:
        session.pick(question)
    session.answer(given)


@pytest.mark.parametrize("policy", POLICIES)
def test_a_red_flag_ends_the_interview_before_questions_that_are_always_asked(
    bank: Bank, tmp_path: Path, policy: str
) -> None:
    session = Session.start(bank, tmp_path / "state", policy=policy, seed=1)
    answer(session, "smoke", "yes")
    decision = session.decision
    assert session.question is None
    assert decision is not None
    assert decision.flag is not None
    assert (decision.rule, decision.flag.label, decision.flag.advice) == (
        "red_flag",
        "Fire",
        "Leave the house.",
    )
    view = interview_view(session).decision
    assert view is not None
    assert (view.flag, view.flag_advice, view.doubt) == ("Fire", "Leave the house.", "")
    with pytest.raises(BadArgument, match="red flag"):
        session.pick("cough")
    with pytest.raises(BadArgument):
        session.answer("yes")
    session.undo()
    assert session.question is not None
    assert session.decision is None
    session.leave()


def test_the_log_says_which_answer_ended_it_and_a_resumed_interview_is_still_ended(
    bank: Bank, tmp_path: Path
) -> None:
    session = Session.start(bank, tmp_path / "state", seed=1)
    answer(session, "smell", "gas")
    session.leave()
    archive = Archive.of(bank, tmp_path / "state")
    (decided,) = [
        entry.event
        for entry in valid_entries(read_log(archive.paths.log))
        if isinstance(entry.event, Decided)
    ]
    assert (decided.outcome, decided.rule) == ("cold", "red_flag")
    assert decided.reason == "“Gas” to “What does it smell of?” ends every interview at once"
    again = Session.resume(bank, session.id, tmp_path / "state")
    assert again.decision is not None
    assert again.decision.flag is not None
    assert again.decision.flag.advice == "Open the windows."
    again.leave()


def test_a_number_above_a_threshold_ends_with_the_outcome_and_below_it_warns(
    bank: Bank, tmp_path: Path
) -> None:
    session = Session.start(bank, tmp_path / "state", seed=1)
    answer(session, "heat", 50)
    assert session.decision is None
    assert interview_view(session).warnings == ("Do not touch it.",)
    session.change(0, 61)
    assert session.decision is not None
    assert (session.decision.outcome.id, session.decision.rule) == ("line-fault", "red_flag")
    session.change(0, 40)
    assert session.decision is None
    assert session.warnings == ()
    session.leave()


def test_stopping_by_hand_does_not_hide_a_red_flag(bank: Bank, tmp_path: Path) -> None:
    session = Session.start(bank, tmp_path / "state", seed=1)
    answer(session, "smoke", "yes")
    session.stop()
    assert session.decision is not None
    assert session.decision.flag is not None
    session.leave()


def test_next_ends_at_a_red_flag_whatever_else_was_answered(bank: Bank) -> None:
    step = next_step(bank, {"smoke": "yes", "fever": "yes", "consent": "no"})
    assert step["status"] == "decision"
    assert step["red_flag"] == {
        "label": "Fire",
        "advice": "Leave the house.",
        "question": "smoke",
        "answer": "yes",
        "outcome": None,
    }
    going = next_step(bank, {"smoke": "no"})
    assert (going["status"], going["warnings"]) == ("question", ["Keep watching it."])


def test_the_forecast_expects_nothing_after_a_red_flag(tmp_path: Path) -> None:
    text = BANK.replace(
        'text = "Is there a cough?"', 'text = "Is there a cough?"\nstop.yes = "flu"\nstop.no = "cold"'
    )
    plain, flagged = sample_bank(tmp_path / "a"), sample_bank(tmp_path / "b", text)
    costs = []
    for bank in (plain, flagged):
        session = Session.start(bank, tmp_path / "state" / bank.path.parent.name, seed=1)
        while session.question is not None and session.question.id != "cough":
            session.skip()
        costs.append(session.interview.expected_cost_to_come)
        session.leave()
    assert costs[1] == pytest.approx(1.0)  # the question itself, and nothing after it
    assert costs[0] > costs[1]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('stop = "flu"', "must be a table by answer"),
        ('stop = { yes = "flue" }', "unknown outcome 'flue'. Did you mean 'flu'?"),
        ('stop = { perhaps = "flu" }', "unknown answer 'perhaps'"),
        ('stop = { yes = { label = "Fire" } }', "advice (question 'cough'): is missing"),
        ('stop = { yes = { label = "Fire", advice = "Run.", colour = 1 } }', "unknown key 'colour'"),
        ("stop = { yes = 3 }", "must be the id of an outcome"),
        ('warn = { yes = "" }', "is empty; write the warning"),
        ("warn = { yes = 1 }", "must be a text in quotes"),
    ],
)
def test_a_slip_in_a_red_flag_is_reported_with_its_place(tmp_path: Path, line: str, message: str) -> None:
    file = tmp_path / "slip.toml"
    file.write_text(
        BANK.replace('text = "Is there a cough?"', f'text = "Is there a cough?"\n{line}'), encoding="utf-8"
    )
    with pytest.raises(BadBank) as slip:
        load_bank(file)
    assert message in str(slip.value)
    assert "question 'cough'" in str(slip.value)


def test_red_flags_count_in_the_hash_and_banks_without_them_keep_theirs(bank: Bank, tmp_path: Path) -> None:
    other = sample_bank(
        tmp_path / "other", BANK.replace("\n[expected]\n", FLAGGED.replace("Leave the house.", "Run."), 1)
    )
    assert other.hash != bank.hash
