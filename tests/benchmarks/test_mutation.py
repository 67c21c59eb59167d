"""The mutation script: which faults it makes, and that they stay the same."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from benchmarks import mutation
from benchmarks.mutation import Mutant, find_mutants, sample
from benchmarks.results import provenance

SOURCE = '''"""Text with 3 < 4."""
def choose(x: int = 2) -> bool:
    if x < 10 and not x == 3:
        return x * 2.0 - 1 > 0
    return True
'''


def test_every_operator_number_and_condition_is_changed_once() -> None:
    changes = {(m.before, m.after) for m in find_mutants("some.py", SOURCE)}
    assert {("<", "<="), ("and", "or"), ("==", "!="), ("*", "/"), ("-", "+"), (">", ">=")} <= changes
    assert {("10", "11"), ("2.0", "3.0"), ("True", "False"), ("2", "3")} <= changes
    assert ("x < 10 and not x == 3", "(not (x < 10 and not x == 3))") in changes


def test_every_mutant_is_another_program_that_compiles() -> None:
    path = provenance.ROOT / "odm_tui/engine/stopping.py"
    source = path.read_text(encoding="utf-8")
    found = list(find_mutants("odm_tui/engine/stopping.py", source))
    assert len(found) > 50
    for mutant in found:
        assert ast.dump(ast.parse(mutant.apply(source))) != ast.dump(ast.parse(source)), mutant


def test_a_longer_sample_begins_with_the_shorter_one() -> None:
    few, many = sample(5, seed=1), sample(20, seed=1)
    assert many[:5] == few
    assert sample(5, seed=2) != few


@pytest.mark.parametrize(("code", "verdict"), [(0, "survived"), (1, "killed")])
def test_a_mutant_is_in_place_while_its_tests_run_and_gone_after_them(
    code: int, verdict: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = tmp_path / "odm_tui/engine/odd.py"
    module.parent.mkdir(parents=True)
    module.write_text("x = 1\n", encoding="utf-8")
    seen = []

    def run(tests: object, copy: Path) -> str:
        seen.append((copy / "odm_tui/engine/odd.py").read_text(encoding="utf-8"))
        return "killed" if code else "survived"

    monkeypatch.setattr(mutation, "_run", run)
    mutant = Mutant("odm_tui/engine/odd.py", 1, 4, 5, "1", "2")
    assert mutation.try_mutant(mutant, tmp_path) == verdict
    assert set(seen) == {"x = 2\n"}
    assert module.read_text(encoding="utf-8") == "x = 1\n"
