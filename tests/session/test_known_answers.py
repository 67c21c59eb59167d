"""What somebody has said is taken as an answer, also where the question depends on other answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from odm_tui.banks import load_bank
from odm_tui.banks.bank import Bank
from odm_tui.errors import BadArgument
from odm_tui.session import Session
from odm_tui.session.known_answers import conditional_questions, find_way, take_answer
from odm_tui.views.search import search_questions, searchable_questions


@pytest.fixture
def bank(tmp_path: Path) -> Bank:
    """A chain: the colour is asked if there is a lamp, the lamp if it is one of two devices."""
    file = tmp_path / "lamps.toml"
    file.write_text(
        """
        format = 1
        title = "Lamps"
        outcomes = [{ id = "a", label = "A" }, { id = "b", label = "B" }]

        [[questions]]
        id = "device"
        text = "Which device is it?"
        type = "choice"
        answers = [
            { id = "router", label = "Router" }, { id = "modem", label = "Modem" }, { id = "phone", label = "Phone" }
        ]

        [[questions]]
        id = "lamp"
        text = "Does it have a lamp?"
        ask_if = { device = ["router", "modem"] }

        [[questions]]
        id = "colour"
        text = "Is the lamp purple?"
        ask_if = { lamp = "yes" }

        [expected]
        lamp = { a = 0.8, b = 0.3 }
        colour = { a = 0.7, b = 0.2 }
        """,
        "utf-8",
    )
    return load_bank(str(file))


def place(bank: Bank, question: str) -> int:
    return bank.problem.positions[question]


def test_an_answer_that_only_one_other_answer_allows_implies_that_one(bank: Bank, tmp_path: Path) -> None:
    session = Session.start(bank, tmp_path, seed=1)
    session.pick("device")
    session.answer("router")
    note = take_answer(session, "colour", "yes")
    assert [(step.question.id, step.answer) for step in session.steps] == [
        ("device", "router"),
        ("lamp", "yes"),
        ("colour", "yes"),
    ]
    assert "1 that it implies" in note


def test_a_question_with_several_answers_that_lead_on_is_put_first(bank: Bank, tmp_path: Path) -> None:
    session = Session.start(bank, tmp_path, seed=1)
    note = take_answer(session, "colour", "yes")
    assert session.question is not None
    assert session.question.id == "device"
    assert "“Is the lamp purple?”" in note
    assert not session.steps


def test_what_the_answers_rule_out_is_neither_listed_nor_taken(bank: Bank, tmp_path: Path) -> None:
    session = Session.start(bank, tmp_path, seed=1)
    session.pick("device")
    session.answer("phone")
    assert find_way(session, place(bank, "colour")) is None
    assert not conditional_questions(session)
    with pytest.raises(BadArgument, match="can't be asked after the answers so far"):
        take_answer(session, "colour", "yes")


def test_words_find_a_conditional_question_and_say_its_condition(bank: Bank, tmp_path: Path) -> None:
    session = Session.start(bank, tmp_path, seed=1)
    (hit,) = search_questions(session, "purple")
    assert hit.line == "Is the lamp purple? (asks first: Which device is it?)"
    conditions = {one.question.id: one.condition for one in searchable_questions(session)}
    assert conditions["device"] == ""
    session.pick("device")
    session.answer("modem")
    conditions = {one.question.id: one.condition for one in searchable_questions(session)}
    assert conditions["colour"] == "implies: Does it have a lamp? Yes"


@pytest.mark.parametrize("name", ["troubleshooting", "home-network", "navigation", "lung", "led"])
def test_every_question_of_a_shipped_bank_can_be_found_at_its_first_question(
    name: str, tmp_path: Path
) -> None:
    shipped = load_bank(name)
    session = Session.start(shipped, tmp_path, seed=1)
    found = {one.question.id for one in searchable_questions(session)}
    assert found == {question.id for question in shipped.questions}
