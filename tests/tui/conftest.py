"""Screens in this process, without the pauses in which nothing happens."""

from __future__ import annotations

import pytest

from odm_tui.tui.screens import interview
from tests.support.terminal.quiet import wait_until_quiet


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pilots wait until the event loop is quiet; details are computed at once."""
    for module in ("textual.app", "textual.pilot"):
        monkeypatch.setattr(f"{module}.wait_for_idle", wait_until_quiet)
    monkeypatch.setattr(interview, "_DRAW_TIME", 0.0)
