"""The summary of a finished interview."""

from __future__ import annotations

from dataclasses import replace

import pytest

from odm_tui.session import Session
from odm_tui.views.summary import SummaryView, summary_view


@pytest.fixture
def decided(session: Session) -> Session:
    session.pick("cough")
    session.answer("no")
    session.pick("noise")
    session.skip()
    session.stop()
    return session


def test_the_summary_counts_the_questions_and_their_cost(decided: Session) -> None:
    view = summary_view(decided, "cold", "my-bank")
    assert (view.bank, view.title, view.unit, view.interview) == ("my-bank", "Sample", "seconds", decided.id)
    assert (view.questions, view.all_questions) == (1, 6)
    assert view.cost == 1.0
    assert view.cost < view.all_cost


def test_the_summary_says_whether_the_decision_was_right(decided: Session) -> None:
    assert decided.decision is not None
    outcome = decided.decision.outcome
    other = next(o for o in decided.bank.outcomes if o != outcome)
    assert summary_view(decided, outcome.id, "b").as_decided
    view = summary_view(decided, other.id, "b")
    assert (view.as_decided, view.outcome) == (False, other.label)


def test_the_summary_shows_what_was_learned_from_each_answer(decided: Session) -> None:
    (lesson,) = summary_view(decided, "cold", "b").lessons
    assert (lesson.question, lesson.reply) == ("Is there a cough?", "No")
    assert lesson.before == pytest.approx(0.2)
    assert lesson.before < lesson.after


def test_nothing_is_learned_if_no_outcome_is_right(decided: Session) -> None:
    view = summary_view(decided, None, "b")
    assert (view.outcome, view.lessons, view.interviews) == ("", (), 0)
    assert summary_view(decided, "cold", "b").interviews == 1


def test_the_sentence_leaves_out_what_does_not_change() -> None:
    same = SummaryView("b", "B", "seconds", "i", "Flu", True, 9, 3, 20, 60.0, 769.0, ())
    assert same.sentence == "3 questions · 1:00 of 12:49"
    changed = replace(same, usual_questions=5.04, share_before=0.11, share_after=0.35)
    assert changed.sentence == (
        "3 questions, your average is 5 · 1:00 of 12:49 · this cause is now 35 % of calls (was 11 %)"
    )
    assert "calls" not in replace(same, share_before=0.94, share_after=0.9401).sentence
    assert f"{changed.effort} · {changed.share}" == changed.sentence
