"""The home screen: the inbox of unfinished and pending interviews, and the banks."""

from __future__ import annotations

import gc
import shlex
from pathlib import Path

import pytest
from textual.message import Message
from textual.widgets import OptionList

from odm_tui.banks import load_bank
from odm_tui.session import Archive, Session
from odm_tui.store.interview_record import ABANDONED, PENDING
from odm_tui.tui.app import format_resume_command
from odm_tui.tui.screens.home import BanksListed, HomeScreen
from odm_tui.tui.widgets.banner import Banner
from odm_tui.tui.worker.backend import LeftInterview
from tests.support.sample_banks import SMALL, written
from tests.support.terminal.driving import BANK, Operator, at_the_screen


def left(folder: Path, bank: str) -> str:
    """An unfinished interview with one answer; its id."""
    session = Session.start(load_bank(bank), folder, seed=2, operator="tester")
    session.dont_know()
    session.leave()
    return session.id


def waiting(operator: Operator) -> list[str]:
    """The lines of the inbox."""
    return [
        str(option.prompt).strip() for option in operator.app.screen.query_one("#open", OptionList).options
    ]


async def test_ctrl_r_resumes_the_interview_just_left_and_not_another_one(
    tmp_path: Path,
) -> None:
    left(tmp_path, "led")
    async with at_the_screen(tmp_path, bank="lung") as operator:
        await operator.press("question_mark")
        interview = operator.session.id
        left(tmp_path, "led")
        await operator.press("escape")
        assert "Saved in the inbox; ^R goes on with it." in operator.text
        await operator.press("ctrl+r")
        assert operator.session.id == interview


async def test_ctrl_r_resumes_the_latest_interview_if_none_was_just_left(
    tmp_path: Path,
) -> None:
    left(tmp_path, "led")
    latest = left(tmp_path, "lung")
    async with at_the_screen(tmp_path, bank=None) as operator:
        await operator.press("ctrl+r")
        assert operator.session.id == latest


async def test_an_interview_of_a_bank_that_was_named_by_its_path_is_found_again(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await operator.press("question_mark")
        interview = operator.session.id
        await operator.press("escape")
        assert "unfinished, 1 answer" in operator.text
        await operator.press("ctrl+r")
        assert operator.session.id == interview


async def test_every_interrupted_interview_is_listed(tmp_path: Path) -> None:
    for _ in range(3):
        left(tmp_path, "led")
    async with at_the_screen(tmp_path, bank=None) as operator:
        assert len([line for line in waiting(operator) if "unfinished, 1 answer" in line]) == 3


async def test_leaving_a_decision_says_how_to_confirm_it_later(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await operator.press("question_mark", "d", "escape")
        assert "Saved in the inbox, to be confirmed." in operator.text
        await operator.press("ctrl+o")
        assert operator.screen == "HistoryScreen"
        assert "Router desk: pending outcomes" in operator.text
    (record,) = Archive.of(load_bank(BANK), tmp_path).history()
    assert record.status == PENDING


async def test_an_interview_without_an_answer_is_abandoned_when_it_is_left(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await operator.press("escape")
        assert waiting(operator) == []
        assert "Saved" not in operator.text
    (record,) = Archive.of(load_bank(BANK), tmp_path).history()
    assert record.status == ABANDONED


async def test_an_interview_without_an_answer_is_abandoned_when_the_program_is_left(
    tmp_path: Path,
) -> None:
    async with at_the_screen(tmp_path) as operator:
        await operator.press("ctrl+q")
        assert operator.app.exit_message == ""
    (record,) = Archive.of(load_bank(BANK), tmp_path).history()
    assert record.status == ABANDONED


async def test_a_confirmed_interview_is_no_longer_listed_as_pending(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, bank="led") as operator:
        await operator.press("question_mark", "d", "l")
        (line,) = waiting(operator)
        assert "confirm: " in line
        await operator.press("ctrl+o", "c", "enter", "escape")
        assert operator.screen == "HomeScreen"
        assert waiting(operator) == []


async def test_the_histories_of_all_banks_are_shown_at_once(tmp_path: Path) -> None:
    left(tmp_path, "led")
    left(tmp_path, "lung")
    async with at_the_screen(tmp_path, bank=None) as operator:
        home = operator.app.screen
        assert isinstance(home, HomeScreen)
        drawn: list[BanksListed] = []
        post = home.post_message

        def noting(message: Message) -> bool:
            if isinstance(message, BanksListed):
                drawn.append(message)
            return post(message)

        home.post_message = noting  # type: ignore[method-assign]  # to see what is sent
        home.rows = ()
        home.on_screen_resume()
        await operator.settle()
        known = [[row.interviews is not None for row in listed.rows] for listed in drawn]
        assert [any(rows) for rows in known] == [False, True]
        assert all(known[1])


async def test_the_marked_bank_bears_a_sign(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, bank=None, theme="no colour") as operator:
        assert "› Breast cancer" in operator.text
        await operator.press("down", "down")
        assert "› LED digit" in operator.text
        assert operator.text.count("›") == 1


async def test_the_mark_goes_to_the_list_that_has_the_focus(tmp_path: Path) -> None:
    left(tmp_path, "led")
    async with at_the_screen(tmp_path, bank=None) as operator:
        await operator.press("tab")
        assert "› … unfinished, 1 answer" in operator.text
        assert operator.text.count("›") == 1
        await operator.press("enter")
        assert operator.screen == "InterviewScreen"


async def test_leaving_prints_the_shell_command_that_resumes_the_interview(tmp_path: Path) -> None:
    folder = tmp_path / "my state"
    folder.mkdir()
    async with at_the_screen(folder, bank="led") as operator:
        await operator.press("question_mark")
        interview = operator.session.id
        await operator.press("ctrl+q")
        words = operator.app.exit_message.removeprefix("The interview is kept: ")
        told = ["odm-tui", "--bank", "led", "--state-dir", str(folder), "--resume", interview]
        assert shlex.split(words) == told


def test_without_a_state_folder_the_command_names_none() -> None:
    assert (
        format_resume_command(LeftInterview("my bank.toml", "ab12", False), None)
        == "odm-tui --bank 'my bank.toml' --resume ab12"
    )


async def test_an_app_that_a_test_starts_freezes_no_objects(tmp_path: Path) -> None:
    before = gc.get_freeze_count()
    async with at_the_screen(tmp_path) as operator:
        operator.app._started()
    assert gc.get_freeze_count() == before


async def test_the_home_screen_says_that_a_copied_bank_shares_the_log_of_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    named = SMALL.replace("format = 1", 'format = 1\nid = "network"')
    folder = tmp_path / "question_banks"
    folder.mkdir()
    for name in ("network.toml", "copy.toml"):
        written(folder, named, name)
    async with at_the_screen(tmp_path, bank=None) as operator:
        said = str(operator.app.screen.query_one(Banner).content)
    assert "The banks 'copy' and 'network' share one log, 'network'" in said
