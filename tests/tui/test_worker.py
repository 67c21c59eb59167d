"""The worker process under adverse conditions, and the crash report."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from odm_tui.banks import load_bank
from odm_tui.interview_options import InterviewOptions
from odm_tui.session import Archive
from odm_tui.tui.worker.backend import Backend
from odm_tui.tui.worker.crash_report import write_crash_report
from tests.support.terminal.driving import BANK, at_the_screen
from tests.support.terminal.terminal import PATIENCE, Terminal, patched

CTRL_Q = "\x11"
F3 = "\x1bOR"


def asked(folder: Path) -> list[int]:
    return [record.questions for record in Archive.of(load_bank(BANK), folder).unfinished()]


@pytest.mark.parametrize(
    "patch",
    [
        "from odm_tui.engine.interview import Interview\nInterview.think_ahead = lambda self, question: 1 / 0",
        "from odm_tui.session import Session\nSession.warm_up = lambda bank, policy: open('/nowhere')",
    ],
    ids=["thinking ahead", "warming up"],
)
def test_what_fails_in_advance_holds_up_nothing_that_was_asked_for(tmp_path: Path, patch: str) -> None:
    with patched(tmp_path, patch) as terminal:
        terminal.wait_for("question 1")
        terminal.press("?", then="question 2")
        terminal.press("?", then="question 3")
        terminal.press(CTRL_Q)
        assert terminal.wait() == 0
    assert "Error" in (tmp_path / "crash.log").read_text()
    assert asked(tmp_path) == [2]


def test_a_parent_that_ignores_the_end_of_children_changes_nothing(tmp_path: Path) -> None:
    ignoring = "import signal\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)"
    with patched(tmp_path, ignoring) as terminal:
        terminal.wait_for("question 1")
        terminal.press("?", then="question 2")
        terminal.press(CTRL_Q)
        assert terminal.wait() == 0
    assert "The interview is kept" in terminal.last_words


def test_a_byte_that_is_no_utf_8_is_no_key(tmp_path: Path) -> None:
    with patched(tmp_path, "") as terminal:
        terminal.wait_for("question 1")
        terminal.send(b"\xe4?")
        deadline = time.monotonic() + PATIENCE
        while "question 1" in terminal.text and time.monotonic() < deadline:
            terminal.press("?")  # what comes together with such a byte is lost with it
        terminal.wait_for("question 1", gone=True)
        terminal.press(CTRL_Q)
        assert terminal.wait() == 0


async def test_an_undo_on_the_heels_of_a_decision_leaves_screen_and_interview_in_step(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await operator.press("y")
        for _ in range(5):
            await operator.pilot.press("d", "u")
            await operator.settle()
            decided = operator.session.decision is not None
            assert operator.screen == ("DecisionScreen" if decided else "InterviewScreen")
            if decided:
                await operator.press("u")


@pytest.mark.parametrize(("redirected", "screen"), [("", True), ("2>/dev/null", False)])
def test_there_is_no_screen_where_textual_has_no_terminal_to_draw_on(
    tmp_path: Path, redirected: str, screen: bool
) -> None:
    """Textual draws on stderr."""
    asks = "from odm_tui.cli.launch import can_show_screen; print('a screen:', can_show_screen())"
    command = f'{sys.executable} -c "{asks}" {redirected}'
    with Terminal(["-c", f"import os; os.execv('/bin/sh', ['sh', '-c', {command!r}])"], tmp_path) as terminal:
        terminal.wait_for(f"a screen: {screen}")


def test_a_crash_without_a_place_for_its_report_still_says_that_answers_are_safe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "a file"
    blocked.touch()
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(blocked))
    sentence = write_crash_report(KeyError("AB-1234"), blocked)
    assert sentence == (
        "odm-tui crashed (a bug in odm-tui: KeyError). No crash report could be written. All saved answers are safe."
    )


_MANY = """
import asyncio, sys
from odm_tui.tui.worker.backend import Backend
from odm_tui.interview_options import InterviewOptions
from odm_tui.tui.worker.process import ProcessWorker

async def main(worker):
    calls = [asyncio.ensure_future(worker.run(Backend.close_session)) for _ in range(3000)]
    calls[7].cancel()
    done = await asyncio.gather(*calls, return_exceptions=True)
    print(len(done), sum(value is None for value in done))

worker = ProcessWorker(InterviewOptions())
asyncio.run(main(worker))
worker.close()
"""


def test_thousands_of_requests_at_once_neither_block_nor_get_out_of_step() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _MANY], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.split() == ["3000", "2999"]


_READING = """
import asyncio, sys, time
from pathlib import Path
from odm_tui.interview_options import InterviewOptions
from odm_tui.tui.worker.backend import Backend
from odm_tui.tui.worker.client import ThreadWorker
from odm_tui.tui.worker.process import ProcessWorker
from odm_tui.tui.worker.reader import Reader

folder = Path(sys.argv[1])

def read_slowly(reader):
    (folder / "began").touch()
    while not (folder / "go on").exists():
        time.sleep(0.001)
    return len(reader.history("home-network").rows)

async def main(worker):
    view = await worker.run(Backend.start, "home-network")
    readings = [asyncio.ensure_future(worker.read(read_slowly)) for _ in range(3)]
    while not (folder / "began").exists():
        await asyncio.sleep(0.001)
    for _ in range(3):
        view = await worker.run(Backend.perform, "dont_know")
    lines = sum(b'"unknown"' in line for line in next(folder.glob("*.log.jsonl")).open("rb"))
    print(len(view.steps), lines, any(reading.done() for reading in readings))
    (folder / "go on").touch()
    print(*await asyncio.gather(*readings))

worker = globals()[sys.argv[2]](InterviewOptions(state_dir=str(folder), operator="op"))
asyncio.run(main(worker))
worker.close()
"""


@pytest.mark.parametrize("worker", ["ProcessWorker", "ThreadWorker"])
def test_answers_are_written_and_the_next_questions_shown_while_a_list_is_being_read(
    tmp_path: Path, worker: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _READING, str(tmp_path), worker],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    assert done.stdout.split() == ["3", "3", "False", "1", "1", "1"]


_SLOW_HISTORY = """
import time
from pathlib import Path
from odm_tui.views import history

read = history.history_view

def read_slowly(*args, **kwargs):
    while not Path({path!r}).exists():
        time.sleep(0.001)
    return read(*args, **kwargs)

history.history_view = read_slowly
"""


def test_an_answer_after_leaving_a_history_that_is_still_being_read_does_not_wait(tmp_path: Path) -> None:
    end = tmp_path / "end"
    with patched(tmp_path, _SLOW_HISTORY.format(path=str(end))) as terminal:
        terminal.wait_for("question 1")
        terminal.press(F3, then="History")
        terminal.press("\x1b", then="question 1")
        terminal.press("?", then="question 2")
        assert asked(tmp_path) == []  # it is open in the terminal
        end.touch()
        terminal.press(F3, then="unfinished")
        terminal.press(CTRL_Q)
        assert terminal.wait() == 0
    assert asked(tmp_path) == [1]


def test_a_forecast_is_left_for_a_request_and_computed_in_full_otherwise(tmp_path: Path) -> None:
    backend = Backend(InterviewOptions("home-network", str(tmp_path), seed=1, operator="tester"))
    backend.start("home-network")
    assert backend.session is not None
    backend.has_request = lambda: True
    assert backend.forecast_cost() is None
    backend.has_request = lambda: False
    assert backend.forecast_cost() == backend.session.interview.expected_cost_to_come
    backend.close_session()
