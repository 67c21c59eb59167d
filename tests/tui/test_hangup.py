"""A terminal that is closed without a signal does not leave the program behind."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from odm_tui.banks import load_bank
from odm_tui.session import Archive
from tests.support.terminal.terminal import BANK, PATIENCE, Terminal, odm_tui

_UNDER_A_PARENT = """
import os, pathlib, signal, sys

program = os.fork()
if program == 0:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as under nohup, or a parent that swallows it
    os.execv(sys.executable, [sys.executable, *{arguments!r}])
pathlib.Path({pid!r}).write_text(str(program))
os.waitpid(program, 0)
"""


def assert_it_ends(program: int) -> None:
    """Wait until a process is gone."""
    deadline = time.monotonic() + PATIENCE
    while Path(f"/proc/{program}").exists() and time.monotonic() < deadline:
        os.sched_yield()
    assert not Path(f"/proc/{program}").exists()


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc to see whether a process is there")
def test_the_program_ends_when_its_terminal_is_gone_and_the_interview_can_be_resumed(tmp_path: Path) -> None:
    arguments = odm_tui("--bank", BANK, "--state-dir", str(tmp_path / "state"))
    parent = _UNDER_A_PARENT.format(arguments=arguments, pid=str(tmp_path / "pid"))
    with Terminal(["-c", parent], tmp_path) as terminal:
        terminal.wait_for("question 1", "Likely")
        program = int((tmp_path / "pid").read_text())
        terminal.close()
        assert_it_ends(program)
    assert Archive.of(load_bank(BANK), tmp_path / "state").history()[0].status == "unfinished"


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc to see whether a process is there")
def test_a_program_whose_event_loop_is_busy_ends_too(tmp_path: Path) -> None:
    busy = (
        "import time\n"
        "from odm_tui.tui import hangup\n"
        "hangup.watch_terminal()\n"
        "print('busy', flush=True)\n"
        "while True: time.monotonic()\n"
    )
    (tmp_path / "busy.py").write_text(busy)
    parent = _UNDER_A_PARENT.format(arguments=[str(tmp_path / "busy.py")], pid=str(tmp_path / "pid"))
    with Terminal(["-c", parent], tmp_path) as terminal:
        terminal.wait_for("busy")
        program = int((tmp_path / "pid").read_text())
        terminal.close()
        assert_it_ends(program)
