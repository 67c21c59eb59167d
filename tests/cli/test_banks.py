"""The commands for banks: banks, check, schema, new, import, export."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from odm_tui.cli import app as cli
from odm_tui.cli.completion import complete_bank, complete_policy
from tests.support.sample_banks import SMALL, written
from tests.support.sample_banks.texts import TEN_MISTAKES

Run = Callable[..., tuple[int, str, str]]
ROOT = Path(__file__).parents[2]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command line in an empty folder: its exit code, and what it printed on stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("platformdirs.user_config_path", lambda *_, **__: tmp_path / "config")

    def run_command(*arguments: str | Path) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as end:
            cli.main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return int(end.value.code or 0), printed.out, printed.err

    return run_command


def parsed(out: str) -> Any:
    return json.loads(out)


def test_banks_lists_every_bank_with_its_size_and_source(run: Run) -> None:
    code, out, err = run("banks")
    assert (code, err) == (0, "")
    (row,) = (line for line in out.splitlines() if line.startswith("navigation"))
    assert row.split() == ["navigation", "Charging", "stop", "5", "20", "odm-tui"]


def test_banks_as_json_has_everything_about_each(run: Run, tmp_path: Path) -> None:
    (tmp_path / "question_banks").mkdir()
    written(tmp_path / "question_banks", "format = 1", "bad.toml")
    _, out, _ = run("banks", "--json")
    banks = {bank["name"]: bank for bank in parsed(out)["banks"]}
    assert banks["led"]["questions"] == 7
    assert banks["led"]["valid"] is True
    assert (banks["bad"]["valid"], banks["bad"]["source"]) == (False, "this folder")


def test_a_title_with_markup_is_printed_as_it_is(run: Run, tmp_path: Path) -> None:
    (tmp_path / "question_banks").mkdir()
    written(tmp_path / "question_banks", SMALL.replace("Home network", "[red]x[/] [/]"), "odd.toml")
    code, out, _ = run("banks")
    assert code == 0
    assert "[red]x[/] [/]" in out


def test_check_says_that_a_good_bank_is_good(run: Run, tmp_path: Path) -> None:
    path = written(tmp_path, SMALL)
    assert run("check", path) == (0, f"{path}: good (3 questions, 3 outcomes)\n", "")


def test_check_of_the_shipped_banks_is_clean(run: Run) -> None:
    paths = sorted((ROOT / "question_banks").glob("*.toml"))
    code, out, _ = run("check", *paths)
    assert code == 0
    assert [line.split(": ")[1][:4] for line in out.splitlines()] == ["good"] * len(paths)


def test_check_reports_all_mistakes_and_leaves_with_65(run: Run, tmp_path: Path) -> None:
    path = written(tmp_path, TEN_MISTAKES)
    code, out, _ = run("check", path)
    assert code == 65
    assert out.splitlines()[0] == f"{path}: 11 errors"
    assert sum(line.startswith("  error  ") for line in out.splitlines()) == 11
    assert "line 20: questions[1].cost.yes (question 'q2'): must be a number, 0 or more, not -4." in out


def test_check_prints_warnings_and_leaves_with_0(run: Run, tmp_path: Path) -> None:
    code, out, _ = run("check", written(tmp_path, SMALL.replace("[0, 5000]", "[30, 5000]")))
    assert code == 0
    assert out.splitlines()[1].startswith(
        "  warning  line 42: questions[2].thresholds (question 'ping'): 20 "
    )


def test_check_as_json_has_path_line_and_message(run: Run, tmp_path: Path) -> None:
    bad, good = written(tmp_path, TEN_MISTAKES, "bad.toml"), written(tmp_path, SMALL, "good.toml")
    code, out, err = run("check", bad, good, "--json")
    assert (code, err) == (65, "")
    first, second = parsed(out)["banks"]
    assert (first["valid"], second["valid"]) == (False, True)
    assert first["errors"][7] == {
        "path": "questions[1].cost.yes",
        "about": "question 'q2'",
        "message": "must be a number, 0 or more, not -4.",
        "line": 20,
        "further_places": 0,
    }


def test_check_says_that_a_copied_bank_shares_the_log_of_the_other(run: Run, tmp_path: Path) -> None:
    named = SMALL.replace("format = 1", 'format = 1\nid = "network"')
    original, copy = written(tmp_path, named, "network.toml"), written(tmp_path, named, "copy.toml")
    for path, other in ((original, "copy.toml"), (copy, "network.toml")):
        code, out, _ = run("check", path)
        assert code == 0
        assert out.splitlines()[1] == (
            f"  warning  line 2: id: {other!r} in the same folder keeps its interviews in the same log, 'network'; "
            "if one is a copy, give it an id of its own."
        )
    copy.write_text(named.replace('"network"', '"network-2"'), encoding="utf-8")
    assert run("check", original)[1].endswith(": good (3 questions, 3 outcomes)\n")


def test_check_of_an_unknown_name_says_where_the_banks_are_listed(run: Run) -> None:
    code, out, _ = run("check", "nothing")
    assert code == 65
    assert "  error  Unknown bank 'nothing'. See `odm-tui banks`, or give the path of a .toml file." in out


def test_schema_prints_json(run: Run) -> None:
    code, out, _ = run("schema", "bank")
    assert code == 0
    assert parsed(out)["title"] == "odm-tui question bank"


def test_new_writes_a_bank_that_checks_clean(run: Run, tmp_path: Path) -> None:
    code, out, err = run("new", "my-bank")
    assert (code, out) == (0, "")
    assert "my-bank.toml" in err
    assert run("check", tmp_path / "my-bank.toml")[1].endswith("good (5 questions, 3 outcomes)\n")


def test_new_prefers_the_folder_of_banks(run: Run, tmp_path: Path) -> None:
    (tmp_path / "question_banks").mkdir()
    run("new", "my_bank", "--title", 'The "best"')
    assert 'title = "The \\"best\\""' in (tmp_path / "question_banks" / "my_bank.toml").read_text()


def test_new_never_replaces_a_file_by_accident(run: Run, tmp_path: Path) -> None:
    path = written(tmp_path, "mine", "mine.toml")
    code, _, err = run("new", "mine")
    assert (code, path.read_text()) == (73, "mine")
    assert "already exists. Choose another name, or replace it with --force." in err
    assert run("new", "mine", "--force")[0] == 0
    assert path.read_text().startswith("#:schema ")


def test_new_in_a_folder_that_is_not_there_is_one_sentence(run: Run) -> None:
    code, _, err = run("new", "nowhere/bank")
    assert (code, err.count("\n")) == (73, 1)


def test_import_writes_a_bank_and_says_what_to_do(run: Run, tmp_path: Path) -> None:
    data = written(tmp_path, "a,b,name,label\n1,0.5,x,p\n0,1.5,x,q\n1,2.5,x,q\n", "cases.csv")
    code, out, err = run("import", data, "--outcome", "label", "-o", "cases.toml")
    assert (code, out) == (0, "")
    assert "Left out: 'name' has the same value in every row." in err
    assert "cases.toml: 2 questions and 2 outcomes from 3 rows" in err
    assert run("check", "cases.toml")[0] == 0


def test_import_never_replaces_a_file_by_accident(run: Run, tmp_path: Path) -> None:
    data = written(tmp_path, "a,label\n1,p\n0,q\n", "cases.csv")
    mine = written(tmp_path, "mine", "mine.toml")
    code, _, _ = run("import", data, "--outcome", "label", "-o", mine)
    assert (code, mine.read_text()) == (73, "mine")
    assert run("import", data, "--outcome", "label", "-o", mine, "--force")[0] == 0


def test_import_of_a_bad_table_is_one_sentence_and_65(run: Run, tmp_path: Path) -> None:
    data = written(tmp_path, "a,label\n1\n", "cases.csv")
    code, _, err = run("import", data, "--outcome", "label", "-o", "x.toml")
    assert (code, err) == (
        65,
        f"{data}: line 2 has 1 cell, but the header has 2; put quotation marks around cells with a delimiter, and leave no cell out.\n",
    )
    assert not (tmp_path / "x.toml").exists()


@pytest.mark.parametrize(("form", "start"), [("dot", "digraph questions {"), ("mermaid", "flowchart TD")])
def test_export_draws_the_tree(run: Run, form: str, start: str) -> None:
    code, out, _ = run("export", "lung", "--tree", "--format", form, "--depth", "2", "--policy", "w-ig-ts")
    assert code == 0
    assert out.startswith(start)


def test_export_without_a_wish_asks_for_one(run: Run) -> None:
    code, _, err = run("export", "lung")
    assert (code, err) == (2, "Nothing to export. Add --tree to print the question tree.\n")


def test_export_with_an_unknown_policy_is_one_sentence(run: Run) -> None:
    code, _, err = run("export", "lung", "--tree", "--policy", "guess")
    assert code == 2
    assert err.startswith("Unknown policy 'guess'. See `odm-tui policies`.")


def test_bank_names_are_completed_with_where_they_come_from() -> None:
    assert complete_bank("nav") == [("navigation", "odm-tui")]
    assert complete_bank("zzz") == []


def test_policy_names_are_completed() -> None:
    assert "w-ec2-ts" in complete_policy("w-ec2")


def test_the_shell_completes_bank_names() -> None:
    words = {"COMP_WORDS": "odm-tui check na", "COMP_CWORD": "2", "_ODM_TUI_COMPLETE": "complete_bash"}
    done = subprocess.run(
        [sys.executable, "-m", "odm_tui"],
        env={**os.environ, **words},
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.stdout.split() == ["navigation"]


def test_the_commands_load_neither_numpy_nor_textual_before_they_run() -> None:
    program = (
        "import sys, odm_tui.cli.commands.banks, odm_tui.cli.commands.check, odm_tui.cli.commands.export, odm_tui.cli.commands.import_data, "
        "odm_tui.cli.commands.new, odm_tui.cli.commands.schema; sys.exit(any(m in sys.modules for m in ('numpy', 'textual')))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False, cwd=ROOT).returncode == 0
