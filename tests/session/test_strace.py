"""SIGKILL and errors at the system calls themselves, by strace, if it is installed and allowed.

The same faults are put in process by ``test_session_faults.py``; this proves that nothing writes past that seam.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from odm_tui.banks import Bank
from odm_tui.session import Archive
from tests.support.faults.checks import count_lost_or_doubled, is_sound, logged_answers
from tests.support.faults.interviews import hold_interview, sample_bank
from tests.support.faults.report import Table

PROGRAM = """
import os, sys
from pathlib import Path
from odm_tui.banks import load_bank
from tests.support.faults.interviews import hold_interview
from odm_tui.errors import CannotWrite
report = os.open(sys.argv[3], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
def tell(line):
    os.writev(report, [line.encode() + b"\\n"])
try:
    hold_interview(load_bank(sys.argv[1]), Path(sys.argv[2]), 5, tell)
except CannotWrite as error:
    tell(f"refused {error}")
"""
ROOT = Path(__file__).parents[2]
CALLS = {"write": "write", "fsync": "fsync", "rename": "rename,renameat,renameat2"}


def traced(bank: Bank, state: Path, injection: list[str]) -> tuple[list[str], str]:
    """Run an interview under strace; return what it acknowledged (by another system call), and the trace."""
    report, trace = state.with_suffix(".told"), state.with_suffix(".trace")
    program = [sys.executable, "-c", PROGRAM, str(bank.path), str(state), str(report)]
    subprocess.run(
        ["strace", "-f", "-qq", "-o", str(trace), "-y", *injection, *program],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    return (report.read_text().splitlines() if report.exists() else []), trace.read_text()


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Bank:
    return sample_bank(tmp_path_factory.mktemp("banks"))


@pytest.fixture(scope="module")
def whole(bank: Bank, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[int]]:
    """Find which calls of each kind go to the state folder, in a run without faults."""
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed; the faults that are put in process stand for it")
    if subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"], capture_output=True).returncode != 0:
        pytest.skip("strace is not allowed here; the faults that are put in process stand for it")
    state = tmp_path_factory.mktemp("whole") / "state"
    told, trace = traced(bank, state, ["-e", "trace=write,fsync,rename,renameat,renameat2"])
    assert told, "the interview under strace acknowledged nothing"
    assert told[-1].startswith("confirmed")
    places: dict[str, list[int]] = {}
    for kind in CALLS:
        calls = [line for line in trace.splitlines() if re.match(rf"\d+ +{kind}", line)]
        places[kind] = [k for k, line in enumerate(calls, 1) if str(state) in line]
    return places


@pytest.mark.parametrize("kind", list(CALLS))
@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.soak)])
def test_killed_at_the_system_call_it_goes_on_where_it_was(
    bank: Bank, whole: dict[str, list[int]], tmp_path: Path, kind: str, every: int, table: Table
) -> None:
    hold_interview(bank, tmp_path / "expected", 5)
    expected = logged_answers(bank, tmp_path / "expected")
    wrong = 0
    chosen = whole[kind][::every]
    for when in chosen:
        state = tmp_path / str(when)
        injection = ["-e", f"trace={CALLS[kind]}", "-e", f"inject={CALLS[kind]}:signal=SIGKILL:when={when}"]
        told, _ = traced(bank, state, injection)
        assert not (told and told[-1].startswith("confirmed"))
        wrong += count_lost_or_doubled(told, bank, state)
        if not Archive.of(bank, state).history("confirmed"):
            hold_interview(bank, state, 5)
        Archive.of(bank, state).rebuild()
        wrong += logged_answers(bank, state) != expected or not is_sound(bank, state)
    table.row(f"SIGKILL at every {kind} of the system (strace)", len(chosen), wrong)
    assert chosen
    assert wrong == 0


@pytest.mark.parametrize("kind", list(CALLS))
@pytest.mark.parametrize(
    ("error", "every"),
    [("ENOSPC", 7), *(pytest.param(name, 1, marks=pytest.mark.soak) for name in ("ENOSPC", "EIO"))],
)
def test_refused_at_the_system_call_nothing_acknowledged_is_lost(
    bank: Bank, whole: dict[str, list[int]], tmp_path: Path, kind: str, error: str, every: int, table: Table
) -> None:
    wrong = 0
    chosen = whole[kind][::every]
    for when in chosen:
        state = tmp_path / str(when)
        injection = ["-e", f"trace={CALLS[kind]}", "-e", f"inject={CALLS[kind]}:error={error}:when={when}"]
        told, _ = traced(bank, state, injection)
        wrong += count_lost_or_doubled(told, bank, state)
        refused = told[-1].startswith("refused Can't write ") if told else False
        wrong += not refused and not told[-1].startswith("confirmed ")
    table.row(f"{error} at every {kind} of the system (strace)", len(chosen), wrong)
    assert wrong == 0
