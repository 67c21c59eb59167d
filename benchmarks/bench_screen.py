"""Time to the first screen and to the next question, measured in a real pseudo-terminal.

With ``ODM_TUI_EARLIER=COMMIT``, the time to the next question is compared with that of an earlier version, in turns.
"""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from benchmarks.table import Row

STARTS = 5
ANSWERS = 12
ROUNDS = 4
"""How often an earlier version and this one take turns."""
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
_BARE_ANSWERS = """
from textual.app import App
from textual.widgets import Static

class Bare(App):
    number = 1

    def compose(self):
        yield Static("question 1 of the bare app")

    def on_key(self):
        self.number += 1
        self.query_one(Static).update(f"question {self.number} of the bare app")

Bare().run()
"""


class Terminal:
    """A program in a pseudo-terminal of 80 × 24: wait for text, send keys."""

    def __init__(self, arguments: Sequence[str], package: Path | None = None) -> None:
        self.began = time.perf_counter()
        self.pid, self.handle = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="xterm-256color", COLUMNS="80", LINES="24", PYTHONPYCACHEPREFIX=_COMPILED)
            os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
            if package is not None:
                os.environ["PYTHONPATH"] = str(package)
                os.chdir(package)
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


def _open_app(folder: str, package: Path | None = None, options: Sequence[str] = ()) -> Terminal:
    arguments = ["-m", "odm_tui", "--bank", "troubleshooting", "--seed", "3", "--state-dir", folder]
    return Terminal([*arguments, *options], package)


def _measure_starts() -> tuple[float, float]:
    """Return the median times to the first question and to the first paint of a bare app."""
    ours, bare = [], []
    for _ in range(STARTS + 1):
        with tempfile.TemporaryDirectory() as folder, _open_app(folder) as terminal:
            ours.append(terminal.wait_for("question 1"))
        with Terminal(["-c", _BARE]) as terminal:
            bare.append(terminal.wait_for("the bare app is ready"))
    return statistics.median(ours[1:]), statistics.median(bare[1:])  # the first run fills the caches


def measure_answers(
    pause: float,
    package: Path | None = None,
    options: Sequence[str] = (),
    at_first: Callable[[], object] = lambda: None,
) -> list[float]:
    """Return the times from a key to the next question, with 74 questions and 15 outcomes.

    ``options`` are given to the command; ``at_first`` is called when its first question is shown.
    """
    # A sync process that outlives the killed app may still write there.
    gone = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
    with gone as folder, _open_app(folder, package, options) as terminal:
        terminal.wait_for("question 1")
        at_first()
        terminal.press(ANYTHING, "question 2", pause)
        return [terminal.press("?", f"question {number}", pause) for number in range(3, ANSWERS + 3)]


def _measure_bare_answers(pause: float) -> list[float]:
    """Return the times from a key to the next text of an app that does nothing else."""
    with Terminal(["-c", _BARE_ANSWERS]) as terminal:
        terminal.wait_for("question 1")
        return [terminal.press("?", str(number), pause) for number in range(2, ANSWERS + 2)]


def _compare_with_earlier(commit: str) -> tuple[float, float]:
    """Return the median times of this version and of an earlier one, which take turns, so that load hits both."""
    with tempfile.TemporaryDirectory() as folder:
        package = Path(folder, "earlier")
        subprocess.run(["git", "worktree", "add", "--detach", "-q", package, commit], check=True)
        try:
            ours: list[float] = []
            earlier: list[float] = []
            for _ in range(ROUNDS):
                earlier += measure_answers(HUMAN, package)
                ours += measure_answers(HUMAN, Path.cwd())
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", package], check=True)
    return statistics.median(ours), statistics.median(earlier)


def rows() -> Iterator[Row]:
    """Measure wall-clock times; other load makes them worse."""
    ours, bare = _measure_starts()
    yield Row("start to first question, to a bare Textual app with numpy", ours / bare, "×", "at most 1.5")
    yield Row("start to first question", ours, "s")
    yield Row("start of the bare app", bare, "s")
    times, bare_times = measure_answers(HUMAN), _measure_bare_answers(HUMAN)
    name = "key to next question on screen, 74 × 15"
    yield Row(f"{name}, median", statistics.median(times) * 1000, "ms", "a frame is 16.7")
    yield Row(f"{name}, slowest", max(times) * 1000, "ms")
    ratio = statistics.median(times) / statistics.median(bare_times)
    yield Row("the same, to a key in a Textual app that only changes one text", ratio, "×")
    if commit := os.environ.get("ODM_TUI_EARLIER"):
        now, before = _compare_with_earlier(commit)
        yield Row(
            f"key to next question, to version {commit}, {ROUNDS} turns each",
            now / before,
            "×",
            "at most 1.1",
        )
