"""Oracles, explorations and stop rules of another package: installed, used everywhere, and checked.

The package is installed as pip would do it: its code and a ``.dist-info`` folder with ``entry_points.txt`` in a folder
on the path of a fresh process.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

EXAMPLE = Path(__file__).parent / "example_plugin"
ROOT = Path(__file__).parents[2]

BANK = """
format = 1
title = "Colds"
cost_unit = "seconds"
stakes = 100
policy = { oracle = "cheapest", exploration = "half", stop = { any = [{ lead = 0.9 }, { max_questions = 2 }] } }

[[outcomes]]
id = "flu"
label = "Flu"

[[outcomes]]
id = "cold"
label = "Cold"

[[questions]]
id = "fever"
text = "Fever?"
cost = 9

[[questions]]
id = "cough"
text = "Cough?"
cost = 2

[[questions]]
id = "rash"
text = "A rash?"
cost = 5

[expected]
worth = 8
fever = { flu = 0.9, cold = 0.2 }
cough = { flu = 0.6, cold = 0.7 }
rash = { flu = 0.1, cold = 0.2 }
"""


def write_entry_points(site: Path, package: str, groups: Mapping[str, Mapping[str, str]]) -> None:
    """Register a package in a folder, as an installer does."""
    folder = site / f"{package.replace('-', '_')}-1.0.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n", encoding="utf-8"
    )
    lines = []
    for group, entries in groups.items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in entries.items()), ""]
    (folder / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder with the example package installed."""
    made = tmp_path / "site"
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    write_entry_points(made, project["name"], project["entry-points"])
    shutil.copytree(
        EXAMPLE / "odm_tui_example", made / "odm_tui_example", ignore=shutil.ignore_patterns("__pycache__")
    )
    (tmp_path / "colds.toml").write_text(BANK, encoding="utf-8")
    return made


Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(site: Path, tmp_path: Path) -> Run:
    """Run a command line in a fresh process that finds the installed packages."""

    def run_python(*arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(site), str(ROOT)])}
        done = subprocess.run(
            [sys.executable, *arguments],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=environment,
            check=False,
        )
        assert done.returncode == code, done.stderr
        return done

    return run_python


def odm_tui(run: Run, *arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    return run("-m", "odm_tui", *arguments, code=code)


def test_next_takes_the_policy_of_a_plugin(run: Run) -> None:
    said = odm_tui(
        run, "next", "--bank", "colds.toml", "--no-state", "--policy", "cheapest-ts", "--json"
    ).stdout
    assert json.loads(said)["question"]["id"] == "cough"


def test_an_interview_with_a_plugin_is_logged_by_name_resumes_and_replays(run: Run, tmp_path: Path) -> None:
    (tmp_path / "answers.json").write_text('{"cough": "yes", "rash": "no", "fever": "yes"}', encoding="utf-8")
    common = ("--bank", "colds.toml", "--state-dir", "state", "--seed", "3", "--answers", "answers.json")
    told = odm_tui(run, *common, "--confirm", "flu", "--json").stdout
    assert json.loads(told)["outcome"]
    odm_tui(run, *common, "--policy", "w-ig-half", "--confirm", "flu", "--json")
    events = [json.loads(line) for line in (tmp_path / "state" / "colds.log.jsonl").read_text().splitlines()]
    started = [event for event in events if event["event"] == "started"]
    assert started[0]["policy"] == {
        "oracle": "cheapest",
        "exploration": "half",
        "stop": {"any": [{"lead": 0.9}, {"max_questions": 2}]},
    }
    assert started[1]["policy"]["exploration"] == "half"
    command = (
        "replay",
        "state/colds.log.jsonl",
        "--bank",
        "colds.toml",
        "--policy",
        "cheapest-half",
        "--jobs",
        "1",
    )
    found = json.loads(odm_tui(run, *command, "--json").stdout)
    assert (found["audit"]["checked"], found["audit"]["same"]) == (2, 2)
    assert "cheapest-half" in [policy["policy"] for policy in found["ways"][0]["policies"]]


@pytest.mark.parametrize("protocol", ["paper", "live"])
def test_an_experiment_runs_the_policy_of_a_plugin(run: Run, protocol: str) -> None:
    command = (
        "experiment",
        "led",
        "-p",
        "cheapest-ts",
        "-p",
        "w-ig-half",
        "-p",
        "random",
        "--protocol",
        protocol,
    )
    said = odm_tui(run, *command, "--seeds", "1", "--limit", "20", "--jobs", "1", "--json").stdout
    rows: dict[str, Any] = {row["policy"]: row for row in json.loads(said)["rows"]}
    assert set(rows) == {"cheapest-ts", "w-ig-half", "random"}
    assert rows["cheapest-ts"]["mean_cost"] != rows["random"]["mean_cost"]


def test_the_authors_program_has_no_plugin(run: Run) -> None:
    command = (
        "experiment",
        "led",
        "-p",
        "cheapest-ts",
        "--protocol",
        "authors",
        "--seeds",
        "1",
        "--limit",
        "5",
    )
    assert "cheapest" in odm_tui(run, *command, "--jobs", "1", code=2).stderr


def test_a_plugin_is_listed_and_completed(run: Run) -> None:
    found = json.loads(odm_tui(run, "policies", "--json").stdout)
    listed = {policy["name"]: policy for policy in found["policies"]}
    assert listed["cheapest-half"]["package"] == "odm-tui-example"
    assert listed["cheapest-half"]["chooses"] == "Ask the cheapest question."
    assert listed["w-ec2-half"]["explores"] is True
    assert listed["w-ec2-ts"]["package"] is None
    assert "lead" in [rule["name"] for rule in found["stop_rules"]]
    assert found["problems"] == []
    assert "odm-tui-example" in odm_tui(run, "policies").stdout
    code = "from odm_tui.cli.completion import complete_policy; print(complete_policy('cheapest-h'))"
    assert run("-c", code).stdout.strip() == "['cheapest-half']"


def test_a_misspelt_plugin_is_proposed(run: Run) -> None:
    said = odm_tui(run, "next", "--bank", "colds.toml", "--no-state", "--policy", "cheapst-ts", code=2).stderr
    assert said == "Unknown policy 'cheapst-ts'. Did you mean 'cheapest-ts'? See `odm-tui policies`.\n"


def test_the_plugin_passes_the_exported_checks(run: Run) -> None:
    code = (
        "from odm_tui.testing import check_exploration, check_oracle, check_stop_rule\n"
        "check_oracle('cheapest', explorations=['ts', 'half'])\n"
        "check_exploration('half', oracles=['w-ec2'])\n"
        "check_stop_rule('lead')\n"
        "check_stop_rule({'lead': 0.2})\n"
        "import sys; assert 'pytest' not in sys.modules"
    )
    run("-c", code)


@pytest.mark.parametrize(
    ("check", "what", "sentence"),
    [
        ("check_oracle", "Unavailable", "chose question 0, which is not available"),
        ("check_oracle", "Forgetful", "in the same situation"),
        ("check_oracle", "Meddling", "changes the situation"),
        ("check_oracle", "Infinite", "must be finite"),
        ("check_exploration", "Drifting", "two models for the same random generator"),
        ("check_stop_rule", "Wordless()", "must give None or a reason of one line, not ''"),
    ],
)
def test_a_wrong_one_fails_the_check_with_what_is_wrong(
    run: Run, check: str, what: str, sentence: str
) -> None:
    code = f"import odm_tui_example as e\nfrom odm_tui.testing import {check}\n{check}(e.{what})"
    said = run("-c", code, code=1).stderr
    assert "AssertionError: " in said
    assert sentence in said


BROKEN = {
    "an import that fails": ("clever", "no_such_module:Clever", "can't be loaded (ModuleNotFoundError: "),
    "a module without the class": ("clever", "odm_tui_example:Clever", "can't be loaded (AttributeError: "),
    "no oracle": ("clever", "odm_tui_example:Half", "is not a subclass of odm_tui.Oracle"),
    "another name": ("clever", "odm_tui_example:Cheapest", "calls itself 'cheapest'"),
}


@pytest.mark.parametrize(("name", "value", "sentence"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_plugin_is_one_sentence_and_breaks_nothing_else(
    run: Run, site: Path, name: str, value: str, sentence: str
) -> None:
    write_entry_points(site, "broken-package", {"odm_tui.oracles": {name: value}})
    command = ("next", "--bank", "colds.toml", "--no-state", "--policy")
    said = odm_tui(run, *command, f"{name}-ts", code=2).stderr
    assert said.startswith(f"The oracle '{name}' of the package 'broken-package' ")
    assert sentence in said
    assert said.endswith("Update or uninstall 'broken-package'.\n")
    assert said.count("\n") == 1
    odm_tui(run, *command, "w-ec2-ts")
    odm_tui(run, *command, "cheapest-ts")
    listed = odm_tui(run, "policies")
    assert sentence in listed.stderr
    assert "w-ec2-ts" in listed.stdout
    assert f"{name}-ts" not in listed.stdout


def test_a_name_that_odm_tui_has_already_is_refused(run: Run, site: Path) -> None:
    entries = {"odm_tui.oracles": {"w-ig": "odm_tui_example:Cheapest"}, "odm_tui.stop_rules": {"any": "x:Y"}}
    write_entry_points(site, "squatter", entries)
    listed = odm_tui(run, "policies", "--json")
    assert (
        "The package 'squatter' registers the oracle 'w-ig', but odm-tui has one of that name."
        in listed.stderr
    )
    assert "registers the stop rule 'any'" in listed.stderr
    (found,) = [each for each in json.loads(listed.stdout)["policies"] if each["name"] == "w-ig-ts"]
    assert found["package"] is None


def test_two_packages_with_one_name_are_refused(run: Run, site: Path) -> None:
    write_entry_points(site, "second", {"odm_tui.oracles": {"cheapest": "odm_tui_example:Cheapest"}})
    said = odm_tui(run, "next", "--bank", "led", "--no-state", "--policy", "cheapest-ts", code=2).stderr
    assert said == (
        "The packages 'odm-tui-example' and 'second' both register the oracle 'cheapest'. Uninstall one of them.\n"
    )


def test_a_built_in_policy_looks_for_no_plugin(run: Run) -> None:
    code = (
        "import sys\n"
        "from odm_tui import Interview, Problem\n"
        "for policy in ('lookahead-ts', {'oracle': 'w-ec2', 'stop': {'any': ['region', {'max_questions': 3}]}}):\n"
        "    Interview(Problem.build(['a', 'b'], ['x', 'y']), policy).next\n"
        "assert 'importlib.metadata' not in sys.modules\n"
        "assert 'odm_tui_example' not in sys.modules"
    )
    run("-c", code)
