"""Screens that do not behave: what the server does with a process that is deaf, killed, or can't be started."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from odm_tui.web import screen_process
from odm_tui.web.screen_process import ScreenProcess
from odm_tui.web.settings import ServeSettings
from odm_tui.web.tabs import Tab, TabKey, TabRegistry

PATIENCE = 30.0
KEY = TabKey("login", "Ada", "a" * 32)
DEAF = """
import signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
sys.stdout.buffer.write(b"__GANGLION__\\nD\\0\\0\\0\\1x")
sys.stdout.flush()
time.sleep(600)
"""


class Page:
    """A web socket that keeps what it is sent."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.closed = asyncio.Event()
        self.code = 0

    async def send_bytes(self, data: bytes) -> None:
        """Take what is drawn."""

    async def send_str(self, data: str) -> None:
        """Keep a message."""
        self.sent.append(data)

    async def close(self, *, code: int = 1000, message: bytes = b"") -> None:
        """Keep the code."""
        self.code = code
        self.closed.set()


@pytest.fixture
def _deaf_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Screens that draw once, read nothing and ignore SIGTERM."""
    (tmp_path / "deaf_screen.py").write_text(DEAF)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(screen_process, "_ENTRY", "deaf_screen")
    monkeypatch.setattr(screen_process, "_QUITTING", 0.1)
    monkeypatch.setattr(screen_process, "_TERMINATING", 0.1)


async def _ignore(_: object) -> None:
    pass


@pytest.mark.usefixtures("_deaf_entry")
def test_a_screen_that_reads_nothing_is_ended_though_its_pipe_is_full() -> None:
    async def run() -> bool:
        drawn = asyncio.Event()

        async def draw(_: bytes) -> None:
            drawn.set()

        screen = ScreenProcess(draw, _ignore, _ignore)
        await screen.start({}, 80, 24)
        await drawn.wait()
        typing = [asyncio.create_task(screen.type("x" * 60_000)) for _ in range(6)]
        await asyncio.sleep(0)
        await screen.stop()
        await asyncio.gather(*typing)
        return screen.has_ended

    assert asyncio.run(asyncio.wait_for(run(), PATIENCE))


@pytest.mark.usefixtures("_deaf_entry")
def test_a_screen_is_ended_though_its_page_takes_nothing_of_what_is_drawn() -> None:
    async def run() -> bool:
        drawing = asyncio.Event()

        async def draw(_: bytes) -> None:
            drawing.set()
            await asyncio.Event().wait()

        screen = ScreenProcess(draw, _ignore, _ignore)
        await screen.start({}, 80, 24)
        await drawing.wait()
        done, _ = await asyncio.wait({asyncio.create_task(screen.stop())}, timeout=PATIENCE)
        return bool(done) and screen.has_ended

    assert asyncio.run(run())


@pytest.mark.usefixtures("_deaf_entry")
def test_a_killed_screen_does_not_say_that_the_operator_has_left() -> None:
    async def run() -> Page:
        tab, page = Tab(), Page()
        tab.socket = page
        await tab.process.start({}, 80, 24)
        assert tab.process.pid is not None
        os.kill(tab.process.pid, signal.SIGKILL)
        await page.closed.wait()
        return page

    page = asyncio.run(asyncio.wait_for(run(), PATIENCE))
    assert page.code == 4000
    assert "ended from outside" in page.sent[-1]


@pytest.mark.parametrize("text", ["", "\x1b[1114112;1u", "\x1b[999999999999u", "\x1b[27;5;99999999~"])
def test_a_text_that_would_end_the_input_is_not_typed(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> list[str]:
        tab, typed = Tab(), list[str]()

        async def keep(text: str) -> None:
            typed.append(text)

        monkeypatch.setattr(tab.process, "type", keep)
        await tab.receive(["stdin", text])
        await tab.receive(["stdin", "y"])
        return typed

    assert asyncio.run(run()) == ["y"]


def test_a_screen_that_can_not_be_started_takes_no_place(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> int:
        monkeypatch.setattr(sys, "executable", "/nonexistent/python")
        tabs = TabRegistry(ServeSettings(max_sessions=1))
        with pytest.raises(FileNotFoundError):
            await tabs.open(KEY, {}, 80, 24)
        return len(tabs)

    assert asyncio.run(run()) == 0
