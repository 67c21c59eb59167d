"""A terminal that is closed without a signal does not leave the program behind."""

from __future__ import annotations

import os
import pty
import signal
import sys
import time
from pathlib import Path

import pytest

from odm_tui.banks import load_bank
from odm_tui.session import Archive
from tests.support.terminal.driving import BANK

PATIENCE = 30.0


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc to see whether a process is there")
def test_the_program_ends_when_its_terminal_is_gone_and_the_interview_can_be_resumed(tmp_path: Path) -> None:
    leader, handle = pty.fork()
    if leader == 0:
        program = os.fork()
        if program == 0:
            signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as under nohup, or a parent that swallows it
            os.environ.update(
                TERM="xterm-256color", COLUMNS="80", LINES="24", ODM_TUI_CONFIG=str(tmp_path / "config.toml")
            )
            arguments = ["-m", "odm_tui", "--bank", str(BANK), "--state-dir", str(tmp_path / "state")]
            os.execv(sys.executable, [sys.executable, *arguments])
        (tmp_path / "pid").write_text(str(program))
        os.waitpid(program, 0)
        os._exit(0)
    seen = b""
    while b"Cost" not in seen:
        seen += os.read(handle, 65536)
    program = int((tmp_path / "pid").read_text())
    os.close(handle)
    os.waitpid(leader, 0)
    deadline = time.monotonic() + PATIENCE
    while Path(f"/proc/{program}").exists() and time.monotonic() < deadline:
        os.sched_yield()
    assert not Path(f"/proc/{program}").exists()
    assert Archive.of(load_bank(BANK), tmp_path / "state").history()[0].status == "open"
