"""The sync beside an interview: whatever the store does, the interview goes on, and everything is sent later."""

from __future__ import annotations

import errno
import itertools
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from odm_tui.banks import Bank
from odm_tui.errors import Locked
from odm_tui.session import Archive, Session
from odm_tui.session.team import sync_client
from odm_tui.session.team.status import AWAY, BEHIND, WORKING, SyncStatus, decode_status, encode_status
from odm_tui.session.team.sync_client import SyncClient
from odm_tui.session.team.sync_loop import SyncLoop
from odm_tui.session.team.team_link import TeamLink
from odm_tui.store.locking import Lock
from odm_tui.store.log import read_log, valid_entries
from odm_tui.store.log_codec import encode_body
from odm_tui.store.paths import StatePaths
from odm_tui.store.team import sync
from odm_tui.store.team.connection import connect
from odm_tui.store.team.schema import newest_version
from tests.support.faults.disk import FaultyDisk, in_place
from tests.support.faults.interviews import hold_interview, sample_answer, sample_bank
from tests.support.faults.processes import Child
from tests.support.postgresql.server import PostgresServer
from tests.support.waiting import wait_until

FILL = """
CREATE FUNCTION public.fill() RETURNS trigger LANGUAGE plpgsql AS
'BEGIN RAISE EXCEPTION USING ERRCODE = ''disk_full'', MESSAGE = ''No space left on device''; END';
CREATE TRIGGER fill BEFORE INSERT ON odm_tui.events EXECUTE FUNCTION public.fill()"""
SLOW = """
ALTER FUNCTION odm_tui.flush RENAME TO real_flush;
CREATE FUNCTION odm_tui.flush() RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS
'BEGIN PERFORM pg_advisory_xact_lock_shared(4711); PERFORM odm_tui.real_flush(); END';
GRANT EXECUTE ON FUNCTION odm_tui.flush TO odm_tui_operator"""
WAITING = "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"


@pytest.fixture
def bank(tmp_path: Path) -> Bank:
    return sample_bank(tmp_path / "banks")


@pytest.fixture
def start(postgres: PostgresServer, store: str, tmp_path: Path) -> Iterator[Callable[..., SyncClient]]:
    started: list[SyncClient] = []

    def run(name: str, user: str = "ann") -> SyncClient:
        folder = tmp_path / name
        folder.mkdir(mode=0o700, exist_ok=True)
        started.append(SyncClient(postgres.address(store, user), folder, name))
        return started[-1]

    yield run
    for client in started:
        process = client.process_id
        if process is not None:
            os.kill(process, signal.SIGCONT)
        if not client.wait(30) and process is not None:
            os.kill(process, signal.SIGKILL)
        client.close()


def bodies(folder: Path) -> list[bytes]:
    log = StatePaths.of(folder, "sample").log
    return sorted(encode_body(entry.event) for entry in valid_entries(read_log(log)))


def stored(postgres: PostgresServer, store: str) -> list[bytes]:
    return sorted(bytes(row[0]) for row in postgres.execute(store, "SELECT body FROM odm_tui.events"))


def test_an_interview_here_is_known_there(
    start: Callable[..., SyncClient], bank: Bank, tmp_path: Path
) -> None:
    here, there = start("here"), start("there")
    hold_interview(bank, tmp_path / "here", seed=1)
    here.wake()
    wait_until(lambda: there.status.taken == len(bodies(tmp_path / "here")))
    assert bodies(tmp_path / "there") == bodies(tmp_path / "here")
    assert Archive.of(bank, tmp_path / "there").read_snapshot().counts.interviews == 1


def test_who_has_an_interview_open_is_seen_and_ends_with_the_process(
    start: Callable[..., SyncClient], bank: Bank, tmp_path: Path
) -> None:
    here, there = start("here"), start("there")
    session = Session.start(bank, tmp_path / "here", seed=1)
    here.opened(bank.log_name, session.id)
    wait_until(lambda: there.status.operator_of(bank.log_name, session.id) == "here")
    assert here.status.operator_of(bank.log_name, session.id) == ""
    process = here.process_id
    assert process is not None
    os.kill(process, signal.SIGKILL)
    wait_until(lambda: there.status.operator_of(bank.log_name, session.id) == "")
    session.leave()


def test_an_interview_that_is_open_elsewhere_can_be_taken_over_once_it_is_left(
    postgres: PostgresServer, store: str, bank: Bank, tmp_path: Path
) -> None:
    folders = [tmp_path / "here", tmp_path / "there"]
    for folder in folders:
        folder.mkdir(mode=0o700)
    here, there = (TeamLink(postgres.address(store, "ann"), folder, folder.name) for folder in folders)
    session = Session.start(bank, folders[0], seed=1)
    here.follow(session)
    session.answer(sample_answer(session.question)) if session.question else None
    here.follow(session)
    wait_until(lambda: there.status and there.status.operator_of(bank.log_name, session.id))
    with pytest.raises(Locked, match="is open at here"):
        there.check_free(bank.log_name, session.id)
    session.leave()
    here.follow(None)
    wait_until(lambda: there.status and not there.status.operator_of(bank.log_name, session.id))
    wait_until(lambda: bodies(folders[1]) == bodies(folders[0]))
    there.check_free(bank.log_name, session.id)
    taken = Session.resume(bank, session.id, folders[1])
    assert [step.question.id for step in taken.steps] == [step.question.id for step in session.steps]
    assert taken.question == session.question
    taken.leave()
    for link in (here, there):
        link.close(wait=30)


def test_a_store_that_is_away_at_the_start_gets_everything_later(
    postgres: PostgresServer, store: str, start: Callable[..., SyncClient], bank: Bank, tmp_path: Path
) -> None:
    postgres.stop()
    try:
        here = start("here")
        wait_until(lambda: here.status.state == AWAY)
        hold_interview(bank, tmp_path / "here", seed=1)
        here.wake()
        wait_until(lambda: here.status.unsent == len(bodies(tmp_path / "here")))
        assert "can't be reached" in here.status.sentence
    finally:
        postgres.start()
    wait_until(lambda: here.status.state == WORKING and not here.status.unsent)
    assert stored(postgres, store) == bodies(tmp_path / "here")


@pytest.mark.parametrize("mode", ["fast", "immediate"])
def test_a_store_that_is_lost_in_the_middle_gets_everything_later(
    postgres: PostgresServer,
    store: str,
    start: Callable[..., SyncClient],
    bank: Bank,
    tmp_path: Path,
    mode: str,
) -> None:
    here = start("here")
    hold_interview(bank, tmp_path / "here", seed=1)
    wait_until(lambda: stored(postgres, store) == bodies(tmp_path / "here"))
    postgres.stop(mode)
    try:
        hold_interview(bank, tmp_path / "here", seed=2)
        here.wake()
        wait_until(lambda: here.status.state == AWAY and here.status.unsent)
    finally:
        postgres.start()
    wait_until(lambda: here.status.state == WORKING and not here.status.unsent)
    assert stored(postgres, store) == bodies(tmp_path / "here")


def test_a_stopped_server_is_reported_and_the_interview_goes_on(
    postgres: PostgresServer, store: str, start: Callable[..., SyncClient], bank: Bank, tmp_path: Path
) -> None:
    here = start("here")
    wait_until(lambda: here.status.state == WORKING)
    postgres.signal_all(signal.SIGSTOP)
    try:
        hold_interview(bank, tmp_path / "here", seed=1)
        here.wake()
        wait_until(lambda: here.status.state == AWAY)
        assert "has not answered" in here.status.sentence
    finally:
        postgres.signal_all(signal.SIGCONT)
    wait_until(lambda: here.status.state == WORKING and stored(postgres, store) == bodies(tmp_path / "here"))


@pytest.mark.parametrize(
    ("broken", "mended", "said"),
    [
        (
            "ALTER DATABASE {0} SET default_transaction_read_only = on",
            "ALTER DATABASE {0} RESET default_transaction_read_only",
            "is read-only",
        ),
        ("REVOKE odm_tui_operator FROM ann", "GRANT odm_tui_operator TO ann", "does not allow this"),
        (FILL, "DROP TRIGGER fill ON odm_tui.events", "is full"),
    ],
    ids=["read-only", "without a role", "full"],
)
def test_a_store_that_refuses_gets_everything_when_it_is_mended(
    postgres: PostgresServer,
    store: str,
    start: Callable[..., SyncClient],
    bank: Bank,
    tmp_path: Path,
    broken: str,
    mended: str,
    said: str,
) -> None:
    where = "postgres" if "DATABASE" in broken else store
    postgres.execute(where, broken.format(store))
    try:
        hold_interview(bank, tmp_path / "here", seed=1)
        here = start("here")
        wait_until(lambda: said in here.status.sentence)
        assert here.status.state == AWAY
    finally:
        postgres.execute(where, mended.format(store))
    wait_until(lambda: here.status.state == WORKING and stored(postgres, store) == bodies(tmp_path / "here"))


def test_a_slow_store_gets_everything_and_no_answer_waits_for_it(
    postgres: PostgresServer, store: str, start: Callable[..., SyncClient], bank: Bank, tmp_path: Path
) -> None:
    postgres.execute(store, SLOW)
    with closing(connect(postgres.address(store, "owner"))) as holder:
        holder.execute("SELECT pg_advisory_lock(4711)")
        here = start("here")
        Session.start(bank, tmp_path / "here", seed=1).leave()
        here.wake()
        wait_until(lambda: postgres.execute(store, WAITING))
        hold_interview(bank, tmp_path / "here", seed=1)
        assert postgres.execute(store, WAITING)  # the interview is over, and the store has not answered yet
    here.wake()
    wait_until(lambda: here.status.passes and stored(postgres, store) == bodies(tmp_path / "here"))
    assert here.status.state == WORKING


def test_a_schema_that_changes_under_a_client_is_one_sentence_until_it_fits_again(
    postgres: PostgresServer, store: str, start: Callable[..., SyncClient], bank: Bank, tmp_path: Path
) -> None:
    here = start("here")
    wait_until(lambda: here.status.state == WORKING)
    postgres.execute(store, "ALTER FUNCTION odm_tui.send RENAME TO send_of_tomorrow")
    postgres.execute(store, "UPDATE odm_tui.store SET version = 99")
    hold_interview(bank, tmp_path / "here", seed=1)
    here.wake()
    wait_until(lambda: "newer odm-tui" in here.status.sentence)
    postgres.execute(store, f"UPDATE odm_tui.store SET version = {newest_version()}")
    postgres.execute(store, "ALTER FUNCTION odm_tui.send_of_tomorrow RENAME TO send")
    wait_until(lambda: here.status.state == WORKING and stored(postgres, store) == bodies(tmp_path / "here"))


def test_a_sync_process_that_is_killed_is_started_again_and_loses_nothing(
    postgres: PostgresServer,
    store: str,
    start: Callable[..., SyncClient],
    bank: Bank,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sync_client, "_RESTART", 0.0)
    here = start("here")
    wait_until(lambda: here.status.state == WORKING)
    first = here.process_id
    assert first is not None
    os.kill(first, signal.SIGKILL)
    hold_interview(bank, tmp_path / "here", seed=1)
    wait_until(lambda: here.process_id not in (None, first) or not here.status)
    wait_until(lambda: here.status and stored(postgres, store) == bodies(tmp_path / "here"))


@pytest.mark.parametrize("kind", ["write", "fsync", "replace"])
def test_events_that_a_full_disk_refused_are_taken_in_when_there_is_space(
    postgres: PostgresServer, store: str, bank: Bank, tmp_path: Path, kind: str
) -> None:
    here = tmp_path / "here"
    hold_interview(bank, here, seed=1)
    first = SyncLoop(postgres.address(store, "ann"), here)
    first.run_pass()
    first.close()
    for when in itertools.count(1):
        there = tmp_path / f"there{when}"
        loop = SyncLoop(postgres.address(store, "ben"), there)
        disk = FaultyDisk(kind, when, errno.ENOSPC)
        with in_place(disk):
            status = loop.run_pass()
        if disk.fired:
            assert status.state == BEHIND
        loop.run_pass(at_once=True)
        assert (loop.status.state, bodies(there)) == (WORKING, bodies(here)), when
        loop.close()
        if not disk.fired:
            break
    assert when > 2


def test_a_locked_log_is_taken_in_when_it_is_free(
    postgres: PostgresServer, store: str, bank: Bank, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sync, "_PATIENCE", 0.0)
    here, there = tmp_path / "here", tmp_path / "there"
    hold_interview(bank, here, seed=1)
    first = SyncLoop(postgres.address(store, "ann"), here)
    first.run_pass()
    first.close()
    loop = SyncLoop(postgres.address(store, "ben"), there)
    with Lock(StatePaths.of(there, "sample").lock).held():
        assert loop.run_pass().state == BEHIND
    loop.run_pass(at_once=True)
    assert (loop.status.state, bodies(there)) == (WORKING, bodies(here))
    loop.close()


def test_kill_between_the_local_append_and_the_push_sends_the_event_later(
    postgres: PostgresServer, store: str, bank: Bank, tmp_path: Path
) -> None:
    code = (
        "import os, sys; from pathlib import Path\n"
        "from odm_tui.store.team.server import TeamServer\n"
        "from odm_tui.session.team.sync_loop import SyncLoop\n"
        "TeamServer.push = lambda *args: os.kill(os.getpid(), 9)\n"
        "SyncLoop(sys.argv[1], Path(sys.argv[2])).run_pass()\n"
    )
    here = tmp_path / "here"
    hold_interview(bank, here, seed=1)
    address = postgres.address(store, "ann")
    killed = subprocess.run([sys.executable, "-c", code, address, str(here)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert stored(postgres, store) == []
    loop = SyncLoop(address, here)
    loop.run_pass()
    loop.close()
    assert stored(postgres, store) == bodies(here)


@pytest.mark.parametrize("place", ["append", "write_membership", "note_heads"])
def test_kill_anywhere_while_events_are_taken_in_takes_each_in_once(
    postgres: PostgresServer, store: str, bank: Bank, tmp_path: Path, place: str
) -> None:
    target = {
        "append": "odm_tui.store.log_writer.Log",
        "write_membership": "odm_tui.store.team.sync",
        "note_heads": "odm_tui.store.team.ledger.Ledger",
    }[place]
    code = (
        "import os, sys, importlib; from pathlib import Path\n"
        "from odm_tui.session.team.sync_loop import SyncLoop\n"
        f"import odm_tui.store.team.sync\n"
        f"module, _, name = '{target}'.rpartition('.')\n"
        "try: owner = getattr(importlib.import_module(module), name)\n"
        f"except AttributeError: owner = importlib.import_module('{target}')\n"
        f"real, calls = getattr(owner, '{place}'), [0]\n"
        "def then_die(*args, **kwargs):\n"
        "    calls[0] += 1\n"
        "    if calls[0] == int(sys.argv[3]): os.kill(os.getpid(), 9)\n"
        "    result = real(*args, **kwargs)\n"
        "    if calls[0] == -int(sys.argv[3]): os.kill(os.getpid(), 9)\n"
        "    return result\n"
        f"setattr(owner, '{place}', then_die)\n"
        "SyncLoop(sys.argv[1], Path(sys.argv[2])).run_pass()\n"
    )
    here = tmp_path / "here"
    hold_interview(bank, here, seed=1)
    address = postgres.address(store, "ann")
    first = SyncLoop(address, here)
    first.run_pass()
    first.close()
    for moment in (1, -1):
        there = tmp_path / f"there{moment}"
        subprocess.run([sys.executable, "-c", code, address, str(there), str(moment)], check=False)
        loop = SyncLoop(address, there)
        assert loop.run_pass().state == WORKING
        loop.close()
        assert bodies(there) == bodies(here), moment
        assert Archive.of(bank, there).read_snapshot().counts.interviews == 1


def test_two_processes_of_one_folder_send_everything_once(
    postgres: PostgresServer, store: str, start: Callable[..., SyncClient], bank: Bank, tmp_path: Path
) -> None:
    clients = [start("here"), start("here")]
    for seed in range(3):
        hold_interview(bank, tmp_path / "here", seed=seed)
        for client in clients:
            client.wake()
    wait_until(lambda: stored(postgres, store) == bodies(tmp_path / "here"))


def test_a_stopped_process_that_has_the_turn_holds_up_no_interview_and_is_reported(
    postgres: PostgresServer, store: str, bank: Bank, tmp_path: Path
) -> None:
    here, now = tmp_path / "here", [0.0]
    hold_interview(bank, here, seed=1)

    def take_turn(tell: Callable[[str], None]) -> None:
        with Lock(StatePaths.of(here, "sample").team_lock).held():
            os.kill(os.getpid(), signal.SIGSTOP)

    child = Child(take_turn)
    os.waitpid(child.pid, os.WUNTRACED)
    loop = SyncLoop(postgres.address(store, "ann"), here, clock=lambda: now[0])
    try:
        assert loop.run_pass().state == WORKING
        hold_interview(bank, here, seed=2)  # what the operator does is not held up
        now[0] = 31.0
        assert loop.run_pass().state == BEHIND
        assert "If it is stopped, let it go on or end it" in loop.status.sentence
        assert stored(postgres, store) == []
    finally:
        os.kill(child.pid, signal.SIGCONT)
        child.outcome()
    assert (loop.run_pass().state, loop.status.sentence) == (WORKING, "")
    assert stored(postgres, store) == bodies(here)
    loop.close()


def test_an_answer_goes_on_when_the_team_brings_events_of_the_same_interview(
    postgres: PostgresServer, store: str, bank: Bank, tmp_path: Path
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    loops = [
        SyncLoop(postgres.address(store, user), folder) for user, folder in (("ann", here), ("ben", there))
    ]
    session = Session.start(bank, here, seed=1)
    assert session.question is not None
    session.answer(sample_answer(session.question))
    for loop in loops:
        loop.run_pass()
    other = Session.resume(bank, session.id, there)
    while other.question is not None:
        other.answer(sample_answer(other.question))
    other.confirm("flu")
    for loop in reversed(loops):
        loop.run_pass()
    while session.question is not None:
        session.answer(
            "no"
            if session.question.id != "ping" and session.question.id != "colour"
            else sample_answer(session.question)
        )
    session.confirm("cold")
    for loop in (*loops, *loops):
        loop.run_pass()
        loop.close()
    assert bodies(here) == bodies(there)
    archives = [Archive.of(bank, folder) for folder in (here, there)]
    assert len({archive.rebuild() and archive.paths.state.read_bytes() for archive in archives}) == 1
    assert [len(archive.conflicts()) for archive in archives] == [1, 1]


def test_the_address_is_not_on_the_command_line_of_the_sync_process(start: Callable[..., SyncClient]) -> None:
    here = start("here")
    command = Path(f"/proc/{here.process_id}/cmdline")
    wait_until(lambda: b"sync_process" in command.read_bytes())  # empty until the new program has begun
    assert b"postgresql:" not in command.read_bytes()


def test_a_sync_process_ends_soon_after_the_interview(start: Callable[..., SyncClient]) -> None:
    here = start("here")
    wait_until(lambda: here.status.state == WORKING)
    assert here.wait(60)


def test_a_status_survives_the_pipe() -> None:
    status = SyncStatus(AWAY, "Away.", 3, 4, {-5: "ann"}, {"deadbeef": "ben"}, ("Look.",), 7)
    assert decode_status(encode_status(status)) == status


def test_the_mark_says_only_what_is_wrong() -> None:
    assert SyncStatus().mark == ""
    assert SyncStatus(WORKING).mark == "team"
    assert SyncStatus(AWAY, "Away.", 12).mark == "store away · 12 unsent"
