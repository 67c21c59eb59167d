"""The fixture that collects the reliability figures and prints them when all tests of a file are done."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.faults.report import Table


@pytest.fixture(scope="module")
def table(request: pytest.FixtureRequest) -> Iterator[Table]:
    """The figures of this file; printed at its end by ``make soak``."""
    collected = Table()
    yield collected
    reporter = request.config.pluginmanager.get_plugin("terminalreporter")
    if (
        reporter is not None
        and "soak" in str(request.config.getoption("-m"))
        and "not" not in str(request.config.getoption("-m"))
    ):
        reporter.ensure_newline()
        for line in collected.lines():
            reporter.write_line(line)
