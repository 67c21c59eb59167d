"""Run the tests many times beside busy loops: ``python -m benchmarks.stress --runs 20 --busy 2 [pytest options]``.

A test that passes on a quiet machine can still fail on a busy one, where every step takes longer and other steps come
in between. The exit code is 1 if any run failed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

_BUSY = "import os\nparent = os.getppid()\nwhile os.getppid() == parent: pass"
"""Keep one core busy until the process that started it is gone."""


@dataclass(frozen=True)
class Run:
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


def run_tests(options: Sequence[str]) -> Run:
    """Run pytest once, in a process of its own."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="odm-tui-stress-") as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-q", f"--junitxml={report}", *options]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        seconds = time.monotonic() - began
        passed, failed = read_report(report) if report.exists() else (0, {})
    if done.returncode and not failed:
        failed = {f"pytest itself (exit code {done.returncode})": done.stdout}
    return Run(passed, failed, seconds)


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


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a row for each run as soon as it has ended, then each test that failed; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.stress", description=(__doc__ or "").split(":")[0]
    )
    parser.add_argument("--runs", type=int, default=20, help="how many times (default: %(default)s)")
    parser.add_argument("--busy", type=int, default=2, help="how many busy loops (default: %(default)s)")
    given, options = parser.parse_known_args(arguments)
    if not any(option.startswith(("-n", "--numprocesses")) for option in options):
        options = ["-n", "2", *options]
    print(f"{given.runs} runs beside {given.busy} busy loops on {os.cpu_count()} cores", flush=True)
    print(f"{'run':>4} {'passed':>7} {'failed':>7} {'seconds':>8}", flush=True)
    runs: list[Run] = []
    with busy_loops(given.busy):
        for number in range(1, given.runs + 1):
            run = run_tests(options)
            runs.append(run)
            print(f"{number:>4} {run.passed:>7} {len(run.failed):>7} {run.seconds:>8.1f}", flush=True)
            for name in run.failed:
                print(f"       {name}", flush=True)
    outputs = {name: text for run in runs for name, text in run.failed.items()}
    times = Counter(name for run in runs for name in run.failed)
    for name, count in times.most_common():
        print(f"\n{name} failed in {count} of {len(runs)} runs; the last time:\n{outputs[name]}")
    green = sum(not run.failed for run in runs)
    print(f"\n{green} of {len(runs)} runs passed.")
    return 0 if green == len(runs) else 1


if __name__ == "__main__":
    try:
        raise SystemExit(main())
    except KeyboardInterrupt:
        raise SystemExit(130) from None
