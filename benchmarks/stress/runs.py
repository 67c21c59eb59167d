"""Run the tests once beside busy loops, and read what came of it."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

_BUSY = "import os\nparent = os.getppid()\nwhile os.getppid() == parent: pass"
"""Keep one core busy until the process that started it is gone."""
_INTERRUPTED = 2
"""The exit code of pytest after Ctrl+C, or when a test session was stopped from outside."""


@dataclass(frozen=True)
class StressRun:
    """What one run of the tests came to."""

    passed: int
    failed: dict[str, str]
    """The output of pytest for each failed test, by its name."""
    seconds: float


@contextmanager
def busy_loops(number: int) -> Iterator[None]:
    """Keep this many cores busy."""
    loops = [subprocess.Popen([sys.executable, "-c", _BUSY]) for _ in range(number)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def run_tests(options: Sequence[str]) -> StressRun:
    """Run pytest once, in a process of its own; raise KeyboardInterrupt if the run was interrupted."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="odm-tui-stress-") as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-q", f"--junitxml={report}", *options]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        seconds = time.monotonic() - began
        if done.returncode == _INTERRUPTED and "KeyboardInterrupt" in done.stdout:
            raise KeyboardInterrupt
        passed, failed = read_report(report) if report.exists() else (0, {})
    if done.returncode and not failed:
        failed = {f"pytest itself (exit code {done.returncode})": done.stdout}
    return StressRun(passed, failed, seconds)


def read_report(report: Path) -> tuple[int, dict[str, str]]:
    """Count the tests that passed in a JUnit report, and collect what it says of those that failed."""
    passed, failed = 0, {}
    for case in ET.parse(report).iter("testcase"):
        troubles = [part for part in case if part.tag in ("failure", "error")]
        if troubles:
            name = f"{case.get('classname')}::{case.get('name')}"
            failed[name] = "\n".join(trouble.text or "" for trouble in troubles)
        elif case.find("skipped") is None:
            passed += 1
    return passed, failed
