"""Views of a running interview."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from odm_tui.banks import Bank
from odm_tui.session import Archive, Session
from odm_tui.views.interview import (
    Bar,
    Reply,
    answer_text,
    available_questions,
    belief_bars,
    contradiction_text,
    interview_view,
    question_view,
    step_view,
    unfinished_view,
    why_view,
)
from tests.support.faults.interviews import BANK, sample_bank

# -- questions ----------------------------------------------------------------------------------------


def test_a_yes_no_question_is_answered_with_y_and_n(bank: Bank) -> None:
    view = question_view(bank.question("fever"))
    assert (view.id, view.text, view.kind) == ("fever", "Is there a fever?", "yes_no")
    assert view.replies == (Reply("yes", "Yes", "y"), Reply("no", "No", "n"))


def test_a_choice_is_answered_with_digits(bank: Bank) -> None:
    view = question_view(bank.question("colour"))
    assert view.kind == "choice"
    assert [(reply.id, reply.label, reply.key) for reply in view.replies] == [
        ("red", "Red", "1"),
        ("amber", "Amber", "2"),
        ("off", "Off", "3"),
    ]


def test_only_the_first_nine_answers_have_a_key(tmp_path: Path) -> None:
    answers = ", ".join(f'{{ id = "a{n}", label = "A{n}" }}' for n in range(11))
    colours = (
        '[{ id = "red", label = "Red" }, { id = "amber", label = "Amber" }, { id = "off", label = "Off" }]'
    )
    many = sample_bank(tmp_path / "many", BANK.replace(colours, f"[{answers}]"))
    keys = [reply.key for reply in question_view(many.question("colour")).replies]
    assert keys == [*"123456789", "", ""]


def test_a_number_question_has_a_unit_and_a_range_and_no_replies(bank: Bank) -> None:
    view = question_view(bank.question("ping"))
    assert (view.kind, view.replies, view.unit, view.range) == ("number", (), "ms", (0, 5000))


def test_text_of_a_bank_can_not_steer_the_terminal(tmp_path: Path) -> None:
    hostile = BANK.replace("Is there a fever?", "Is\\u001b[2J there\\na fever?")
    view = question_view(sample_bank(tmp_path / "hostile", hostile).question("fever"))
    assert "\x1b" not in view.text


# -- beliefs ------------------------------------------------------------------------------------------


def test_bars_are_sorted_by_belief_and_ties_keep_the_order_of_the_bank(bank: Bank) -> None:
    bars = belief_bars(bank, np.array([0.25, 0.5, 0.25]))
    assert [(bar.id, bar.share) for bar in bars] == [("cold", 0.5), ("flu", 0.25), ("line-fault", 0.25)]


def test_a_bar_shows_the_belief_before_the_last_answer(bank: Bank) -> None:
    bars = belief_bars(bank, np.array([0.2, 0.7, 0.1]), {"cold": 0.4, "flu": 0.6})
    assert bars[0] == Bar("cold", "Cold", 0.7, 0.4)
    assert bars[1].before == 0.6
    assert bars[2].before == bars[2].share


# -- answers ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "kind", "answer", "text"),
    [
        ("fever", "answered", "yes", "Yes"),
        ("colour", "answered", "amber", "Amber"),
        ("colour", "answered", "purple", "purple"),
        ("ping", "answered", 41.5, "41.5 ms"),
        ("ping", "answered", 3000, "3,000 ms"),
        ("fever", "unknown", None, "don't know"),
        ("fever", "answered", None, "don't know"),
        ("fever", "skipped", None, "skipped"),
    ],
)
def test_an_answer_is_put_into_words(bank: Bank, question: str, kind: str, answer: object, text: str) -> None:
    assert answer_text(bank.question(question), kind, answer) == text


def test_a_step_has_its_question_its_answer_and_its_cost(session: Session) -> None:
    session.pick("colour")
    session.answer("off")
    view = step_view(session.steps[0])
    assert (view.question.id, view.reply, view.cost, view.kind) == ("colour", "Off", 5.0, "answered")


# -- contradictions -----------------------------------------------------------------------------------


def contradicting(bank: Bank, settle: str | None) -> Session:
    """Something with a contradiction, as a session has one."""
    found = SimpleNamespace(
        question=bank.question("fever"),
        label="Yes",
        chance=0.0312,
        outcome=bank.outcome("flu"),
        otherwise=bank.outcome("cold"),
        settle=None if settle is None else bank.question(settle),
    )
    return SimpleNamespace(contradiction=found)  # type: ignore[return-value]


def test_a_contradiction_names_the_answer_its_chance_and_the_outcome_without_it(bank: Bank) -> None:
    assert contradiction_text(contradicting(bank, None)) == (
        "“Yes” to “Is there a fever?” does not fit the other answers (3 %); without it: Cold."
    )


def test_a_contradiction_names_the_question_that_would_settle_it(bank: Bank) -> None:
    text = contradiction_text(contradicting(bank, "cough"))
    assert text.endswith("without it: Cold. “Is there a cough?” would settle it.")


def test_answers_that_agree_have_no_contradiction(session: Session) -> None:
    assert contradiction_text(session) == ""


# -- the whole interview ------------------------------------------------------------------------------


def test_the_view_of_an_interview_follows_its_answers(session: Session) -> None:
    first = interview_view(session)
    assert first.question is not None
    assert first.decision is None
    assert (first.steps, first.cost_so_far, first.picked) == ((), 0.0, False)
    session.pick("fever")
    assert interview_view(session, first).picked
    session.answer("yes")
    second = interview_view(session, first)
    assert [step.question.id for step in second.steps] == ["fever"]
    assert second.cost_so_far == 3.0
    before = {bar.id: bar.share for bar in first.bars}
    assert {bar.id: bar.before for bar in second.bars} == before
    session.skip()
    third = interview_view(session, second)
    assert {bar.id: bar.before for bar in third.bars} == {bar.id: bar.share for bar in second.bars}
    session.stop()
    decided = interview_view(session, third).decision
    assert decided is not None
    assert decided.label == second.bars[0].label
    assert decided.reason.endswith(".")


def test_the_available_questions_are_sorted_by_their_score(session: Session) -> None:
    ids = [view.id for view in available_questions(session)]
    assert set(ids) == {question.id for question in session.available}
    scores = [candidate.score for candidate in why_view(session).candidates]
    assert scores == sorted(scores, reverse=True)


def test_the_explanation_has_the_effect_of_every_answer(session: Session) -> None:
    for candidate in why_view(session).candidates:
        assert sum(effect.chance for effect in candidate.effects) == pytest.approx(1)
        assert all(0 < effect.share <= 1 for effect in candidate.effects)


def test_an_unfinished_interview_shows_how_many_answers_it_has(
    session: Session, bank: Bank, state: Path
) -> None:
    session.skip()
    session.pick("ping")
    session.answer(41.5)
    session.leave()
    (record,) = Archive.of(bank, state).unfinished()
    view = unfinished_view(record)
    assert (view.interview, view.answers, view.at) == (session.id, 1, "1970-01-01T00:00:00.000000Z")
