"""The evidence for an outcome in words, and questions found by what the caller says."""

from __future__ import annotations

from pathlib import Path

import pytest

from odm_tui.banks import load_bank
from odm_tui.session import Session
from odm_tui.views.evidence import evidence_view
from odm_tui.views.search import rank_texts, search_questions

BANKS = Path(__file__).parents[2] / "question_banks"


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session.start(load_bank(BANKS / "troubleshooting.toml"), tmp_path, seed=1)


def test_the_answers_for_and_against_an_outcome_are_told_in_words(session: Session) -> None:
    session.answer("battery")
    session.answer("no")
    for_battery = evidence_view(session)
    assert for_battery.outcome == max(session.belief, key=lambda id: session.belief[id])
    assert [row.reply for row in for_battery.rows] == ["Battery or charging, or the back bulges", "No"]
    assert for_battery.rows[0].words.endswith("for it")
    unlikely = min(session.belief, key=lambda id: session.belief[id])
    assert any(row.words.endswith("against it") for row in evidence_view(session, unlikely).rows)
    session.leave()


@pytest.mark.parametrize(
    ("words", "question", "answer"),
    [("password", "trouble", "account"), ("pasword", "trouble", "account"), ("bulge", "bulging", None)],
)
def test_words_find_a_question_or_an_answer_even_misspelt(
    session: Session, words: str, question: str, answer: str | None
) -> None:
    if question != "trouble":
        session.answer("battery")
    hits = search_questions(session, words)
    assert (hits[0].question, hits[0].answer) == (question, answer)
    session.leave()


def test_a_whole_sentence_finds_what_it_is_about(session: Session) -> None:
    session.answer("battery")
    session.answer("no")
    (first, *_) = search_questions(session, "it gets really hot when I charge it overnight")
    assert "hot" in first.text


def test_words_that_fit_nothing_find_nothing(session: Session) -> None:
    assert search_questions(session, "xylophone zebra") == ()
    assert search_questions(session, " ?! ") == ()
    session.leave()


def test_a_common_word_beside_one_that_fits_badly_still_finds_its_questions() -> None:
    bank = load_bank(BANKS / "home-network.toml")
    texts = [f"{q.text} {q.help}" for q in bank.questions if q.id != "internet-light" for _ in range(2)]
    found = [texts[at] for at, _ in rank_texts("router lite", texts)]
    assert sum("router" in text for text in found) >= 4
