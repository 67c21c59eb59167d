"""``odm-tui team``, and the other commands with a team's store."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from odm_tui.banks import Bank
from odm_tui.cli import app as cli
from odm_tui.cli.main import main
from odm_tui.session import Archive, Session
from odm_tui.session.team import administration
from odm_tui.store.locking import Lock
from odm_tui.store.paths import StatePaths
from odm_tui.store.team.schema import newest_version
from tests.support.faults.interviews import hold_interview, sample_answer, sample_bank
from tests.support.postgresql.server import PostgresServer
from tests.support.waiting import wait_until

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    monkeypatch.setenv("ODM_TUI_CONFIG", str(tmp_path / "config.toml"))
    monkeypatch.setenv("ODM_TUI_STATE_DIR", str(tmp_path / "here"))

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as end:
            cli.main(arguments)
        printed = capsys.readouterr()
        return int(end.value.code or 0), printed.out, printed.err

    return run


@pytest.fixture
def bank(tmp_path: Path) -> Bank:
    return sample_bank(tmp_path / "banks")


def test_init_says_what_it_did_and_then_that_nothing_is_left_to_do(
    run: Run, postgres: PostgresServer
) -> None:
    address = postgres.address(postgres.make_database(empty=True), "owner")
    code, out, _ = run("team", "init", "--store", address)
    assert (code, "is set up (version" in out, "GRANT odm_tui_operator" in out) == (0, True, True)
    assert "set up already" in run("team", "init", "--store", address)[1]
    assert "is up to date" in run("team", "upgrade", "--store", address)[1]


def test_a_restored_store_gets_everything_again(
    run: Run, postgres: PostgresServer, store: str, bank: Bank, tmp_path: Path
) -> None:
    hold_interview(bank, tmp_path / "here", seed=1)
    address = postgres.address(store, "owner")
    run("team", "sync", "--store", address)
    postgres.execute(
        store, "DELETE FROM odm_tui.events WHERE head IN (2, 3)"
    )  # unnoticed: the head is the same
    assert run("team", "sync", "--store", address)[1] == "sample: 0 events sent, 0 taken in\n"
    assert "marked as restored" in run("team", "init", "--restored", "--store", address)[1]
    run("team", "sync", "--store", address)
    events = StatePaths.of(tmp_path / "here", "sample").log.read_bytes().count(b"\n")
    assert postgres.execute(store, "SELECT count(*) FROM odm_tui.events") == [(events,)]


def test_sync_gives_up_on_a_folder_that_another_process_syncs_without_end(
    run: Run,
    postgres: PostgresServer,
    store: str,
    bank: Bank,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(administration, "_TURN", 0.0)
    hold_interview(bank, tmp_path / "here", seed=1)
    address = postgres.address(store, "ann")
    with Lock(StatePaths.of(tmp_path / "here", "sample").team_lock).held():
        code, _, error = run("team", "sync", "--store", address)
    assert (code, "Another odm-tui is syncing this folder (sample)" in error) == (75, True)
    assert run("team", "sync", "--store", address)[0] == 0


def test_status_shows_what_is_missing_and_what_is_unsent(
    run: Run, postgres: PostgresServer, store: str, bank: Bank, tmp_path: Path
) -> None:
    address = postgres.address(store, "ann")
    hold_interview(bank, tmp_path / "here", seed=1)
    events = StatePaths.of(tmp_path / "here", "sample").log.read_bytes().count(b"\n")
    found = json.loads(run("team", "status", "--store", address, "--json")[1])
    assert (found["version"], found["may_forget"], found["present"]) == (newest_version(), False, [])
    assert [(one["head"], one["unsent"]) for one in found["banks"]] == [(0, events)]
    run("team", "sync", "--store", address)
    found = json.loads(run("team", "status", "--store", address, "--json")[1])["banks"][0]
    assert (found["head"], found["unsent"], found["lag"]) == (events, 0, 0)
    assert [(one["events"], one["is_this"]) for one in found["folders"]] == [(events, True)]
    out = run("team", "status", "--store", address, "--state-dir", str(tmp_path / "new"))[1]
    assert f"{events} of them not taken in yet" in out


def test_a_folder_goes_into_a_store_and_comes_out_with_the_same_state(
    run: Run, postgres: PostgresServer, store: str, bank: Bank, tmp_path: Path
) -> None:
    for seed in range(3):
        hold_interview(bank, tmp_path / "here", seed=seed)
    before = sorted(path.name for path in (tmp_path / "here").iterdir())
    address = postgres.address(store, "ann")
    assert "new" in run("team", "import", str(tmp_path / "here"), "--store", address)[1]
    assert ", 0 of them new" in run("team", "import", str(tmp_path / "here"), "--store", address)[1]
    assert sorted(path.name for path in (tmp_path / "here").iterdir()) == before
    assert run("team", "export", str(tmp_path / "out"), "--store", address)[0] == 0
    states = []
    for folder in ("here", "out"):
        archive = Archive.of(bank, tmp_path / folder)
        archive.rebuild()
        states.append(archive.paths.state.read_bytes())
        archive.close()
    assert states[0] == states[1]
    code, _, err = run("team", "export", str(tmp_path / "out"), "--store", address)
    assert (code, "exists already" in err) == (2, True)


def test_replay_evaluates_a_store(
    run: Run, postgres: PostgresServer, store: str, bank: Bank, tmp_path: Path
) -> None:
    for seed in range(3):
        hold_interview(bank, tmp_path / "here", seed=seed)
    address = postgres.address(store, "ann")
    run("team", "sync", "--store", address)
    code, out, _ = run("replay", address, "--bank", str(bank.path), "--no-what-if", "--json")
    assert code == 0
    assert json.loads(out)["audit"]["same"] == 3
    code, _, err = run("replay", address, "--bank", "led", "--no-what-if")
    assert (code, "has no interviews of the bank 'led'" in err) == (2, True)


def test_a_confirmation_is_sent_by_the_command_that_makes_it(
    run: Run,
    postgres: PostgresServer,
    store: str,
    bank: Bank,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session = hold_interview(bank, tmp_path / "here", seed=1)
    monkeypatch.setenv("ODM_TUI_STORE", postgres.address(store, "ann"))
    assert run("sessions", "correct", session.id, "flu", "--bank", str(bank.path))[0] == 0
    rows = "SELECT count(*) FROM odm_tui.events WHERE position('\"corrected\"'::bytea in body) > 0"
    wait_until(lambda: postgres.execute(store, rows) == [(1,)])


def test_forgetting_needs_the_admin_role_and_says_so(
    run: Run,
    postgres: PostgresServer,
    store: str,
    bank: Bank,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session = hold_interview(bank, tmp_path / "here", seed=1)
    other = hold_interview(bank, tmp_path / "here", seed=2)
    monkeypatch.setenv("ODM_TUI_STORE", postgres.address(store, "ann"))
    run("team", "sync")
    _, _, err = run("sessions", "forget", session.id, "--yes", "--bank", str(bank.path))
    assert "odm_tui_admin" in err
    count = "SELECT count(*) FROM odm_tui.events WHERE interview = '{}'"
    assert postgres.execute(store, count.format(session.id)) != [(0,)]
    monkeypatch.setenv("ODM_TUI_STORE", postgres.address(store, "owner"))
    run("sessions", "forget", other.id, "--yes", "--bank", str(bank.path))
    assert postgres.execute(store, count.format(other.id)) == [(0,)]
    assert postgres.execute(store, count.format(session.id)) == [(0,)]  # what waited is forgotten there too


def test_the_store_may_stand_in_the_config_file(
    run: Run, postgres: PostgresServer, store: str, tmp_path: Path
) -> None:
    (tmp_path / "config.toml").write_text(f'store = "{postgres.address(store, "ann")}"\n')
    assert run("team", "status")[0] == 0
    (tmp_path / "config.toml").write_text("store = 7\n")
    code, _, err = run("team", "status")
    assert (code, "store must be a text" in err) == (2, True)


@pytest.mark.parametrize(
    ("store", "said"),
    [
        (None, "No store was named"),
        ("mysql://db/team", "begins with postgresql://"),
        ("postgresql://ann:secret@db/team", "A password on the command line"),
    ],
)
def test_a_store_that_can_t_be_used_is_one_sentence(run: Run, store: str | None, said: str) -> None:
    code, out, err = run("team", "status", *(() if store is None else ("--store", store)))
    assert (code, out, said in err, err.count("\n")) == (2, "", True, 1)
    assert "secret" not in err


def test_a_server_that_is_away_is_one_sentence_with_exit_code_75(run: Run, tmp_path: Path) -> None:
    code, _, err = run("team", "status", "--store", f"postgresql:///team?host={tmp_path}")
    assert (code, err.count("\n"), "can't be reached" in err) == (75, 1, True)


def test_an_interview_in_lines_shares_what_it_learns_and_goes_on_without_the_store(
    postgres: PostgresServer, store: str, bank: Bank, tmp_path: Path
) -> None:
    sheet = tmp_path / "answers.json"
    sheet.write_text(json.dumps({"fever": "yes", "cough": "no", "noise": "yes", "colour": "red", "ping": 40}))
    for number, address in enumerate((postgres.address(store, "ann"), f"postgresql:///team?host={tmp_path}")):
        done = subprocess.run(
            [
                *(sys.executable, "-m", "odm_tui", "--bank", str(bank.path), "--answers", str(sheet)),
                *("--confirm", "=", "--seed", "1"),
            ],
            env={**os.environ, "ODM_TUI_STORE": address, "ODM_TUI_STATE_DIR": str(tmp_path / f"s{number}")},
            capture_output=True,
            text=True,
            check=True,
        )
        assert "Confirmed" in done.stderr
    log = StatePaths.of(tmp_path / "s0", "sample").log
    events = log.read_bytes().count(b"\n")
    wait_until(lambda: postgres.execute(store, "SELECT count(*) FROM odm_tui.events") == [(events,)])


def test_naming_a_database_does_not_load_psycopg_before_it_is_needed() -> None:
    code = "import sys, odm_tui.cli.main, odm_tui.cli.app, odm_tui.session.team.team_link; print('psycopg' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"
    assert callable(main)


def test_the_state_of_a_team_is_shown_by_operator(
    run: Run, postgres: PostgresServer, store: str, bank: Bank, tmp_path: Path
) -> None:
    address = postgres.address(store, "ann")
    for operator, count in (("ann", 2), ("ben", 1)):
        for seed in range(count):
            session = Session.start(bank, tmp_path / operator, seed=seed, operator=operator)
            while session.question is not None:
                session.answer(sample_answer(session.question))
            session.confirm("cold")
        run("team", "sync", "--store", address, "--state-dir", str(tmp_path / operator))
    run("team", "sync", "--store", address)
    shown = run("state", "show", "--bank", str(bank.path))[1]
    assert "By operator" in shown
    found = json.loads(run("state", "show", "--bank", str(bank.path), "--json")[1])
    assert [(one["operator"], one["interviews"]) for one in found["operators"]] == [("ann", 2), ("ben", 1)]
    assert found["interviews"] == 3
