"""Events travel between folders through a team's store: each one once, in any order, with the same result everywhere."""

from __future__ import annotations

import itertools
import random
import shutil
from collections.abc import Collection
from contextlib import closing
from pathlib import Path
from typing import Any, Protocol

import pytest

from odm_tui.session.team.status import AWAY
from odm_tui.session.team.sync_loop import SyncLoop
from odm_tui.store.events import Corrected, Event, Filed, Started, timestamp
from odm_tui.store.exchange import file_store, postgres_store
from odm_tui.store.exchange.transfer import export_store
from odm_tui.store.forget_interview import forget, read_forgotten_ids
from odm_tui.store.integrity.chain import identify
from odm_tui.store.integrity.log_check import find_problems
from odm_tui.store.log import read_log, valid_entries
from odm_tui.store.log_codec import encode_body
from odm_tui.store.log_writer import Log
from odm_tui.store.paths import StatePaths
from odm_tui.store.team import sync as team_sync
from odm_tui.store.team.ledger import opened_ledger
from odm_tui.store.team.log_order import LogOrder
from odm_tui.store.team.membership import read_membership
from odm_tui.store.team.server import TeamServer
from odm_tui.store.team.sync import BankSync, SyncResult
from tests.support.faults.samples import interview_events, many, paths_in, rebuilt, sample_index, write
from tests.support.postgresql.server import PostgresServer


class Sync(Protocol):
    def __call__(self, paths: StatePaths, user: str = "ann") -> SyncResult: ...


@pytest.fixture
def sync(postgres: PostgresServer, store: str) -> Sync:
    def run(paths: StatePaths, user: str = "ann") -> SyncResult:
        server = TeamServer(postgres.address(store, user))
        one = BankSync(paths, "sample")
        try:
            return one.run(server)
        finally:
            one.close()
            server.close()

    return run


def bodies(paths: StatePaths) -> list[bytes]:
    return sorted(encode_body(entry.event) for entry in valid_entries(read_log(paths.log)))


def rows(postgres: PostgresServer, store: str) -> list[tuple[int, bytes]]:
    found = postgres.execute(store, "SELECT head, body FROM odm_tui.events ORDER BY head")
    return [(head, bytes(body)) for head, body in found]


def test_what_one_folder_has_learned_the_other_has_after_a_sync(sync: Sync, tmp_path: Path) -> None:
    here, there = paths_in(tmp_path / "here"), paths_in(tmp_path / "there")
    write(here, many(6))
    assert sync(here).sent == len(bodies(here))
    assert sync(there).taken == len(bodies(here))
    assert bodies(there) == bodies(here)
    assert rebuilt(there) == rebuilt(here)
    assert list(find_problems(there.log)) == []


def test_a_second_sync_sends_and_takes_nothing(sync: Sync, tmp_path: Path) -> None:
    here, there = paths_in(tmp_path / "here"), paths_in(tmp_path / "there")
    write(here, many(3))
    write(there, many(3, first=3))
    sync(here), sync(there), sync(here)
    before = here.log.read_bytes(), there.log.read_bytes()
    again = sync(here), sync(there)
    assert [(one.sent, one.taken, one.unsent) for one in again] == [(0, 0, 0), (0, 0, 0)]
    assert (here.log.read_bytes(), there.log.read_bytes()) == before


def test_an_event_that_is_pushed_twice_is_there_once_and_keeps_its_head(
    postgres: PostgresServer, store: str, tmp_path: Path
) -> None:
    server = TeamServer(postgres.address(store, "ann"))
    events = [(e.interview, encode_body(e)) for e in many(1)[0]]
    first = server.push("sample", "0" * 16, events)
    second = server.push("sample", "1" * 16, [*events, *events])
    assert second == first
    assert [head for head, _ in rows(postgres, store)] == list(range(1, len(events) + 1))
    assert server.heads() == {"sample": len(events)}
    server.close()


@pytest.mark.parametrize("seed", range(3))
def test_three_laptops_offline_for_a_day_end_in_the_same_bytes_in_any_order(
    sync: Sync, tmp_path: Path, seed: int
) -> None:
    chosen = random.Random(seed)
    laptops = [paths_in(tmp_path / name) for name in ("a", "b", "c")]
    common = many(4)
    write(laptops[0], common)
    for paths in laptops:
        sync(paths)
    for number, paths in enumerate(laptops):
        write(paths, many(5, first=10 * (number + 1)))
        log = Log(paths)
        for events in chosen.sample(common, 2):  # two laptops may correct the same interview
            last = events[-1]
            log.append(
                [
                    Corrected(
                        interview=last.interview,
                        n=last.n + 1,
                        time=timestamp(chosen.uniform(1e5, 2e5)),
                        after=identify(last),
                        outcome=chosen.choice(["flu", "cold", None]),
                    )
                ]
            )
        log.close()
    order = [*laptops, *laptops]
    chosen.shuffle(order)
    for paths in [*order, *laptops]:
        sync(paths)
    assert len({rebuilt(paths) for paths in laptops}) == 1
    assert len({tuple(bodies(paths)) for paths in laptops}) == 1
    written = [*common, *(events for n in range(3) for events in many(5, first=10 * (n + 1)))]
    assert len(set(bodies(laptops[0]))) == len(bodies(laptops[0])) == sum(map(len, written)) + 6


def test_forgetting_reaches_every_folder_and_the_store(
    postgres: PostgresServer, store: str, sync: Sync, tmp_path: Path
) -> None:
    here, there, late = (paths_in(tmp_path / name) for name in ("here", "there", "late"))
    write(here, many(4))
    sync(here), sync(there)
    gone = many(4)[2][0].interview
    forget(here, [gone], sample_index())
    sync(here, "owner")
    sync(there)
    sync(late)
    for paths in (here, there, late):
        assert read_forgotten_ids(paths) == {gone}
        assert [b for b in bodies(paths) if gone.encode() in b and b"forgotten" not in b] == []
    assert len({rebuilt(paths) for paths in (here, there, late)}) == 1
    assert [body for _, body in rows(postgres, store) if gone.encode() in body] == []


def test_a_folder_that_comes_back_late_can_t_bring_a_forgotten_interview_back(
    postgres: PostgresServer, store: str, sync: Sync, tmp_path: Path
) -> None:
    here, late = paths_in(tmp_path / "here"), paths_in(tmp_path / "late")
    write(here, many(3))
    write(late, many(3))
    sync(here)
    gone = many(3)[0][0].interview
    forget(here, [gone], sample_index())
    sync(here, "owner")
    result = sync(late)
    assert result.forgotten == 1
    assert read_forgotten_ids(late) == {gone}
    assert [body for _, body in rows(postgres, store) if gone.encode() in body] == []
    assert rebuilt(late) == rebuilt(here)


def test_an_operator_who_forgets_is_told_that_the_store_needs_an_admin(
    postgres: PostgresServer, store: str, sync: Sync, tmp_path: Path
) -> None:
    here = paths_in(tmp_path / "here")
    write(here, many(2))
    sync(here)
    gone = many(2)[0][0].interview
    forget(here, [gone], sample_index())
    write(here, many(1, first=7))
    result = sync(here)
    assert "odm_tui_admin" in result.notices[0]
    assert result.unsent == 0
    assert result.sent == len(many(1, first=7)[0])
    assert read_forgotten_ids(here) == {gone}


def test_a_log_that_was_replaced_by_an_older_copy_gets_back_what_the_store_has(
    sync: Sync, tmp_path: Path
) -> None:
    here, there = paths_in(tmp_path / "here"), paths_in(tmp_path / "there")
    write(here, many(2))
    shutil.copytree(here.folder, tmp_path / "copy")
    write(here, many(2, first=2))
    sync(here), sync(there)
    whole = bodies(here)
    shutil.copy(tmp_path / "copy" / here.log.name, here.log)
    sync(here)
    assert bodies(here) == whole


def test_a_store_that_was_restored_from_a_backup_gets_back_what_the_folders_have(
    postgres: PostgresServer, store: str, sync: Sync, tmp_path: Path
) -> None:
    here = paths_in(tmp_path / "here")
    write(here, many(2))
    sync(here)
    postgres.execute(store, "DELETE FROM odm_tui.events WHERE head > 5")
    postgres.execute(store, "UPDATE odm_tui.banks SET head = 5")
    sync(here)
    assert sorted(body for _, body in rows(postgres, store)) == bodies(here)


def test_a_folder_moves_to_another_store_with_everything(
    postgres: PostgresServer, store: str, sync: Sync, tmp_path: Path
) -> None:
    here = paths_in(tmp_path / "here")
    write(here, many(2))
    sync(here)
    other = postgres.make_database()
    server = TeamServer(postgres.address(other, "ann"))
    one = BankSync(here, "sample")
    one.run(server)
    one.close()
    server.close()
    assert sorted(body for _, body in rows(postgres, other)) == bodies(here)


def test_an_odd_line_of_the_log_does_not_hold_up_the_others(
    postgres: PostgresServer, store: str, sync: Sync, tmp_path: Path
) -> None:
    here = paths_in(tmp_path / "here")
    write(here, many(1))
    with here.log.open("ab") as log:
        log.write(b"not a line\n" + b"{" * 2_000_000 + b"\n")
    write(here, many(1, first=1))
    sync(here)
    assert len(rows(postgres, store)) == sum(len(events) for events in many(2))


def test_an_event_that_the_store_refuses_stays_here_and_the_others_are_sent(
    postgres: PostgresServer, store: str, sync: Sync, tmp_path: Path
) -> None:
    postgres.execute(store, "ALTER TABLE odm_tui.events ADD CHECK (interview <> '00000001')")
    here = paths_in(tmp_path / "here")
    write(here, many(3))
    result = sync(here)
    assert {body.count(b'"00000001"') for _, body in rows(postgres, store)} == {0}
    assert len(rows(postgres, store)) == len(many(3)[0]) + len(many(3)[2])
    assert "not accepted" in result.notices[0]
    assert sync(here).sent == 0


HOSTILE = [
    b"",
    b"\x00\xff",
    b'"event":"forgotten","interview":"00000000"',
    b'"event":"started"',
    b'"event":"stopped","interview":"99999999","n":2,"time":"2026-01-01T00:00:00.000000Z"',
    b'"event":"stopped", "interview":"00000000","n":2,"time":"2026-01-01T00:00:00.000000Z"',
    b'"event":"stopped","interview":"00000000","n":2,"time":"2026-01-01T00:00:00.000000Z"}\n{"seq":1',
    b'"event":"nonsense","interview":"00000000","n":2,"time":"2026-01-01T00:00:00.000000Z"',
    b"[" * 100_000,
]


def test_a_hostile_row_is_left_out_and_the_rows_after_it_arrive(
    postgres: PostgresServer, store: str, sync: Sync, tmp_path: Path
) -> None:
    here, there = paths_in(tmp_path / "here"), paths_in(tmp_path / "there")
    write(here, many(1))
    sync(here)
    server = TeamServer(postgres.address(store, "ben"))
    for body in HOSTILE[1:]:
        server.push("sample", "f" * 16, [("00000000", body)])
    server.close()
    write(here, many(1, first=1))
    sync(here), sync(there), sync(here)
    assert bodies(there) == bodies(here)
    assert len(bodies(here)) == sum(len(events) for events in many(2))
    assert list(find_problems(there.log)) == []


def test_text_that_looks_like_sql_is_only_text(postgres: PostgresServer, store: str, tmp_path: Path) -> None:
    payload = "'); DROP TABLE odm_tui.events; -- %s %(bank)s $1 \\ \" \u2028 é 🙂"
    here, there = StatePaths.of(tmp_path / "here", payload), StatePaths.of(tmp_path / "there", payload)
    events: list[Event] = [
        Started(
            interview="00000000",
            n=1,
            time=timestamp(0),
            bank=payload,
            bank_hash=payload,
            policy={"oracle": payload},
            seed=1,
            operator=payload,
        ),
        Filed(interview="00000000", n=2, time=timestamp(1), case=payload),
    ]
    write(here, [events])
    server = TeamServer(postgres.address(store, "ann"), operator=payload)
    for paths in (here, there):
        one = BankSync(paths, payload)
        one.run(server)
        one.close()
    assert server.heads() == {payload: 2}
    assert server.claim(payload, payload)
    other = TeamServer(postgres.address(store, "ben"))
    assert not other.claim(payload, payload)
    assert list(other.present().values()) == [payload.encode()[:40].decode("utf-8", "ignore")]
    other.close()
    server.close()
    assert [e.event for e in valid_entries(read_log(there.log))] == events


def test_two_laptops_that_went_on_with_one_interview_report_one_conflict(sync: Sync, tmp_path: Path) -> None:
    here, there = paths_in(tmp_path / "here"), paths_in(tmp_path / "there")
    events = interview_events("deadbeef", {"fever": "yes", "colour": "red"}, "cold")
    write(here, [events[:3]])
    sync(here), sync(there)
    for paths, rest in (
        (here, events[3:]),
        (there, interview_events("deadbeef", {"fever": "yes", "colour": "off"}, "flu", at=50.0)[3:]),
    ):
        write(paths, [rest])
    sync(here), sync(there), sync(here)
    assert rebuilt(here) == rebuilt(there)
    assert bodies(here) == bodies(there)


def test_the_membership_says_up_to_which_head_the_log_has_everything(sync: Sync, tmp_path: Path) -> None:
    here, there = paths_in(tmp_path / "here"), paths_in(tmp_path / "there")
    write(here, many(2))
    sync(here), sync(there)
    found = [read_membership(paths) for paths in (here, there)]
    assert [one.head for one in found if one] == [len(bodies(here))] * 2
    assert len({one.folder for one in found if one}) == 2


def test_a_log_without_a_membership_has_no_order_of_a_team_even_if_a_ledger_is_left(tmp_path: Path) -> None:
    where = paths_in(tmp_path / "a")
    write(where, many(1))
    where.ledger.write_bytes(b"")
    assert LogOrder.of_log(where.log) is None


def test_the_sync_moves_more_than_a_page_at_a_time(sync: Sync, tmp_path: Path) -> None:
    here, there = paths_in(tmp_path / "here"), paths_in(tmp_path / "there")
    write(here, [list(itertools.chain.from_iterable(many(400)))])
    assert sync(here).sent == len(bodies(here)) > 2_000
    assert sync(there).taken == len(bodies(here))
    assert there.log.read_bytes().count(b"\n") == here.log.read_bytes().count(b"\n")


def test_a_head_that_is_older_than_what_another_process_of_the_folder_has_taken_in_is_asked_for_again(
    postgres: PostgresServer, store: str, sync: Sync, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = paths_in(tmp_path / "here"), paths_in(tmp_path / "there")
    write(here, many(3))
    sync(here), sync(there)
    with closing(TeamServer(postgres.address(store, "ann"))) as server:
        old = server.heads()[
            "sample"
        ]  # the first process asks; then a second one of the folder takes in more
        write(here, many(2, first=3))
        sync(here), sync(there)
        before = read_membership(there)
        pushed: list[str] = []

        def note(bank: str, *args: object) -> dict[bytes, tuple[int, str]]:
            pushed.append(bank)
            return {}

        monkeypatch.setattr(server, "push", note)
        with closing(BankSync(there, "sample")) as first:
            first.run(server, old)
    assert not pushed
    assert read_membership(there) == before


def test_a_log_that_was_replaced_while_the_store_was_away_gets_back_what_the_store_has(
    sync: Sync, tmp_path: Path
) -> None:
    here, there = paths_in(tmp_path / "here"), paths_in(tmp_path / "there")
    write(here, many(2))
    older = here.log.read_bytes()
    write(here, many(2, first=2))
    sync(here), sync(there)
    whole = bodies(here)
    here.log.write_bytes(older)
    away = SyncLoop("postgresql://ann@127.0.0.1:1/none", here.folder)
    assert away.run_pass().state == AWAY  # it counts what waits
    away.close()
    sync(here)
    assert bodies(here) == whole


def test_an_interview_that_is_forgotten_while_a_page_arrives_is_not_written_again(
    postgres: PostgresServer, store: str, sync: Sync, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = paths_in(tmp_path / "here"), paths_in(tmp_path / "there")
    events = many(2)
    write(here, [events[0][:3], events[1]])
    sync(here), sync(there)
    write(here, [events[0][3:]])
    sync(here)
    gone = events[0][0].interview
    with (
        closing(TeamServer(postgres.address(store, "ann"))) as server,
        closing(BankSync(there, "sample")) as one,
    ):
        pull = server.pull

        def pull_and_forget(bank: str, since: int, upto: int) -> object:
            rows = pull(bank, since, upto)
            forget(there, [gone], sample_index())  # by another process of the folder
            return rows

        monkeypatch.setattr(server, "pull", pull_and_forget)
        one.run(server)
    assert read_forgotten_ids(there) == {gone}
    assert [b for b in bodies(there) if gone.encode() in b and b"forgotten" not in b] == []


def test_a_line_that_was_damaged_before_it_was_sent_does_not_hold_up_those_after_it(
    postgres: PostgresServer, store: str, sync: Sync, tmp_path: Path
) -> None:
    here = paths_in(tmp_path / "here")
    write(here, many(3))
    with closing(BankSync(here, "sample")) as one, opened_ledger(here) as ledger:
        one.read_log(ledger)
    data = bytearray(here.log.read_bytes())
    data[100] ^= 1
    here.log.write_bytes(data)
    result = sync(here)
    assert len(rows(postgres, store)) == len(bodies(here)) > 0
    assert "state verify" in result.notices[0]


def test_interviews_that_were_forgotten_over_many_pages_are_removed_in_one_go(
    postgres: PostgresServer, store: str, sync: Sync, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = paths_in(tmp_path / "here"), paths_in(tmp_path / "there")
    write(here, many(12))
    sync(here), sync(there)
    for number in range(6):  # each with a page of others in between
        forget(here, [many(12)[number][0].interview], sample_index())
        write(here, many(2, first=20 + 2 * number))
        sync(here, "owner")
    removed: list[int] = []

    def note(paths: StatePaths, interviews: Collection[str], **given: Any) -> None:
        removed.append(len(interviews))
        forget(paths, interviews, **given)

    monkeypatch.setattr(team_sync, "PAGE", 10)
    monkeypatch.setattr(team_sync, "forget", note)
    assert sync(there).forgotten == 6
    assert removed == [6]
    assert bodies(there) == bodies(here)


def test_an_export_does_not_write_the_log_again_for_interviews_that_it_does_not_have(
    postgres: PostgresServer, store: str, sync: Sync, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = paths_in(tmp_path / "here")
    for number in range(3):
        write(here, many(2, first=2 * number))
        sync(here, "owner")
        forget(here, [many(1, first=2 * number)[0][0].interview], sample_index())
        sync(here, "owner")
    monkeypatch.setattr(postgres_store, "PAGE", 10)
    monkeypatch.setattr(
        file_store, "forget", lambda *args, **given: pytest.fail("The log was written again.")
    )
    with closing(TeamServer(postgres.address(store, "ann"))) as server:
        export_store(server, tmp_path / "there")
    assert bodies(paths_in(tmp_path / "there")) == bodies(here)
