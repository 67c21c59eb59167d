"""Repeated runs of the tests beside busy loops: what is counted, and that the count goes on after an interruption."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from benchmarks.stress.__main__ import main
from benchmarks.stress.runs import busy_loops, run_tests
from benchmarks.stress.tally import Tally, tally_folder
from tests.support.timed import is_timed

TESTS = """
import os
from pathlib import Path

def test_that_passes():
    pass

def test_that_fails_every_other_time():
    runs = Path(__file__).with_name("runs")
    runs.write_text(runs.read_text() + "x" if runs.exists() else "x")
    assert len(runs.read_text()) % 2
"""


@pytest.fixture
def tests(tmp_path: Path) -> Path:
    """A test file that fails in the second, the fourth, … run."""
    file = tmp_path / "tests" / "test_flaky.py"
    file.parent.mkdir()
    file.write_text(TESTS)
    (file.parent / "pytest.ini").write_text("[pytest]\n")
    return file


def stress(root: Path, tests: Path, *options: str) -> int:
    folder = tests.parent
    return main(
        [*options, "--busy", "0", "-n", "0", f"--rootdir={folder}", "-c", f"{folder}/pytest.ini", str(tests)],
        root,
    )


def test_runs_add_up_over_several_calls_and_failures_are_named_with_their_number(
    tmp_path: Path, tests: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert stress(tmp_path, tests, "--runs", "1") == 0
    assert "1 of 1 runs passed." in capsys.readouterr().out
    assert stress(tmp_path, tests, "--runs", "3") == 1
    shown = capsys.readouterr().out
    assert "test_flaky::test_that_fails_every_other_time failed in 1 of 3 runs" in shown
    assert "2 of 3 runs passed." in shown
    assert (tests.parent / "runs").read_text() == "xxx"


def test_a_fresh_start_forgets_the_runs_before(
    tmp_path: Path, tests: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stress(tmp_path, tests, "--runs", "1")
    assert stress(tmp_path, tests, "--runs", "1", "--fresh") == 1
    assert "0 of 1 runs passed." in capsys.readouterr().out


def test_an_interrupted_run_does_not_count(
    tmp_path: Path, tests: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stress(tmp_path, tests, "--runs", "1")
    tests.write_text("def test_that_is_interrupted():\n    raise KeyboardInterrupt\n")
    assert stress(tmp_path, tests, "--runs", "2") == 1
    shown = capsys.readouterr().out
    assert "Interrupted" in shown
    assert "1 of 1 runs passed." in shown


def test_a_run_without_any_result_is_a_failure(tmp_path: Path) -> None:
    run = run_tests(["-p", "a_plugin_that_is_not_there", str(tmp_path)])
    assert list(run.failed) == ["pytest itself (exit code 1)"]


def test_other_code_and_other_options_are_counted_apart(tmp_path: Path) -> None:
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-C", str(tmp_path)]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "first"], check=True)
    places = [tally_folder(tmp_path, ["-k", "a"], 2), tally_folder(tmp_path, ["-k", "b"], 2)]
    places.append(tally_folder(tmp_path, ["-k", "a"], 1))
    (tmp_path / "new.py").touch()
    places.append(tally_folder(tmp_path, ["-k", "a"], 2))
    subprocess.run([*git, "add", "new.py"], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "second"], check=True)
    places.append(tally_folder(tmp_path, ["-k", "a"], 2))
    assert len(set(places)) == 5
    assert tally_folder(tmp_path, ["-k", "a"], 2) == places[-1]
    assert Tally(places[-1]).runs == []


def test_busy_loops_end_with_the_runs() -> None:
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    before = children.read_text().split()
    with busy_loops(1):
        assert len(children.read_text().split()) == len(before) + 1
    assert children.read_text().split() == before


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        ("tests/tui/test_terminal.py", True),
        ("tests/tui/test_home.py", True),
        ("tests/session/test_concurrency.py", True),
        ("tests/session/team/test_chaos.py", True),
        ("tests/store/test_locking.py", True),
        ("tests/web/test_browser.py", True),
        ("tests/engine/test_posterior.py", False),
        ("tests/store/test_state_file.py", False),
    ],
)
def test_what_starts_processes_terminals_threads_or_servers_is_found(module: str, expected: bool) -> None:
    assert is_timed(Path(__file__).parents[2] / module) == expected


def test_the_timed_tests_can_be_chosen_by_their_mark(request: pytest.FixtureRequest) -> None:
    assert request.node.get_closest_marker("timed") is not None
