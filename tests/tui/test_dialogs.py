"""Dialogs: keys typed in advance, Esc, and the mouse."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual import events
from textual.widgets import Input, OptionList, Static

from odm_tui.banks import load_bank
from odm_tui.session import Archive, Session
from tests.support.terminal.driving import BANK, Operator, at_the_screen


async def typed_in_one_chunk(operator: Operator, text: str) -> None:
    """Press keys so fast that none waits for the effect of the one before."""
    for letter in text:
        key, character = ("enter", "\r") if letter == "\r" else (letter, letter)
        operator.app.post_message(events.Key(key, character))
    await operator.settle()


async def test_a_filter_typed_ahead_of_enter_counts_before_the_choice(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await operator.press("d", "o")
        await typed_in_one_chunk(operator, "login\r")
        assert operator.screen == "SummaryScreen"
        assert "Corrected to: Account or login" in operator.text


async def test_a_filter_without_a_match_says_so_and_chooses_nothing(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await operator.press("d", "o")
        await typed_in_one_chunk(operator, "zebra\r")
        assert operator.screen == "FilterListDialog"
        assert "Nothing matches “zebra”." in operator.text
        await operator.press("down", "enter")
        assert operator.screen == "FilterListDialog"
        operator.app.screen.query_one(Input).value = ""
        await operator.settle()
        assert "Loose cable" in operator.text


async def test_the_marked_line_of_a_dialog_bears_a_sign(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await operator.press("x")
        assert "› No, go on" in operator.text
        await operator.press("down")
        assert "› Yes, abandon it" in operator.text
        assert "› No" not in operator.text


def left_in_the_middle(folder: Path) -> str:
    """An unfinished interview with one answer; its id."""
    session = Session.start(load_bank(BANK), folder, seed=2, operator="tester")
    session.dont_know()
    session.leave()
    return session.id


async def test_escape_leaves_an_interrupted_interview_as_it_is_and_leads_to_the_banks(tmp_path: Path) -> None:
    interview = left_in_the_middle(tmp_path)
    async with at_the_screen(tmp_path) as operator:
        assert operator.screen == "ButtonDialog"
        await operator.press("escape")
        assert operator.screen == "HomeScreen"
    (record,) = Archive.of(load_bank(BANK), tmp_path).unfinished()
    assert (record.interview, record.questions) == (interview, 1)


DIALOGS = {
    "ButtonDialog": ("x",),
    "FilterListDialog": ("o",),
    "ChangeAnswerDialog": ("question_mark", "a", "enter"),
}


@pytest.mark.parametrize(("dialog", "keys"), DIALOGS.items())
async def test_a_click_beside_the_box_does_what_escape_does(
    tmp_path: Path, dialog: str, keys: tuple[str, ...]
) -> None:
    async with at_the_screen(tmp_path) as operator:
        await operator.press(*keys)
        assert operator.screen == dialog
        await operator.click(operator.app.screen.query_one(".box"), offset=(20, 0))
        assert operator.screen == dialog
        await operator.pilot.click(offset=(0, 0))
        await operator.settle()
        assert operator.screen == "InterviewScreen"


@pytest.mark.parametrize(("dialog", "keys"), DIALOGS.items())
async def test_a_click_on_what_escape_does_is_escape(
    tmp_path: Path, dialog: str, keys: tuple[str, ...]
) -> None:
    async with at_the_screen(tmp_path) as operator:
        await operator.press(*keys)
        hint = next(static for static in operator.app.screen.query(Static) if "Esc" in str(static.content))
        await operator.click(hint, offset=(2, 0))
        assert operator.screen == dialog
        await operator.click(hint, offset=(str(hint.content).index("Esc") + 1, 0))
        assert operator.screen == "InterviewScreen"


async def test_a_click_on_a_line_chooses_it(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await operator.press("x")
        await operator.click(operator.app.screen.query_one(OptionList), offset=(3, 1))
        assert operator.screen == "HomeScreen"


async def test_the_keys_of_the_keymap_change_an_answer_too(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, keys={"interview.yes": "j", "interview.dont-know": "g"}) as operator:
        await operator.press("j", "a", "enter", "y")
        assert operator.screen == "ChangeAnswerDialog"
        await operator.press("g")
        assert [step.kind for step in operator.session.steps] == ["unknown"]
        await operator.press("a", "enter", "j")
        assert [step.answer for step in operator.session.steps] == ["yes"]


_SLEEPING = """
format = 1
title = "Sleeping"
policy = { oracle = "w-ec2", exploration = "mean", stop = { max_questions = 3 } }
outcomes = [{ id = "a", label = "A" }, { id = "b", label = "B" }]

[[questions]]
id = "pet"
text = "Is there a pet?"
always_ask = true

[[questions]]
id = "dog"
text = "Is it a dog?"
ask_if = { pet = "yes" }

[[questions]]
id = "cat"
text = "Is it a cat?"
ask_if = { pet = "yes" }
"""


@pytest.mark.parametrize("then", [(), ("d",)], ids=["from the interview", "from the decision"])
async def test_answers_that_no_longer_apply_after_a_change_are_named(
    tmp_path: Path, then: tuple[str, ...]
) -> None:
    (tmp_path / "sleeping.toml").write_text(_SLEEPING)
    async with at_the_screen(tmp_path, bank=str(tmp_path / "sleeping.toml"), size=(120, 30)) as operator:
        operator.session.pick("pet")
        await operator.press("y", "y", *then)
        (later,) = [step.question.text for step in operator.session.steps[1:]]
        await operator.press("a", "up", "enter", "n")
        assert [step.question.id for step in operator.session.steps] == ["pet"]
        told = f"1 later answer no longer applies and was dropped: “{later}”"
        assert operator.text.count(told) == 1
