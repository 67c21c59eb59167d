"""What an operator needs is whole, or says that it is cut, on small screens; dialogs use the room of large ones."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from odm_tui.banks import load_bank
from odm_tui.session import Session
from odm_tui.tui.dialogs.filter_list import ListItem, draw_item
from odm_tui.views.reason import Reason
from tests.support.terminal.driving import SIZES, Operator, at_the_screen

_CONTRADICTION = ("1", "5", "n", "y")
"""Keys of a call about a home network whose answers do not fit each other."""


def footer(operator: Operator) -> str:
    return operator.text.splitlines()[-1]


@pytest.mark.parametrize("width", [30, 42, 54, 70, 120])
@pytest.mark.parametrize("rows", [1, 2])
def test_a_reason_that_is_cut_keeps_both_names_and_the_cost(width: int, rows: int) -> None:
    names = ("Router or its power supply is broken", "Outage or maintenance in the area")
    lines = Reason("Tells {} from {}", names, "22 s", "saves about 25:58").fit(width, rows)
    text = " ".join(lines)
    assert len(lines) <= rows
    assert all(len(line) <= width for line in lines)
    assert "22 s" in text
    if width * rows >= 42:
        assert "Router" in text
        assert "Outage" in text


async def test_the_reason_takes_two_lines_on_a_narrow_screen(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, bank="home-network", size=SIZES["small"]) as operator:
        await operator.press("1", "1")
        await operator.wait_for("Tells")
        assert re.search(r"Tells “Router hangs[^”]*” from “[^”]+” and “[^”]+” · 24 s", operator.words)


async def test_a_help_text_that_is_cut_says_so_and_its_key_shows_the_rest(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, bank="troubleshooting", size=SIZES["small"]) as operator:
        await operator.wait_for("PgDn more")
        assert "A phone that stays dark" not in operator.words
        await operator.press("pagedown")
        await operator.wait_for("A phone that stays dark")
        await operator.press("pagedown", "pagedown", "pagedown")
        await operator.wait_for("PgUp back")


async def test_a_text_that_is_whole_has_no_sign_at_its_frame(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, bank="troubleshooting", size=SIZES["large"]) as operator:
        assert "PgDn" not in operator.text


async def test_the_advice_stays_in_sight_beside_a_contradiction(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, bank="home-network", size=SIZES["small"]) as operator:
        await operator.press(*_CONTRADICTION)
        decision = operator.session.decision
        assert decision is not None
        assert operator.session.contradiction is not None
        await operator.wait_for("One answer does not fit the others")
        first_words = " ".join(decision.outcome.advice.split()[:8])
        assert first_words in operator.words


async def test_the_key_of_a_contradiction_shows_it_whole_and_leads_to_the_answers(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, bank="home-network", size=SIZES["small"]) as operator:
        await operator.press(*_CONTRADICTION, "exclamation_mark")
        assert "without it" in operator.words
        await operator.press("down", "enter")
        assert "Change an earlier answer" in operator.text


async def test_a_large_screen_shows_the_contradiction_whole(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, bank="home-network", size=SIZES["large"]) as operator:
        await operator.press(*_CONTRADICTION)
        await operator.wait_for("does not fit the other answers")


async def test_a_question_that_the_bank_always_asks_is_not_called_the_first_later(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, bank="troubleshooting") as operator:
        await operator.wait_for("The bank asks this first")
        await operator.press("1")
        await operator.wait_for("The bank always asks this")


@pytest.mark.parametrize("width", range(12, 60))
def test_a_number_is_never_torn_from_its_unit(width: int) -> None:
    item = ListItem("a", "Does a computer plugged into the router work?", "useful 8 · 15 s · 100 %")
    for line in draw_item(item, width).plain.splitlines():
        assert not re.match(r"(s|%)\b", line.strip())
        assert line.strip() not in ("s", "%")


async def test_a_dialog_uses_the_room_of_a_large_screen(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, bank="home-network", size=SIZES["large"]) as operator:
        await operator.press("o")
        assert operator.app.screen.query_one(".box").size.width > 90


async def test_the_footer_below_a_dialog_has_the_way_back(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, bank="home-network", size=SIZES["small"]) as operator:
        await operator.press("o")
        assert "Esc Back" in footer(operator)
        assert "^Q Leave" in footer(operator)


async def test_asking_on_names_its_target(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, bank="home-network", size=SIZES["small"]) as operator:
        await operator.press("1", "1", "d")
        target = f"{operator.session.next_target:.0%}".replace("%", " %")
        assert f"m   Ask on to {target}" in operator.text


async def test_the_footer_of_the_historys_filter_says_that_enter_goes_to_the_list(tmp_path: Path) -> None:
    session = Session.start(load_bank("led"), tmp_path, seed=2, operator="tester", case="T-9")
    session.answer("yes")
    session.stop()
    session.leave()
    async with at_the_screen(tmp_path, bank="led") as operator:
        await operator.press("f3")
        assert "Enter Replay" in footer(operator)
        await operator.press("slash")
        await operator.type("t-9")
        assert "Enter To the list" in footer(operator)
        await operator.press("enter")
        await operator.wait_for("Enter Replay")
