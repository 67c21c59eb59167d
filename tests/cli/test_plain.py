"""The plain mode: pipes, answer sheets, commands and exit codes."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from odm_tui.banks import load_bank
from odm_tui.cli.plain.interview import run_plain_interview
from odm_tui.cli.plain.reply_parser import parse_reply
from odm_tui.cli.plain.typed_commands import AT_A_QUESTION, SKIP, UNDO, UNKNOWN, WHY
from odm_tui.errors import BadArgument
from odm_tui.interview_options import InterviewOptions
from odm_tui.session import Archive
from tests.support.terminal.driving import BANK


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
    (record,) = archive(tmp_path).history()
    assert (record.status, record.outcome) == ("confirmed", "cable")


def test_left_over_answers_never_confirm_anything(tmp_path: Path) -> None:
    done = run(tmp_path, lines="d\ny\nn\n2\n1\n")
    assert done.returncode == 0
    assert archive(tmp_path).history()[0].status == "pending"


@pytest.mark.parametrize(("letter", "sign"), [("t", "Decision:|Best guess:"), ("m", "Question 2:")])
def test_a_pipe_knows_the_letters_of_the_decision_screen(tmp_path: Path, letter: str, sign: str) -> None:
    done = run(tmp_path, lines=f"y\nd\n{letter}\n")
    assert "Unknown outcome" not in done.stderr
    _, after = re.split("Why now:", done.stderr, maxsplit=1)
    assert re.search(sign, after)


def test_another_outcome_is_confirmed_by_its_name(tmp_path: Path) -> None:
    run(tmp_path, lines="d\nfault on the line\n")
    assert archive(tmp_path).history()[0].outcome == "line"


def test_none_of_these_is_said_in_a_word(tmp_path: Path) -> None:
    run(tmp_path, lines="d\nnone\n")
    (record,) = archive(tmp_path).history()
    assert (record.status, record.outcome) == ("confirmed", None)


def test_the_end_of_input_half_way_leaves_an_interview_that_can_be_resumed(tmp_path: Path) -> None:
    done = run(tmp_path, lines="?\n")
    assert done.returncode == 1
    assert done.stdout == ""
    (record,) = archive(tmp_path).unfinished()
    assert f"--resume {record.interview}" in done.stderr
    again = run(tmp_path, "--resume", record.interview, lines="?\n?\n?\n?\n")
    assert again.returncode == 0
    assert "Question 2:" in again.stderr
    assert "Question 1:" not in again.stderr


def printed_command(done: subprocess.CompletedProcess[str]) -> list[str]:
    """The arguments of the command that was printed last."""
    return shlex.split(done.stderr.rpartition(": odm-tui ")[2].splitlines()[0])


def run_as_printed(words: list[str], lines: str = "") -> int:
    return subprocess.run([sys.executable, "-m", "odm_tui", *words], input=lines, text=True).returncode


def test_the_command_to_resume_works_as_it_is_printed(tmp_path: Path) -> None:
    bank = tmp_path / "a bank's file.toml"
    bank.write_text(Path(BANK).read_text())
    done = run(tmp_path / "my state", bank=str(bank), lines="?\n")
    assert run_as_printed(printed_command(done), lines="d\n\n") == 0
    (record,) = Archive.of(load_bank(str(bank)), tmp_path / "my state").history()
    assert record.status == "confirmed"


def test_the_command_to_confirm_works_as_it_is_printed(tmp_path: Path) -> None:
    bank = tmp_path / "a bank's file.toml"
    bank.write_text(Path(BANK).read_text())
    done = run(tmp_path / "my state", bank=str(bank), lines="d\n")
    assert run_as_printed(printed_command(done)) == 0
    (record,) = Archive.of(load_bank(str(bank)), tmp_path / "my state").history()
    assert (record.status, record.outcome) == ("confirmed", "cable")


@pytest.mark.parametrize(
    ("plumbing", "code"),
    [
        ("| true", 141),
        ("2>&1 >/dev/null | head -1", 141),
        pytest.param(
            ">/dev/full",
            73,
            marks=pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device"),
        ),
    ],
)
def test_an_output_that_takes_nothing_costs_no_answers(tmp_path: Path, plumbing: str, code: int) -> None:
    line = f"printf '?\\nd\\n' | \"$0\" -m odm_tui --bank '{BANK}' --state-dir '{tmp_path}' {plumbing}; exit ${{PIPESTATUS[1]}}"
    done = subprocess.run(["bash", "-c", line, sys.executable], capture_output=True, text=True)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False)
    (record,) = archive(tmp_path).history()
    assert record.status in ("unfinished", "pending")


def test_the_latest_interview_is_resumed_by_the_word_last(tmp_path: Path) -> None:
    run(tmp_path, lines="?\n")
    again = run(tmp_path, "--resume", "last", lines="d\n\n")
    assert again.returncode == 0
    assert len(archive(tmp_path).history()) == 1


def test_there_is_nothing_to_resume_in_a_fresh_folder(tmp_path: Path) -> None:
    done = run(tmp_path, "--resume", "last")
    assert done.returncode == 2
    assert "no unfinished interview" in done.stderr


def test_json_is_one_object_with_all_that_a_script_needs(tmp_path: Path) -> None:
    done = run(tmp_path, "--json", "--confirm", "=", lines="?\nd\n")
    result = json.loads(done.stdout)
    assert set(result) == {
        *("outcome", "belief", "stop_reason", "red_flag", "warnings", "cost", "interview"),
        *("case", "note", "confirmed", "referred"),
    }
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
    (record,) = archive(tmp_path / "state").history()
    assert (record.status, record.outcome) == ("confirmed", "cable")


def test_a_short_sheet_is_asked_first_and_then_the_interview_waits(tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.json"
    sheet.write_text('{"paid": "yes"}')
    done = run(tmp_path / "state", "--answers", str(sheet))
    assert done.returncode == 1
    assert [record.questions for record in archive(tmp_path / "state").unfinished()] == [1]


def test_a_short_sheet_with_an_outcome_is_the_whole_interview(tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.json"
    sheet.write_text('{"paid": "no"}')
    done = run(tmp_path / "state", "--answers", str(sheet), "--confirm", "account")
    assert done.returncode == 0
    assert archive(tmp_path / "state").history()[0].outcome == "account"


def test_a_mark_of_the_byte_order_before_a_sheet_changes_nothing(tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.json"
    sheet.write_text('{"paid": "no"}', encoding="utf-8-sig")
    done = run(tmp_path / "state", "--answers", str(sheet), "--confirm", "account")
    assert done.returncode == 0


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
        ('{"lights": 1}', "lights"),
        ('[{"lights": "yes"}]', "not a list"),
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
    assert archive(tmp_path / "state").history() == []


@pytest.mark.parametrize(
    ("options", "code", "told"),
    [
        (["--confirm", "nothing"], 2, "Unknown outcome 'nothing'"),
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
    assert "Taken back: the skip of “Was there a thunderstorm in the last days?”." in done.stderr
    assert "  Tells Loose cable from Fault on the line · 8 s.\n" in done.stderr
    assert re.search(r"usefulness [\d.]+, per cost [\d.]+, cost 8 seconds\n", done.stderr)
    assert "d or decide: decide now" in done.stderr
    assert "That is not an answer here" in done.stderr
    assert "Taken back: the stop." in done.stderr


def test_nothing_to_undo_is_said_and_the_interview_goes_on(tmp_path: Path) -> None:
    done = run(tmp_path, lines="u\nd\n\n")
    assert done.returncode == 0
    assert "There is nothing to take back." in done.stderr


def test_a_file_in_the_place_of_the_state_folder_is_told_in_one_sentence(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("a file where the folder should be")
    done = run(taken, lines="?\n")
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("id", "line", "meant"),
    [
        ("lights", "y", "yes"),
        ("lights", "No", "no"),
        ("lights", "ye", "yes"),
        ("colour", "2", "red"),
        ("colour", "GREEN", "green"),
        ("colour", "gr", "green"),
        ("ping", "42,5", 42.5),
        ("ping", "5000", 5000.0),
        ("lights", "?", UNKNOWN),
        ("lights", "Skipped", SKIP),
        ("colour", "UNDO", UNDO),
        ("ping", "wh", WHY),
    ],
)
def test_a_line_means_one_answer_or_one_command(id: str, line: str, meant: object) -> None:
    assert parse_reply(load_bank(BANK).question(id), line, AT_A_QUESTION) == meant


@pytest.mark.parametrize(
    ("id", "line", "told"),
    [
        ("lights", "1", "type y yes, n no"),
        ("colour", "4", "type 1 to 3"),
        ("colour", "0", "type 1 to 3"),
        ("colour", "g", "type 1 to 3"),
        ("lights", "un", "unknown or undo"),
        ("ping", "fast", "not a number"),
        ("ping", "nan", "not a number"),
        ("ping", "1,234", "type 1234, or 1.234"),
        ("ping", "5001", "from 0 to 5000"),
    ],
)
def test_a_line_that_means_nothing_or_too_much_gets_a_sentence(id: str, line: str, told: str) -> None:
    with pytest.raises(BadArgument, match=told):
        parse_reply(load_bank(BANK).question(id), line, AT_A_QUESTION)


def test_an_answers_own_name_goes_before_a_command(tmp_path: Path) -> None:
    path = tmp_path / "blood.toml"
    path.write_text(
        Path(BANK).read_text().replace('id = "green", label = "Green"', 'id = "green", label = "A"')
    )
    question = load_bank(str(path)).question("colour")
    assert parse_reply(question, "a", AT_A_QUESTION) == "green"


# -- at a terminal ------------------------------------------------------------------------------------


class Terminal(io.StringIO):
    """Lines that a person types."""

    def isatty(self) -> bool:
        return True


Typed = Callable[..., str]


@pytest.fixture
def typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Typed:
    """Type lines at a terminal in this process; the output."""

    def type_lines(*lines: str, bank: str = BANK) -> str:
        monkeypatch.setattr("sys.stdin", Terminal("".join(f"{line}\n" for line in lines)))
        run_plain_interview(InterviewOptions(bank=bank, state_dir=str(tmp_path), seed=1, operator="tester"))
        return capsys.readouterr().err

    return type_lines


HALF_WAY = ("n", "n", "y", "n")
"""Answers to four of the five questions of the bank "navigation"; its outcomes are then in another order."""


def test_a_number_that_was_not_shown_chooses_nothing(typed: Typed, tmp_path: Path) -> None:
    said = typed(*HALF_WAY, "d", "17", bank="navigation")
    assert "The numbers here are 1 to 5" in said
    assert Archive.of(load_bank("navigation"), tmp_path).history()[0].status == "pending"


@pytest.mark.parametrize("number", [1, 2, 5, 6, 20])
def test_every_number_that_is_shown_chooses_the_outcome_beside_it(
    typed: Typed, tmp_path: Path, number: int
) -> None:
    said = typed(*HALF_WAY, "d", "more", str(number), bank="navigation")
    bank = load_bank("navigation")
    (record,) = Archive.of(bank, tmp_path).history()
    assert record.outcome is not None
    assert f"\n  {number}  {bank.outcome(record.outcome).label} " in said


@pytest.mark.parametrize("line", ["fault on", "LINE", "Fault on the line"])
def test_a_clear_part_of_a_label_names_an_outcome(typed: Typed, tmp_path: Path, line: str) -> None:
    typed("d", line)
    assert archive(tmp_path).history()[0].outcome == "line"


def test_a_part_of_two_labels_names_neither(typed: Typed, tmp_path: Path) -> None:
    said = typed(*HALF_WAY, "d", "motorway", bank="navigation")
    assert "Ultra-rapid chargers on the motorway or Motorway hub with restaurant; type more of it" in said
    assert Archive.of(load_bank("navigation"), tmp_path).history()[0].status == "pending"


@pytest.mark.parametrize("line", ["None", "NONE", "non"])
def test_none_of_these_is_said_in_any_case(typed: Typed, tmp_path: Path, line: str) -> None:
    typed("d", line)
    (record,) = archive(tmp_path).history()
    assert (record.status, record.outcome) == ("confirmed", None)


@pytest.mark.parametrize(("line", "told"), [("y", "Press Enter to confirm"), ("No", "Type none if")])
def test_yes_and_no_at_the_decision_are_told_what_to_type(
    typed: Typed, tmp_path: Path, line: str, told: str
) -> None:
    assert told in typed("d", line)
    assert archive(tmp_path).history()[0].status == "pending"


def test_the_answers_are_listed_and_one_is_changed(typed: Typed, tmp_path: Path) -> None:
    said = typed("y", "?", "a", "1", "n", "q")
    assert "  1  Was there a thunderstorm in the last days? Yes\n" in said
    (found,) = archive(tmp_path).unfinished()
    record = archive(tmp_path).read_interview(found.interview).record
    assert [getattr(step, "answer", None) for step in record.steps or []] == ["no", None]


def test_an_answer_is_changed_at_the_decision_too(typed: Typed, tmp_path: Path) -> None:
    said = typed("y", "d", "a", "1", "n", "q")
    assert "Changed." in said
    assert archive(tmp_path).unfinished()[0].questions == 1


def test_another_question_is_picked_from_a_numbered_list(typed: Typed) -> None:
    said = typed("o", "2", "3", "q")
    listed = next(line for line in said.splitlines() if line.startswith("  2  "))
    assert said.count(f"Question 1: {listed.removeprefix('  2  ')}\n") == 1
    assert "Question 2:" in said


def test_the_numbers_of_a_choice_are_its_answers(typed: Typed, tmp_path: Path) -> None:
    typed("o", "colour", "2", "q")
    (found,) = archive(tmp_path).unfinished()
    record = archive(tmp_path).read_interview(found.interview).record
    assert [getattr(step, "answer", None) for step in record.steps or []] == ["red"]


def test_abandoning_is_asked_once(typed: Typed, tmp_path: Path) -> None:
    typed("y", "x", "", "x", "y")
    (record,) = archive(tmp_path).history()
    assert (record.status, record.questions) == ("abandoned", 1)


def test_the_likely_outcomes_come_with_the_cost_so_far_and_to_come(typed: Typed) -> None:
    said = typed("y", "l", "q")
    assert "Fault on the line 65 %" in said
    assert "Cost so far: 8 seconds, 1 question." in said
    assert "Still to come: about " in said


def test_help_lists_every_command(typed: Typed) -> None:
    said = typed("h", "q")
    assert [command.word for command in AT_A_QUESTION if f"{command.word}: {command.does}" not in said] == []


def test_enter_reads_the_question_again(typed: Typed) -> None:
    assert typed("", "q").count("Question 1: ") == 2


def test_no_colon_follows_the_question_mark_of_a_question_and_no_power_of_ten_is_read_out(
    typed: Typed, tmp_path: Path
) -> None:
    path = tmp_path / "dear.toml"
    path.write_text(
        Path(BANK).read_text().replace("stakes = 300", "stakes = 3000000").replace('"w-ec2"', '"lookahead"')
    )
    said = typed("w", "q", bank=str(path))
    assert re.search(r"saves \d[\d,]*,\d{3},\d{3} seconds, cost", said)
    before_the_id, saved, _ = said.partition("The interview is saved")
    assert saved
    assert not re.search(r"\de[+-]?\d|10\^|×", before_the_id)
    assert "?:" not in said


def test_ctrl_c_gets_its_sentence_on_a_line_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Interrupted(Terminal):
        def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]  # bytes in one of its bases
            raise KeyboardInterrupt

    monkeypatch.setattr("sys.stdin", Interrupted())
    with pytest.raises(KeyboardInterrupt):
        run_plain_interview(InterviewOptions(bank=BANK, state_dir=str(tmp_path)))
    assert capsys.readouterr().err.splitlines()[-1].startswith("The interview is saved with 0 answers: ")


def test_a_confirmed_interview_is_summed_up_against_asking_everything(typed: Typed) -> None:
    said = typed("y", "d", "")
    assert "1 question · 8 s of 1:25.\n" in said


@pytest.mark.parametrize(("answer", "unclear"), [("y", False), ("?", True)])
def test_a_decision_that_is_not_clear_says_so(typed: Typed, answer: str, unclear: bool) -> None:
    assert ("Not certain. Best guess: " in typed(answer, "d", "later")) is unclear


def test_the_plain_mode_has_undo_evidence_search_tried_and_ask_on(typed: Typed) -> None:
    said = typed("y", "e", "u", "y", "d", "h", "tried", "evidence", "u", "ask", "u", "none")
    assert "Taken back: the answer to “" in said
    assert " for it\n" in said
    assert "  t or tried: " in said
    assert "Taken back: “tried, did not help”." in said
    assert "Taken back: asking on." in said
    assert "Confirmed: none. Nothing was learned." in said


REFERRING = '\n[refer]\ncost = 30\nlabel = "Second line takes over"\nadvice = "Pass the caller on."\n'


def test_a_referral_is_printed_and_leaves_the_outcome_for_later(tmp_path: Path) -> None:
    bank = tmp_path / "desk.toml"
    bank.write_text(Path(BANK).read_text(encoding="utf-8") + REFERRING, encoding="utf-8")
    done = run(tmp_path, "--json", lines="d\n\n", bank=str(bank))
    assert done.returncode == 0
    assert "Decision: Second line takes over." in done.stderr
    assert "Otherwise: Loose cable, 40 % sure" in done.stderr
    assert "Advice: Pass the caller on." in done.stderr
    assert "Handed over. When the outcome is known: odm-tui sessions confirm" in done.stderr
    said = json.loads(done.stdout)
    assert (said["outcome"], said["referred"], said["confirmed"]) == ("cable", True, None)
    (record,) = Archive.of(load_bank(bank), tmp_path).history()
    assert (record.status, record.referred) == ("pending", True)


def test_an_operator_hands_over_with_a_word_where_the_bank_allows_it(tmp_path: Path) -> None:
    bank = tmp_path / "desk.toml"
    bank.write_text(
        Path(BANK).read_text(encoding="utf-8") + REFERRING.replace("30", "3000"), encoding="utf-8"
    )
    done = run(tmp_path, lines="refer\n\n", bank=str(bank))
    assert done.returncode == 0
    assert done.stdout == "refer: cable: Loose cable, 40 %\n"
    done = run(tmp_path, lines="d\nrefer\n", bank=str(bank))
    assert done.stdout == "refer: cable: Loose cable, 40 %\n"
    assert all(record.referred for record in Archive.of(load_bank(bank), tmp_path).history())
    without = run(tmp_path, lines="refer\n")
    assert "That is not an answer here" in without.stderr
