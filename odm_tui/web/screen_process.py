"""One screen in a process of its own: start it, exchange packets with it, and end it within a deadline."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any

from odm_tui.text import clean_text
from odm_tui.web.packets import (
    DATA,
    META,
    encode_meta,
    encode_packet,
    parse_meta,
    read_packets,
    wait_until_ready,
)

OPTIONS_VARIABLE = "ODM_TUI_WEB_OPTIONS"
"""The environment variable that hands a screen process its options. A process list does not show it to others."""
_ENTRY = "odm_tui.cli.web_screen"
_LAST_WORDS = 2000
"""How much of what a screen process writes to stderr is kept: the sentence with which it ends."""
_QUITTING, _TERMINATING = 2.0, 1.0
"""Seconds to wait after asking a screen to leave, and after SIGTERM, before the next, harder step."""


class ScreenProcess:
    """A running screen. What it draws goes to ``on_data``, what it says about itself to ``on_meta``."""

    def __init__(
        self,
        on_data: Callable[[bytes], Awaitable[None]],
        on_meta: Callable[[dict[str, Any]], Awaitable[None]],
        on_end: Callable[[str], Awaitable[None]],
    ) -> None:
        self._on_data, self._on_meta, self._on_end = on_data, on_meta, on_end
        self._process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None

    @property
    def pid(self) -> int | None:
        """The process id; None before the start."""
        return None if self._process is None else self._process.pid

    @property
    def has_ended(self) -> bool:
        """Whether the process was started and is gone."""
        return self._process is not None and self._process.returncode is not None

    @property
    def was_killed(self) -> bool:
        """Whether a signal has ended the process, and not its operator."""
        return self._process is not None and (self._process.returncode or 0) < 0

    async def start(self, options: Mapping[str, object], width: int, height: int) -> None:
        """Start the screen in a session of its own, without a shell."""
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            _ENTRY,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=_build_environment(options, width, height),
            start_new_session=True,
        )
        self._reading = asyncio.create_task(self._read(self._process))

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        assert process.stderr is not None
        last_words = asyncio.create_task(_read_end(process.stderr))
        try:
            if await wait_until_ready(process.stdout):
                async for kind, payload in read_packets(process.stdout):
                    if kind == DATA:
                        await self._on_data(payload)
                    elif kind == META:
                        await self._on_meta(parse_meta(payload))
            await process.wait()
            await self._on_end(await last_words)
        finally:
            last_words.cancel()

    async def type(self, text: str) -> None:
        """Send what was typed."""
        await self._send(encode_packet(DATA, text.encode("utf-8", "replace")))

    async def tell(self, message: Mapping[str, object]) -> None:
        """Send a message about the terminal."""
        await self._send(encode_meta(message))

    async def _send(self, packet: bytes) -> None:
        if self._process is None or self._process.stdin is None:
            return
        with suppress(OSError, RuntimeError):  # it has ended; the reader notices
            self._process.stdin.write(packet)
            await self._process.stdin.drain()

    async def stop(self) -> None:
        """Ask the screen to leave, then end it. All answers are on disk; this takes at most a few seconds."""
        process = self._process
        if process is None:
            return
        if process.returncode is None:
            asking = asyncio.create_task(
                self.tell({"type": "quit"})
            )  # its pipe may be full: do not wait for it
            if not await _has_ended_within(process, _QUITTING):
                self._signal(signal.SIGTERM)
                if not await _has_ended_within(process, _TERMINATING):
                    self._signal(signal.SIGKILL)
                    await process.wait()
            asking.cancel()
        if self._reading is not None and self._reading is not asyncio.current_task():
            # A worker may hold the pipes open, and a page may not take what is drawn.
            if not (await asyncio.wait({self._reading}, timeout=_TERMINATING))[0]:
                self._signal(signal.SIGKILL)
            self._reading.cancel()
            with suppress(asyncio.CancelledError):
                await self._reading

    def _signal(self, number: signal.Signals) -> None:
        """Signal the screen and its worker process."""
        assert self._process is not None
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, number)


async def _has_ended_within(process: asyncio.subprocess.Process, seconds: float) -> bool:
    try:
        await asyncio.wait_for(process.wait(), seconds)
    except TimeoutError:
        return False
    return True


async def _read_end(stream: asyncio.StreamReader) -> str:
    """Read to the end; the last sentence of it, cleaned."""
    kept = b""
    while chunk := await stream.read(4096):
        kept = (kept + chunk)[-_LAST_WORDS:]
    lines = [line for line in kept.decode("utf-8", "replace").splitlines() if line.strip()]
    return clean_text(lines[-1]) if lines else ""


def _build_environment(options: Mapping[str, object], width: int, height: int) -> dict[str, str]:
    return {
        **os.environ,
        OPTIONS_VARIABLE: json.dumps(dict(options)),
        "TEXTUAL_DRIVER": "textual.drivers.web_driver:WebDriver",
        "TEXTUAL_COLOR_SYSTEM": "truecolor",
        "TEXTUAL_FPS": "60",
        "TERM": "xterm-256color",
        "COLUMNS": str(width),
        "ROWS": str(height),
    }
