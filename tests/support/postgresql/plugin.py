"""The fixtures of tests that need a real PostgreSQL server."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from odm_tui.store.events import Forgotten, Started
from odm_tui.store.exchange.file_store import find_bank_name
from odm_tui.store.index.opening import open_index
from odm_tui.store.index.summary import InterviewSummary
from odm_tui.store.log import read_log, valid_entries
from odm_tui.store.log_codec import encode_body
from odm_tui.store.log_writer import Log
from odm_tui.store.paths import StatePaths
from odm_tui.store.team.server import TeamServer
from odm_tui.store.team.sync import BankSync
from tests.support.postgresql.server import TEMPLATE, PostgresServer, find_programs

MIRROR = "ODM_TUI_TESTS_MIRROR"


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL server of this test run; without PostgreSQL the test is skipped, which continuous integration forbids."""
    programs = find_programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed: on Debian, apt-get install postgresql")
    server = PostgresServer(programs)
    yield server
    server.remove()


@pytest.fixture
def store(postgres: PostgresServer) -> str:
    """The name of a new database with a team's store."""
    return postgres.make_database()


@pytest.fixture(autouse=True)
def _mirrored(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Under ``make test-postgresql``: what a test has written goes through PostgreSQL and comes out the same."""
    if not os.environ.get(MIRROR):
        yield
        return
    written: dict[Path, StatePaths] = {}
    append = Log.append

    def note_and_append(log: Log, *args: Any, **kwargs: Any) -> Any:
        written[log.paths.log] = log.paths
        return append(log, *args, **kwargs)

    monkeypatch.setattr(Log, "append", note_and_append)
    yield
    monkeypatch.undo()
    logs = {paths.log: find_bank_name(paths) for paths in written.values() if is_sound(paths)}
    if not any(logs.values()):
        return
    server: PostgresServer = request.getfixturevalue("postgres")
    for log, bank in logs.items():
        if bank is not None:
            check_mirrored(log, bank, server.address(TEMPLATE, "owner"), tmp_path_factory.mktemp("mirror"))
            server.execute(TEMPLATE, "TRUNCATE odm_tui.events, odm_tui.forgotten, odm_tui.banks")


def is_sound(paths: StatePaths) -> bool:
    """Whether a log is there and may be read; some tests leave locked or replaced ones behind."""
    return paths.log.is_file() and not paths.log.is_symlink()


def check_mirrored(log: Path, bank: str, address: str, folder: Path) -> None:
    """Copy a log, send the copy to a store, take it in elsewhere, and compare all events and interviews."""
    copy = StatePaths.of(folder / "copy", bank)
    copy.folder.mkdir(mode=0o700)
    copy.log.write_bytes(log.read_bytes())
    there = StatePaths.of(folder / "there", bank)
    with closing(TeamServer(address)) as server:
        for paths in (copy, there, copy):
            with closing(BankSync(paths, bank)) as sync:
                sync.run(server)
    events = [sorted_events(paths.log, bank) for paths in (copy, there)]
    assert events[0] == events[1]
    rows = [read_summaries(paths) for paths in (copy, there)]
    assert {id: rows[0][id] for id in rows[1]} == rows[1]


def read_summaries(paths: StatePaths) -> dict[str, InterviewSummary]:
    """What lists show of each interview of a log: its status, its outcome, its cost, its conflicts."""
    with open_index(paths, saves=False) as index:
        return {row.interview: row for row in index.in_order()}


def sorted_events(log: Path, bank: str) -> list[bytes]:
    """The events of a log that belong to a bank, each once, without those of forgotten interviews."""
    found = [entry.event for entry in valid_entries(read_log(log))]
    gone = {event.interview for event in found if isinstance(event, Forgotten)}
    other = {event.interview for event in found if isinstance(event, Started) and event.bank != bank}
    return sorted(
        {encode_body(e) for e in found if e.interview not in gone | other or isinstance(e, Forgotten)}
    )
