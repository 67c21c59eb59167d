"""Small things that stand in an operator's way in the middle of a call."""

from __future__ import annotations

from pathlib import Path

import pytest

from odm_tui.banks import load_bank
from odm_tui.errors import BadArgument
from odm_tui.session import Session
from odm_tui.tui.widgets.key_bar import KeyBar
from tests.support.terminal.driving import Operator, at_the_screen


def footer(operator: Operator) -> str:
    return operator.text.splitlines()[-1]


async def test_a_red_flag_is_never_tried_away(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, bank="troubleshooting") as operator:
        await operator.press("2", "y")
        assert "Tried, no help" not in operator.text
        for key in ("t", "m"):
            await operator.press(key)
            assert "A red flag has ended this interview; u takes its answer back." in footer(operator)
        decision = operator.session.decision
        assert decision is not None
        assert decision.outcome.id == "battery-worn"
        assert not operator.session.interview.ruled_out


def test_the_outcome_of_a_red_flag_can_not_be_ruled_out(tmp_path: Path) -> None:
    session = Session.start(load_bank("troubleshooting"), tmp_path)
    session.answer("battery")
    session.answer("yes")
    with pytest.raises(BadArgument, match="A red flag has ended this interview"):
        session.rule_out()


async def test_a_number_is_shown_and_copied_as_it_was_typed(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, bank="breast-cancer") as operator:
        await operator.press("o")
        await operator.type("worst perimeter")
        await operator.press("enter", *"105.75", "enter")
        assert "105.75" in operator.text
        await operator.press("d", "y")
        assert "105.75" in operator.app.clipboard


async def test_enter_means_the_next_call_of_this_bank_even_if_another_was_used_elsewhere_since(
    tmp_path: Path,
) -> None:
    async with at_the_screen(tmp_path, bank="led") as operator:
        await operator.press("y")
        elsewhere = Session.start(load_bank("lung"), tmp_path)
        elsewhere.answer("yes")
        elsewhere.leave()
        await operator.press("escape")
        assert "› LED digit" in operator.text


async def test_a_word_about_an_empty_number_goes_with_the_next_digit(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, bank="breast-cancer") as operator:
        await operator.press("backspace")
        assert "The number is empty" in footer(operator)
        await operator.press("1")
        assert not operator.app.screen.query_one(KeyBar).word


async def test_the_footer_says_that_enter_goes_on_with_a_marked_case(tmp_path: Path) -> None:
    session = Session.start(load_bank("led"), tmp_path, seed=2, operator="tester", case="T-9")
    session.answer("yes")
    session.leave()
    async with at_the_screen(tmp_path, bank=None) as operator:
        assert "Enter Start" in footer(operator)
        await operator.type("t-9")
        assert "Enter Go on" in footer(operator)


async def test_the_summary_has_the_case_and_says_what_was_saved(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, bank="led") as operator:
        await operator.press("y", "c")
        await operator.type("T-9")
        await operator.press("enter", "d", "C")
        assert operator.screen == "SummaryScreen"
        assert "T-9" in operator.text.splitlines()[0]
        (line,) = [line for line in operator.text.splitlines() if line.strip().startswith("Questions")]
        assert "6 of 7" in line


async def test_a_confirmation_that_was_taken_back_is_told(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, bank="led") as operator:
        await operator.press("y", "d", "C", "u")
        assert "Taken back: the confirmation" in operator.text


async def test_the_columns_of_the_history_stand_below_their_names(tmp_path: Path) -> None:
    session = Session.start(load_bank("led"), tmp_path, seed=2, operator="tester", case="T-9")
    session.answer("yes")
    session.stop()
    session.leave()
    async with at_the_screen(tmp_path, bank="led") as operator:
        await operator.press("f3")
        names = next(line for line in operator.text.splitlines() if "began" in line)
        row = next(line for line in operator.text.splitlines() if "T-9" in line)
        assert row.index("T-9") == names.index("case")


@pytest.mark.parametrize("words", ["bulge", "the back bulges", "my phone's back is bulging"])
async def test_a_bulging_back_is_found_by_its_words_before_any_answer(tmp_path: Path, words: str) -> None:
    async with at_the_screen(tmp_path, bank="troubleshooting") as operator:
        await operator.press("slash")
        await operator.type(words)
        await operator.press("enter")
        assert operator.question == "bulging"


async def test_a_help_text_is_whole_where_the_question_has_wide_margins(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, bank="home-network", size=(100, 32)) as operator:
        await operator.press("o")
        await operator.type("internet light on the router")
        await operator.press("enter")
        assert "a lamp works in the same" in operator.text
        assert "socket." in operator.text


async def test_words_find_a_conditional_question_and_taking_its_answer_puts_the_condition_first(
    tmp_path: Path,
) -> None:
    async with at_the_screen(tmp_path, bank="troubleshooting") as operator:
        await operator.press("slash")
        await operator.type("wobble")
        await operator.wait_for("Does the back bulge", "asks first: What is the trouble with the phone?")
        await operator.press("enter")
        assert operator.question == "trouble"
        await operator.wait_for("This comes first: it decides whether “Does the back bulge")


async def test_a_bank_that_was_edited_is_read_again_when_an_interview_is_resumed(tmp_path: Path) -> None:
    file = tmp_path / "digits.toml"
    text = load_bank("led").path.read_text("utf-8")
    file.write_text(text, "utf-8")
    async with at_the_screen(tmp_path, bank=str(file)) as operator:
        await operator.press("y", "escape")
        file.write_text(text.replace("Is the", "Shines the"), "utf-8")
        await operator.press("ctrl+r")
        assert operator.session.question is not None
        assert operator.session.question.text.startswith("Shines the")


async def test_the_page_of_certainty_counts_a_decision_in_the_step_that_it_was_shown_in(
    tmp_path: Path,
) -> None:
    async with at_the_screen(tmp_path, bank="troubleshooting", size=(100, 32)) as operator:
        await operator.press("2", "n", "d", "t")
        decision = operator.session.decision
        assert decision is not None
        low = int(decision.belief * 10) * 10
        await operator.press("C", "f4", "4")
        await operator.wait_for(f"{low}–{low + 10} %", "Red flags, hand-overs")


@pytest.mark.parametrize("bank", ["lung", "breast-cancer"])
def test_a_clinical_bank_takes_a_weak_lead_for_a_guess(bank: str) -> None:
    assert load_bank(bank).sure_enough >= 0.9


async def test_nobody_is_called_a_caller_where_there_is_none(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, bank="lung") as operator:
        assert "aller" not in operator.text
        await operator.press("slash")
        assert "aller" not in operator.text
