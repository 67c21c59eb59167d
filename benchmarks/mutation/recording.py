"""Which tests execute which lines."""

from __future__ import annotations

import ast
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from benchmarks.mutation.mutants import PARTS, Mutant
from benchmarks.mutation.process import run_pytest
from benchmarks.mutation.recorder import RECORDING
from benchmarks.results.provenance import ROOT

TESTS = {
    "odm_tui/engine": ("tests/engine",),
    "odm_tui/evaluation/replay": (
        "tests/evaluation/test_replay.py",
        "tests/evaluation/test_off_policy.py",
        "tests/evaluation/test_off_policy_truth.py",
        "tests/evaluation/test_draws_in_step.py",
        "tests/evaluation/test_replay_referrals.py",
        "tests/evaluation/test_bank_variants.py",
        "tests/cli/test_replay.py",
        "tests/session/test_learning.py",
        "tests/session/test_refer.py",
        "tests/session/test_target.py",
        "tests/session/test_variants.py",
        "tests/session/team/test_knowledge.py",
    ),
    "odm_tui/store": ("tests/store", "tests/session"),
}
"""The tests that are recorded for the mutants of a part, with the doctests of its modules."""
RECORDING_SECONDS = 900


class Recording:
    """The recordings of all test files."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.lines: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))

    def add(self, path: Path) -> None:
        """Add what one run recorded."""
        found = json.loads(path.read_text(encoding="utf-8"))
        self.seconds |= found["seconds"]
        for name, lines in found["lines"].items():
            for line, tests in lines.items():
                self.lines[name][int(line)].update(test for test in tests if test in found["seconds"])

    def tests_of(self, mutant: Mutant, source: str) -> list[str]:
        """The tests that execute a mutant's statement, the fastest first.

        A statement that runs when the module is imported defines a constant or a default: then those that execute a
        line of a function which names the constant, or any line of the module. Lines outside of functions are recorded
        only for the first test that imports the module.
        """
        statement = find_statement(source, mutant.line)
        lines = self.lines.get(mutant.path, {})
        if not statement.runs_at_import:
            places = range(statement.first, statement.last + 1)
            found = {test for line in places for test in lines.get(line, ())}
        else:
            found = set(self._naming(statement.names)) if statement.names else set()
        if not found:
            found = {test for tests in lines.values() for test in tests}
        return sorted(found, key=lambda test: (self.seconds[test], test))

    def _naming(self, constants: tuple[str, ...]) -> Iterator[str]:
        named = re.compile(rf"\b({'|'.join(constants)})\b")
        for name, lines in self.lines.items():
            source = (ROOT / name).read_text(encoding="utf-8")
            texts = source.splitlines()
            for number in find_lines_of_functions(source):
                if named.search(texts[number - 1]):
                    yield from lines.get(number, ())


@cache
def find_lines_of_functions(source: str) -> frozenset[int]:
    """Find the lines that run when a function is called.

    >>> sorted(find_lines_of_functions("LIMIT = 2\\ndef f(n=LIMIT):\\n    n += 1\\n    return n\\n"))
    [3, 4]
    """
    found: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.update(range(node.body[0].lineno, (node.end_lineno or node.lineno) + 1))
    return frozenset(found)


class Statement(NamedTuple):
    """A statement: its lines without those of its body, the names that it assigns, and whether it is in no function."""

    first: int
    last: int
    names: tuple[str, ...] = ()
    runs_at_import: bool = False


def find_statement(source: str, line: int) -> Statement:
    """Find the innermost statement at a line.

    >>> source = "LIMIT = (\\n 3\\n)\\ndef f(n=2):\\n    if n > LIMIT:\\n        return 1\\n"
    >>> find_statement(source, 2)
    Statement(first=1, last=3, names=('LIMIT',), runs_at_import=True)
    >>> find_statement(source, 4)
    Statement(first=4, last=4, names=(), runs_at_import=True)
    >>> find_statement(source, 5)
    Statement(first=5, last=5, names=(), runs_at_import=False)
    """
    at_line = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    best = max(at_line, key=lambda node: node.lineno, default=None)
    if best is None:
        return Statement(line, line)
    body = getattr(best, "body", None)
    last = max(best.lineno, body[0].lineno - 1) if body else best.end_lineno or best.lineno
    targets = (
        best.targets
        if isinstance(best, ast.Assign)
        else [best.target]
        if isinstance(best, ast.AnnAssign)
        else []
    )
    names = tuple(each.id for each in targets if isinstance(each, ast.Name))
    return Statement(best.lineno, last, names, best.lineno not in find_lines_of_functions(source))


def record(copy: Path, folder: Path, mutants: Sequence[Mutant]) -> Recording:
    """Run every test file of the mutants' parts once, or read what was recorded of it before."""
    folder.mkdir(parents=True, exist_ok=True)
    recording = Recording()
    for name in find_test_files(mutants):
        target = folder / f"{name.replace('/', '+')}.json"
        if not target.exists():
            code, printed = run_pytest(
                ["-q", "-p", "benchmarks.mutation.recorder", name],
                copy,
                RECORDING_SECONDS,
                {RECORDING: str(target)},
            )
            print(
                f"recorded {name}: {(printed.strip().splitlines() or [f'exit code {code}'])[-1]}", flush=True
            )
            if code is not None and not target.exists():
                raise SystemExit(f"{name} could not be recorded:\n{printed}")
        if target.exists():
            recording.add(target)
    return recording


def find_test_files(mutants: Sequence[Mutant]) -> list[str]:
    """The files to record, and the folders with doctests."""
    found: list[str] = []
    for part in (each for each in PARTS if any(mutant.path.startswith(each) for mutant in mutants)):
        for place in TESTS[part]:
            path = ROOT / place
            files = sorted(path.rglob("test_*.py")) if path.is_dir() else [path]
            found += [each.relative_to(ROOT).as_posix() for each in files]
        found.append(part)
    return found
