"""The tables of a team's store: heads without gaps, roles that can't change history, upgrades, and plain sentences."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, nullcontext
from types import SimpleNamespace
from typing import Any, cast

import psycopg
import pytest

from odm_tui.errors import BadArgument, OdmError, StoreUnavailable
from odm_tui.store.log_codec import encode_body
from odm_tui.store.team import connection as connections
from odm_tui.store.team.address import check_visible_address, describe_address, hide_secrets, presence_key
from odm_tui.store.team.connection import AnswerWatch, connect
from odm_tui.store.team.schema import newest_version, read_version, upgrade_schema
from odm_tui.store.team.server import TeamServer
from tests.support.faults.samples import many
from tests.support.postgresql.server import TEMPLATE, PostgresServer

BODY = encode_body(many(1)[0][0])
ROWS_READ = """
SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_xact_user_tables WHERE relid = 'odm_tui.events'::regclass"""


def test_a_reader_who_remembers_a_head_misses_nothing_of_20_writers(
    postgres: PostgresServer, store: str
) -> None:
    writers, each = 20, 15
    address = postgres.address(store, "ann")
    done = threading.Event()

    def push(writer: int) -> None:
        with closing(TeamServer(address)) as server:
            for n in range(each):
                events = [(f"{writer:04x}{n:04x}", b"%d-%d-%d" % (writer, n, k)) for k in range(1 + n % 3)]
                server.push("sample", f"{writer:016x}", events)

    def follow() -> list[tuple[int, bytes]]:
        seen: list[tuple[int, bytes]] = []
        with closing(TeamServer(address)) as server:
            while True:
                finished = done.is_set()
                head = server.heads().get("sample", 0)
                known = seen[-1][0] if seen else 0
                seen += [(row.head, row.body or b"") for row in server.pull("sample", known, head)]
                if finished:
                    return seen

    with ThreadPoolExecutor(writers + 1) as threads:
        reader = threads.submit(follow)
        for one in [threads.submit(push, writer) for writer in range(writers)]:
            one.result()
        done.set()
        seen = reader.result()
    total = writers * sum(1 + n % 3 for n in range(each))
    assert [head for head, _ in seen] == list(range(1, total + 1))
    assert len({body for _, body in seen}) == total


def test_a_session_that_began_with_a_small_store_looks_events_up_by_their_key_in_a_large_one(
    postgres: PostgresServer, store: str
) -> None:
    def make(first: int, count: int) -> list[tuple[str, bytes]]:
        return [(f"{n:08x}", b"body %d" % n) for n in range(first, first + count)]

    with closing(TeamServer(postgres.address(store, "ann"))) as server:
        for n in range(12):  # enough for the session to keep its plan
            server.push("sample", "0" * 16, make(n, 1))
        for n in range(4):
            server.push("sample", "0" * 16, make(1_000 * (n + 1), 500))
        with server.connection.transaction():  # in which the server reports no figures of its own accord
            before = server.connection.execute(ROWS_READ).fetchone()
            server.connection.execute(
                "SELECT odm_tui.send('sample', %s, %s::text[], %s::bytea[])",
                ("0" * 16, ["0000000a", "00009999"], [b"body 10", b"new"]),
            )
            after = server.connection.execute(ROWS_READ).fetchone()
    assert before is not None
    assert after is not None
    assert after[0] - before[0] <= 10


@pytest.mark.parametrize("in_one_go", [True, False])
def test_what_is_sent_is_flushed_with_every_libpq(
    postgres: PostgresServer, store: str, in_one_go: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(psycopg.Pipeline, "is_supported", lambda: in_one_go)
    postgres.execute(
        store,
        "CREATE TABLE public.flushed (n int); GRANT ALL ON public.flushed TO PUBLIC; "
        "CREATE OR REPLACE FUNCTION odm_tui.flush() RETURNS void LANGUAGE sql SECURITY DEFINER AS "
        "'INSERT INTO public.flushed SELECT count(*) FROM odm_tui.events'",
    )
    with closing(TeamServer(postgres.address(store, "ann"))) as server:
        sent = server.push("sample", "0" * 16, [("00000001", b"one"), ("00000002", b"two")])
        assert sorted(head for head, _ in sent.values()) == [1, 2]
        assert [row.body for row in server.pull("sample", 0, 2)] == [b"one", b"two"]
        with pytest.raises(StoreUnavailable) as failed:
            server.push("sample", "not a folder", [("00000003", b"three")])
        assert failed.value.code.startswith("23")
        assert server.heads() == {"sample": 2}
    assert postgres.execute(store, "SELECT n FROM public.flushed LIMIT 2") == [(2,), (2,)]


FORBIDDEN = (
    "UPDATE odm_tui.events SET body = 'x'",
    "DELETE FROM odm_tui.events",
    "TRUNCATE odm_tui.events CASCADE",
    "INSERT INTO odm_tui.events VALUES ('sample', 99, 'abcd', 'x', '0123456789abcdef', now(), 'x')",
    "UPDATE odm_tui.banks SET head = 0",
    "DELETE FROM odm_tui.forgotten",
    "INSERT INTO odm_tui.forgotten VALUES ('sample', 99, 'abcd')",
    "UPDATE odm_tui.store SET version = 99",
    "DROP TABLE odm_tui.events",
    "ALTER TABLE odm_tui.events DISABLE TRIGGER ALL",
    "CREATE TABLE odm_tui.mine ()",
    "SELECT odm_tui.forget('sample', ARRAY['00000000'])",
    "SELECT odm_tui.lock_bank('sample')",
    "CREATE OR REPLACE FUNCTION odm_tui.push(text, text, text[], bytea[]) RETURNS void LANGUAGE sql AS ''",
    "SET ROLE owner",
)


def test_an_operator_can_t_change_history(postgres: PostgresServer, store: str) -> None:
    with closing(TeamServer(postgres.address(store, "ann"))) as server:
        server.push("sample", "0" * 16, [("00000000", BODY)])
    before = postgres.execute(store, "SELECT * FROM odm_tui.events")
    for statement in FORBIDDEN:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            postgres.execute(store, statement, "ann")
    assert postgres.execute(store, "SELECT * FROM odm_tui.events") == before


def test_a_user_without_a_role_reads_and_sends_nothing(postgres: PostgresServer, store: str) -> None:
    with pytest.raises(StoreUnavailable, match="odm_tui_operator"):
        TeamServer(postgres.address(store, "other"))


def test_a_temporary_table_can_t_stand_in_for_the_store_s_own(postgres: PostgresServer, store: str) -> None:
    with closing(TeamServer(postgres.address(store, "ann"))) as server:
        server.connection.execute("CREATE TEMP TABLE forgotten (bank text, head bigint, interview text)")
        server.connection.execute("SET search_path = pg_temp, odm_tui")
        server.push("sample", "0" * 16, [("00000000", BODY)])
        assert len(server.pull("sample", 0, 1)) == 1


def test_presence_ends_with_the_connection(postgres: PostgresServer, store: str) -> None:
    ann = TeamServer(postgres.address(store, "ann"), "desk-1")
    with closing(TeamServer(postgres.address(store, "ben"), "desk-2")) as ben:
        assert ann.claim("sample", "00000000")
        assert not ben.claim("sample", "00000000")
        assert ben.present() == {presence_key("sample", "00000000"): "desk-1"}
        ann.release("sample", "00000000")
        assert ben.claim("sample", "00000000")
        ben.release("sample", "00000000")
        ann.claim("sample", "00000000")
        ann.close()
        wait_for(lambda: not ben.present())
        assert ben.claim("sample", "00000000")


def test_presence_numbers_of_both_signs_come_back(postgres: PostgresServer, store: str) -> None:
    names = [f"{n:08x}" for n in range(12)]
    keys = {presence_key("sample", name) for name in names}
    assert min(keys) < 0 < max(keys)
    with closing(TeamServer(postgres.address(store, "ann"), "desk-1")) as server:
        for name in names:
            server.claim("sample", name)
        assert set(server.present()) == keys


def test_four_inits_at_once_set_the_store_up_once(postgres: PostgresServer) -> None:
    database = postgres.make_database(empty=True)
    address = postgres.address(database, "owner")
    barrier = threading.Barrier(4)

    def init() -> tuple[int, int]:
        with closing(connect(address)) as connection:
            barrier.wait()
            return upgrade_schema(connection, address, create=True)

    with ThreadPoolExecutor(4) as threads:
        found = [one.result() for one in [threads.submit(init) for _ in range(4)]]
    assert sorted(found) == [(0, newest_version()), *[(newest_version(), newest_version())] * 3]
    assert postgres.execute(database, "SELECT count(*) FROM odm_tui.store") == [(1,)]


def test_init_by_a_second_user_changes_nothing(postgres: PostgresServer, store: str) -> None:
    for user in ("ann", "other"):
        address = postgres.address(store, user)
        with closing(connect(address)) as connection:
            if user == "ann":
                assert upgrade_schema(connection, address, create=True) == (
                    newest_version(),
                    newest_version(),
                )
            else:
                with pytest.raises(StoreUnavailable, match="does not allow this"):
                    upgrade_schema(connection, address, create=True)


def test_init_without_the_right_to_create_roles_says_so_and_leaves_nothing(postgres: PostgresServer) -> None:
    database = postgres.make_database(empty=True)
    address = postgres.address(database, "other")
    with (
        closing(connect(address)) as connection,
        pytest.raises(StoreUnavailable, match="does not allow this"),
    ):
        upgrade_schema(connection, address, create=True)
    assert postgres.execute(database, "SELECT to_regclass('odm_tui.store')") == [(None,)]


def test_every_older_version_is_upgraded_and_keeps_its_events(postgres: PostgresServer) -> None:
    for version in range(1, newest_version()):
        database = postgres.make_database(empty=True)
        address = postgres.address(database, "owner")
        with closing(connect(address)) as connection:
            upgrade_schema(connection, address, create=True, upto=version)
            connection.execute("INSERT INTO odm_tui.banks VALUES ('sample', 1)")
            connection.execute(
                "INSERT INTO odm_tui.events (bank, head, interview, digest, folder, body) VALUES ('sample', 1, '00000000', "
                "substring(sha256(%s) from 1 for 16), '0123456789abcdef', %s)",
                (BODY, BODY),
            )
            with pytest.raises(StoreUnavailable, match=r"older odm-tui.*'odm-tui team upgrade'"):
                TeamServer(address)
            assert upgrade_schema(connection, address, create=False) == (version, newest_version())
        with closing(TeamServer(address)) as server:
            assert server.pull("sample", 0, 1)[0].body == BODY
            assert server.push("sample", "1" * 16, [("00000000", BODY)]) != {}
            assert server.heads() == {"sample": 1}


def test_a_newer_store_asks_for_a_newer_odm_tui(postgres: PostgresServer, store: str) -> None:
    postgres.execute(store, "UPDATE odm_tui.store SET version = 99")
    with pytest.raises(StoreUnavailable, match=r"newer odm-tui \(version 99"):
        TeamServer(postgres.address(store, "ann"))


def test_a_database_without_a_store_names_the_command_that_sets_it_up(postgres: PostgresServer) -> None:
    database = postgres.make_database(empty=True)
    with pytest.raises(StoreUnavailable, match="'odm-tui team init'"):
        TeamServer(postgres.address(database, "ann"))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("ALTER DATABASE {0} SET default_transaction_read_only = on", "is read-only"),
        ("ALTER DATABASE {0} WITH CONNECTION LIMIT 0", "too many connections"),
        ("DROP DATABASE {0}", "has no such database"),
    ],
)
def test_a_failure_is_one_plain_sentence(
    postgres: PostgresServer, store: str, change: str, said: str
) -> None:
    postgres.execute("postgres", change.format(store))
    with (
        pytest.raises(StoreUnavailable, match=said) as caught,
        closing(TeamServer(postgres.address(store, "ann"))) as server,
    ):
        server.push("sample", "0" * 16, [("00000000", BODY)])
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith(".")


PASSWORDS = ["s3cret", "p@ss:w/rd", "100%", "a b'c\"d\\e", "naïve-ß", "=&?#", "{}%s%(x)s", "%41%zz", "p\tq"]


@pytest.mark.parametrize("password", PASSWORDS)
def test_a_password_is_never_part_of_an_error(postgres: PostgresServer, password: str) -> None:
    store = "postgres"
    address = postgres.address(store, "nobody", password)
    wrong_form = f"postgresql://nobody:{password}@/{store}?host={postgres.folder}"
    option = f"postgresql:///{store}?host={postgres.folder}&user=nobody&password={password}"
    for one in (address, wrong_form, option, address.replace(str(postgres.folder), "/nowhere")):
        with pytest.raises((StoreUnavailable, BadArgument)) as caught:
            TeamServer(one)
        shown = str(caught.value) + describe_address(one) + repr(caught.value.__cause__)
        assert password not in shown
        assert caught.value.__suppress_context__ or caught.value.__context__ is None


@pytest.mark.parametrize("password", PASSWORDS)
def test_the_right_password_opens_the_store_whatever_it_is_made_of(
    postgres: PostgresServer, password: str
) -> None:
    store = TEMPLATE
    with connect(postgres.address("postgres")) as connection:
        connection.execute("DROP ROLE IF EXISTS carla")
        connection.execute(psycopg.sql.SQL("CREATE ROLE carla LOGIN PASSWORD {}").format(password))
        connection.execute("GRANT odm_tui_operator TO carla")
    try:
        TeamServer(postgres.address(store, "carla", password)).close()
        with pytest.raises(StoreUnavailable, match="the password is wrong"):
            TeamServer(postgres.address(store, "carla", password + "x"))
    finally:
        postgres.execute("postgres", "DROP ROLE carla")


@pytest.mark.parametrize("password", PASSWORDS)
def test_a_password_on_the_command_line_is_refused(password: str) -> None:
    for address in (
        f"postgresql://ann:{password}@db/team",
        f"postgresql://db/team?user=ann&password={password}",
    ):
        with pytest.raises(BadArgument, match="pgpass") as caught:
            check_visible_address(address)
        assert password not in str(caught.value)
        assert password not in hide_secrets(f"({password})", address)


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://ann@db.example:5433/team",
        "postgresql:///team?host=/run",
        "postgresql://[::1]:5432/team",
        "postgresql://db",
    ],
)
def test_an_address_without_a_password_may_stand_on_the_command_line(address: str) -> None:
    check_visible_address(address)


def test_a_stopped_server_is_given_up(postgres: PostgresServer, store: str) -> None:
    with closing(TeamServer(postgres.address(store, "ann"))) as server:
        watch = AnswerWatch(server.connection, seconds=0.3)
        postgres.signal_all(signal.SIGSTOP)
        try:
            with pytest.raises(psycopg.OperationalError), watch.asking():
                server.connection.execute("SELECT 1")
            assert watch.since is None
        finally:
            watch.close()
            postgres.signal_all(signal.SIGCONT)


@pytest.mark.parametrize(("version", "is_new_enough"), [(129_999, False), (130_000, True)])
def test_a_store_needs_postgresql_13_or_newer(version: int, is_new_enough: bool) -> None:
    empty = SimpleNamespace(
        info=SimpleNamespace(server_version=version),
        execute=lambda *_: SimpleNamespace(fetchone=lambda: (False,)),
    )
    with nullcontext() if is_new_enough else pytest.raises(OdmError, match="12 is too old"):
        assert upgrade_schema(cast("psycopg.Connection[Any]", empty), "", create=False) == (0, 0)


@pytest.mark.parametrize(("seconds", "every"), [(75.0, 1.0), (4.0, 1.0), (0.4, 0.1)])
def test_whether_a_server_answers_is_looked_at_every_second_or_more_often(
    monkeypatch: pytest.MonkeyPatch, seconds: float, every: float
) -> None:
    waits: list[float | None] = []

    class Ended(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            waits.append(timeout)
            return True

    class Inline:
        def __init__(self, target: Callable[[], None], daemon: bool) -> None:
            self.start = target

    monkeypatch.setattr(connections, "threading", SimpleNamespace(Event=Ended, Thread=Inline))
    AnswerWatch(cast("psycopg.Connection[Any]", None), seconds=seconds)
    assert waits == [every]


def test_connecting_to_a_stopped_server_ends_with_a_sentence(
    postgres: PostgresServer, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "CONNECT_SECONDS", 2)
    postgres.signal_all(signal.SIGSTOP)
    try:
        with pytest.raises(StoreUnavailable, match="can't be reached"):
            TeamServer(postgres.address(store, "ann"))
    finally:
        postgres.signal_all(signal.SIGCONT)


def test_the_store_in_a_database_of_another_encoding_keeps_every_character(postgres: PostgresServer) -> None:
    with connect(postgres.address("postgres")) as connection:
        connection.execute("CREATE DATABASE latin OWNER owner TEMPLATE template0 ENCODING 'LATIN1'")
    address = postgres.address("latin", "owner")
    with closing(connect(address)) as connection:
        upgrade_schema(connection, address, create=True)
        assert read_version(connection) == newest_version()
    body = '"event":"noted","note":"日本 🙂"'.encode()
    with closing(TeamServer(address)) as server:
        server.push("sample", "0" * 16, [("00000000", body)])
        assert server.pull("sample", 0, 1)[0].body == body
    postgres.execute("postgres", "DROP DATABASE latin")


def wait_for(holds: Callable[[], bool], seconds: float = 30.0) -> None:
    done = threading.Event()
    for _ in range(int(seconds * 100)):
        if holds():
            return
        done.wait(0.01)
    raise AssertionError("it did not happen in time")


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql://ann:s3?cret@db/team", "ann@db/team"),  # libpq takes it
        ("postgresql://ann:s3cret/team", "ann@localhost/"),  # the host was forgotten
        ("postgresql://ann:s3cret", "ann@localhost/"),
        ("postgresql://ann:s3/cr?et@db/team", "ann@localhost/"),
        ("postgresql://one:5432,two/team", "one:5432,two/team"),
        ("postgresql://db:5432/team?user=ann@corp", "db:5432/team"),
    ],
)
def test_a_password_that_was_typed_in_a_wrong_place_is_not_shown(address: str, shown: str) -> None:
    assert describe_address(address) == shown
    if "s3" in address:
        with pytest.raises(BadArgument):
            check_visible_address(address)
        with pytest.raises((StoreUnavailable, BadArgument)) as caught:
            connect(address)
        assert "s3" not in str(caught.value)
