"""Try the mutants and print the score: ``python -m benchmarks.mutation``."""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

import benchmarks.mutation
from benchmarks.mutation.equivalent import find_reason
from benchmarks.mutation.mutants import PARTS, Mutant, sample
from benchmarks.mutation.process import load_libraries, run_pytest, stop_cleanly
from benchmarks.mutation.recording import Recording, record
from benchmarks.results.provenance import ROOT, find_commit

NOTICED = (pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED)
"""A test failed, or a module could not be imported."""
FIRST_SECONDS = 1.0
"""The tests of the first round compute for about so long; most mutants die there."""
MOST_SECONDS = 40.0
"""The tests of both rounds together; the slowest ones that do not fit are left out."""


def main() -> None:
    """Try the mutants and print the score."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.mutation", description=benchmarks.mutation.__doc__
    )
    parser.add_argument("--mutants", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", default=[], metavar="PATH", help="modules below this path")
    parser.add_argument("--list", action="store_true", help="print the mutants only")
    given = parser.parse_args()
    chosen = sample(given.mutants, given.seed, given.only)
    if given.list:
        for mutant in chosen:
            print(mutant)
        return
    stop_cleanly()
    load_libraries()
    kept = ROOT / "build" / "mutation" / find_commit()
    with tempfile.TemporaryDirectory() as folder:
        copy = copy_checkout(Path(folder))
        recording = record(copy, kept / "recordings", chosen)
        rows = list(try_all(chosen, copy, recording, kept / f"verdicts-{given.seed}.jsonl"))
    for line in format_score(rows):
        print(line)


def copy_checkout(folder: Path) -> Path:
    """Copy what the tests need."""
    copy = folder / "checkout"
    for name in ("odm_tui", "tests", "benchmarks", "question_banks", "docs"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, copy / name)
    (folder / "shared").symlink_to(ROOT.parent / "shared")
    return copy


def try_all(
    chosen: Sequence[Mutant], copy: Path, recording: Recording, kept: Path
) -> Iterator[dict[str, Any]]:
    """Yield a row for each mutant; those that were tried before are read."""
    done: dict[str, dict[str, Any]] = {}
    if kept.is_file():
        for line in kept.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            done[row["key"]] = row
    for mutant in chosen:
        key = f"{mutant.path}:{mutant.start}:{mutant.after}"
        if key not in done:
            verdict, by = try_mutant(mutant, copy, recording)
            done[key] = {"key": key, **asdict(mutant), "verdict": verdict, "by": by}
            with kept.open("a", encoding="utf-8") as file:
                file.write(json.dumps(done[key]) + "\n")
        print(f"{done[key]['verdict']:<10} {mutant}  {done[key]['by']}", flush=True)
        yield done[key]


def try_mutant(mutant: Mutant, copy: Path, recording: Recording) -> tuple[str, str]:
    """Run the tests of a mutant in a copy of the checkout; return the verdict and the test or the reason.

    The verdict is "killed", "hangs", "survived", "untested" (no test executes the module), "refused" (the tests
    could not be run) or "equivalent".
    """
    path = copy / mutant.path
    source = path.read_text(encoding="utf-8")
    reason = find_reason(mutant, source)
    if reason:
        return "equivalent", reason
    tests = recording.tests_of(mutant, source)
    if not tests:
        return "untested", ""
    write_newer(path, mutant.apply(source))
    try:
        for chosen in split_rounds(tests, recording.seconds):
            allowed = 30 + 5 * sum(recording.seconds[test] for test in chosen)
            code, printed = run_pytest(["-q", "-x", "--tb=no", "-rfE", *chosen], copy, int(allowed))
            if code is None:
                return "hangs", ""
            if code not in NOTICED and code != 0:
                return "refused", printed.strip()[-300:]
            if code != 0:
                failed = re.search(r"^(?:FAILED|ERROR) (\S+)", printed, re.MULTILINE)
                return "killed", failed[1] if failed else f"exit code {code}"
        return "survived", f"{len(tests)} tests"
    finally:
        write_newer(path, source)


def split_rounds(tests: Sequence[str], seconds: dict[str, float]) -> list[list[str]]:
    """Split tests, the fastest first, into a short round and a long one.

    >>> split_rounds(["a", "b", "c", "d"], {"a": 0.5, "b": 0.6, "c": 30.0, "d": 35.0})
    [['a', 'b'], ['c']]
    """
    rounds: list[list[str]] = [[], []]
    total = 0.0
    for test in tests:
        if rounds[0] and total + seconds[test] > MOST_SECONDS:
            break
        rounds[total >= FIRST_SECONDS].append(test)
        total += seconds[test]
    return [each for each in rounds if each]


def write_newer(path: Path, text: str) -> None:
    """Write a module with a later time than it had: compiled code is recognised as old by whole seconds."""
    time = path.stat().st_mtime + 2
    path.write_text(text, encoding="utf-8")
    os.utime(path, (time, time))


def format_score(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield the score of each part and of all, with 95 % Wilson intervals."""
    from odm_tui.evaluation.bank.figures import wilson_interval

    counted = [row for row in rows if row["verdict"] != "equivalent"]
    for part in (*PARTS, ""):
        verdicts = [row["verdict"] for row in counted if row["path"].startswith(part)]
        if verdicts:
            noticed = sum(verdict in ("killed", "hangs") for verdict in verdicts)
            low, high = wilson_interval(noticed, len(verdicts))
            yield f"{part or 'all'}: {noticed} of {len(verdicts)} noticed, {noticed / len(verdicts):.2f} [{low:.2f}, {high:.2f}]"
    yield f"{len(rows) - len(counted)} equivalent mutants are not counted."


if __name__ == "__main__":
    main()
