"""A team's store on PostgreSQL: what it costs an answer, how fast events arrive, and how long catching up takes."""

from __future__ import annotations

import os
import resource
import signal
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from benchmarks.bench_screen import HUMAN, measure_answers
from benchmarks.table import Row, folder_on_disk
from benchmarks.team_events import BANK, fill_store, make_interview, write_log
from odm_tui.banks import Bank, load_bank
from odm_tui.session import Session
from odm_tui.session.team.sync_client import SyncClient
from odm_tui.store.log_codec import encode_body
from odm_tui.store.merging import merge
from odm_tui.store.paths import StatePaths
from odm_tui.store.team.connection import connect
from odm_tui.store.team.server import TeamServer
from odm_tui.store.team.sync import BankSync
from tests.support.postgresql.server import PostgresServer, find_programs

INTERVIEWS = 40
ROUNDS = 4
"""How often the real screen is opened with each kind of store."""
SECONDS = 4.0
CLIENTS = (1, 8, 20)
LOG = 3_000
"""Events of each client."""
EVENTS = int(os.environ.get("ODM_TUI_BENCH_EVENTS", "1000000"))
SENT, AWAY = EVENTS // 10, EVENTS // 100
_FORK = get_context("fork")


def rows() -> Iterator[Row]:
    """Measure with a server of its own that writes to disk as an ordinary one does."""
    programs = find_programs()
    if programs is None:
        raise SystemExit("PostgreSQL is not installed: on Debian, apt-get install postgresql.")
    server = PostgresServer(
        programs, fsync="on", full_page_writes="on", shared_buffers="128MB", autovacuum="on"
    )
    try:
        with folder_on_disk() as folder:
            yield from answers(server, Path(folder))
            yield from keys(server)
            for clients in CLIENTS:
                yield from arrivals(server, clients, Path(folder))
            yield from catching_up(server, Path(folder))
    finally:
        server.remove()


def answers(server: PostgresServer, folder: Path) -> Iterator[Row]:
    """Measure the time of an answer without a store, with one, and with one that is stopped; the three take turns."""
    bank = load_bank(BANK)
    stores = [server.make_database() for _ in range(2)]
    places = [folder / name for name in ("alone", "team", "stopped")]
    for place in places:
        place.mkdir(mode=0o700)
    team = SyncClient(server.address(stores[0], "ann"), places[1], "ann")
    frozen = PostgresServer(server.programs)
    away = SyncClient(frozen.address(frozen.make_database(), "ann"), places[2], "ann")
    _wait(lambda: team.status.passes and away.status.passes)
    frozen.signal_all(signal.SIGSTOP)
    took: list[list[float]] = [[], [], []]
    try:
        for number in range(INTERVIEWS + 2):
            for which, client in enumerate((None, team, away)):
                times = _hold(bank, places[which], number, client)
                if number >= 2:  # the first ones load modules
                    took[which] += times
    finally:
        frozen.signal_all(signal.SIGCONT)
        for client in (team, away):
            client.wait(30)
        frozen.remove()
    alone, shared, stopped = (statistics.median(times) for times in took)
    yield Row("an answer and the next question, without a store", alone * 1e3, "ms")
    yield Row("the same with a store, against without", shared / alone, "×", "at most 1.05")
    yield Row("the same with a stopped store, against without", stopped / alone, "×", "at most 1.05")


def keys(server: PostgresServer) -> Iterator[Row]:
    """Measure a key to the next question on the real screen: without a store, with one, and with a stopped one, in turns."""
    address = server.address(server.make_database(), "ann")
    frozen = PostgresServer(server.programs)
    store = frozen.make_database()
    took: list[list[float]] = [[], [], []]

    def stop() -> None:
        _wait(lambda: frozen.execute(store, "SELECT 1 FROM pg_stat_activity WHERE usename = 'ann'"))
        frozen.signal_all(signal.SIGSTOP)

    try:
        for _ in range(ROUNDS):
            took[0] += measure_answers(HUMAN)
            took[1] += measure_answers(HUMAN, options=["--store", address])
            took[2] += measure_answers(
                HUMAN, options=["--store", frozen.address(store, "ann")], at_first=stop
            )
            frozen.signal_all(signal.SIGCONT)
    finally:
        frozen.signal_all(signal.SIGCONT)
        frozen.remove()
    alone, shared, stopped = (statistics.median(times) for times in took)
    yield Row("key to next question on screen, without a store", alone * 1e3, "ms")
    yield Row("the same with a store, against without", shared / alone, "×", "at most 1.05")
    yield Row("the same with a stopped store, against without", stopped / alone, "×", "at most 1.05")


def _hold(bank: Bank, folder: Path, seed: int, client: SyncClient | None) -> list[float]:
    session = Session.start(bank, folder, seed=seed, operator="op")
    times = []
    while session.question is not None:
        begin = time.perf_counter()
        session.answer("yes")
        _ = session.question
        if client is not None:
            client.wake()
            _ = client.status
        times.append(time.perf_counter() - begin)
    session.confirm(bank.outcomes[seed % len(bank.outcomes)].id)
    return times


def arrivals(server: PostgresServer, clients: int, folder: Path) -> Iterator[Row]:
    """Measure events a second from clients that each send a log, against clients that insert bare rows one by one.

    The worst case beside it: clients that send every answer, two events, as soon as it is given.
    """
    store = server.make_database()
    address = server.address(store, "ann")
    server.execute(
        store, "CREATE TABLE bare (n bigserial PRIMARY KEY, interview text, digest bytea, body bytea)"
    )
    server.execute(store, "GRANT ALL ON bare, bare_n_seq TO ann")
    logs = [StatePaths.of(folder / f"{clients}-{number}", BANK) for number in range(clients)]
    for number, paths in enumerate(logs):
        write_log(paths, LOG, first=number * LOG)
    with _FORK.Pool(clients) as pool, closing(TeamServer(address)) as watcher:
        begin = time.perf_counter()
        pool.starmap_async(_sync, [(paths, address) for paths in logs], chunksize=1)
        while watcher.heads().get(BANK, 0) < clients * LOG:  # then they take in what the others have sent
            time.sleep(0.01)
        ours = clients * LOG / (time.perf_counter() - begin)
    bare = _run_clients(_insert_rows, address, clients)
    answers = _run_clients(_push_answers, address, clients)
    who = "1 client" if clients == 1 else f"{clients} clients"
    yield Row(f"events into the store from {who}", ours, "/s")
    yield Row(f"the same against bare inserts from {who}", ours / bare, "×", "at least 0.5")
    yield Row(f"events that are sent answer by answer against bare inserts from {who}", answers / bare, "×")


def _run_clients(work: Callable[[str, int], int], address: str, clients: int) -> float:
    with _FORK.Pool(clients) as pool:
        begin = time.perf_counter()
        done = pool.starmap(work, [(address, number) for number in range(clients)], chunksize=1)
        return sum(done) / (time.perf_counter() - begin)


def _push_answers(address: str, number: int) -> int:
    done, end = 0, time.monotonic() + SECONDS
    with closing(TeamServer(address)) as server:
        while time.monotonic() < end:
            events = make_interview(f"{number:04x}{done:08x}")
            for first in range(0, len(events), 2):
                pair = [(event.interview, encode_body(event)) for event in events[first : first + 2]]
                server.push(BANK, f"{number:016x}", pair)
                done += len(pair)
    return done


def _insert_rows(address: str, number: int) -> int:
    done, end = 0, time.monotonic() + SECONDS
    with closing(connect(address)) as connection:
        while time.monotonic() < end:
            for event in make_interview(f"{number:04x}{done:08x}"):
                row = (event.interview, b"0123456789abcdef", encode_body(event))
                connection.execute(
                    "INSERT INTO public.bare (interview, digest, body) VALUES (%s, %s, %s)", row
                )
                done += 1
    return done


def catching_up(server: PostgresServer, folder: Path) -> Iterator[Row]:
    """Measure sending a log, taking a long one in on a new machine, and its way to the first question."""
    store, other = server.make_database(), server.make_database()
    here, there = StatePaths.of(folder / "here", BANK), StatePaths.of(folder / "there", BANK)
    write_log(here, SENT)
    seconds, _ = _measure(_sync, here, server.address(other, "ann"))
    yield Row(f"{SENT:,} events sent", seconds, "s")
    seconds, _ = _measure(_start_cold, folder / "cold", server.address(other, "ben"))
    yield Row(f"cold start: a new machine takes in {SENT:,} events and asks its first question", seconds, "s")
    fill_store(server.address(store, "owner"), EVENTS)
    seconds, megabytes = _measure(_sync, there, server.address(store, "ann"))
    yield Row(f"a machine catches up with {EVENTS:,} events", seconds, "s")
    yield Row("memory for it", megabytes, "MB", "at most 300")
    merged, _ = _measure(merge, StatePaths.of(folder / "merged", BANK), there)
    yield Row("the same against merging a folder of that length", seconds / merged, "×")
    fill_store(server.address(store, "owner"), AWAY, after=EVENTS)
    again, _ = _measure(_sync, there, server.address(store, "ann"))
    yield Row(f"the next {AWAY:,} events", again, "s")
    seconds, megabytes = _measure(_ask_first, folder / "there")
    yield Row(f"the first question after {EVENTS + AWAY:,} events", seconds, "s")
    yield Row("memory for it", megabytes, "MB", "at most 300")


def _start_cold(folder: Path, address: str) -> None:
    _sync(StatePaths.of(folder, BANK), address)
    _ask_first(folder)


def _ask_first(folder: Path) -> None:
    session = Session.start(load_bank(BANK), folder, seed=1, operator="op")
    assert session.question is not None
    session.leave()


def _sync(paths: StatePaths, address: str) -> None:
    with closing(TeamServer(address)) as server, closing(BankSync(paths, BANK)) as sync:
        sync.run(server)


def _measure(work: Callable[..., Any], *arguments: Any) -> tuple[float, float]:
    """The seconds of a call in a process of its own, and its largest memory."""
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(_measured, (work, arguments))


def _measured(work: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[float, float]:
    begin = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _wait(holds: Callable[[], object], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            raise SystemExit("The sync did not start in time.")
        time.sleep(0.05)
