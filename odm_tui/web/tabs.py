"""The screens that are open in browser tabs: attach and detach sockets, limit their number, end the idle ones."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from enum import IntEnum
from typing import Any, NamedTuple, Protocol

from odm_tui.text import clean_text
from odm_tui.web.screen_process import ScreenProcess
from odm_tui.web.settings import ServeSettings

_MOST_TYPED = 1 << 16
"""The longest text in characters that one message may type; a browser sends a paste as one message."""
_NO_KEY = re.compile(r"\x1b\[[\d;:]*\d{7}")
"""A key sequence with a number that no key has; Textual's parser fails on it."""
_LARGEST = 1000
"""The largest width and height of a terminal in cells."""
_TAKE_SCREEN = b"\x1b[?1049h\x1b[?1000h\x1b[?1003h\x1b[?1015h\x1b[?1006h\x1b[?25l\x1b[?2004h\x1b[2J"
"""What a screen sends once, at its start: another buffer, mouse reports, no cursor. A reloaded page needs it again."""

_KILLED = (
    "The screen was ended from outside. Everything is saved: the interview is among the unfinished ones."
)


class CloseCode(IntEnum):
    """Why the server closed a socket. The page shows a sentence for each."""

    LEFT = 4000
    TAKEN_OVER = 4001
    IDLE = 4002
    FULL = 4003
    GONE = 4004
    STOPPED = 4005


class Socket(Protocol):
    """What a tab needs of a web socket."""

    async def send_bytes(self, data: bytes) -> None:
        """Send what the screen draws."""

    async def send_str(self, data: str) -> None:
        """Send a message for the page."""

    async def close(self, *, code: int = 1000, message: bytes = b"") -> Any:
        """Close the socket."""


class Tab:
    """One screen and the socket of the browser tab that shows it; without a socket, it waits for the tab to return."""

    def __init__(self, link: Mapping[str, str] | None = None) -> None:
        self.link = dict(link or {})
        """The bank and the case that the screen was opened for."""
        self.socket: Socket | None = None
        self.last_input = time.monotonic()
        self.process = ScreenProcess(self._draw, self._relay, self._ended)
        self.ending: asyncio.TimerHandle | None = None
        self.is_stopping = False
        self.has_stopped = asyncio.Event()
        self._page: dict[str, str] = {}
        """The latest message of each kind for the page, sent again when a page attaches."""

    async def attach(self, socket: Socket, width: int, height: int) -> None:
        """Show the screen on this socket from now on, completely redrawn."""
        self.keep()
        former, self.socket = self.socket, socket
        if former is not None:
            await close_socket(former, CloseCode.TAKEN_OVER)
        await self._draw(_TAKE_SCREEN)
        for message in self._page.values():
            await self._send(message)
        await self.resize(width, height)

    def keep(self) -> None:
        """Do not end the screen: a page shows it again."""
        if self.ending is not None:
            self.ending.cancel()
            self.ending = None

    async def receive(self, message: object) -> None:
        """Handle a message from the page; ignore one that does not make sense."""
        match message:
            case ["stdin", str(text)] if 0 < len(text) <= _MOST_TYPED and not _NO_KEY.search(text):
                # "" would end the input of the screen, and so would a key with a number that no character has
                self.last_input = time.monotonic()
                await self.process.type(text)
            case ["resize", {"width": int(width), "height": int(height)}]:
                await self.resize(width, height)
            case ["ping", str(text)] if len(text) < 40:
                await self._send(json.dumps(["pong", text]))
            case ["focus" | "blur" as change]:
                await self.process.tell({"type": change})

    async def resize(self, width: int, height: int) -> None:
        """Tell the screen how large the terminal in the page is."""
        await self.process.tell({"type": "resize", "width": clip_size(width), "height": clip_size(height)})

    async def stop(self, code: CloseCode) -> None:
        """End the screen and close the socket; all answers are on disk."""
        self.is_stopping = True
        if self.ending is not None:
            self.ending.cancel()
        socket, self.socket = self.socket, None
        if socket is not None:
            await close_socket(socket, code)
        try:
            await self.process.stop()
        finally:
            self.has_stopped.set()

    async def _draw(self, data: bytes) -> None:
        """Send what the screen draws; drop it while no page is there, because a page that comes gets everything."""
        if self.socket is not None:
            with suppress(ConnectionError, RuntimeError):
                await self.socket.send_bytes(data)

    async def _send(self, message: str) -> None:
        if self.socket is not None:
            with suppress(ConnectionError, RuntimeError):
                await self.socket.send_str(message)

    async def _relay(self, message: dict[str, Any]) -> None:
        """Pass the title and the keys of the screen on to the page, and nothing else: no links and no downloads."""
        match message:
            case {"type": "title", "title": str(title)}:
                self._page["title"] = json.dumps(["title", clean_text(title)])
                await self._send(self._page["title"])
            case {"type": "keys", "keys": list(keys)}:
                self._page["keys"] = json.dumps(["keys", keys])
                await self._send(self._page["keys"])

    async def _ended(self, last_words: str) -> None:
        """The screen has ended by itself: the operator has left, or it could not start."""
        socket, self.socket = self.socket, None
        if socket is not None:
            await say_goodbye(socket, _KILLED if self.process.was_killed else last_words)


class TabKey(NamedTuple):
    """What a screen belongs to: a browser, the operator who uses it, and a tab of it."""

    login: str
    operator: str
    name: str


class TabRegistry:
    """All open screens."""

    def __init__(self, settings: ServeSettings) -> None:
        self._settings = settings
        self._tabs: dict[TabKey, Tab] = {}
        self.opening = asyncio.Lock()
        """Held from looking for a screen until it is there: two sockets of one tab must not open two screens."""
        self._stopping: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        return len(self._tabs)

    def find(self, key: TabKey) -> Tab | None:
        """The screen of this tab; None if it has ended."""
        tab = self._tabs.get(key)
        return None if tab is None or tab.process.has_ended or tab.is_stopping else tab

    @property
    def is_full(self) -> bool:
        """Whether no further screen may be opened."""
        return sum(not tab.process.has_ended for tab in self._tabs.values()) >= self._settings.max_sessions

    def take_back(self, key: TabKey, link: Mapping[str, str]) -> Tab | None:
        """Give this tab the screen that shows the linked case and that no page shows now; None if there is none.

        Going back and forth between two links comes by here: the page of a link is new each time.
        """
        for former in self._list_of_case(key, link):
            tab = self.find(former)
            if tab is not None and tab.socket is None:
                tab.keep()
                self._tabs[key] = self._tabs.pop(former)
                return tab
        return None

    async def wait_for_left_case(self, key: TabKey, link: Mapping[str, str]) -> None:
        """Wait until the screens of the linked case that are being ended have left their interview."""
        shown = [self._tabs[former] for former in self._list_of_case(key, link)]
        await asyncio.gather(*(tab.has_stopped.wait() for tab in shown if tab.is_stopping))

    def _list_of_case(self, key: TabKey, link: Mapping[str, str]) -> list[TabKey]:
        """The screens of this browser and operator that were opened for the linked case."""
        if "case" not in link:
            return []
        return [other for other, tab in self._tabs.items() if other[:2] == key[:2] and tab.link == dict(link)]

    async def open(
        self,
        key: TabKey,
        options: Mapping[str, object],
        width: int,
        height: int,
        link: Mapping[str, str] | None = None,
    ) -> Tab:
        """Start a screen for this tab."""
        tab = self._tabs[key] = Tab(link)
        try:
            await tab.process.start(options, clip_size(width), clip_size(height))
        except BaseException:
            self._forget(key, tab)  # it takes no place
            raise
        return tab

    def detach(self, key: TabKey, tab: Tab, socket: Socket, *, closed_by_page: bool) -> None:
        """The socket was closed. Keep the screen for a while, so that a reload or a network loss ends nothing."""
        if tab.process.has_ended:
            self._forget(key, tab)
            return
        if tab.socket is not socket:  # another socket has taken over
            return
        tab.socket = None
        wait = self._settings.closed_seconds if closed_by_page else self._settings.reconnect_seconds
        loop = asyncio.get_running_loop()
        tab.ending = loop.call_later(wait, self._start_stopping, key, tab, CloseCode.GONE)

    def stop_idle(self) -> None:
        """End the screens on which nobody has typed for too long."""
        limit = time.monotonic() - self._settings.idle_seconds
        for key, tab in list(self._tabs.items()):
            if tab.last_input < limit and not tab.is_stopping:
                self._start_stopping(key, tab, CloseCode.IDLE)

    def _start_stopping(self, key: TabKey, tab: Tab, code: CloseCode) -> None:
        task = asyncio.get_running_loop().create_task(self._stop(key, tab, code))
        self._stopping.add(task)
        task.add_done_callback(self._stopping.discard)

    async def _stop(self, key: TabKey, tab: Tab, code: CloseCode) -> None:
        await tab.stop(code)
        self._forget(key, tab)

    def _forget(self, key: TabKey, tab: Tab) -> None:
        if self._tabs.get(key) is tab:
            del self._tabs[key]

    async def stop_all(self) -> None:
        """End every screen at once; takes no longer than ending one."""
        await asyncio.gather(
            *(self._stop(key, tab, CloseCode.STOPPED) for key, tab in list(self._tabs.items())),
            *self._stopping,
        )


async def say_goodbye(socket: Socket, sentence: str) -> None:
    """Close the socket of a screen that has ended; the page shows the sentence, if there is one."""
    if sentence:
        with suppress(ConnectionError, RuntimeError):
            await socket.send_str(json.dumps(["last-words", sentence]))
    await close_socket(socket, CloseCode.LEFT)


async def close_socket(socket: Socket, code: CloseCode) -> None:
    """Close a socket with the reason that the page shows."""
    with suppress(ConnectionError, RuntimeError, TimeoutError):
        await asyncio.wait_for(socket.close(code=code), 1)


def clip_size(cells: int) -> int:
    """A width or height that a terminal can have.

    >>> clip_size(-3), clip_size(80), clip_size(10**9)
    (1, 80, 1000)
    """
    return min(max(cells, 1), _LARGEST)
