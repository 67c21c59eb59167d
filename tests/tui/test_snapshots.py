"""Snapshots of every screen: small, usual and large; the main ones also light, in high contrast and without colour.

After a wanted change: ``pytest tests/tui/test_snapshots.py --snapshot-update``, and look at what changed.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input

from odm_tui.banks import load_bank
from odm_tui.interview_options import InterviewOptions
from odm_tui.session import Session
from odm_tui.tui.app import OdmApp
from odm_tui.tui.config import Config
from odm_tui.tui.screens.history import HistoryScreen
from odm_tui.tui.screens.learned import LearnedScreen
from odm_tui.tui.screens.settings import SettingsScreen
from odm_tui.tui.widgets.call_clock import CallClock
from odm_tui.tui.worker.client import ThreadWorker
from odm_tui.tui.worker.reader import Reader
from tests.support.terminal.driving import BANK, SIZES, Operator

NINE = str(Path(BANK).with_name("nine.toml"))
VARIANTS = str(Path(BANK).with_name("variants.toml"))
THEMES = ("light", "high contrast", "no colour")
Go = Callable[[Operator], Awaitable[None]]


def keys(*pressed: str) -> Go:
    """Press these keys."""

    async def go(operator: Operator) -> None:
        await operator.press(*pressed)

    return go


def picked(words: str, *then: str) -> Go:
    """Pick the question with these words in it."""

    async def go(operator: Operator) -> None:
        await operator.press("o")
        await operator.type(words)
        await operator.press("enter", *then)

    return go


async def history(operator: Operator) -> None:
    """The list of past interviews."""
    operator.app.push_screen(HistoryScreen(operator.app.worker, BANK))
    await operator.settle()


async def replay(operator: Operator) -> None:
    """One of them, step by step."""
    await history(operator)
    await operator.press("down", "enter", "right", "right")


def learned(page: str) -> Go:
    """A page of what was learned."""

    async def go(operator: Operator) -> None:
        operator.app.push_screen(LearnedScreen(operator.app.worker, BANK, page))
        await operator.settle()
        await operator.press("1" if page == "map" else "2" if page == "trend" else "3")

    return go


async def variants(operator: Operator) -> None:
    """The variants of outcomes that a bank names."""
    operator.app.push_screen(LearnedScreen(operator.app.worker, VARIANTS))
    await operator.settle()
    await operator.press("5")


async def settings(operator: Operator) -> None:
    """The settings, with places that are the same everywhere."""
    files = {"config": "~/.config/odm-tui/config.toml", "state folder": "~/.local/share/odm-tui"}
    operator.app.push_screen(SettingsScreen(operator.app.theme, False, "desk-4", files))
    await operator.settle()


SCREENS: dict[str, tuple[str | None, Go]] = {
    "home": (None, keys()),
    "interview": (BANK, keys("y", "n")),
    "why": (BANK, keys("y", "w", "w")),
    "search": (BANK, keys("slash", "r", "e", "d")),
    "evidence": (BANK, keys("y", "n", "e")),
    "case": (BANK, keys("y", "c", "T", "1")),
    "runners-up": (BANK, keys("y", "d", "tab")),
    "red-flag": ("troubleshooting", keys("2", "y")),
    "choices": (NINE, picked("colour")),
    "number": (BANK, picked("ping", *"9999", "enter")),
    "pick": (BANK, keys("o")),
    "change": (BANK, keys("y", "a", "enter")),
    "decision": (BANK, keys("y", "d")),
    "summary": (BANK, keys("y", "d", "C")),
    "history": (None, history),
    "replay": (None, replay),
    "learned": (None, learned("map")),
    "trend": (None, learned("trend")),
    "telling": (None, learned("telling")),
    "variants": (None, variants),
    "help": (BANK, keys("f1")),
    "palette": (BANK, keys("ctrl+p")),
    "settings": (None, settings),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A state folder with some past interviews, held at fixed times; the clock shows UTC."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    monkeypatch.setattr(CallClock, "time", staticmethod(lambda: 0.0))
    monkeypatch.setattr(Reader, "bank_names", lambda reader: [BANK, NINE])
    for at, outcome in enumerate(("line", "cable", None, "line", "account")):
        moments = iter(range(1_760_000_000 + at * 4000, 1_760_004_000 + at * 4000))
        session = Session.start(
            load_bank(BANK), tmp_path, seed=at, operator="tester", clock=partial(next, moments)
        )
        for _ in range(1 + at % 3):
            question = session.question
            if question is not None:
                session.answer(250.0 if question.type == "number" else question.answers[at % 2].id)
        session.stop()
        if outcome is not None:
            session.confirm(outcome)
        session.leave()
    yield tmp_path
    monkeypatch.undo()
    time.tzset()


def looks() -> list[Any]:
    """Each screen in every size; those that are seen most also in every theme."""
    shown = [
        *product(SCREENS, SIZES, ["dark"]),
        *product(("home", "interview", "decision", "learned"), ["usual"], THEMES),
    ]
    return [pytest.param(*look, id="-".join(look).replace(" ", "_")) for look in shown]


@pytest.mark.parametrize(("name", "size", "theme"), looks())
def test_a_screen_looks_as_it_did(folder: Path, snap_compare: Any, name: str, size: str, theme: str) -> None:
    bank, go = SCREENS[name]
    options = InterviewOptions(bank=bank, state_dir=str(folder), seed=1, operator="tester")
    app = OdmApp(ThreadWorker(options), theme, Config(folder / "config.toml"))

    async def before(pilot: Any) -> None:
        operator = Operator(app, pilot)
        await operator.settle()
        await go(operator)
        for field in app.screen.query(Input):
            field.cursor_blink = False
        await operator.settle()

    try:
        assert snap_compare(app, terminal_size=SIZES[size], run_before=before)
    finally:
        app.worker.close()
