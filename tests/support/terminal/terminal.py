"""Run the program in a real pseudo-terminal, and read its screen back.

Nothing reads a screen that is only half drawn: :meth:`Terminal.wait_until` waits until what is expected is there, the
frame that shows it is complete and nothing more arrives.
"""

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
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import pyte

BANK = str(Path(__file__).parent / "desk.toml")
PATIENCE = 60.0
"""Seconds after which something that should be drawn counts as missing; nothing ever takes this long."""
QUIET = 0.05
"""Seconds without a byte after which the screen counts as drawn."""

_READ, _DECIDE = 0.15, 0.8
"""Seconds to read what is shown, and to decide: the program takes no key that comes sooner."""
_ASKS_FOR_FRAMES, _HAS_FRAMES = b"\x1b[?2026$p", b"\x1b[?2026;2$y"
"""Can the terminal show an update as a whole? Yes: so the program marks where each one begins and ends."""
_ENTERS, _LEAVES = b"\x1b[?1049h", b"\x1b[?1049l"
"""The program takes the whole screen, and gives it back."""
_FRAME_BEGINS, _FRAME_ENDS = b"\x1b[?2026h", b"\x1b[?2026l"


def reset_signals() -> None:
    """Set every signal to its default and unblock it, as a login shell does: ``nohup`` and ``&`` leave some ignored."""
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


class Terminal:
    """A program in a terminal of some size; use as a context manager."""

    chunk = 65536
    """Bytes that are read at once at most."""

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
        self._answered = 0
        self._arrived = time.monotonic()
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
            reset_signals()
            os.execve(sys.executable, [sys.executable, *arguments], variables)
        fcntl.ioctl(self.handle, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))

    def __enter__(self) -> Self:
        return self

    @property
    def text(self) -> str:
        """What can be read on the screen now, which may be half drawn: to assert something, wait for it."""
        return "\n".join(line.rstrip() for line in self.screen.display)

    @property
    def last_words(self) -> str:
        """What was written after the program left its own screen, on one line."""
        return " ".join(self.bytes.rpartition(_LEAVES)[2].decode().split())

    def read(self, seconds: float = 0.2) -> bool:
        """Take in what the program writes; False at its end."""
        if not select.select([self.handle], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self.handle, self.chunk)
        except OSError:  # Linux's way to say that the other end is closed
            return False
        self._arrived = time.monotonic()
        self.bytes += data
        self.stream.feed(data)
        while (asked := self.bytes.find(_ASKS_FOR_FRAMES, self._answered)) >= 0:
            self._answered = asked + len(_ASKS_FOR_FRAMES)
            self.send(_HAS_FRAMES)
        return bool(data)

    @property
    def _is_quiet(self) -> bool:
        """Whether the last frame is complete, and nothing has arrived for a while.

        Bytes that wait to be read are no silence, however long this process did not get round to read them.
        """
        if select.select([self.handle], [], [], 0)[0]:
            return False
        if self.bytes.rfind(_FRAME_BEGINS) > self.bytes.rfind(_FRAME_ENDS):
            return False
        return time.monotonic() - self._arrived >= QUIET

    def wait_until(self, holds: Callable[[str], bool], what: str) -> str:
        """Read until something holds for the whole screen, and return that screen."""
        deadline = time.monotonic() + PATIENCE
        while not (self._is_quiet and holds(self.text)):
            if not self.read(QUIET):  # the program has ended: this is its last screen
                if holds(self.text):
                    break
                raise AssertionError(f"{what} did not come before the program ended; there is\n{self.text}")
            if time.monotonic() > deadline:
                raise AssertionError(f"{what} did not come; there is\n{self.text}")
        return self.text

    def settle(self, seconds: float = QUIET) -> None:
        """Read until the same text has been on the screen for so long; a cursor may blink."""
        shown, since = None, time.monotonic()
        while shown is None or time.monotonic() - since < seconds:
            text = self.wait_until(lambda text: True, "A whole screen")
            if text != shown:
                shown, since = text, time.monotonic()
            if not self.read(max(0.0, since + seconds - time.monotonic())):
                return

    def wait_for(self, *texts: str, gone: bool = False) -> str:
        """Read until all texts can be read on the screen (or, with ``gone``, none of them any longer)."""
        what = f"{' and '.join(map(repr, texts))}{' leaving' if gone else ''}"
        return self.wait_until(lambda shown: all((text in shown) is not gone for text in texts), what)

    def send(self, data: bytes) -> None:
        """Send bytes as they are."""
        os.write(self.handle, data)

    def press(self, keys: str, then: str = "", gone: str = "") -> str:
        """Send keys as a person would, who has read the screen; wait for a text, or for one to go."""
        self.settle(_DECIDE if keys == "\r" else _READ)
        self.send(keys.encode())
        if then:
            self.wait_for(then)
        if gone:
            self.wait_for(gone, gone=True)
        return self.text

    def signal(self, number: signal.Signals) -> None:
        """Send the program a signal."""
        os.kill(self.pid, number)

    def resume(self) -> None:
        """Continue the stopped job, and wait until the program has taken the screen back."""
        entered = self.bytes.count(_ENTERS)
        os.killpg(self.pid, signal.SIGCONT)
        self.wait_until(lambda _: self.bytes.count(_ENTERS) > entered, "The program's own screen")

    def wait(self) -> int:
        """Read to the end; the exit code."""
        deadline = time.monotonic() + PATIENCE
        while self.read():
            if time.monotonic() > deadline:
                raise AssertionError(f"the program did not end; there is\n{self.text}")
        self.ended = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.ended

    def close(self) -> None:
        """Take the terminal away from the program, as a window that is closed."""
        os.close(self.handle)
        self.handle = -1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.ended is None:
            os.kill(self.pid, signal.SIGKILL)
            if kind is not None:  # a failed test leaves nothing behind, not even a process that is stopped
                os.killpg(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        if self.handle >= 0:
            self.close()


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
