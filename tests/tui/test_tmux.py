"""A whole interview of the troubleshooting bank in a real tmux, driven by keys."""

from __future__ import annotations

import os
import select
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from odm_tui.banks import load_bank
from odm_tui.session import Archive
from tests.support.terminal.terminal import PATIENCE, QUIET

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")


DECIDES = ("Enter", "C", "l")
"""Keys that end something: the program takes them only from somebody who has read what is there."""


class Tmux:
    """One window of a tmux server of its own."""

    def __init__(self, folder: Path, command: list[str]) -> None:
        self._socket = str(folder / "tmux.socket")
        settings = f"ODM_TUI_CONFIG={folder / 'config.toml'}"
        self._call("new-session", "-d", "-e", settings, "-x", "80", "-y", "24", "-s", "desk", *command)
        written = folder / "written"
        os.mkfifo(written)
        self._written = os.open(written, os.O_RDWR | os.O_NONBLOCK)
        self._call("pipe-pane", "-t", "desk", f"exec cat > {shlex.quote(str(written))}")

    def _call(self, *arguments: str) -> str:
        done = subprocess.run(
            ["tmux", "-S", self._socket, "-f", "/dev/null", *arguments],
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    @property
    def text(self) -> str:
        return self._call("capture-pane", "-p", "-t", "desk")

    def _is_quiet(self, seconds: float) -> bool:
        """Wait until the program writes, for so long at most; tell whether it wrote nothing."""
        if not select.select([self._written], [], [], seconds)[0]:
            return True
        os.read(self._written, 1 << 16)
        return False

    def press(self, *keys: str, then: str) -> None:
        """Press as a person would, who has read the screen: what comes sooner is not taken."""
        shown, since, pause = self.text, time.monotonic(), 0.85 if keys[0] in DECIDES else 0.15
        while (left := since + pause - time.monotonic()) > 0:
            if not self._is_quiet(left) and (text := self.text) != shown:
                shown, since = text, time.monotonic()
        self._call("send-keys", "-t", "desk", *keys)
        self.wait_for(then)

    def wait_for(self, text: str) -> None:
        """Wait until a text is on a screen to which nothing is added any more."""
        deadline = time.monotonic() + PATIENCE
        while not (self._is_quiet(QUIET) and text in self.text):
            if time.monotonic() > deadline:
                raise AssertionError(f"{text!r} did not come; there is\n{self.text}")

    def close(self) -> None:
        subprocess.run(["tmux", "-S", self._socket, "kill-server"], capture_output=True)
        os.close(self._written)


@pytest.fixture
def tmux(tmp_path: Path) -> Iterator[Tmux]:
    options = ["--bank", "troubleshooting", "--state-dir", str(tmp_path / "state"), "--seed", "3"]
    window = Tmux(tmp_path, [sys.executable, "-m", "odm_tui", *options])
    yield window
    window.close()


def test_an_interview_from_start_to_confirmed_outcome_in_tmux(tmp_path: Path, tmux: Tmux) -> None:
    tmux.wait_for("question 1")
    asked = 1
    replies = "3nnnnnnn"
    for reply in replies:
        tmux.press(reply, then=f"question {asked + 1}")
        asked += 1
    tmux.press("BSpace", then=f"question {asked - 1}")
    tmux.press("w", then=" → ")
    tmux.press("w", then="Why this question")
    tmux.press("Escape", then="Likely")
    tmux.press("d", then="sure")
    tmux.press("C", then="compared with asking everything")
    tmux.press("Enter", then="question 1")
    (first, second) = Archive.of(load_bank("troubleshooting"), tmp_path / "state").history()
    assert (first.status, second.status) == ("confirmed", "unfinished")
    assert first.questions == len(replies) - 1


def test_a_day_of_calls_with_a_case_a_red_flag_an_undone_pick_and_a_copied_summary(
    tmp_path: Path, tmux: Tmux
) -> None:
    tmux.wait_for("question 1")
    tmux.press("c", then="Case and note")
    tmux.press(*"T-4711", then="T-4711")
    tmux.press("Enter", then="Mobile phone support · T-4711")
    tmux.press("2", then="question 2")
    tmux.press("o", then="Ask another question")
    tmux.press("Down", "Enter", then="your own pick")
    tmux.press("u", then="Taken back: the pick")
    tmux.press("d", then="sure")
    tmux.press("l", then="Inbox")
    tmux.press("Enter", then="question 1")
    tmux.press("2", then="question 2")
    tmux.press("/", then="What was said?")
    tmux.press(*"bulge", then="bulge")
    tmux.press("Enter", then="Swollen battery")
    assert "switch it off now" in " ".join(tmux.text.split())
    tmux.press("y", then="Copied")
    tmux.press("l", then="Inbox")
    tmux.press(*"4711", then="› ? T-4711")
    tmux.press("Enter", then="Confirm later")
    tmux.press("C", then="compared with asking everything")
    state = tmp_path / "state"
    assert "Red flag: Swollen battery" in (state / "call-summary.txt").read_text()
    records = {
        record.case: record.status for record in Archive.of(load_bank("troubleshooting"), state).history()
    }
    assert records == {"T-4711": "confirmed", "": "pending"}
