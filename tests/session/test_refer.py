"""Handing over: the decision to refer is logged, can be taken back, and its outcome is learned from later."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from odm_tui.banks import Bank, load_bank
from odm_tui.errors import BadArgument
from odm_tui.evaluation.replay.audit import Audit
from odm_tui.evaluation.replay.logged_interviews import Tally, read_interviews
from odm_tui.session import Archive, Session, replay_interview
from odm_tui.session.next_step import next_step
from odm_tui.store.events import Decided
from odm_tui.views.history import history_view, replay_steps
from odm_tui.views.interview import interview_view
from odm_tui.views.summary import summary_view
from tests.support.sample_banks import written

DESK = """\
format = 1
title = "Help desk"
stakes = 15
policy = "lookahead-mean"

[[outcomes]]
id = "cable"
label = "Loose cable"
prior = 0.6

[[outcomes]]
id = "line"
label = "Fault on the line"
prior = 0.4

[[questions]]
id = "lights"
text = "Are the lights on?"
cost = 1

[refer]
cost = {cost}
label = "Second line takes over"
advice = "Pass the caller on."

[expected]
lights = {{ cable = 0.7, line = 0.3 }}
"""


def desk(folder: Path, cost: float = 3) -> Bank:
    """A bank whose only question leaves much doubt; deciding at once costs 15 · 0.4 = 6 on average."""
    return load_bank(written(folder, DESK.format(cost=cost)))


def decisions(bank: Bank, state: Path, interview: str) -> list[Decided]:
    events = Archive.of(bank, state).read_interview(interview).events
    return [event for event in events if isinstance(event, Decided)]


def test_a_referral_is_logged_confirmed_later_and_learned_from(tmp_path: Path) -> None:
    bank, state = desk(tmp_path), tmp_path / "state"
    session = Session.start(bank, state, seed=1)
    decision = session.decision
    assert decision is not None
    assert decision.refer == bank.refer
    assert decision.outcome.id == "cable"  # what it would decide otherwise
    session.leave()
    (event,) = decisions(bank, state, session.id)
    assert (event.rule, event.outcome) == ("refer", "cable")
    archive = Archive.of(bank, state)
    (record,) = archive.history()
    assert (record.status, record.referred) == ("pending", True)
    archive.confirm(session.id, "line")
    (record,) = archive.history()
    assert (record.status, record.referred, record.outcome) == ("confirmed", True, "line")
    counts = archive.read_snapshot().counts
    assert (counts.interviews, counts.outcomes) == (1, {1: 1})


def test_an_operator_can_hand_over_and_take_it_back(tmp_path: Path) -> None:
    bank, state = desk(tmp_path, cost=14), tmp_path / "state"
    session = Session.start(bank, state, seed=1)
    assert session.question is not None
    session.refer()
    assert session.decision is not None
    assert session.decision.refer == bank.refer
    assert session.decision.reason == "you decided to hand over"
    session.refer()  # a second time changes nothing
    session.leave()
    again = Session.resume(bank, session.id, state)
    assert again.decision is not None
    assert again.decision.refer is not None
    assert len(decisions(bank, state, session.id)) == 1
    again.undo()
    assert again.question is not None
    again.answer("yes")
    assert again.decision is not None
    assert again.decision.refer is None
    again.refer()  # after the decision
    assert again.decision.refer is not None
    again.confirm("cable")
    assert summary_view(again, "cable", "desk").referred
    assert not summary_view(again, "cable", "desk").as_decided


def test_stopping_and_then_handing_over_is_one_step_back(tmp_path: Path) -> None:
    session = Session.start(desk(tmp_path, cost=14), tmp_path / "state", seed=1)
    session.stop()
    assert session.decision is not None
    assert session.decision.refer is None
    session.refer()
    assert session.decision.refer is not None
    session.undo()
    assert session.question is not None
    session.leave()


def test_without_refer_in_the_bank_nobody_can_take_over(tmp_path: Path) -> None:
    text = DESK.format(cost=1)
    bank = load_bank(written(tmp_path, text[: text.index("[refer]")] + text[text.index("[expected]") :]))
    session = Session.start(bank, tmp_path / "state", seed=1)
    with pytest.raises(BadArgument, match="nobody can take over"):
        session.refer()
    assert session.question is not None
    session.leave()


@pytest.mark.parametrize("cost", [3, 14])
def test_history_and_audit_repeat_a_referral(tmp_path: Path, cost: float) -> None:
    bank, state = desk(tmp_path, cost), tmp_path / "state"
    session = Session.start(bank, state, seed=1)
    session.refer()
    session.confirm("line")
    archive = Archive.of(bank, state)
    assert all(one.fits for one in replay_interview(archive.read_interview(session.id), bank))
    assert history_view(bank, archive).rows[0].referred
    titles = [step.title for step in replay_steps(bank, archive, session.id)]
    assert titles[-2:] == ["Handed over", "Confirmed: Fault on the line"]
    audit = Audit(bank)
    for logged in read_interviews([archive.paths.log], bank, Tally()):
        assert audit.check(logged) is None
    assert audit.same == 1


def test_the_view_says_how_to_hand_over(tmp_path: Path) -> None:
    session = Session.start(desk(tmp_path), tmp_path / "state", seed=1)
    view = interview_view(session)
    assert view.can_refer == "Second line takes over"
    assert view.decision is not None
    assert view.decision.refer is not None
    assert view.decision.refer.advice == "Pass the caller on."
    session.leave()


def test_the_next_step_tells_other_programs_to_hand_over(tmp_path: Path) -> None:
    step = next_step(desk(tmp_path), {})
    assert step["status"] == "decision"
    assert step["refer"] == {"label": "Second line takes over", "advice": "Pass the caller on.", "cost": 3.0}
    assert json.dumps(step)
    decided = next_step(desk(tmp_path, cost=14), {"lights": "yes"})
    assert decided["status"] == "decision"
    assert "refer" not in decided
