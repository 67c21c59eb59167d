"""The interview in plain lines: pipes, files of answers, exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from odm_tui.banks import load_bank
from odm_tui.cli.lines import understood
from odm_tui.session import Archive
from tests.screens.driving import BANK


def run(
    folder: Path, *options: str, lines: str = "", bank: str | None = BANK
) -> subprocess.CompletedProcess[str]:
    arguments = ["--state-dir", str(folder), "--operator", "tester", "--seed", "1", *options]
    if bank is not None:
        arguments += ["--bank", bank]
    return subprocess.run(
        [sys.executable, "-m", "odm_tui", *arguments],
        input=lines,
        capture_output=True,
        text=True,
        env={**os.environ, "NO_COLOR": "1"},
    )


def archive(folder: Path) -> Archive:
    return Archive.of(load_bank(BANK), folder)


def test_a_pipe_of_answers_ends_with_the_decision_alone_on_stdout(tmp_path: Path) -> None:
    done = run(tmp_path, lines="?\n?\n?\n?\n?\n")
    assert done.returncode == 0
    assert done.stdout == "cable: Loose cable, 40 %\n"
    assert "Question 1:" in done.stderr
    assert archive(tmp_path).history()[0].status == "pending"


def test_an_empty_line_confirms_the_decision(tmp_path: Path) -> None:
    done = run(tmp_path, lines="d\n\n")
    assert done.returncode == 0
    (life,) = archive(tmp_path).history()
    assert (life.status, life.outcome) == ("confirmed", "cable")


def test_left_over_answers_never_confirm_anything(tmp_path: Path) -> None:
    done = run(tmp_path, lines="d\ny\nn\n2\n1\n")
    assert done.returncode == 0
    assert archive(tmp_path).history()[0].status == "pending"


def test_another_outcome_is_confirmed_by_its_name(tmp_path: Path) -> None:
    run(tmp_path, lines="d\nfault on the line\n")
    assert archive(tmp_path).history()[0].outcome == "line"


def test_none_of_these_is_said_in_a_word(tmp_path: Path) -> None:
    run(tmp_path, lines="d\nnone\n")
    (life,) = archive(tmp_path).history()
    assert (life.status, life.outcome) == ("confirmed", None)


def test_the_end_of_input_half_way_leaves_an_interview_that_can_be_resumed(tmp_path: Path) -> None:
    done = run(tmp_path, lines="?\n")
    assert done.returncode == 1
    assert done.stdout == ""
    (life,) = archive(tmp_path).interrupted()
    assert f"--resume {life.interview}" in done.stderr
    again = run(tmp_path, "--resume", life.interview, lines="?\n?\n?\n?\n")
    assert again.returncode == 0
    assert "Question 2:" in again.stderr
    assert "Question 1:" not in again.stderr


def test_the_latest_interview_is_resumed_by_the_word_last(tmp_path: Path) -> None:
    run(tmp_path, lines="?\n")
    again = run(tmp_path, "--resume", "last", lines="d\n\n")
    assert again.returncode == 0
    assert len(archive(tmp_path).history()) == 1


def test_there_is_nothing_to_resume_in_a_fresh_folder(tmp_path: Path) -> None:
    done = run(tmp_path, "--resume", "last")
    assert done.returncode == 2
    assert "no interrupted interview" in done.stderr


def test_json_is_one_object_with_all_that_a_script_needs(tmp_path: Path) -> None:
    done = run(tmp_path, "--json", "--confirm", "=", lines="?\nd\n")
    result = json.loads(done.stdout)
    assert set(result) == {"outcome", "belief", "stop_reason", "cost", "interview", "confirmed"}
    assert result["outcome"] == result["confirmed"] == "cable"
    assert result["interview"] == archive(tmp_path).history()[0].interview


def test_a_sheet_of_answers_gives_those_that_are_asked_for(tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.json"
    sheet.write_text(
        json.dumps({"lights": "no", "colour": "off", "ping": 800, "paid": "yes", "storm": "unknown"})
    )
    done = run(tmp_path / "state", "--answers", str(sheet), "--confirm", "cable")
    assert done.returncode == 0
    assert done.stdout.startswith("cable: ")
    (life,) = archive(tmp_path / "state").history()
    assert (life.status, life.outcome) == ("confirmed", "cable")


def test_a_short_sheet_is_asked_first_and_then_the_interview_waits(tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.json"
    sheet.write_text('{"paid": "yes"}')
    done = run(tmp_path / "state", "--answers", str(sheet))
    assert done.returncode == 1
    assert [life.put for life in archive(tmp_path / "state").interrupted()] == [1]


def test_a_short_sheet_with_an_outcome_is_the_whole_interview(tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.json"
    sheet.write_text('{"paid": "no"}')
    done = run(tmp_path / "state", "--answers", str(sheet), "--confirm", "account")
    assert done.returncode == 0
    assert archive(tmp_path / "state").history()[0].outcome == "account"


def test_a_file_of_lines_is_read_like_a_pipe(tmp_path: Path) -> None:
    lines = tmp_path / "lines.txt"
    lines.write_text("?\n?\nd\n\n")
    done = run(tmp_path / "state", "--answers", str(lines))
    assert done.returncode == 0
    assert archive(tmp_path / "state").history()[0].status == "confirmed"


@pytest.mark.parametrize(
    ("sheet", "told"),
    [
        ('{"lights": "perhaps"}', "perhaps"),
        ('{"nothing": "yes"}', "nothing"),
        ('{"lights": [1]}', "lights"),
        ('{"ping": 99999}', "5000"),
        ('{"lights": "yes", "lights": "no"}', "twice"),
        ('{"lights": ', "JSON"),
    ],
)
def test_a_bad_sheet_gets_one_sentence_and_its_exit_code(tmp_path: Path, sheet: str, told: str) -> None:
    path = tmp_path / "sheet.json"
    path.write_text(sheet)
    done = run(tmp_path / "state", "--answers", str(path), "--confirm", "cable")
    assert done.returncode in (2, 65)
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("options", "code", "told"),
    [
        (["--confirm", "nothing"], 2, "no outcome 'nothing'"),
        (["--policy", "guess"], 2, "guess"),
        (["--ask-all", "--policy", "random"], 2, "--ask-all"),
        (["--answers", "/nowhere/at/all.json"], 65, "all.json"),
    ],
)
def test_a_wrong_option_gets_one_sentence_and_its_exit_code(
    tmp_path: Path, options: list[str], code: int, told: str
) -> None:
    done = run(tmp_path, *options, lines="d\n")
    assert (done.returncode, told in done.stderr) == (code, True), done.stderr
    assert "Traceback" not in done.stderr


def test_without_a_bank_the_banks_are_named(tmp_path: Path) -> None:
    done = run(tmp_path, bank=None)
    assert done.returncode == 2
    assert "troubleshooting" in done.stderr


def test_a_bank_that_does_not_exist_is_bad_data(tmp_path: Path) -> None:
    assert run(tmp_path, bank="nonesuch").returncode == 65


def test_ask_all_asks_every_question(tmp_path: Path) -> None:
    done = run(tmp_path, "--ask-all", lines="?\n" * 5)
    assert done.stderr.count("Question ") == 5


def test_undo_why_skip_and_help_work_line_by_line(tmp_path: Path) -> None:
    done = run(tmp_path, lines="s\nu\nw\nh\nnonsense\nd\nu\nd\n\n")
    assert done.returncode == 0
    assert "ratio" in done.stderr
    assert "d decide now" in done.stderr
    assert "That is not an answer here" in done.stderr


def test_nothing_to_undo_is_said_and_the_interview_goes_on(tmp_path: Path) -> None:
    done = run(tmp_path, lines="u\nd\n\n")
    assert done.returncode == 0
    assert "taken back" in done.stderr


def test_a_file_in_the_place_of_the_state_folder_is_told_in_one_sentence(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("a file where the folder should be")
    done = run(taken, lines="?\n")
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("id", "line", "answer"),
    [
        ("lights", "y", "yes"),
        ("lights", "No", "no"),
        ("lights", "1", None),
        ("colour", "2", "red"),
        ("colour", "GREEN", "green"),
        ("colour", "4", None),
        ("colour", "0", None),
        ("ping", "42,5", 42.5),
        ("ping", "fast", None),
    ],
)
def test_a_line_means_one_answer_or_none(id: str, line: str, answer: object) -> None:
    assert understood(load_bank(BANK).question(id), line) == answer
