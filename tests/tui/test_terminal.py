"""The program in a real terminal: killed and resumed, stopped and continued, crashed, without colour."""

from __future__ import annotations

import os
import re
import signal
import termios
import time
from pathlib import Path

import pytest

from odm_tui.banks import load_bank
from odm_tui.session import Archive
from odm_tui.store.index.summary import InterviewSummary
from odm_tui.tui import app
from odm_tui.tui.worker import process
from tests.support.terminal.driving import BANK
from tests.support.terminal.terminal import PATIENCE, Terminal, odm_tui, patched
from tests.support.waiting import wait_until

CTRL_C, CTRL_Q, CTRL_Z = "\x03", "\x11", "\x1a"
needs_proc = pytest.mark.skipif(
    not Path("/proc/self/task").exists(), reason="needs /proc to see whether a process is there"
)


def opened(folder: Path, *more: str, **kwargs: object) -> Terminal:
    options = ("--bank", BANK, "--state-dir", str(folder), "--operator", "tester", "--seed", "1", *more)
    return Terminal(odm_tui(*options), folder, **kwargs)  # type: ignore[arg-type]


def left_behind(folder: Path) -> list[InterviewSummary]:
    """The unfinished interviews, as soon as no process of a killed program holds one."""
    archive = Archive.of(load_bank(BANK), folder)
    wait_until(archive.unfinished)
    return archive.unfinished()


@pytest.mark.parametrize("chunk", [Terminal.chunk, 64])
def test_an_interview_goes_on_where_it_was_after_the_process_was_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr(Terminal, "chunk", chunk)
    with opened(tmp_path) as terminal:
        terminal.wait_for("question 1")
        asked = terminal.press("?", then="question 2").splitlines()[2]
        assert "?" in asked
        terminal.signal(signal.SIGKILL)
    with opened(tmp_path) as terminal:
        terminal.wait_for("An interview is unfinished", "1 answer")
        assert terminal.press("\r", then="question 2").splitlines()[2] == asked
    (record,) = left_behind(tmp_path)
    assert record.questions == 1


def test_an_interview_without_an_answer_is_not_offered_after_the_process_was_killed(tmp_path: Path) -> None:
    with opened(tmp_path) as terminal:
        terminal.wait_for("question 1")
        terminal.signal(signal.SIGKILL)
        terminal.wait()
    with opened(tmp_path) as terminal:
        terminal.wait_for("question 1")  # there is nothing to resume


def test_ctrl_c_and_ctrl_q_both_leave_and_keep_the_answers(tmp_path: Path) -> None:
    for number, key in enumerate((CTRL_C, CTRL_Q)):
        folder = tmp_path / str(number)
        with opened(folder) as terminal:
            terminal.wait_for("question 1")
            terminal.press("?", then="question 2")
            terminal.press(key)
            assert terminal.wait() == 0
        assert "The interview is kept: odm-tui --bank" in terminal.last_words
        assert [record.questions for record in left_behind(folder)] == [1]


def test_a_suspended_terminal_loses_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as terminal:
        terminal.wait_for("question 1")
        terminal.press("?", then="question 2")
        terminal.signal(signal.SIGSTOP)
        terminal.resume()
        terminal.press("?", then="question 3")


@needs_proc
def test_the_whole_job_stopped_and_continued_by_the_shell_loses_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as terminal:
        terminal.wait_for("question 1")
        terminal.press("?", then="question 2")
        os.killpg(terminal.pid, signal.SIGTSTP)
        stopped(terminal)
        terminal.resume()
        terminal.press("?", then="question 3")
        terminal.press(CTRL_Q)
        assert terminal.wait() == 0
    (record,) = left_behind(tmp_path)
    assert record.questions == 2


def stopped(terminal: Terminal) -> None:
    """Wait until the program is stopped, and read all it wrote before."""
    deadline = time.monotonic() + PATIENCE
    while state_of(terminal) != "T" and time.monotonic() < deadline:
        terminal.read(0.02)
    assert state_of(terminal) == "T"
    terminal.settle()


def terminal_is_cleared(terminal: Terminal) -> None:
    """The shell writes over what stood there, and the alternate screen begins empty."""
    terminal.settle()
    terminal.screen.reset()
    assert "question 2" not in terminal.text


@needs_proc
@pytest.mark.parametrize("number", [signal.SIGTSTP, signal.SIGSTOP])
def test_the_screen_is_drawn_again_when_the_job_goes_on(tmp_path: Path, number: signal.Signals) -> None:
    with opened(tmp_path) as terminal:
        terminal.wait_for("question 1")
        terminal.press("?", then="question 2")
        os.killpg(terminal.pid, number)
        stopped(terminal)
        terminal_is_cleared(terminal)
        terminal.resume()
        terminal.wait_for("question 2", "^Q Leave")


_STOPPED_IN_A_WRITE = """
import os, queue, signal

put, stops = queue.Queue._put, [signal.SIGTSTP]

def interrupted(self, item):
    put(self, item)
    if "question 2" in str(item) and stops:
        os.kill(os.getpid(), stops.pop())

queue.Queue._put = interrupted
"""


@needs_proc
def test_a_stop_in_the_middle_of_a_write_does_not_freeze_the_screen(tmp_path: Path) -> None:
    """The output queue holds its lock there, and leaving the screen has to write too."""
    with patched(tmp_path, _STOPPED_IN_A_WRITE) as terminal:
        terminal.wait_for("question 1")
        terminal.press("?")
        stopped(terminal)
        terminal_is_cleared(terminal)
        terminal.resume()
        terminal.wait_for("question 2", "^Q Leave")
        terminal.press("?", then="question 3")
        terminal.press(CTRL_Q)
        assert terminal.wait() == 0


def test_a_job_that_is_continued_before_it_has_stopped_goes_on(tmp_path: Path) -> None:
    with opened(tmp_path) as terminal:
        terminal.wait_for("question 1")
        os.killpg(terminal.pid, signal.SIGTSTP)
        terminal.resume()
        terminal.press("?", then="question 2")


@needs_proc
@pytest.mark.parametrize("number", [signal.SIGTSTP, signal.SIGSTOP])
def test_the_terminal_is_put_right_at_the_end_after_a_stop(tmp_path: Path, number: signal.Signals) -> None:
    with opened(tmp_path) as terminal:
        before = termios.tcgetattr(terminal.handle)
        terminal.wait_for("question 1")
        assert termios.tcgetattr(terminal.handle) != before
        os.killpg(terminal.pid, number)
        stopped(terminal)
        terminal.resume()
        terminal.wait_for("question 1")
        terminal.press(CTRL_Q)
        assert terminal.wait() == 0
        assert termios.tcgetattr(terminal.handle) == before


@needs_proc
@pytest.mark.parametrize("dialog", ["", "x", "\x10"], ids=["interview", "dialog", "palette"])
def test_ctrl_z_gives_the_terminal_back_to_the_shell_and_fg_draws_the_screen_again(
    tmp_path: Path, dialog: str
) -> None:
    shown = {"": "question 2", "x": "Abandon this interview?", "\x10": "Search for commands"}[dialog]
    with opened(tmp_path) as terminal:
        terminal.wait_for("question 1")
        terminal.press("?", then="question 2")
        terminal.press(dialog, then=shown)
        terminal.press(CTRL_Z)
        stopped(terminal)
        assert terminal.bytes.rpartition(b"\x1b[?1049h")[2].count(b"\x1b[?1049l") == 1
        terminal_is_cleared(terminal)
        terminal.resume()
        terminal.wait_for(shown)
        terminal.press(CTRL_Q)
        assert terminal.wait() == 0
    (record,) = left_behind(tmp_path)
    assert record.questions == 1


def state_of(terminal: Terminal) -> str:
    """The letter of a process's state: T where it is stopped."""
    return Path(f"/proc/{terminal.pid}/stat").read_text().rpartition(")")[2].split()[0]


def worker_of(terminal: Terminal) -> int:
    """The process that keeps the answers of the program in a terminal."""
    children = Path(f"/proc/{terminal.pid}/task/{terminal.pid}/children").read_text()
    return int(children)


@needs_proc
def test_when_the_worker_is_killed_the_screen_says_so_and_the_answers_are_kept(tmp_path: Path) -> None:
    with opened(tmp_path) as terminal:
        terminal.wait_for("question 1")
        terminal.press("?", then="question 2")
        os.kill(worker_of(terminal), signal.SIGKILL)
        for key in ("o", "?"):
            terminal.press(key, then="has ended")
        terminal.wait_for("--resume last")
        terminal.press(CTRL_Q)
        assert terminal.wait() == 0
    assert "--resume last" in terminal.last_words
    with opened(tmp_path, "--resume", "last") as terminal:
        terminal.wait_for("question 2")


@needs_proc
def test_leaving_waits_for_a_stopped_worker_only_so_long_and_then_kills_it(tmp_path: Path) -> None:
    assert app._LEAVING + process._ENDING + process._KILLED < 3.0
    with opened(tmp_path) as terminal:
        terminal.wait_for("question 1")
        backend = worker_of(terminal)
        terminal.press("?", then="question 2")
        os.kill(backend, signal.SIGSTOP)
        terminal.press(CTRL_Q)
        assert terminal.wait() == 0
        assert not Path(f"/proc/{backend}").exists()
    assert "All answers are saved" in terminal.last_words
    (record,) = left_behind(tmp_path)
    assert record.questions == 1


@needs_proc
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_the_worker_outlives_its_screen_by_no_more_than_a_moment(tmp_path: Path, number: int) -> None:
    with opened(tmp_path) as terminal:
        terminal.wait_for("question 1")
        backend = worker_of(terminal)
        terminal.press("?", then="question 2")
        os.killpg(terminal.pid, number)
        terminal.wait()
        deadline = time.monotonic() + PATIENCE
        while Path(f"/proc/{backend}").exists() and time.monotonic() < deadline:
            os.sched_yield()
        assert not Path(f"/proc/{backend}").exists()
    (record,) = left_behind(tmp_path)
    assert record.questions == 1


_WITHOUT_FORK = """
import os

def refused():
    raise BlockingIOError(11, "Resource temporarily unavailable")

os.fork = refused
"""


def test_where_no_process_can_be_had_the_interview_is_held_all_the_same(tmp_path: Path) -> None:
    with patched(tmp_path, _WITHOUT_FORK) as terminal:
        terminal.wait_for("question 1")
        terminal.press("?", then="question 2")
        terminal.press(CTRL_Q)
        assert terminal.wait() == 0
    (record,) = left_behind(tmp_path)
    assert record.questions == 1


def test_no_colour_reaches_the_terminal_with_no_color_set(tmp_path: Path) -> None:
    with opened(tmp_path, environment={"NO_COLOR": "1"}) as terminal:
        terminal.wait_for("question 1")
        terminal.press("?", then="question 2")
        terminal.press("w", then=" → ")
        terminal.press("w", then="usefulness")
        terminal.press("d", then="sure")
    codes = {code for found in re.findall(rb"\x1b\[([\d;]*)m", terminal.bytes) for code in _parts(found)}
    assert codes <= {0, 1, 2, 3, 4, 7, 9, 22, 23, 24, 27, 29, 39, 49}, codes


def _parts(codes: bytes) -> list[int]:
    return [int(code) if code else 0 for code in codes.split(b";")]


_CRASHING = """
{imported}

def breaks(self):
    secret = "the caller said AB-1234"
    raise RuntimeError(secret)

{broken} = breaks
"""


@pytest.mark.parametrize(
    ("imported", "broken"),
    [
        ("from odm_tui.tui.screens.interview import InterviewScreen", "InterviewScreen.action_skip"),
        ("from odm_tui.session import Session", "Session.skip"),
    ],
    ids=["screen", "worker"],
)
def test_a_crash_prints_one_sentence_with_the_place_of_the_log_and_no_answer(
    tmp_path: Path, imported: str, broken: str
) -> None:
    with patched(tmp_path, _CRASHING.format(imported=imported, broken=broken)) as terminal:
        terminal.wait_for("question 1")
        terminal.press("?", then="question 2")
        terminal.press("s")
        assert terminal.wait() != 0
    ended = terminal.last_words
    assert "odm-tui crashed (a bug in odm-tui). Details: " in ended
    assert str(tmp_path / "crash.log") in ended
    for leaked in ("AB-1234", "secret", "Traceback", "locals"):
        assert leaked not in ended
    log = (tmp_path / "crash.log").read_text()
    assert "RuntimeError" in log
    assert "in breaks" in log
    assert "AB-1234" not in log
    assert (tmp_path / "crash.log").stat().st_mode & 0o777 == 0o600
    (record,) = left_behind(tmp_path)
    assert record.questions == 1


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
    assert "The interview is saved with 1 answer" in " ".join(terminal.text.split())
    (record,) = left_behind(tmp_path)
    assert record.questions == 1


def test_the_plain_mode_offers_to_resume_at_a_terminal(tmp_path: Path) -> None:
    with opened(tmp_path, "--plain") as terminal:
        terminal.wait_for("Question 1:")
        terminal.press("?\n", then="Question 2:")
        terminal.press("q\n")
        assert terminal.wait() == 1
    with opened(tmp_path, "--plain") as terminal:
        terminal.wait_for("unfinished interview")
        terminal.press("y\n", then="Question 2:")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_told_to_end_it_puts_the_terminal_right_and_says_how_to_go_on(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    with opened(tmp_path) as terminal:
        terminal.wait_for("question 1")
        terminal.press("?", then="question 2")
        terminal.signal(number)
        assert terminal.wait() == code
    assert "The interview is kept: odm-tui --bank" in terminal.last_words


@pytest.mark.parametrize(("option", "value", "code"), [("--bank", "nosuch", 65), ("--policy", "nosuch", 2)])
def test_an_interview_that_can_not_begin_ends_with_the_exit_code_of_its_mistake(
    tmp_path: Path, option: str, value: str, code: int
) -> None:
    with opened(tmp_path, option, value) as terminal:
        terminal.wait_for("nosuch")
        terminal.press(CTRL_Q)
        assert terminal.wait() == code
