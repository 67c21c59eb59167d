"""Many clients at once while connections are cut, sync processes killed and the server restarted: everything exact."""

from __future__ import annotations

import itertools
import os
import random
import signal
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from odm_tui.banks import Bank
from odm_tui.session import Archive, Session
from odm_tui.session.team.status import WORKING
from odm_tui.session.team.sync_client import SyncClient
from odm_tui.session.team.sync_loop import SyncLoop
from odm_tui.store.log import read_log, valid_entries
from odm_tui.store.log_codec import encode_body
from odm_tui.store.paths import StatePaths
from tests.support.faults.interviews import sample_answer, sample_bank
from tests.support.faults.processes import Child
from tests.support.faults.report import Table
from tests.support.postgresql.server import PostgresServer

CUT = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename IN ('ann', 'ben') AND random() < 0.7"


@pytest.fixture
def bank(tmp_path: Path) -> Bank:
    return sample_bank(tmp_path / "banks")


def hold_interviews(bank: Bank, folder: Path, address: str, count: int, seed: int) -> Callable[..., None]:
    """Hold interviews with a sync beside them, and kill that once; report each confirmed interview."""

    def work(tell: Callable[[str], None]) -> None:
        client = SyncClient(address, folder, folder.name)
        for number in range(count):
            session = Session.start(bank, folder, seed=seed * 1000 + number, operator=folder.name)
            while session.question is not None:
                session.answer(sample_answer(session.question))
            session.confirm(("flu", "cold")[number % 2])
            client.wake()
            _ = client.status
            if number == count // 2 and client.process_id is not None:
                os.kill(client.process_id, signal.SIGKILL)
            tell(f"confirmed {session.id}")
        client.wait(20)

    return work


def run_chaos(
    postgres: PostgresServer, store: str, bank: Bank, tmp_path: Path, clients: int, interviews: int
) -> tuple[int, int]:
    """Return how many interviews were confirmed, and how many events the store has in the end; all is checked."""
    folders = [tmp_path / f"client{number}" for number in range(clients)]
    for folder in folders:
        folder.mkdir(mode=0o700)
    addresses = [postgres.address(store, ("ann", "ben")[number % 2]) for number in range(clients)]
    children = [
        Child(hold_interviews(bank, folder, address, interviews, seed))
        for seed, (folder, address) in enumerate(zip(folders, addresses, strict=True))
    ]
    finished = threading.Event()
    told: list[str] = []

    def listen() -> None:
        try:
            for child in children:
                told.extend(child.outcome()[0])
        finally:
            finished.set()

    listener = threading.Thread(target=listen)
    listener.start()
    chosen = random.Random(1)
    for number in itertools.count():
        if number in (2, 5):
            postgres.restart("fast" if number == 2 else "immediate")
        postgres.execute("postgres", CUT)
        if finished.wait(chosen.uniform(0.1, 0.6)) and number > 5:
            break
    listener.join()
    for folder, address in [*zip(folders, addresses, strict=True)] * 2:
        loop = SyncLoop(address, folder)
        assert loop.run_pass().state == WORKING
        assert loop.status.unsent == 0
        loop.close()
    confirmed = [line for line in told if line.startswith("confirmed")]
    assert len(set(confirmed)) == len(confirmed) == clients * interviews
    rows = postgres.execute(store, "SELECT head, body FROM odm_tui.events ORDER BY head")
    assert [head for head, _ in rows] == list(range(1, len(rows) + 1))
    expected = sorted(bytes(body) for _, body in rows)
    assert len(set(expected)) == len(expected)
    states = set()
    for folder in folders:
        paths = StatePaths.of(folder, bank.log_name)
        assert sorted(encode_body(entry.event) for entry in valid_entries(read_log(paths.log))) == expected
        archive = Archive.of(bank, folder)
        assert list(archive.find_problems()) == []
        archive.rebuild()
        assert archive.read_snapshot().counts.interviews == len(confirmed)
        states.add(paths.state.read_bytes())
        archive.close()
    assert len(states) == 1
    return len(confirmed), len(rows)


def test_three_clients_lose_and_double_nothing_while_everything_around_them_fails(
    postgres: PostgresServer, store: str, bank: Bank, tmp_path: Path
) -> None:
    run_chaos(postgres, store, bank, tmp_path, clients=3, interviews=8)


@pytest.mark.soak
def test_eight_clients_of_100_interviews_lose_and_double_nothing(
    postgres: PostgresServer, store: str, bank: Bank, tmp_path: Path, table: Table
) -> None:
    confirmed, events = run_chaos(postgres, store, bank, tmp_path, clients=8, interviews=100)
    table.row(
        "team: 8 clients, backends and syncs killed, server restarted twice",
        confirmed,
        0,
        f"{events:,} events",
    )
