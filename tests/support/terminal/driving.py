"""An operator at the screen, in this process: presses keys, clicks, and reads what is there."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from textual.pilot import Pilot
from textual.widget import Widget

from odm_tui.interview_options import InterviewOptions
from odm_tui.session import Session
from odm_tui.tui.app import OdmApp
from odm_tui.tui.config import Config
from odm_tui.tui.worker.backend import Backend
from odm_tui.tui.worker.client import ThreadWorker
from tests.support.terminal.terminal import BANK

__all__ = ["BANK", "SIZES", "Operator", "at_the_screen"]

PATIENCE = 30.0
"""Seconds after which a text that has not appeared is given up."""
_FRAMES = str.maketrans(dict.fromkeys("│╭╮╰╯─▏▌", " "))
_MOST_ROUNDS = 20
"""A screen that is still not settled then moves by itself."""

SIZES = {"small": (60, 20), "usual": (80, 24), "large": (200, 60)}


class Operator:
    """What a person can do at the screen."""

    def __init__(self, app: OdmApp, pilot: Pilot[Any]) -> None:
        self.app, self.pilot = app, pilot

    async def settle(self) -> None:
        """Wait until everything that was started is done and drawn."""
        for number in range(_MOST_ROUNDS):
            await self.app.workers.wait_for_complete()
            await self.pilot.pause()
            if number >= 2 and not self._is_unsettled:
                break

    @property
    def _is_unsettled(self) -> bool:
        """Whether something is to be drawn, or starts when that is done, or a worker is at work."""
        screen = self.app.screen
        to_draw = screen._dirty_widgets or screen._layout_required or screen._callbacks
        return bool(to_draw) or any(not worker.is_finished for worker in self.app.workers)

    async def press(self, *keys: str) -> None:
        """Press keys, one after another, each when the one before has had its effect."""
        for key in keys:
            await self.pilot.press(key)
            await self.settle()

    async def wait_for(self, *texts: str) -> None:
        """Wait until all these texts can be read on the screen; line ends and frames count as spaces."""
        until = time.monotonic() + PATIENCE
        while not all(text in self.words for text in texts):
            assert time.monotonic() < until, f"{texts} did not appear:\n{self.text}"
            await self.pilot.pause(0.02)

    async def type(self, text: str) -> None:
        """Type letters and digits."""
        await self.press(*("space" if letter == " " else letter for letter in text))

    async def click(self, widget: Widget, offset: tuple[int, int] = (0, 0)) -> None:
        """Click on a widget."""
        await self.pilot.click(widget, offset=offset)
        await self.settle()

    @property
    def backend(self) -> Backend:
        """What holds the interview, in a thread of this process."""
        assert isinstance(self.app.worker, ThreadWorker)
        return self.app.worker.backend

    @property
    def session(self) -> Session:
        """The interview that is going on."""
        assert self.backend.session is not None
        return self.backend.session

    @property
    def question(self) -> str:
        """The id of the question that is asked."""
        assert self.session.question is not None
        return self.session.question.id

    @property
    def screen(self) -> str:
        """The name of the screen that is shown."""
        return type(self.app.screen).__name__

    @property
    def text(self) -> str:
        """Everything that can be read on the screen."""
        strips = self.app.screen._compositor.render_strips()
        return "\n".join(strip.text.rstrip() for strip in strips)

    @property
    def words(self) -> str:
        """The same in one line, without frames."""
        return " ".join(self.text.translate(_FRAMES).split())


@asynccontextmanager
async def at_the_screen(
    folder: Path,
    bank: str | None = BANK,
    size: tuple[int, int] = SIZES["usual"],
    theme: str = "dark",
    keys: dict[str, str] | None = None,
    **options: Any,
) -> AsyncIterator[Operator]:
    """An operator in front of the running app; the state is kept in ``folder``."""
    config = Config(folder / "config.toml", keys=keys or {})
    given = InterviewOptions(bank=bank, state_dir=str(folder), **{"seed": 1, "operator": "tester", **options})
    app = OdmApp(ThreadWorker(given), theme, config)
    try:
        async with app.run_test(size=size) as pilot:
            operator = Operator(app, pilot)
            await operator.settle()
            yield operator
    finally:
        app.worker.close()
