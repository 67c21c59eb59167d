"""How many small faults the tests notice: mutants of engine, replay and store, sampled from a seed.

Run ``python -m benchmarks.mutation --mutants 100``. Each mutant changes one operator, number or condition of one module in
a copy of the checkout, and runs the tests of that module there, then those of its whole part. A mutant survives if all
of them pass. Results are kept in ``build/mutation`` by commit, so a run that is started again goes on.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.results.provenance import ROOT, find_commit

PARTS: dict[str, tuple[str, ...]] = {
    "odm_tui/engine": ("tests/engine",),
    "odm_tui/evaluation/replay": (
        "tests/evaluation/test_replay.py",
        "tests/evaluation/test_off_policy.py",
        "tests/evaluation/test_off_policy_truth.py",
        "tests/evaluation/test_draws_in_step.py",
        "tests/cli/test_replay.py",
    ),
    "odm_tui/store": ("tests/store", "tests/session"),
}
"""The folders whose modules are mutated, and all tests of each."""
NEAR: dict[str, tuple[str, ...]] = {
    "evaluation/replay/in_step": ("tests/evaluation/test_draws_in_step.py",),
    "evaluation/replay": ("tests/evaluation/test_off_policy.py", "tests/evaluation/test_replay.py"),
    "engine/interview": ("tests/engine/test_interview.py", "tests/engine/test_redraw.py"),
    "engine/lookahead": (
        "tests/engine/test_dynamic_program.py",
        "tests/engine/test_planner.py",
        "tests/engine/test_learning_value.py",
    ),
    "engine/variants": ("tests/engine/test_variants.py", "tests/engine/test_variant_fit.py"),
    "engine/gains": ("tests/engine/test_ec2.py", "tests/engine/test_belief.py"),
    "engine/model": ("tests/engine/test_belief.py", "tests/engine/test_arguments.py"),
    "engine/problem": ("tests/engine/test_arguments.py", "tests/engine/test_stakes.py"),
    "engine/ucb": ("tests/engine/test_ucb_gains.py", "tests/engine/test_exploration.py"),
    "engine/oracles": ("tests/engine/test_dpp.py", "tests/engine/test_interview.py"),
    "store/state": ("tests/store/test_state_file.py", "tests/store/test_state_update.py"),
    "store/log": ("tests/store/test_log.py", "tests/store/test_log_codec.py"),
    "store/integrity": ("tests/store/integrity",),
    "store/branches": ("tests/store/branches",),
    "store/team": ("tests/store/team",),
}
"""The tests that are run first, by the beginning of a module's path."""
SWAPPED: dict[type[ast.AST], str] = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "/",
    ast.Div: "*",
    ast.And: "or",
    ast.Or: "and",
    ast.BitAnd: "|",
    ast.BitOr: "&",
}
SIGNS: dict[type[ast.AST], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.And: "and",
    ast.Or: "or",
    ast.BitAnd: "&",
    ast.BitOr: "|",
}
SECONDS = 300
"""A mutant whose tests compute for longer than this is noticed: the code hangs, or takes far longer."""
WAIT = 3600
"""The same for tests that wait, by the clock."""


@dataclass(frozen=True)
class Mutant:
    """One change of a module's text, from ``start`` to ``end``."""

    path: str
    line: int
    start: int
    end: int
    before: str
    after: str

    def apply(self, source: str) -> str:
        """Return the changed text."""
        return source[: self.start] + self.after + source[self.end :]


def find_mutants(path: str, source: str) -> Iterator[Mutant]:
    """Yield every change that could be made to a module."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line.encode()))
    encoded = source.encode()

    def place(line: int, column: int) -> int:
        return len(encoded[: starts[line - 1] + column].decode())

    def between(left: ast.AST, right: ast.AST, operator: ast.AST) -> Iterator[Mutant]:
        sign = SIGNS.get(type(operator))
        if sign is None:
            return
        after_left = place(left.end_lineno, left.end_col_offset)  # type: ignore[attr-defined]  # an expression
        before_right = place(right.lineno, right.col_offset)  # type: ignore[attr-defined]
        at = source.find(sign, after_left, before_right)
        if at >= 0:
            yield Mutant(
                path, source.count("\n", 0, at) + 1, at, at + len(sign), sign, SWAPPED[type(operator)]
            )

    for node in _walk(ast.parse(source)):
        if isinstance(node, ast.Compare):
            operands = [node.left, *node.comparators]
            for at, operator in enumerate(node.ops):
                yield from between(operands[at], operands[at + 1], operator)
        elif isinstance(node, ast.BinOp):
            yield from between(node.left, node.right, node.op)
        elif isinstance(node, ast.BoolOp):
            yield from between(node.values[0], node.values[1], node.op)
        elif isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            start = place(node.lineno, node.col_offset)
            end = place(node.end_lineno or node.lineno, node.end_col_offset or 0)
            yield Mutant(path, node.lineno, start, end, source[start:end], _other(node.value))
        elif isinstance(node, (ast.If, ast.While, ast.IfExp)):
            start = place(node.test.lineno, node.test.col_offset)
            end = place(node.test.end_lineno or 0, node.test.end_col_offset or 0)
            text = source[start:end]
            yield Mutant(path, node.test.lineno, start, end, text, f"(not ({text}))")


def _other(value: float) -> str:
    if isinstance(value, bool):
        return str(not value)
    return str(value + 1) if isinstance(value, int) else repr(value * 1.5 if value else 1.0)


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a module, without annotations, decorators and assertions."""
    skipped = ("annotation", "returns", "decorator_list", "type_params")
    for name, value in ast.iter_fields(node):
        if name in skipped:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not isinstance(child, ast.Assert):
                yield child
                yield from _walk(child)


def sample(count: int, seed: int, only: Sequence[str] = ()) -> list[Mutant]:
    """Return so many mutants of all parts, drawn at random; the first ones are the same for any count."""
    found = []
    for part in PARTS:
        for path in sorted((ROOT / part).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            if not only or any(name.startswith(each) for each in only):
                found += list(find_mutants(name, path.read_text(encoding="utf-8")))
    random.Random(seed).shuffle(found)
    return found[:count]


def try_mutant(mutant: Mutant, copy: Path, near: bool = False) -> str:
    """Run the tests of a mutant in a copy of the checkout; return "killed", "hangs" or "survived".

    ``near`` runs only the tests of the module.
    """
    path = copy / mutant.path
    source = path.read_text(encoding="utf-8")
    path.write_text(mutant.apply(source), encoding="utf-8")
    try:
        first, everything = _near(mutant.path), _all(mutant.path)
        for tests in (first or everything,) if near else (first, everything):
            verdict = _run(tests, copy)
            if verdict != "survived":
                return verdict
        return "survived"
    finally:
        path.write_text(source, encoding="utf-8")


def _near(path: str) -> tuple[str, ...]:
    """The tests that are named after a module or import it, and those of its subject."""
    module = path.removeprefix("odm_tui/")
    own = f"tests/{Path(module).parent.as_posix()}/test_{Path(module).stem}.py"
    named = next((tests for start, tests in NEAR.items() if module.startswith(start)), ())
    dotted = path.removesuffix(".py").replace("/", ".")
    parent, _, stem = dotted.rpartition(".")
    importing = re.compile(
        rf"^\s*(from {re.escape(dotted)} import|from {re.escape(parent)} import .*\b{stem}\b)", re.MULTILINE
    )
    users = [
        test.relative_to(ROOT).as_posix()
        for folder in ("engine", "evaluation", "store", "session", "library")
        for test in sorted((ROOT / "tests" / folder).rglob("test_*.py"))
        if importing.search(test.read_text(encoding="utf-8"))
    ]
    return tuple(each for each in dict.fromkeys([own, *users, *named]) if (ROOT / each).exists())


def _all(path: str) -> tuple[str, ...]:
    return next(tests for part, tests in PARTS.items() if path.startswith(part))


def _run(tests: Sequence[str], copy: Path) -> str:
    if not tests:
        return "survived"
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
    environment = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            command,
            cwd=copy,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=WAIT,
            check=False,
            preexec_fn=_limit_time,
        )
    except subprocess.TimeoutExpired:
        return "hangs"
    if done.returncode == -signal.SIGXCPU:
        return "hangs"
    return "survived" if done.returncode == 0 else "killed"


def _limit_time() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 10))


def copy_checkout(folder: Path) -> Path:
    """Copy what the tests need."""
    copy = folder / "checkout"
    for name in ("odm_tui", "tests", "benchmarks", "question_banks", "docs"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, copy / name)
    return copy


def main() -> None:
    """Try the mutants and print the score."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutation", description=__doc__)
    parser.add_argument("--mutants", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", default=[], metavar="PATH", help="modules below this path")
    parser.add_argument(
        "--near", action="store_true", help="run only the tests of each module: a lower bound"
    )
    parser.add_argument("--list", action="store_true", help="print the mutants only")
    given = parser.parse_args()
    chosen = sample(given.mutants, given.seed, given.only)
    if given.list:
        for mutant in chosen:
            print(f"{mutant.path}:{mutant.line}: {mutant.before} -> {mutant.after}")
        return
    kept = ROOT / "build" / "mutation" / f"{find_commit()}{'-near' if given.near else ''}-{given.seed}.jsonl"
    kept.parent.mkdir(parents=True, exist_ok=True)
    done: dict[str, dict[str, Any]] = {}
    if kept.is_file():
        for line in kept.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            done[row["key"]] = row
    with tempfile.TemporaryDirectory() as folder:
        copy = copy_checkout(Path(folder))
        for mutant in chosen:
            key = f"{mutant.path}:{mutant.start}:{mutant.after}"
            if key not in done:
                done[key] = {"key": key, **asdict(mutant), "verdict": try_mutant(mutant, copy, given.near)}
                with kept.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(done[key]) + "\n")
            verdict = done[key]["verdict"]
            print(
                f"{verdict:<9} {mutant.path}:{mutant.line}: {mutant.before} -> {mutant.after}",
                flush=True,
            )
    verdicts = [done[f"{each.path}:{each.start}:{each.after}"]["verdict"] for each in chosen]
    noticed = sum(verdict != "survived" for verdict in verdicts)
    print(f"{noticed} of {len(verdicts)} mutants were noticed ({noticed / max(len(verdicts), 1):.0%}).")


if __name__ == "__main__":
    main()
