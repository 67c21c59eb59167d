"""``odm-tui replay`` as it is called."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from inspect import signature
from pathlib import Path

import pytest

from benchmarks.simulated_log import write_log
from odm_tui.banks import load_bank
from odm_tui.cli.app import main
from odm_tui.cli.commands.replay import replay as replay_command
from odm_tui.evaluation.replay.replay import ReplayOptions
from odm_tui.store.events import Started
from odm_tui.store.log import read_log, valid_entries
from odm_tui.store.log_codec import encode_event

Run = Callable[..., int]


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("logs") / "led.log.jsonl"
    write_log(path, load_bank("led"), 20, ["w-ec2-ts"])
    return path


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("COLUMNS", "80")

    def run_and_return_code(*arguments: str) -> int:
        with pytest.raises(SystemExit) as end:
            main(["replay", *arguments])
        return int(end.value.code or 0)

    return run_and_return_code


QUICK = ("--draws", "1", "--weighed", "2", "--jobs", "1")


def test_json_tells_of_the_audit_and_every_way(
    run: Run, log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(str(log), "-p", "w-ec2-ts", "-p", "random", *QUICK, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["audit"]["same"] == told["audit"]["checked"] == 20
    assert [way["way"] for way in told["ways"]] == ["logged answers", "model"]
    assert [each["policy"] for each in told["ways"][1]["policies"]] == ["as logged", "w-ec2-ts", "random"]
    assert [each["policy"] for each in told["off_policy"]] == ["w-ec2-ts", "random"]


def test_a_replay_without_options_is_the_same_from_python_and_as_a_command() -> None:
    names = {
        "audit": "audit",
        "most": "max_interviews",
        "draws": "answer_draws",
        "weighed": "max_weighted",
        "seed": "seed",
    }
    command, library = signature(replay_command).parameters, ReplayOptions()
    assert {name: command[name].default for name in names} == {
        name: getattr(library, option) for name, option in names.items()
    }


def test_the_tables_fit_80_columns(run: Run, log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(str(log), "-p", "w-ig-ts", *QUICK) == 0
    out = capsys.readouterr().out
    assert "Audit: the same questions again in 20 of 20" in out
    assert "What if, by model" in out
    assert max(len(line) for line in out.splitlines()) <= 80


def test_a_report_is_one_page(run: Run, log: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    assert run(str(log), "-p", "w-ig-ts", *QUICK, "--report", str(report)) == 0
    assert report.read_text().startswith("<!doctype html>")


def test_an_audit_alone_holds_nothing_again(run: Run, log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(str(log), "--no-what-if", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["ways"] == []
    assert told["audit"]["checked"] == 20


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("absent.log.jsonl",), 65, "absent.log.jsonl"),
        (("LOG", "-p", "clever"), 2, "Unknown policy 'clever'"),
        (("LOG", "--cases", "absent.csv"), 65, "absent.csv"),
        (("LOG", "--bank", "navigation"), 65, "no confirmed interview"),
        (("LOG", "--report", "absent/report.html", "--no-what-if"), 73, "report.html"),
    ],
)
def test_what_can_t_be_done_gets_one_sentence(
    run: Run,
    log: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    code: int,
    said: str,
) -> None:
    assert run(*(str(log) if each == "LOG" else each for each in arguments)) == code
    told = capsys.readouterr().err
    assert said in told
    assert len(told.strip().splitlines()) == 1


@pytest.mark.parametrize("more", [(), ("--bank", "led")])
def test_a_damaged_log_is_named_as_such(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str], more: tuple[str, ...]
) -> None:
    damaged = tmp_path / "some.log.jsonl"
    damaged.write_text("not a log\nat all\n")
    assert run(str(damaged), *QUICK, *more) == 65
    told = capsys.readouterr().err
    assert f"{damaged}: the log is damaged, 2 lines can't be read" in told
    assert "line 1" in told
    assert "backup" in told


def test_a_log_does_not_choose_which_files_are_read(
    run: Run, log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    private = tmp_path / "private"
    private.write_text("a secret")
    entry = next(valid_entries(read_log(log)))
    assert isinstance(entry.event, Started)
    foreign = tmp_path / "foreign.log.jsonl"
    foreign.write_bytes(encode_event(replace(entry.event, bank=str(private)), 1))
    assert run(str(foreign), *QUICK) == 65
    told = capsys.readouterr().err
    assert "name the bank with --bank" in told
    assert "TOML" not in told
    assert len(told.strip().splitlines()) == 1
