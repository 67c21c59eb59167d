"""Files and PostgreSQL keep the same promises behind one interface."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from odm_tui.store.cursor import Cursor
from odm_tui.store.events import Event, Forgotten
from odm_tui.store.exchange import file_store, postgres_store
from odm_tui.store.exchange.event_store import EventStore, copy_events
from odm_tui.store.exchange.file_store import FileStore
from odm_tui.store.exchange.postgres_store import PostgresStore
from odm_tui.store.log import Line, Position, read_lines
from odm_tui.store.paths import StatePaths
from odm_tui.store.team.server import TeamServer
from tests.support.faults.samples import many
from tests.support.postgresql.server import PostgresServer

Open = Callable[..., EventStore]


@pytest.fixture(params=["files", "postgresql"])
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    """Open the same store again and again, as many processes would."""
    opened: list[EventStore] = []
    server: PostgresServer | None = None
    if request.param == "postgresql":
        server, database = request.getfixturevalue("postgres"), request.getfixturevalue("store")

    def run() -> EventStore:
        if server is None:
            (tmp_path / "state").mkdir(mode=0o700, exist_ok=True)
            opened.append(FileStore(tmp_path / "state"))
        else:
            opened.append(PostgresStore(TeamServer(server.address(database, "owner"))))
        return opened[-1]

    yield run
    for one in opened:
        one.close()


@pytest.fixture(autouse=True)
def _small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_store, "PAGE", 7)
    monkeypatch.setattr(postgres_store, "PAGE", 7)
    monkeypatch.setattr(postgres_store, "_BATCH", 5)


def read_all(store: EventStore, since: Cursor | None = None) -> tuple[list[Event], Cursor | None]:
    found: list[Event] = []
    while (page := store.read("sample", since)).events:
        found += page.events
        since = page.cursor
    return found, since


EVENTS = [event for events in many(5) for event in events]


def test_a_new_store_has_no_banks_and_no_events(open_store: Open) -> None:
    store = open_store()
    assert store.banks() == []
    assert store.read("sample").events == ()
    assert list(store.problems("sample")) == []


def test_events_come_back_in_order_and_others_see_them(open_store: Open) -> None:
    assert open_store().append("sample", EVENTS) == len(EVENTS)
    store = open_store()
    assert store.banks() == ["sample"]
    assert read_all(store)[0] == EVENTS
    assert list(store.problems("sample")) == []


def test_an_event_is_kept_once_however_often_it_is_appended(open_store: Open) -> None:
    one, other = open_store(), open_store()
    assert one.append("sample", EVENTS[:9]) == 9
    assert other.append("sample", [*EVENTS[5:12], *EVENTS[5:12]]) == 3
    assert one.append("sample", EVENTS[:12]) == 0
    assert read_all(one)[0] == EVENTS[:12]


def test_events_that_a_restored_log_has_lost_are_written_again(tmp_path: Path) -> None:
    store = FileStore(tmp_path)
    store.append("sample", EVENTS[:4])
    log = StatePaths.of(tmp_path, "sample").log
    backup = log.read_bytes()
    store.append("sample", EVENTS[4:9])
    store.append("sample", EVENTS[:9])
    log.write_bytes(backup)
    assert store.append("sample", EVENTS[:9]) == 5
    assert read_all(FileStore(tmp_path))[0] == EVENTS[:9]
    store.close()


def test_each_append_reads_only_the_lines_that_are_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = FileStore(tmp_path)
    read: list[int] = []

    def counting(path: Path, start: Position) -> Iterator[Line]:
        for line in read_lines(path, start):
            read.append(line.number)
            yield line

    monkeypatch.setattr(file_store, "read_lines", counting)
    for at in range(0, 9, 3):
        store.append("sample", EVENTS[at : at + 3])
    assert read == [1, 2, 3, 4, 5, 6]
    store.close()


def test_a_cursor_goes_on_where_it_was_also_in_another_process(open_store: Open) -> None:
    store = open_store()
    store.append("sample", EVENTS[:9])
    _, cursor = read_all(store)
    store.append("sample", EVENTS[9:])
    assert read_all(open_store(), cursor)[0] == EVENTS[9:]


def test_an_erased_interview_leaves_its_id_and_does_not_come_back(open_store: Open) -> None:
    store = open_store()
    store.append("sample", EVENTS)
    gone = EVENTS[0].interview
    store.erase("sample", [gone])
    store.erase("sample", [gone])
    assert open_store().append("sample", EVENTS) == 0
    found, _ = read_all(open_store())
    assert [event for event in found if event.interview == gone] == [Forgotten(interview=gone)]
    assert [event for event in found if event.interview != gone] == [e for e in EVENTS if e.interview != gone]


def test_a_reader_hears_of_an_erased_interview_and_misses_nothing_after_it(open_store: Open) -> None:
    store = open_store()
    store.append("sample", EVENTS[:20])
    seen, cursor = read_all(store)
    store.erase("sample", [EVENTS[0].interview])
    store.append("sample", EVENTS[20:])
    later, _ = read_all(store, cursor)
    assert Forgotten(interview=EVENTS[0].interview) in later
    assert {*seen, *later} >= {*EVENTS[20:]}


def test_an_interview_is_open_in_one_place_at_a_time(open_store: Open) -> None:
    one, other = open_store(), open_store()
    one.append("sample", EVENTS)
    assert one.claim("sample", "00000001")
    assert one.claim("sample", "00000001")
    assert not other.claim("sample", "00000001")
    assert other.claim("sample", "00000002")
    other.release("sample", "00000002")
    assert one.claim("sample", "00000002")


def test_a_bank_is_copied_from_any_store_to_any_other_and_back(
    open_store: Open, postgres: PostgresServer, tmp_path: Path
) -> None:
    source = open_store()
    source.append("sample", EVENTS)
    source.erase("sample", [EVENTS[0].interview])
    kept = [event for event in EVENTS if event.interview != EVENTS[0].interview]
    (tmp_path / "copy").mkdir(mode=0o700)
    database = postgres.make_database()
    for target in (
        FileStore(tmp_path / "copy"),
        PostgresStore(TeamServer(postgres.address(database, "owner"))),
    ):
        assert copy_events(source, target, "sample") == (len(kept), len(kept), 1)
        assert copy_events(source, target, "sample") == (len(kept), 0, 1)
        found, _ = read_all(target)
        assert [event for event in found if not isinstance(event, Forgotten)] == kept
        target.close()


def test_the_interface_is_small() -> None:
    assert len(EventStore.__abstractmethods__) <= 10
