"""Undo takes back the last thing that the operator did, says what it was, and leaves the log and the engine in step."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from odm_tui.banks import Bank
from odm_tui.errors import BadArgument, OdmError
from odm_tui.session import Archive, Session, replay_interview
from odm_tui.store.events import Corrected, Retracted
from tests.support.faults.interviews import open_question, sample_answer


@pytest.fixture
def session(bank: Bank, state: Path) -> Session:
    return Session.start(bank, state, seed=1, operator="op")


def position(session: Session) -> object:
    decision, question = session.decision, session.question
    return (
        [(step.question.id, step.kind, step.answer) for step in session.steps],
        None if question is None else question.id,
        None if decision is None else (decision.outcome.id, round(decision.belief, 9)),
        session.record.marks,
        {outcome: round(p, 9) for outcome, p in session.belief.items()},
    )


def test_a_pick_a_change_a_skip_and_an_answer_are_taken_back_in_their_order(session: Session) -> None:
    places = []

    def do(action: str, *values: object) -> None:
        places.append(position(session))
        getattr(session, action)(*values)

    do("answer", sample_answer(open_question(session)))
    do("skip")
    do("change", 0, None)
    other = next(q for q in session.available if q.id != open_question(session).id)
    do("pick", other.id)
    said = []
    while places:
        said.append(session.undo())
        assert position(session) == places.pop()
    assert [words.split()[1] for words in said] == ["pick", "change", "skip", "answer"]
    with pytest.raises(BadArgument, match="nothing to take back"):
        session.undo()
    session.leave()


def test_a_change_that_dropped_an_answer_brings_it_back(bank: Bank, state: Path) -> None:
    session = Session.start(bank, state, seed=1)
    for question, answer in (("fever", "yes"), ("high", "no"), ("cough", "no")):
        if open_question(session).id != question:
            session.pick(question)
        session.answer(answer)
    before = position(session)
    assert [q.id for q in session.change(0, "no")] == ["high"]
    session.undo()
    assert position(session) == before
    session.leave()
    again = Session.resume(bank, session.id, state)
    assert position(again)[:3] == before[:3]  # type: ignore[index]
    again.leave()
    assert list(Archive.of(bank, state).find_problems()) == []


def test_a_tried_outcome_gives_way_to_the_next_and_comes_back(session: Session) -> None:
    session.answer(sample_answer(open_question(session)))
    session.stop()
    first = session.decision
    assert first is not None
    before, belief = position(session), session.belief
    session.rule_out()
    second = session.decision
    assert second is not None
    assert second.outcome.id == sorted(belief, key=lambda outcome: -belief[outcome])[1]
    assert second.belief == pytest.approx(belief[second.outcome.id] / (1 - belief[first.outcome.id]))
    assert session.belief[first.outcome.id] == 0
    session.rule_out()
    with pytest.raises(BadArgument, match="Every other outcome was tried"):
        session.rule_out()
    session.undo()
    assert session.undo() == "“tried, did not help”"
    assert position(session) == before
    session.leave()


def test_asking_on_goes_on_until_the_target_and_undo_returns_to_the_decision(session: Session) -> None:
    session.stop()
    before = position(session)
    session.ask_on(0.9999)
    assert session.question is not None
    asked = 0
    while session.question is not None:
        session.answer(sample_answer(session.question))
        asked += 1
    assert session.decision is not None
    assert session.decision.rule == "target" or not session.available
    for _ in range(asked):
        session.undo()
    assert session.undo() == "asking on"
    assert position(session) == before
    session.leave()


def test_a_confirmation_is_taken_back_exactly_and_another_outcome_confirmed(bank: Bank, state: Path) -> None:
    session = Session.start(bank, state, seed=1)
    while session.question is not None:
        session.answer(sample_answer(session.question))
    with pytest.raises(BadArgument, match="no confirmation"):
        session.unconfirm()
    archive = Archive.of(bank, state)
    nothing = archive.read_snapshot().counts
    session.confirm("flu")
    assert archive.read_snapshot().counts.interviews == 1
    session.unconfirm()
    assert archive.read_snapshot().counts == nothing
    assert session.decision is not None
    with pytest.raises(BadArgument, match="answers stay"):
        session.undo()
    session.confirm("cold")
    assert session.has_ended
    (record,) = archive.history()
    assert (record.status, record.outcome) == ("confirmed", "cold")
    names = [event.name for event in archive.read_interview(session.id).events][-3:]
    assert names == ["confirmed", Retracted.name, Corrected.name]
    assert list(archive.find_problems()) == []


@pytest.mark.parametrize("seed", range(12))
def test_after_any_actions_a_resumed_interview_stands_where_it_was_left(
    bank: Bank, state: Path, seed: int
) -> None:
    rng = random.Random(seed)
    session = Session.start(bank, state, seed=seed)
    for _ in range(25):
        question = session.question
        actions = ["undo", "change", "stop", "ask_on", "rule_out", "pick"] + ["answer"] * 4 + ["skip"]
        action = rng.choice(actions)
        try:
            if action == "answer" and question is not None:
                session.answer(sample_answer(question))
            elif action == "change":
                session.change(rng.randrange(4), None)
            elif action == "pick":
                session.pick(rng.choice(bank.questions).id)
            elif action != "answer":
                getattr(session, action)()
        except OdmError:
            continue
    before = position(session)
    session.leave()
    again = Session.resume(bank, session.id, state)
    assert position(again) == before
    replayed = replay_interview(Archive.of(bank, state).read_interview(session.id), bank)
    assert all(one.fits for one in replayed)
    assert {o: round(p, 9) for o, p in replayed[-1].belief.items()} == before[4]  # type: ignore[index]
    while again.can_undo:
        again.undo()
    assert again.steps == ()
    assert again.record.marks == ()
    again.leave()
