"""What all tests share: reproducible hypothesis runs, and the data beside the project."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

from odm_tui.tui.key_guard import KeyGuard
from tests.support.faults.plugin import pytest_configure, pytest_terminal_summary, table
from tests.support.postgresql.plugin import _mirrored, postgres, store
from tests.support.timed import is_timed

__all__ = [
    "_mirrored",
    "postgres",
    "pytest_configure",
    "pytest_terminal_summary",
    "shared_data",
    "store",
    "table",
]

# Before numpy is loaded: on two cores that run tests side by side, threads only wait for each other.
for _threads in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(_threads, "1")

settings.register_profile("odm-tui", derandomize=True, deadline=None)
settings.load_profile("odm-tui")

NO_SKIPS = "ODM_TUI_TESTS_NO_SKIPS"
SHARED_DATA = Path(__file__).parents[1].parent / "shared" / "data"


@pytest.fixture(autouse=True)
def fast_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests press keys faster than anybody can read; tests of the key guard itself set its times."""
    monkeypatch.setattr(KeyGuard, "ANSWER_DELAY", 0.0)
    monkeypatch.setattr(KeyGuard, "CONFIRM_DELAY", 0.0)
    monkeypatch.setattr(KeyGuard, "READING_TIME", 0.0)


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that load can disturb, for ``make stress``."""
    for item in items:
        if is_timed(item.path):
            item.add_marker("timed")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail the run if a test was skipped where everything must be there, as in continuous integration."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = reporter.stats.get("skipped", []) if reporter is not None else []
    if reporter is not None and os.environ.get(NO_SKIPS) and skipped:
        reporter.ensure_newline()
        for report in skipped:
            reporter.write_line(f"Skipped, which {NO_SKIPS} forbids: {report.nodeid}: {report.longrepr[2]}")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder with the scenario files and reference results; without it the test is skipped."""
    if not SHARED_DATA.is_dir():
        pytest.skip("the scenario files are not there: this test needs shared/data beside the checkout")
    return SHARED_DATA
