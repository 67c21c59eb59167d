"""What is shown as sure follows from past decisions; what is decided and logged does not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from odm_tui.banks import Bank
from odm_tui.engine.certainty import find_bin
from odm_tui.formatting import format_percent
from odm_tui.session import Archive, Session, replay_interview
from odm_tui.session.next_step import next_step
from odm_tui.session.statistics import state_overview
from odm_tui.store.events import Decided
from odm_tui.views.history import replay_steps
from odm_tui.views.interview import interview_view, why_view
from tests.support.faults.interviews import hold_interview, open_question, sample_answer


@pytest.fixture
def wrong(bank: Bank, state: Path) -> int:
    """Hold interviews whose decision is always wrong; return how many."""
    for seed in range(4):
        session = Session.start(bank, state, seed=seed, operator="op")
        while session.question is not None:
            session.answer(sample_answer(session.question))
        decision = session.decision
        assert decision is not None
        session.confirm(next(o.id for o in bank.outcomes if o.id != decision.outcome.id))
    return 4


def test_the_first_interview_shows_the_belief_itself(bank: Bank, state: Path) -> None:
    session = Session.start(bank, state, seed=1, operator="op")
    session.answer(sample_answer(open_question(session)))
    assert list(session.belief.values()) == session.interview.belief.tolist()


def test_after_wrong_decisions_less_is_shown_and_the_same_is_decided_and_logged(
    bank: Bank, state: Path, wrong: int
) -> None:
    session = Session.start(bank, state, seed=9, operator="op")
    given = {}
    while session.question is not None:
        given[session.question.id] = sample_answer(session.question)
        session.answer(given[session.question.id])
    engine, decision = session.interview, session.decision
    assert decision is not None
    raw, shown = engine.belief, np.array(list(session.belief.values()))
    assert decision.outcome.id == bank.outcomes[int(raw.argmax())].id
    assert decision.belief == shown.max() < raw.max()
    assert shown.sum() == pytest.approx(1)
    assert (np.argsort(shown) == np.argsort(raw)).all()
    logged = next(
        e for e in Archive.of(bank, state).read_interview(session.id).events if isinstance(e, Decided)
    )
    assert logged.belief == round(float(raw.max()), 6)

    view = interview_view(session)
    assert view.decision is not None
    assert view.decision.share == view.bars[0].share == decision.belief
    counts = Archive.of(bank, state).read_snapshot().counts
    step = next_step(bank, given, counts=counts, seed=9)
    assert step["status"] == "decision"
    assert step["sure"] == step["belief"][decision.outcome.id] == pytest.approx(decision.belief, abs=1e-9)
    session.confirm(decision.outcome.id)

    past = replay_interview(Archive.of(bank, state).read_interview(session.id), bank)
    assert past[-1].belief == pytest.approx(dict(zip(session.belief, shown.tolist(), strict=True)))
    titles = [step.text for step in replay_steps(bank, Archive.of(bank, state), session.id)]
    assert any(text.startswith(f"{format_percent(decision.belief)} sure") for text in titles)


def test_the_effects_of_answers_are_shown_alike(bank: Bank, state: Path, wrong: int) -> None:
    session = Session.start(bank, state, seed=9, operator="op")
    assert session.question is not None
    promised = why_view(session).candidates[0].effects
    session.answer(session.question.answers[0].id if session.question.type != "number" else 5)
    leader = interview_view(session).bars[0]
    assert promised[0].leader == leader.label
    assert promised[0].share == pytest.approx(leader.share)


def test_a_guess_is_what_is_shown_as_unsure(bank: Bank, state: Path, wrong: int) -> None:
    session = Session.start(bank, state, seed=9, operator="op")
    while session.question is not None:
        session.answer(sample_answer(session.question))
    assert session.decision is not None
    assert session.is_sure_enough == (session.decision.belief >= bank.sure_enough)


def test_state_show_has_the_curve(bank: Bank, state: Path) -> None:
    assert state_overview(Archive.of(bank, state), bank)["certainty"] == []
    hold_interview(bank, state, 1)
    hold_interview(bank, state, 2)
    rows = state_overview(Archive.of(bank, state), bank)["certainty"]
    assert sum(row["count"] for row in rows) == 2
    assert all(0 <= row["right"] <= 1 and 0 < row["shown"] < 1 for row in rows)


@pytest.mark.parametrize("undone", [False, True])
def test_a_wrong_decision_that_was_ruled_out_stays_wrong(bank: Bank, state: Path, undone: bool) -> None:
    """What is decided after a wrong decision is not what was said: else every wrong one would vanish."""
    session = Session.start(bank, state, seed=1, operator="op")
    while session.question is not None:
        session.answer(sample_answer(session.question))
    first = session.decision
    assert first is not None
    session.rule_out()
    if undone:
        session.undo()
        session.rule_out()
    second = session.decision
    assert second is not None
    assert second.outcome.id != first.outcome.id
    session.confirm(second.outcome.id)
    counts = Archive.of(bank, state).read_snapshot().counts
    assert counts.said == {(find_bin(first.belief), False): 1}
    Archive.of(bank, state).correct(session.id, first.outcome.id)
    assert Archive.of(bank, state).read_snapshot().counts.said == {(find_bin(first.belief), True): 1}
    Archive.of(bank, state).retract(session.id)
    assert Archive.of(bank, state).read_snapshot().counts.said == {}
