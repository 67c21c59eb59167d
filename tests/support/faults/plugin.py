"""The fixture that collects reliability figures, and the table that ``make soak`` prints at the end."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from tests.support.faults.report import Table

FILE = "ODM_TUI_TESTS_TABLE"
"""The variable that names the file of the table. Several runs with one file make one table."""


@pytest.fixture(scope="session")
def table() -> Table:
    """The table in which a test records what it tried, how often, and what was lost."""
    return Table(Path(os.environ[FILE]))


def pytest_configure(config: pytest.Config) -> None:
    """Name a file for the table before processes are started that add to it."""
    if not os.environ.get(FILE):
        folder = tempfile.TemporaryDirectory(prefix="odm-tui-table-")
        config.add_cleanup(folder.cleanup)
        os.environ[FILE] = str(Path(folder.name) / "table.jsonl")
        config.add_cleanup(lambda: os.environ.__delitem__(FILE))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the figures after the long runs."""
    collected = Table(Path(os.environ[FILE]))
    if str(config.getoption("markexpr")).startswith("soak") and collected.rows:
        terminalreporter.section("what was tried, and what was lost")
        for line in collected.lines():
            terminalreporter.write_line(line)
