"""A pytest plugin that notes which test executes which line of the mutated folders, and for how long each test computes.

It is loaded with ``-p benchmarks.mutation.recorder``; the environment variable ``RECORDING`` names the file to write.
"""

from __future__ import annotations

import importlib
import json
import os
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.mutation.mutants import PARTS

RECORDING = "ODM_TUI_MUTATION_RECORDING"


class Recorder:
    """Record one run of pytest."""

    def __init__(self, root: Path, target: Path) -> None:
        self.root, self.target = root, target
        coverage: Any = importlib.import_module("coverage")
        included = [f"{root}/{part}/*" for part in PARTS]
        self.coverage = coverage.Coverage(data_file=None, include=included, config_file=False)
        self.coverage.start()
        self.seconds: dict[str, float] = {}
        self.failed: set[str] = set()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Switch to the test's own context."""
        self.coverage.switch_context(item.nodeid)
        start = time.process_time()
        try:
            return (yield)
        finally:
            self.seconds[item.nodeid] = time.process_time() - start
            self.coverage.switch_context("")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note tests that did not pass: they say nothing about a mutant."""
        if not report.passed:
            self.failed.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        """Write the recording."""
        self.coverage.stop()
        with warnings.catch_warnings(action="ignore"):  # some tests execute nothing of the mutated folders
            data = self.coverage.get_data()
        lines: dict[str, dict[int, list[str]]] = {}
        for path in data.measured_files():
            name = Path(path).relative_to(self.root).as_posix()
            found = {
                line: [each for each in tests if each]
                for line, tests in data.contexts_by_lineno(path).items()
            }
            lines[name] = {line: sorted(tests) for line, tests in found.items() if tests}
        passed = {test: round(taken, 3) for test, taken in self.seconds.items() if test not in self.failed}
        self.target.write_text(json.dumps({"seconds": passed, "lines": lines}), encoding="utf-8")


def pytest_configure(config: pytest.Config) -> None:
    """Begin before any test module is imported."""
    config.pluginmanager.register(Recorder(config.rootpath, Path(os.environ[RECORDING])))
