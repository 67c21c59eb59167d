"""The program in a real terminal: killed and resumed, stopped and continued, crashed, without colour."""

from __future__ import annotations

import re
import signal
from pathlib import Path

from odm_tui.banks import load_bank
from odm_tui.session import Archive
from tests.screens.driving import BANK
from tests.screens.terminal import Terminal, odm_tui

CTRL_C, CTRL_Q = "\x03", "\x11"


def opened(folder: Path, *more: str, **kwargs: object) -> Terminal:
    options = ("--bank", BANK, "--state-dir", str(folder), "--operator", "tester", "--seed", "1", *more)
    return Terminal(odm_tui(*options), folder, **kwargs)  # type: ignore[arg-type]


def test_an_interview_goes_on_where_it_was_after_the_process_was_killed(tmp_path: Path) -> None:
    with opened(tmp_path) as terminal:
        terminal.wait_for("question 1")
        terminal.press("?", then="question 2")
        asked = terminal.text.splitlines()[2]
        terminal.signal(signal.SIGKILL)
    with opened(tmp_path) as terminal:
        terminal.wait_for("An interview was interrupted")
        terminal.wait_for("1 answer")
        terminal.press("\r", then="question 2")
        assert terminal.text.splitlines()[2] == asked
    (life,) = Archive.of(load_bank(BANK), tmp_path).interrupted()
    assert life.put == 1


def test_ctrl_c_and_ctrl_q_both_leave_and_keep_the_answers(tmp_path: Path) -> None:
    for number, key in enumerate((CTRL_C, CTRL_Q)):
        folder = tmp_path / str(number)
        with opened(folder) as terminal:
            terminal.wait_for("question 1")
            terminal.press("?", then="question 2")
            terminal.press(key)
            assert terminal.wait() == 0
        assert b"The interview is kept: odm-tui --bank" in terminal.bytes
        assert [life.put for life in Archive.of(load_bank(BANK), folder).interrupted()] == [1]


def test_a_suspended_terminal_loses_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as terminal:
        terminal.wait_for("question 1")
        terminal.press("?", then="question 2")
        terminal.signal(signal.SIGSTOP)
        terminal.signal(signal.SIGCONT)
        terminal.press("?", then="question 3")


def test_no_colour_reaches_the_terminal_with_no_color_set(tmp_path: Path) -> None:
    with opened(tmp_path, environment={"NO_COLOR": "1"}) as terminal:
        terminal.wait_for("question 1")
        terminal.press("?", then="question 2")
        terminal.press("w", then="ratio")
        terminal.press("d", then="sure")
    codes = {code for found in re.findall(rb"\x1b\[([\d;]*)m", terminal.bytes) for code in _parts(found)}
    assert codes <= {0, 1, 2, 3, 4, 7, 9, 22, 23, 24, 27, 29, 39, 49}, codes


def _parts(codes: bytes) -> list[int]:
    return [int(code) if code else 0 for code in codes.split(b";")]


_CRASHING = """
import sys
from odm_tui.cli.start import main
from odm_tui.tui.screens.interview import InterviewScreen

def breaks(self):
    secret = "the caller said AB-1234"
    raise RuntimeError(secret)

InterviewScreen.action_skip = breaks
sys.argv = ["odm-tui", *{arguments!r}]
main()
"""


def test_a_crash_prints_one_sentence_with_the_place_of_the_log_and_no_answer(tmp_path: Path) -> None:
    arguments = ["--bank", BANK, "--state-dir", str(tmp_path), "--operator", "tester", "--seed", "1"]
    with Terminal(["-c", _CRASHING.format(arguments=arguments)], tmp_path) as terminal:
        terminal.wait_for("question 1")
        terminal.press("?", then="question 2")
        terminal.press("s")
        assert terminal.wait() != 0
    ended = terminal.bytes.rpartition(b"\x1b[?1049l")[2].decode()
    assert "odm-tui has stopped because of a mistake of its own" in ended
    assert str(tmp_path / "crash.log") in ended
    for leaked in ("AB-1234", "secret", "Traceback", "locals"):
        assert leaked not in ended
    log = (tmp_path / "crash.log").read_text()
    assert "RuntimeError" in log
    assert "in breaks" in log
    assert "AB-1234" not in log
    assert (tmp_path / "crash.log").stat().st_mode & 0o777 == 0o600
    (life,) = Archive.of(load_bank(BANK), tmp_path).interrupted()
    assert life.put == 1


def test_the_plain_mode_is_chosen_by_itself_in_a_dumb_terminal(tmp_path: Path) -> None:
    with opened(tmp_path, environment={"TERM": "dumb"}) as terminal:
        terminal.wait_for("Question 1:")
        terminal.press("?\n", then="Question 2:")
        assert b"\x1b[" not in terminal.bytes


def test_ctrl_c_in_the_plain_mode_ends_with_130_and_keeps_the_answers(tmp_path: Path) -> None:
    with opened(tmp_path, "--plain") as terminal:
        terminal.wait_for("Question 1:")
        terminal.press("?\n", then="Question 2:")
        terminal.press(CTRL_C)
        assert terminal.wait() == 130
    assert "The interview is kept with 1 answer" in " ".join(terminal.text.split())
    (life,) = Archive.of(load_bank(BANK), tmp_path).interrupted()
    assert life.put == 1


def test_the_plain_mode_offers_to_resume_at_a_terminal(tmp_path: Path) -> None:
    with opened(tmp_path, "--plain") as terminal:
        terminal.wait_for("Question 1:")
        terminal.press("?\n", then="Question 2:")
        terminal.press("q\n")
        assert terminal.wait() == 1
    with opened(tmp_path, "--plain") as terminal:
        terminal.wait_for("was interrupted")
        terminal.press("y\n", then="Question 2:")
