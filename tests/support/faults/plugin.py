"""The fixture that collects reliability figures, and the table that ``make soak`` prints at the end."""

from __future__ import annotations

import pytest

from tests.support.faults.report import Table

_KEY = pytest.StashKey[Table]()


@pytest.fixture(scope="session")
def table(request: pytest.FixtureRequest) -> Table:
    """The table in which a test records what it tried, how often, and what was lost."""
    return request.config.stash.setdefault(_KEY, Table())


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the figures after the long runs."""
    collected = config.stash.get(_KEY, None)
    if collected is not None and config.getoption("markexpr") == "soak":
        terminalreporter.section("what was tried, and what was lost")
        for line in collected.lines():
            terminalreporter.write_line(line)
