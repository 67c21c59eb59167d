"""A real pseudo-terminal with the program in it: what arrives there is read back byte by byte."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import pyte

BANK = str(Path(__file__).parent / "desk.toml")
PATIENCE = 40.0
"""Seconds after which something that should be drawn counts as missing; nothing ever takes this long."""

_READ, _DECIDE = 0.15, 0.8
"""Seconds to read what is shown, and to decide: the program takes no key that comes sooner."""


class Terminal:
    """A program in a terminal of some size; use as a context manager."""

    def __init__(
        self,
        arguments: Sequence[str],
        home: Path,
        size: tuple[int, int] = (80, 24),
        environment: dict[str, str] | None = None,
    ) -> None:
        width, height = size
        self.screen = pyte.Screen(width, height)
        self.stream = pyte.ByteStream(self.screen)
        self.bytes = b""
        self.ended: int | None = None
        kept = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        variables = {
            **kept,
            "TERM": "xterm-256color",
            "COLUMNS": str(width),
            "LINES": str(height),
            "ODM_TUI_CONFIG": str(home / "config.toml"),
            **(environment or {}),
        }
        self.pid, self.handle = pty.fork()
        if self.pid == 0:
            os.execve(sys.executable, [sys.executable, *arguments], variables)
        fcntl.ioctl(self.handle, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))

    def __enter__(self) -> Self:
        return self

    @property
    def text(self) -> str:
        """What can be read on the screen now."""
        return "\n".join(line.rstrip() for line in self.screen.display)

    def read(self, seconds: float = 0.2) -> bool:
        """Take in what the program writes; False at its end."""
        if not select.select([self.handle], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self.handle, 65536)
        except OSError:  # Linux's way to say that the other end is closed
            return False
        self.bytes += data
        self.stream.feed(data)
        return bool(data)

    def wait_for(self, text: str, gone: bool = False) -> None:
        """Read until the text can be read on the screen (or, with ``gone``, no longer)."""
        deadline = time.monotonic() + PATIENCE
        while (text in self.text) is gone:
            if not self.read() or time.monotonic() > deadline:
                raise AssertionError(
                    f"{text!r} {'stayed' if gone else 'did not come'}; there is\n{self.text}"
                )

    def send(self, data: bytes) -> None:
        """Send bytes as they are."""
        os.write(self.handle, data)

    def press(self, keys: str, then: str = "", gone: str = "") -> None:
        """Send keys as a person would, who has read the screen; wait for a text, or for one to go."""
        seen = time.monotonic()
        while time.monotonic() - seen < (_DECIDE if keys == "\r" else _READ):
            self.read(0.05)
        self.send(keys.encode())
        if then:
            self.wait_for(then)
        if gone:
            self.wait_for(gone, gone=True)

    def signal(self, number: signal.Signals) -> None:
        """Send the program a signal."""
        os.kill(self.pid, number)

    def wait(self) -> int:
        """Read to the end; the exit code."""
        deadline = time.monotonic() + PATIENCE
        while self.read():
            if time.monotonic() > deadline:
                raise AssertionError(f"the program did not end; there is\n{self.text}")
        self.ended = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.ended

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.ended is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.handle)


def odm_tui(*options: str) -> list[str]:
    """The command line of the program."""
    return ["-m", "odm_tui", *options]


_PATCHED = """
import sys
{patch}
from odm_tui.cli.main import main
sys.argv = ["odm-tui", *{arguments!r}]
main()
"""


def patched(folder: Path, patch: str) -> Terminal:
    """The program at the bank of the worker, with something about it changed."""
    arguments = ["--bank", BANK, "--state-dir", str(folder), "--operator", "tester", "--seed", "1"]
    return Terminal(["-c", _PATCHED.format(patch=patch, arguments=arguments)], folder)
