"""A browser tab that shows odm-tui: press keys, click on cells, and read the terminal in it.

The terminal in the page draws on a canvas, which a test can't read. So the frames that arrive over the web socket are
drawn a second time, into a terminal of the test's own.
"""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pyte
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, WebSocket

from tests.support.web.serving import PATIENCE

_TICK = 20.0
"""Milliseconds between two looks."""
_READ, _DECIDE = 200.0, 900.0
"""Milliseconds to read what is shown, and to decide: the program takes no key that comes sooner."""
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def launch_chromium(playwright: Playwright) -> Browser:
    """Start the system's Chromium; without one the test is skipped."""
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("no Chromium is installed: this test needs one (Debian: apt-get install chromium)")
    return playwright.chromium.launch(executable_path=path, args=ARGUMENTS)


class Tab:
    """A page of the server."""

    def __init__(self, context: BrowserContext) -> None:
        self.page: Page = context.new_page()
        self.screen = pyte.Screen(80, 24)
        self.stream = pyte.ByteStream(self.screen)
        self.errors: list[str] = []
        self.page.on("websocket", self._connected)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))

    def _connected(self, socket: WebSocket) -> None:
        query = parse_qs(urlsplit(socket.url).query)
        if "width" not in query:  # a socket that the page of another site tries to open
            return
        self.screen = pyte.Screen(int(query["width"][0]), int(query["height"][0]))
        self.stream = pyte.ByteStream(self.screen)
        socket.on("framereceived", self._received)
        socket.on("framesent", self._sent)

    def _received(self, payload: str | bytes) -> None:
        if isinstance(payload, bytes):
            self.stream.feed(payload)

    def _sent(self, payload: str | bytes) -> None:
        message: Any = json.loads(payload)
        if message[0] == "resize":
            self.screen.resize(message[1]["height"], message[1]["width"])

    @property
    def text(self) -> str:
        """What the terminal in the page shows."""
        return "\n".join(line.rstrip() for line in self.screen.display)

    def open(self, url: str, operator: str | None = "Ada") -> None:
        """Open an address, and tell the operator's name if the page asks for it."""
        self.page.goto(url)
        if operator is not None and self.page.locator("input[name=operator]").count():
            self.page.fill("input[name=operator]", operator)
            self.page.click("button")

    def wait_until(self, holds: Callable[[], bool], what: str) -> None:
        """Wait until something holds."""
        deadline = time.monotonic() + PATIENCE
        while not holds():
            if time.monotonic() > deadline:
                raise AssertionError(f"{what} did not come; there is\n{self.text}")
            self.page.wait_for_timeout(_TICK)

    def wait_for(self, *texts: str) -> str:
        """Wait until the terminal shows all of these texts."""
        self.wait_until(lambda: all(text in self.text for text in texts), " and ".join(map(repr, texts)))
        return self.text

    def press(self, key: str, *, decide: bool = False) -> None:
        """Press a key, as somebody does who has read the screen."""
        self.page.wait_for_timeout(_DECIDE if decide else _READ)
        self.page.keyboard.press(key)

    def click(self, pattern: str) -> None:
        """Click on the last text in the terminal that matches."""
        self.wait_until(lambda: re.search(pattern, self.text) is not None, repr(pattern))
        row = max(at for at, line in enumerate(self.screen.display) if re.search(pattern, line))
        found = re.search(pattern, self.screen.display[row])
        box = self.page.locator(".xterm-screen").bounding_box()
        assert found is not None
        assert box is not None
        self.page.wait_for_timeout(_READ)
        self.page.mouse.click(
            box["x"] + box["width"] * (found.end() - 0.5) / self.screen.columns,
            box["y"] + box["height"] * (row + 0.5) / self.screen.lines,
        )

    def notice(self) -> str:
        """The sentence that the page shows over the terminal; empty if there is none."""
        return self.page.locator("#notice:not([hidden]) p").inner_text() if self.has_notice else ""

    @property
    def has_notice(self) -> bool:
        """Whether the page shows a sentence over the terminal."""
        return self.page.locator("#notice:not([hidden])").count() > 0

    def picture(self, path: Path) -> None:
        """Take a picture of the page."""
        self.page.screenshot(path=str(path))
