"""Run pytest in forks of one process that has loaded the libraries, so that a run starts within a moment."""

from __future__ import annotations

import contextlib
import importlib
import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

LIBRARIES = (
    "numpy",
    "scipy.special",
    "scipy.stats",
    "scipy.optimize",
    "hypothesis",
    "textual.app",
    "numba",
    "_pytest.doctest",
)
OPTIONS = ("-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning")
"""Nothing of pytest's own is kept; its plugins may be loaded before it starts."""
OWN = ("odm_tui", "tests", "benchmarks", "question_banks")
WAIT = 3600.0
"""Tests that wait for longer than this, by the clock, hang."""


def stop_cleanly() -> None:
    """End by an exception if this process is told to stop, so that its tests end with it."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("Stopped."))


def load_libraries() -> None:
    """Load what most tests import; none of it is mutated."""
    for name in LIBRARIES:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def run_pytest(
    arguments: Sequence[str], copy: Path, seconds: int, environment: Mapping[str, str] | None = None
) -> tuple[int | None, str]:
    """Run pytest in a copy of the checkout; return its exit code, None if it hangs, and what it printed.

    It hangs if it computes for more than ``seconds`` or waits for more than :data:`WAIT`.
    """
    printed = copy.parent / "printed.txt"
    child = os.fork()
    if not child:
        _run_and_exit(arguments, copy, seconds, printed, environment or {})
    status, end = None, time.monotonic() + WAIT
    try:
        while status is None and time.monotonic() < end:
            pid, found = os.waitpid(child, os.WNOHANG)
            if pid:
                status = found
            else:
                time.sleep(0.02)
    finally:  # also when this run is stopped: nothing of it goes on
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child, signal.SIGKILL)
        if status is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    text = printed.read_text(encoding="utf-8", errors="replace") if printed.exists() else ""
    if status is None or (os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL)):
        return None, text
    return (os.WEXITSTATUS(status) if os.WIFEXITED(status) else 1), text


def _run_and_exit(
    arguments: Sequence[str], copy: Path, seconds: int, printed: Path, environment: Mapping[str, str]
) -> None:
    code = 3
    try:
        os.setpgid(0, 0)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 10))
        output = os.open(printed, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        nothing = os.open(os.devnull, os.O_RDONLY)
        for source, target in ((nothing, 0), (output, 1), (output, 2)):
            os.dup2(source, target)
        sys.stdout, sys.stderr = os.fdopen(1, "w", closefd=False), os.fdopen(2, "w", closefd=False)
        for name in [each for each in sys.modules if each.partition(".")[0] in OWN]:
            del sys.modules[name]
        os.chdir(copy)
        sys.path.insert(0, str(copy))
        sys.argv = ["pytest", *arguments]
        os.environ |= {**environment, "PYTHONPATH": str(copy)}
        code = int(pytest.main([*OPTIONS, *arguments]))
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
