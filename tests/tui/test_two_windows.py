"""Two windows on one state folder: what one has open, the other marks and leaves alone; nothing is lost."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from odm_tui.banks import load_bank
from odm_tui.errors import BadArgument
from odm_tui.interview_options import InterviewOptions
from odm_tui.session import Archive, Session
from odm_tui.tui.app import OdmApp
from odm_tui.tui.config import Config
from odm_tui.tui.worker.client import ThreadWorker
from odm_tui.tui.worker.reader import Reader
from odm_tui.views.inbox import InboxRow
from tests.support.terminal.driving import PATIENCE, Operator, at_the_screen


def decide(folder: Path, case: str = "T-9") -> Session:
    """An interview at its decision, open in another window."""
    session = Session.start(load_bank("led"), folder, seed=2, operator="tester", case=case)
    session.answer("yes")
    session.stop()
    return session


async def test_a_decision_that_is_open_in_another_window_is_marked_in_the_inbox(tmp_path: Path) -> None:
    elsewhere = decide(tmp_path)
    async with at_the_screen(tmp_path, bank=None, size=(100, 32)) as operator:
        await operator.wait_for("T-9", "open in another window")
        elsewhere.leave()
        await operator.press("f5", "escape")
        await operator.wait_for("T-9", "confirm:")


async def test_opening_it_says_plainly_where_it_is_open(tmp_path: Path) -> None:
    elsewhere = decide(tmp_path)
    async with at_the_screen(tmp_path, bank=None, size=(100, 32)) as operator:
        await operator.type("t-9")
        await operator.press("enter")
        await operator.wait_for("is open in another terminal; continue there, or close it first.")
        assert operator.screen == "HomeScreen"
    elsewhere.leave()


async def test_of_two_different_confirmations_the_first_counts_and_the_second_gets_a_sentence(
    tmp_path: Path,
) -> None:
    elsewhere = decide(tmp_path)
    archive = Archive.of(load_bank("led"), tmp_path)
    with pytest.raises(BadArgument, match="is open in another terminal; finish it there first"):
        archive.confirm(elsewhere.id, "four")
    async with at_the_screen(tmp_path, bank="led", size=(100, 32)) as operator:
        await operator.press("f3")
        await operator.wait_for("T-9")
        elsewhere.confirm("seven")
        await operator.press("c")
        await operator.type("digit 4")
        await operator.press("enter")
        await operator.wait_for("it is confirmed already; correct it if that was wrong")
    (record,) = [one for one in archive.history() if one.case == "T-9"]
    assert record.outcome == "seven"
    archive.close()


async def test_a_reference_typed_before_the_inbox_is_read_is_opened_once_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    decide(tmp_path).leave()
    may_read, read_inbox = threading.Event(), Reader.inbox

    def read_later(self: Reader, name: str) -> tuple[InboxRow, ...]:
        may_read.wait(PATIENCE)
        return read_inbox(self, name)

    monkeypatch.setattr(Reader, "inbox", read_later)
    options = InterviewOptions(bank=None, state_dir=str(tmp_path), seed=1, operator="tester")
    app = OdmApp(ThreadWorker(options), "dark", Config(tmp_path / "config.toml"))
    try:
        async with app.run_test(size=(100, 32)) as pilot:
            operator = Operator(app, pilot)
            await operator.wait_for("LED digit")
            await pilot.press(*"t-9")
            assert "Nothing matches" not in operator.text
            await pilot.press("enter")
            await operator.wait_for("The cases are still being read")
            may_read.set()
            await operator.wait_for("decision")
            assert operator.session.case == "T-9"
    finally:
        may_read.set()
        app.worker.close()


async def test_what_nothing_matches_is_said_once_the_inbox_is_read(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, bank=None) as operator:
        await operator.type("t-9")
        await operator.wait_for("Nothing matches “t-9”")
