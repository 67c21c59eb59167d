"""The terminal that the tests read screens from: it waits for a whole screen, and starts programs with usual signals."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.support.terminal import terminal as terminals
from tests.support.terminal.terminal import Terminal

_IN_TWO_PARTS = """
import sys
sys.stdout.write({begins!r} + "question 2")
sys.stdout.flush()
sys.stdin.readline()
sys.stdout.write("the rest" + {ends!r})
sys.stdout.flush()
sys.stdin.readline()
"""


@pytest.mark.parametrize("chunk", [Terminal.chunk, 64, 1])
def test_a_frame_that_is_not_complete_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr(Terminal, "chunk", chunk)
    program = _IN_TWO_PARTS.format(begins="\x1b[?2026h", ends="\x1b[?2026l")
    with Terminal(["-c", program], tmp_path) as terminal:
        while "question 2" not in terminal.text:
            assert terminal.read(terminals.PATIENCE)
        with monkeypatch.context() as patience:
            patience.setattr(terminals, "PATIENCE", 0.2)
            with pytest.raises(AssertionError, match="'question 2' did not come; there is"):
                terminal.wait_for("question 2")
        terminal.send(b"\n")
        assert "the rest" in terminal.wait_for("question 2")


def test_a_text_that_never_comes_is_missed_with_the_screen_that_is_there(tmp_path: Path) -> None:
    with (
        Terminal(["-c", "print('something else')"], tmp_path) as terminal,
        pytest.raises(AssertionError, match=r"'question 2' did not come before the program ended(.|\n)*else"),
    ):
        terminal.wait_for("question 2")


_TELLS_ITS_SIGNALS = """
import signal
usual = signal.getsignal({number}) in (signal.SIG_DFL, signal.default_int_handler)
print(f"usual: {{usual}}, blocked: {{signal.pthread_sigmask(signal.SIG_BLOCK, ())}}")
"""


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGTSTP])
def test_a_program_starts_with_usual_signals_whatever_the_tests_were_started_with(
    tmp_path: Path, number: signal.Signals
) -> None:
    before = signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, {number})
    try:
        terminal = Terminal(["-c", _TELLS_ITS_SIGNALS.format(number=int(number))], tmp_path)
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
        signal.signal(number, before)
    with terminal:
        terminal.wait_for("usual: True, blocked: set()")
