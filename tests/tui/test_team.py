"""Two operators on two machines share cases through a team's store, at the screen."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.widgets import OptionList

from odm_tui.tui import app as apps
from tests.support.postgresql.server import PostgresServer
from tests.support.terminal.driving import Operator, at_the_screen

LIMIT = 60.0


@pytest.fixture(autouse=True)
def _look_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apps, "_LOOK_AT_TEAM", 0.1)


async def wait(operator: Operator, holds: Callable[[], object]) -> None:
    """Let the app go on until something can be seen."""
    limit = time.monotonic() + LIMIT
    while not holds():
        assert time.monotonic() < limit, operator.text
        await operator.pilot.pause(0.05)


def cases(operator: Operator) -> list[str]:
    return [str(option.prompt) for option in operator.app.screen.query_one("#open", OptionList).options]


async def test_a_case_of_another_machine_is_in_the_inbox_and_can_be_taken_over(
    postgres: PostgresServer, store: str, tmp_path: Path
) -> None:
    address = postgres.address(store, "ann")
    async with at_the_screen(tmp_path / "ann", bank="led", operator="ann", case="T-1", store=address) as ann:
        await ann.press("question_mark")
        interview = ann.session.id
        async with at_the_screen(tmp_path / "ben", bank=None, operator="ben", store=address) as ben:
            await wait(ben, lambda: any("T-1" in case and "open at ann" in case for case in cases(ben)))
            assert "the whole team" in ben.text
            await ben.press("tab", "enter")
            assert "is open at ann" in ben.text
            await ann.press("escape")  # leave it
            await wait(ben, lambda: cases(ben) and "open at" not in cases(ben)[0])
            assert "ann" in cases(ben)[0]
            await ben.press("f7")
            assert cases(ben) == []
            await ben.press("f7", "tab", "enter")
            await wait(ben, lambda: ben.screen == "InterviewScreen" and ben.backend.session)
            assert ben.session.id == interview
            assert len(ben.session.steps) == 1


async def test_the_header_says_that_the_store_is_away_and_the_interview_goes_on(
    postgres: PostgresServer, store: str, tmp_path: Path
) -> None:
    address = postgres.address(store, "ann")
    async with at_the_screen(tmp_path, bank="led", store=address, size=(120, 40)) as operator:
        await wait(operator, lambda: "· team" in operator.text)
        postgres.stop()
        try:
            await operator.press("question_mark")
            await wait(operator, lambda: "store away" in operator.text)
            await operator.press("y")
            await wait(operator, lambda: "are saved on this machine" in operator.text)
            assert len(operator.session.steps) == 2
        finally:
            postgres.start()
        await wait(operator, lambda: "· team" in operator.text)


async def test_without_a_team_no_mark_is_shown_and_no_process_is_started(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, bank="led", size=(120, 40)) as operator:
        await operator.press("question_mark")
        assert "team" not in operator.text.splitlines()[0]
        assert not operator.backend.team.has_team
