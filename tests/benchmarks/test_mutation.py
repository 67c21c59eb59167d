"""The mutation script: which faults it makes, and that they stay the same."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from benchmarks.mutation import __main__ as script
from benchmarks.mutation import equivalent, process
from benchmarks.mutation.__main__ import format_score, try_mutant
from benchmarks.mutation.mutants import Mutant, find_mutants, sample
from benchmarks.mutation.recording import Recording
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


MODULE = """LIMIT = 1
def within(x):
    if x > LIMIT:
        return False
    return True
"""
TESTS = """from odm_tui.engine.odd import within
def test_inside(): assert within(0)
def test_outside(): assert not within(5)
"""
COMPARED = Mutant("odm_tui/engine/odd.py", 3, MODULE.index(">"), MODULE.index(">") + 1, ">", "<")
NOT_AT_ONE = Mutant("odm_tui/engine/odd.py", 3, MODULE.index(">"), MODULE.index(">") + 1, ">", ">=")


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small checkout whose tests need no plugins: loading them would take most of the time."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    copy = tmp_path / "checkout"
    for name, text in {
        "odm_tui/__init__.py": "",
        "odm_tui/engine/__init__.py": "",
        "odm_tui/engine/odd.py": MODULE,
        "tests/test_odd.py": TESTS,
        "pyproject.toml": "[tool.pytest.ini_options]\n",
    }.items():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_text(text, encoding="utf-8")
    return copy


@pytest.fixture
def recording(tmp_path: Path) -> Recording:
    inside, outside = "tests/test_odd.py::test_inside", "tests/test_odd.py::test_outside"
    found = {
        "seconds": {inside: 0.3, outside: 0.1},
        "lines": {"odm_tui/engine/odd.py": {"3": [inside, outside, "failed"], "4": [outside], "5": [inside]}},
    }
    (tmp_path / "recorded.json").write_text(json.dumps(found), encoding="utf-8")
    recording = Recording()
    recording.add(tmp_path / "recorded.json")
    return recording


def test_a_fault_that_a_test_notices_is_killed_by_it_and_gone_afterwards(
    checkout: Path, recording: Recording
) -> None:
    assert try_mutant(COMPARED, checkout, recording) == ("killed", "tests/test_odd.py::test_outside")
    assert (checkout / COMPARED.path).read_text(encoding="utf-8") == MODULE


def test_a_fault_that_no_test_notices_survives(checkout: Path, recording: Recording) -> None:
    assert try_mutant(NOT_AT_ONE, checkout, recording) == ("survived", "2 tests")


def test_a_fault_that_never_ends_hangs(
    checkout: Path, recording: Recording, monkeypatch: pytest.MonkeyPatch
) -> None:
    endless = Mutant(
        COMPARED.path,
        3,
        MODULE.index("x > LIMIT"),
        MODULE.index(":\n        return F"),
        "",
        "[0 for _ in iter(int, 1)]",
    )
    limited = process.run_pytest
    monkeypatch.setattr(script, "run_pytest", lambda arguments, copy, seconds: limited(arguments, copy, 2))
    assert try_mutant(endless, checkout, recording) == ("hangs", "")


def test_an_equivalent_mutant_is_not_tried(
    checkout: Path, recording: Recording, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(arguments: Sequence[str], copy: Path, seconds: int) -> None:
        raise AssertionError

    monkeypatch.setattr(script, "run_pytest", refuse)
    monkeypatch.setitem(equivalent.EQUIVALENT, (COMPARED.path, "if x > LIMIT:", "<"), "a reason")
    assert try_mutant(COMPARED, checkout, recording) == ("equivalent", "a reason")


def test_every_equivalent_mutant_that_is_listed_exists() -> None:
    for path, line, after in equivalent.EQUIVALENT:
        source = (provenance.ROOT / path).read_text(encoding="utf-8")
        texts = source.splitlines()
        assert any(
            mutant.after == after and texts[mutant.line - 1].strip() == line
            for mutant in find_mutants(path, source)
        ), (path, line, after)


def test_the_tests_of_a_line_are_those_that_execute_it_the_fastest_first(recording: Recording) -> None:
    assert recording.tests_of(COMPARED, MODULE) == [
        "tests/test_odd.py::test_outside",
        "tests/test_odd.py::test_inside",
    ]
    in_branch = Mutant(COMPARED.path, 4, 0, 0, "", "")
    assert recording.tests_of(in_branch, MODULE) == ["tests/test_odd.py::test_outside"]


def test_tests_that_cannot_be_run_do_not_kill(checkout: Path, recording: Recording) -> None:
    (checkout / "tests/test_odd.py").write_text("def test_other(): pass\n", encoding="utf-8")
    assert try_mutant(COMPARED, checkout, recording)[0] == "refused"


def test_tests_that_run_end_with_the_script(checkout: Path, tmp_path: Path) -> None:
    started = tmp_path / "started"
    (checkout / "tests/test_odd.py").write_text(
        f"import os, pathlib, time\ndef test_slow():\n"
        f"    pathlib.Path({str(started)!r} + '.part').write_text(str(os.getpid()))\n"
        f"    os.rename({str(started)!r} + '.part', {str(started)!r})\n"
        f"    time.sleep(600)\n",
        encoding="utf-8",
    )
    script = (
        "from pathlib import Path\nfrom benchmarks.mutation.process import run_pytest, stop_cleanly\n"
        f"stop_cleanly()\nrun_pytest(['tests/test_odd.py'], Path({str(checkout)!r}), 60)\n"
    )
    running = subprocess.Popen([sys.executable, "-c", script], cwd=provenance.ROOT, stderr=subprocess.DEVNULL)
    wait_until(started.exists)
    running.terminate()
    assert running.wait(120) == 1
    tests = int(started.read_text(encoding="utf-8"))
    wait_until(lambda: not has_process(tests))


def has_process(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def wait_until(holds: Callable[[], bool], seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_the_score_counts_hangs_as_noticed_and_equivalent_mutants_not_at_all() -> None:
    verdicts = ["killed"] * 7 + ["hangs", "survived", "untested", "equivalent"]
    rows = [{"path": "odm_tui/store/log.py", "verdict": verdict} for verdict in verdicts]
    lines = list(format_score(rows))
    assert lines[0].startswith("odm_tui/store: 8 of 10 noticed, 0.80 [0.49, 0.94]")
    assert lines[-1] == "1 equivalent mutants are not counted."
