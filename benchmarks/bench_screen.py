"""Time to the first screen and to the next question, measured in a real pseudo-terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import statistics
import struct
import sys
import tempfile
import termios
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from benchmarks.table import Row

STARTS = 5
ANSWERS = 12
ANYTHING = "8"
"""The answer to the bank's first question that excludes no other question."""
HUMAN = 0.33
"""Seconds that a fast person needs to read a question and press a key."""
_TIMEOUT = 30.0
_COMPILED = str(Path(tempfile.gettempdir()) / f"odm-tui-bench-{os.getuid()}")
"""The folder of compiled modules, which an installed program has."""
_BARE = """
import numpy
from textual.app import App
from textual.widgets import Static

class Bare(App):
    def compose(self):
        yield Static("the bare app is ready")

Bare().run()
"""


class Terminal:
    """A program in a pseudo-terminal of 80 × 24: wait for text, send keys."""

    def __init__(self, arguments: Sequence[str]) -> None:
        self.began = time.perf_counter()
        self.pid, self.handle = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="xterm-256color", COLUMNS="80", LINES="24", PYTHONPYCACHEPREFIX=_COMPILED)
            os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
            os.execv(sys.executable, [sys.executable, *arguments])
        fcntl.ioctl(self.handle, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))

    def __enter__(self) -> Self:
        return self

    def wait_for(self, text: str) -> float:
        """Read until the text is drawn; return the time since the program began."""
        seen, wanted = b"", text.encode()
        deadline = time.perf_counter() + _TIMEOUT
        while wanted not in seen:
            if time.perf_counter() > deadline:
                raise TimeoutError(f"{text!r} was not drawn within {_TIMEOUT:.0f} seconds")
            if select.select([self.handle], [], [], 0.5)[0]:
                seen += os.read(self.handle, 65536)
        return time.perf_counter() - self.began

    def press(self, key: str, text: str, pause: float) -> float:
        """Send a key after a pause in drawing; return the time until the text is drawn."""
        while select.select([self.handle], [], [], pause)[0]:
            os.read(self.handle, 65536)
        pressed = time.perf_counter()
        os.write(self.handle, key.encode())
        return self.wait_for(text) + self.began - pressed

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.handle)


def _open_app(folder: str) -> Terminal:
    return Terminal(["-m", "odm_tui", "--bank", "troubleshooting", "--seed", "3", "--state-dir", folder])


def _measure_starts() -> tuple[float, float]:
    """Return the median times to the first question and to the first paint of a bare app."""
    ours, bare = [], []
    for _ in range(STARTS + 1):
        with tempfile.TemporaryDirectory() as folder, _open_app(folder) as terminal:
            ours.append(terminal.wait_for("question 1"))
        with Terminal(["-c", _BARE]) as terminal:
            bare.append(terminal.wait_for("the bare app is ready"))
    return statistics.median(ours[1:]), statistics.median(bare[1:])  # the first run fills the caches


def _measure_answers(pause: float) -> list[float]:
    """Return the times from a key to the next question, with 74 questions and 15 outcomes."""
    with tempfile.TemporaryDirectory() as folder, _open_app(folder) as terminal:
        terminal.wait_for("question 1")
        terminal.press(ANYTHING, "question 2", pause)
        return [terminal.press("?", f"question {number}", pause) for number in range(3, ANSWERS + 3)]


def rows() -> Iterator[Row]:
    """Measure wall-clock times; other load makes them worse."""
    ours, bare = _measure_starts()
    yield Row("start to first question, to a bare Textual app with numpy", ours / bare, "×", "at most 1.5")
    yield Row("start to first question", ours, "s")
    yield Row("start of the bare app", bare, "s")
    times = _measure_answers(HUMAN)
    name = "key to next question on screen, 74 × 15"
    yield Row(f"{name}, median", statistics.median(times) * 1000, "ms", "a frame is 16.7")
    yield Row(f"{name}, slowest", max(times) * 1000, "ms")
