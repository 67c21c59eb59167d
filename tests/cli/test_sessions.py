"""The commands ``sessions``, ``state``, ``next`` and ``schema``."""

from __future__ import annotations

import csv
import io
import json
import shutil
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from odm_tui.banks import Bank, load_bank
from odm_tui.cli import app as cli
from odm_tui.cli.output.csv_text import format_csv
from odm_tui.cli.output.json_text import format_json
from odm_tui.errors import CannotWrite
from odm_tui.session import Archive, Session
from odm_tui.store.events import Started, timestamp
from odm_tui.store.log_codec import encode_event
from odm_tui.store.paths import StatePaths
from odm_tui.text import clean_text
from tests.support.faults.interviews import hold_interview, sample_answer, sample_bank
from tests.support.sample_banks.texts import BANK_WITH_VARIANTS

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def bank(tmp_path: Path) -> Bank:
    return sample_bank(tmp_path / "banks")


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def run(bank: Bank, state: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command on the sample bank and its state: (exit code, stdout, stderr)."""
    monkeypatch.setenv("ODM_TUI_STATE_DIR", str(state))

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as end:
            cli.main(arguments)
        captured = capsys.readouterr()
        return int(end.value.code or 0), captured.out, captured.err

    return run


@pytest.fixture
def waiting(bank: Bank, state: Path) -> str:
    """A pending interview, after a confirmed one; its id."""
    hold_interview(bank, state, 1)
    session = Session.start(bank, state, seed=2, operator="op")
    while session.question is not None:
        session.answer(sample_answer(session.question))
    session.leave()
    return session.id


def of(bank: Bank) -> tuple[str, str]:
    return "--bank", str(bank.path)


def parsed(result: tuple[int, str, str]) -> Any:
    assert result[0] == 0, result[2]
    return json.loads(result[1])


def test_the_list_tells_how_each_interview_stands(run: Run, bank: Bank, waiting: str) -> None:
    rows = parsed(run("sessions", "list", *of(bank), "--json"))["sessions"]
    assert [row["status"] for row in rows] == ["confirmed", "pending"]
    assert rows[1]["interview"] == waiting
    assert set(rows[0]) == {
        *("interview", "bank", "began", "operator", "status"),
        *("questions", "cost", "seconds", "decided", "referred", "confirmed", "case", "note", "scripted"),
        "conflicts",
    }


def test_an_interview_is_named_by_its_case_reference(run: Run, bank: Bank, waiting: str) -> None:
    assert run("sessions", "case", waiting, "T-4711", *of(bank))[0] == 0
    assert parsed(run("sessions", "show", "t-4711", "--json"))["interview"] == waiting
    assert parsed(run("sessions", "confirm", "T-4711", "none", *of(bank), "--json"))["status"] == "confirmed"


def test_a_case_with_two_interviews_asks_for_an_id(run: Run, bank: Bank, state: Path, waiting: str) -> None:
    run("sessions", "case", waiting, "T-4711", *of(bank))
    other = next(one.interview for one in Archive.of(bank, state).history() if one.interview != waiting)
    run("sessions", "case", other, "T-4711", *of(bank))
    code, _, err = run("sessions", "show", "T-4711", *of(bank))
    assert code == 2
    assert waiting in err
    assert other in err


def test_the_list_of_pending_interviews_does_not_repeat_that_they_are(
    run: Run, bank: Bank, waiting: str
) -> None:
    assert "status" not in run("sessions", "pending", *of(bank))[1]
    assert "status" in run("sessions", "list", *of(bank))[1]


def test_without_a_bank_the_interviews_of_all_banks_are_listed(run: Run, waiting: str) -> None:
    assert len(parsed(run("sessions", "list", "--json"))["sessions"]) == 2


def test_the_table_shows_as_much_of_an_id_as_commands_need(run: Run, bank: Bank, waiting: str) -> None:
    code, out, _ = run("sessions", "pending", *of(bank))
    assert code == 0
    assert waiting[:8] in out


def test_interviews_are_found_by_their_case_and_their_note(run: Run, bank: Bank, waiting: str) -> None:
    assert parsed(run("sessions", "case", waiting[:4], "T-4711", *of(bank), "--json"))["case"] == "T-4711"
    assert (
        parsed(run("sessions", "note", waiting[:8], "call back", *of(bank), "--json"))["note"] == "call back"
    )
    for words in (("4711",), ("t-47", "BACK"), (waiting[:8],)):
        (row,) = parsed(run("sessions", "list", *words, *of(bank), "--json"))["sessions"]
        assert row["interview"] == waiting
    assert parsed(run("sessions", "pending", "4712", *of(bank), "--json"))["sessions"] == []
    assert "T-4711" in run("sessions", "pending", *of(bank))[1]


def test_interviews_without_answers_are_listed_only_on_request(run: Run, bank: Bank, state: Path) -> None:
    Session.start(bank, state).leave()
    assert parsed(run("sessions", "list", *of(bank), "--json"))["sessions"] == []
    assert len(parsed(run("sessions", "list", "--all", *of(bank), "--json"))["sessions"]) == 1


def test_a_long_list_is_printed_in_pages(bank: Bank, state: Path, run: Run) -> None:
    ids = [hold_interview(bank, state, seed).id for seed in range(5)]
    listed = [*of(bank), "--json"]
    assert [row["interview"] for row in parsed(run("sessions", "list", *listed))["sessions"]] == ids
    page = parsed(run("sessions", "list", "--limit", "2", *listed))["sessions"]
    assert [row["interview"] for row in page] == ids[3:]
    page = parsed(run("sessions", "list", "--limit", "2", "--before", ids[3], *listed))["sessions"]
    assert [row["interview"] for row in page] == ids[1:3]
    code, out, err = run("sessions", "list", "--limit", "2", *of(bank))
    assert (code, out.count("confirmed")) == (0, 2)
    assert f"--before {ids[3]}" in err
    assert run("sessions", "list", "--limit", "0", *of(bank))[1].count("confirmed") == 5
    assert run("sessions", "list", "--before", "ffff", *of(bank))[0] == 2


def test_sessions_alone_lists_them(run: Run, waiting: str) -> None:
    code, out, _ = run("sessions")
    assert code == 0
    assert waiting[:8] in out


def test_showing_an_interview_gives_its_events_and_beliefs(run: Run, bank: Bank, waiting: str) -> None:
    shown = parsed(run("sessions", "show", waiting[:6], *of(bank), "--json"))
    assert shown["events"][0]["event"] == "started"
    assert all(sum(event["belief"].values()) == pytest.approx(1) for event in shown["events"])


def test_showing_works_as_a_table(run: Run, bank: Bank, waiting: str) -> None:
    code, out, _ = run("sessions", "show", waiting, *of(bank))
    assert code == 0
    assert "likeliest then" in out
    assert "Sample\n1. " in out
    assert f"Interview {waiting}, pending\n" in out
    assert " sure)\nWhy: " in out


def test_an_outcome_that_is_confirmed_already_is_not_corrected(run: Run, bank: Bank, waiting: str) -> None:
    run("sessions", "confirm", waiting, "flu", *of(bank))
    code, _, err = run("sessions", "correct", waiting, "flu", *of(bank))
    assert code == 2
    assert "is confirmed as flu already. Name another outcome." in err


def test_a_pending_interview_is_confirmed_corrected_retracted_and_forgotten(
    run: Run, bank: Bank, state: Path, waiting: str
) -> None:
    def standing() -> tuple[int, list[str]]:
        known = Archive.of(bank, state).read_snapshot().counts
        return known.interviews, [bank.outcomes[j].id for j in sorted(known.outcomes)]

    assert parsed(run("sessions", "confirm", waiting, "flu", *of(bank), "--json"))["confirmed"] == "flu"
    assert standing() == (2, ["flu", "cold"])
    assert parsed(run("sessions", "correct", waiting, "cold", *of(bank), "--json"))["confirmed"] == "cold"
    assert standing() == (2, ["cold"])
    assert parsed(run("sessions", "retract", waiting, *of(bank), "--json"))["status"] == "retracted"
    assert standing() == (1, ["cold"])
    assert parsed(run("sessions", "forget", waiting, *of(bank), "--yes", "--json"))["status"] == "forgotten"
    assert run("sessions", "show", waiting, *of(bank))[0] == 2


def test_none_of_these_can_be_confirmed_later(run: Run, bank: Bank, waiting: str) -> None:
    row = parsed(run("sessions", "confirm", waiting, "none", *of(bank), "--json"))
    assert (row["status"], row["confirmed"]) == ("confirmed", None)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("confirm", "ffffffff", "flu"), "no interview"),
        (("confirm", "ID", "plague"), "Unknown outcome 'plague'"),
        (("correct", "ID", "flu"), "pending, not confirmed"),
        (("show", "a"), "no interview"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(
    run: Run, bank: Bank, waiting: str, arguments: tuple[str, ...], said: str
) -> None:
    filled = [waiting if argument == "ID" else argument for argument in arguments]
    code, out, err = run("sessions", *filled, *of(bank))
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1


def test_forgetting_asks_first(run: Run, bank: Bank, waiting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    assert run("sessions", "forget", waiting, *of(bank))[0] == 1
    assert len(parsed(run("sessions", "list", *of(bank), "--json"))["sessions"]) == 2


# -- state --------------------------------------------------------------------------------------------


def test_the_state_tells_what_was_learned(run: Run, bank: Bank, waiting: str) -> None:
    shown = parsed(run("state", "show", *of(bank), "--json"))
    assert shown["interviews"] == 1
    assert shown["answers"]["fever"]["yes"]["cold"]["seen"] == 1
    bits = [told["bits"] for told in shown["telling"]]
    assert bits == sorted(bits, reverse=True)
    assert [(s["first"], s["last"]) for s in shown["costs"]] == [(1, 1)]
    assert {m["question"] for m in shown["measured"]} <= {q.id for q in bank.questions}


def test_the_state_is_drawn(run: Run, bank: Bank, waiting: str) -> None:
    code, out, _ = run("state", "show", *of(bank))
    assert code == 0
    for part in (
        "learned from 1 interview.",
        "P(answer | outcome)",
        "most telling questions",
        "Cost and accuracy",
        "median seconds",
    ):
        assert part in out


def test_the_state_shows_variants_of_outcomes(run: Run, tmp_path: Path, state: Path) -> None:
    path = tmp_path / "phone.toml"
    path.write_text(BANK_WITH_VARIANTS, encoding="utf-8")
    place = ("--bank", str(path), "--state-dir", str(state))
    code, out, _ = run("state", "show", *place)
    assert code == 0
    assert "battery:\n  Drains fast (75%): drains=yes 95% (20%), warm=yes 90% (50%)" in out
    code, out, err = run("state", "show", *place, "--variants")
    assert (code, out) == (0, "")
    assert "No variants of outcomes have been learned." in err


def test_next_speaks_of_outcomes_where_they_have_variants(run: Run, tmp_path: Path, state: Path) -> None:
    path, sheet = tmp_path / "phone.toml", tmp_path / "answers.json"
    path.write_text(BANK_WITH_VARIANTS, encoding="utf-8")
    sheet.write_text('{"drains": "no"}', encoding="utf-8")
    for policy in ("default", "w-ec2-mean", "w-ig-bucb", "w-eced-ts"):
        arguments = ("--bank", str(path), "--state-dir", str(state), "--answers", str(sheet))
        found = parsed(run("next", *arguments, "--policy", policy, "--json"))
        assert set(found["belief"]) == {"battery", "charger"}
        assert sum(found["belief"].values()) == pytest.approx(1)
        if found["status"] == "question":
            for one in found["explain"]:
                assert all(set(after) == {"battery", "charger"} for after in one["belief_after"].values())


def test_an_interview_without_a_decision_is_listed_as_unfinished(run: Run, bank: Bank, state: Path) -> None:
    session = Session.start(bank, state, seed=4, operator="op")
    session.skip()
    session.leave()
    rows = parsed(run("sessions", "list", "--status", "unfinished", *of(bank), "--json"))["sessions"]
    assert [(row["interview"], row["status"]) for row in rows] == [(session.id, "unfinished")]


def test_the_patch_adopts_measured_costs_and_keeps_a_valid_bank(
    run: Run, bank: Bank, state: Path, tmp_path: Path
) -> None:
    ticks = iter(range(0, 100_000, 7))
    for seed in range(6):
        session = Session.start(bank, state, seed=seed, operator="op", stopwatch=lambda: float(next(ticks)))
        session.pick("cough")
        session.answer("yes")
        session.leave()
    code, out, _ = run("state", "show", *of(bank), "--patch")
    assert code == 0
    assert "+cost = { no = 1, yes = 7 }" in out
    if shutil.which("patch") is None:
        pytest.skip("the patch program is not installed, so the patch can't be tried")
    copy = tmp_path / "copy" / "sample.toml"
    copy.parent.mkdir()
    copy.write_text(bank.path.read_text())
    subprocess.run(["patch", "-s", str(copy)], input=out, text=True, check=True)
    costs = {q["id"]: q.get("cost") for q in tomllib.loads(copy.read_text())["questions"]}
    assert costs["cough"] == {"no": 1, "yes": 7}
    assert costs["fever"] == {"yes": 3, "no": {"flu": 4, "*": 6}}
    assert load_bank(str(copy)).problem.shape == bank.problem.shape


def test_a_rebuilt_state_has_the_same_bytes(run: Run, bank: Bank, state: Path, waiting: str) -> None:
    path = StatePaths.of(state, bank.name).state
    before = path.read_bytes()
    path.unlink()
    assert parsed(run("state", "rebuild", *of(bank), "--json"))["interviews"] == 1
    assert path.read_bytes() == before


def test_a_rebuild_counts_the_interviews(run: Run, bank: Bank, state: Path, waiting: str) -> None:
    path = StatePaths.of(state, bank.name).state
    assert run("state", "rebuild", *of(bank)) == (0, "", f"{path}: 1 interview.\n")


def test_a_mistyped_id_gets_a_suggestion(run: Run, waiting: str) -> None:
    mistyped = f"{waiting[:-1]}{'1' if waiting[-1] == '0' else '0'}"
    code, _, err = run("sessions", "show", mistyped)
    assert code == 2
    assert err == (
        f"Unknown interview {mistyped!r}. Did you mean {waiting!r}? See `odm-tui sessions list`.\n"
    )


def test_a_rebuild_that_is_refused_is_one_sentence(run: Run, bank: Bank, state: Path, waiting: str) -> None:
    position = StatePaths(state, bank.name).position
    position.unlink()
    position.mkdir()
    code, _, err = run("state", "rebuild", *of(bank))
    assert code == CannotWrite.exit_code
    assert err.startswith(f"Can't write {position}: ")
    assert len(err.splitlines()) == 1


def test_a_folder_where_unfinished_lines_are_kept_is_told_and_nothing_is_forgotten(
    run: Run, bank: Bank, state: Path, waiting: str
) -> None:
    paths = StatePaths(state, bank.name)
    paths.torn.mkdir()
    before = paths.log.read_bytes(), paths.state.read_bytes()
    code, _, err = run("sessions", "forget", waiting, "--yes", *of(bank))
    assert code == CannotWrite.exit_code
    assert str(paths.torn) in err
    assert len(err.splitlines()) == 1
    assert (paths.log.read_bytes(), paths.state.read_bytes()) == before


def test_verify_finds_nothing_wrong_with_a_sound_state(run: Run, bank: Bank, waiting: str) -> None:
    assert parsed(run("state", "verify", *of(bank), "--json")) == {
        "sound": True,
        "problems": [],
        "notes": [],
    }


def test_verify_names_a_damaged_line_and_exits_with_65(
    run: Run, bank: Bank, state: Path, waiting: str
) -> None:
    log = StatePaths.of(state, bank.name).log
    log.write_bytes(log.read_bytes().replace(b'"seed":1', b'"seed":3', 1))
    code, out, _ = run("state", "verify", *of(bank))
    assert code == 65
    assert f"{log}, line 1" in out


def test_two_folders_are_merged(run: Run, bank: Bank, tmp_path: Path, waiting: str) -> None:
    other = tmp_path / "other"
    hold_interview(bank, other, 3)
    merged = parsed(run("state", "merge", str(other), *of(bank), "--json"))["merged"]
    assert merged == [{"bank": "sample", "interviews": 1, "events": 13, "forgotten": 0, "damaged": 0}]
    assert run("state", "merge", str(other), *of(bank))[2] == (
        "sample: added 0 interviews and 0 events, forgot 0 interviews, skipped 0 damaged lines.\n"
    )
    assert parsed(run("state", "show", *of(bank), "--json"))["interviews"] == 2


def test_merging_a_folder_without_logs_is_one_sentence(run: Run, bank: Bank, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    code, _, err = run("state", "merge", str(tmp_path / "empty"), *of(bank))
    assert code == 2
    assert "no log" in err


@pytest.mark.parametrize(
    ("what", "column"), [("interviews", "began"), ("answers", "seconds"), ("knowledge", "mean")]
)
def test_every_sheet_is_exported_as_csv(run: Run, bank: Bank, waiting: str, what: str, column: str) -> None:
    code, out, _ = run("state", "export", what, *of(bank))
    rows = list(csv.DictReader(io.StringIO(out)))
    assert code == 0
    assert rows
    assert column in rows[0]


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@x", "\tx", "\rx"])
def test_no_cell_of_an_export_is_a_formula(cell: str) -> None:
    rows = list(csv.reader(io.StringIO(format_csv([cell], [[cell]]), newline="")))
    assert rows == [["'" + clean_text(cell)]] * 2


def test_a_formula_behind_a_space_of_typography_is_no_formula_either() -> None:
    assert format_csv(["id"], [["\u00a0=1+1"]]) == "id\r\n' =1+1\r\n"


STEERING = "Étage \x7f\u009b31m\u202e"


@pytest.fixture
def foreign(bank: Bank, state: Path) -> str:
    """An interview in a foreign log whose operator's name contains control characters."""
    interview, paths = "00aa" * 8, StatePaths(state, bank.name)
    begun = Started(
        interview=interview,
        n=1,
        time=timestamp(0.0),
        bank=bank.name,
        bank_hash=bank.hash,
        policy="w-ec2-ts",
        seed=1,
        operator=STEERING,
    )
    state.mkdir()
    paths.log.write_bytes(encode_event(begun, 1))
    return interview


@pytest.mark.parametrize(
    "command",
    [
        ("sessions", "list", "--all", "--json"),
        ("sessions", "show", "ID", "--json"),
        ("sessions", "retract", "ID", "--json"),
        ("state", "export", "interviews", "--json"),
        ("state", "export", "interviews"),
    ],
    ids=" ".join,
)
def test_nothing_in_a_log_can_steer_the_terminal(
    run: Run, bank: Bank, foreign: str, command: tuple[str, ...]
) -> None:
    code, out, err = run(*(foreign if word == "ID" else word for word in command), *of(bank))
    assert code == 0, err
    assert "Étage" in out
    assert [c for c in out if not c.isprintable() and c not in "\r\n"] == []


def test_escaped_json_means_the_same(run: Run, bank: Bank, foreign: str) -> None:
    (row,) = parsed(run("sessions", "list", "--all", *of(bank), "--json"))["sessions"]
    assert row["operator"] == STEERING


@pytest.mark.parametrize("text", ["\U000e0041", "\ud800", "\x7f", "\u2028", "é漢😀", "a\nb"])
def test_json_text_reads_back_as_what_it_was(text: str) -> None:
    written = format_json(text)
    assert json.loads(written) == text
    assert written.isprintable()


def test_the_path_of_the_state_is_printed(run: Run, bank: Bank, state: Path) -> None:
    assert run("state", "path")[1] == f"{state}\n"
    assert parsed(run("state", "path", *of(bank), "--json"))["log"] == str(state / "sample.log.jsonl")


# -- next ---------------------------------------------------------------------------------------------


def sheet(tmp_path: Path, answers: object) -> str:
    path = tmp_path / "answers.json"
    path.write_text(answers if isinstance(answers, str) else json.dumps(answers))
    return str(path)


def test_next_gives_a_question_in_the_documented_shape(run: Run, bank: Bank, state: Path) -> None:
    step = parsed(run("next", *of(bank), "--json"))
    assert set(step) == {
        *("status", "question", "belief", "cost_so_far", "expected_cost_to_come", "explain", "explores"),
        *("contradiction", "warnings"),
    }
    assert (step["status"], step["warnings"]) == ("question", [])
    assert sum(step["belief"].values()) == pytest.approx(1)
    first = step["explain"][0]
    assert first["question"] == step["question"]["id"]
    assert set(first) == {"question", "gain", "cost", "score", "belief_after"}
    assert not state.exists()


def test_next_follows_the_same_interview_as_a_session(
    run: Run, bank: Bank, state: Path, tmp_path: Path
) -> None:
    hold_interview(bank, state, 1)
    session = Session.start(bank, state, seed=4, operator="op")
    answers: dict[str, str | float] = {}
    while session.question is not None:
        step = parsed(run("next", *of(bank), "--seed", "4", "--answers", sheet(tmp_path, answers), "--json"))
        assert step["question"]["id"] == session.question.id
        answers[session.question.id] = sample_answer(session.question)
        session.answer(sample_answer(session.question))
    step = parsed(run("next", *of(bank), "--seed", "4", "--answers", sheet(tmp_path, answers), "--json"))
    assert session.decision is not None
    assert (step["status"], step["outcome"]) == ("decision", session.decision.outcome.id)
    assert step["sure"] == pytest.approx(session.decision.belief)
    assert step["belief"][step["outcome"]] == step["sure"]
    assert step["stop_reason"] == session.decision.reason
    session.leave()


def test_next_takes_unknown_and_skipped_and_former_ids(run: Run, bank: Bank, tmp_path: Path) -> None:
    answers = sheet(tmp_path, {"sound": "unknown", "cough": "skipped", "ping": 41.5})
    assert parsed(run("next", *of(bank), "--answers", answers, "--json"))["cost_so_far"] == pytest.approx(10)


def test_next_without_state_ignores_what_was_learned(run: Run, bank: Bank, state: Path) -> None:
    fresh = parsed(run("next", *of(bank), "--json"))
    for seed in range(4):
        hold_interview(bank, state, seed)
    assert parsed(run("next", *of(bank), "--no-state", "--json")) == fresh
    assert parsed(run("next", *of(bank), "--json")) != fresh


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        ({"plague": "yes"}, "Unknown question 'plague'"),
        ({"fever": "perhaps"}, "fever"),
        ({"fever": True}, "a text or a number"),
        ({"ping": 9999}, "0 to 5000"),
        ({"high": "yes"}, "can't be asked"),
        (["fever"], "one JSON object"),
        ('{"fever": "yes", "fever": "no"}', "twice"),
        ('{"ping": NaN}', "not a number"),
        ("[" * 100_000, "nested"),
    ],
    ids=range(9),
)
def test_answers_that_can_not_be_used_are_one_sentence(
    run: Run, bank: Bank, tmp_path: Path, answers: object, told: str
) -> None:
    code, out, err = run("next", *of(bank), "--answers", sheet(tmp_path, answers), "--json")
    assert (code, out) == (65, "")
    assert told in err
    assert err.count("\n") == 1


def test_a_missing_file_of_answers_is_one_sentence(run: Run, bank: Bank) -> None:
    code, _, err = run("next", *of(bank), "--answers", "nowhere.json")
    assert code == 65
    assert "nowhere.json" in err


# -- schemas ------------------------------------------------------------------------------------------


def test_the_schemas_name_every_event_and_every_part_of_the_state(
    run: Run, bank: Bank, state: Path, waiting: str
) -> None:
    log = {event["title"]: event for event in parsed(run("schema", "log"))["oneOf"]}
    for line in StatePaths.of(state, bank.name).log.read_text().splitlines():
        record = json.loads(line)
        schema = log[record["event"]]
        assert set(schema["required"]) <= set(record) <= set(schema["properties"])
    kept = json.loads(StatePaths.of(state, bank.name).state.read_bytes())
    schema = parsed(run("schema", "state"))
    sometimes = {"unknown", "target", "drift", "variants"}
    assert set(kept) == set(schema["required"]) == set(schema["properties"]) - sometimes
