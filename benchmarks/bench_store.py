"""Storing answers and interviews, against the minimum that a durable log can cost."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Iterator
from multiprocessing import get_context
from multiprocessing.context import ForkContext, SpawnContext
from pathlib import Path
from typing import Any

from benchmarks.long_log import write_long_log
from benchmarks.table import Row, folder_on_disk
from odm_tui.banks import Bank, load_bank
from odm_tui.formatting import format_count
from odm_tui.session import Archive, Session
from odm_tui.store.counts import BankIndex
from odm_tui.store.events import Answered, Asked, Event, timestamp
from odm_tui.store.locking import Lock
from odm_tui.store.log_codec import encode_event
from odm_tui.store.log_writer import Log
from odm_tui.store.paths import StatePaths
from odm_tui.store.state_update import read_snapshot

ANSWERS = 2000
ROUND = 20
INTERVIEWS = 48
BANK = "home-network"


def rows() -> Iterator[Row]:
    """Measure durable answers, whole interviews, and the replay of a long log."""
    with folder_on_disk() as folder:
        yield from durable_answers(Path(folder))
        for writers in (1, 4, 16):
            yield from interviews(Path(folder) / f"w{writers}", writers)
        yield from replaying(Path(folder) / "long")


def durable_answers(folder: Path) -> Iterator[Row]:
    """Measure answers stored per second (lock, question and answer, fsync) and a bare loop in the same run.

    The two take turns every few answers, so that other load slows both.
    """
    events = _events(ANSWERS)
    lines = [b"".join(encode_event(event, 1) for event in pair) for pair in events]
    log = Log(StatePaths.of(folder, "stored"))
    lock = Lock(StatePaths.of(folder, "stored").lock)
    bare = os.open(folder / "bare", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    bare_took = stored_took = 0.0
    for first in range(0, ANSWERS, ROUND):
        begin = time.perf_counter()
        for line in lines[first : first + ROUND]:
            os.write(bare, line)
            os.fsync(bare)
        middle = time.perf_counter()
        for pair in events[first : first + ROUND]:
            with lock.held():
                log.append(pair, following=pair[:1])
        stored_took += time.perf_counter() - middle
        bare_took += middle - begin
    os.close(bare)
    log.close()
    lock.close()
    yield Row("answers stored durably", ANSWERS / stored_took, "per second")
    yield Row("the same against a bare loop of append + fsync", bare_took / stored_took, "ratio", ">= 0.5")


def interviews(folder: Path, writers: int) -> Iterator[Row]:
    """Measure whole interviews per second, from start to confirmed outcome, by several processes on one state."""
    each = INTERVIEWS // writers
    bank = load_bank(BANK)
    context = _context()
    gate = context.Barrier(writers + 1)
    processes = [
        context.Process(target=_hold, args=(bank, folder, each, seed, gate)) for seed in range(writers)
    ]
    for process in processes:
        process.start()
    gate.wait()
    begin = time.perf_counter()
    for process in processes:
        process.join()
    took = time.perf_counter() - begin
    confirmed = len(Archive.of(bank, folder).history("confirmed"))
    name = f"interviews with {format_count(writers, 'writer')}"
    yield Row(name, confirmed / took, "per second", f"{confirmed} of {each * writers} confirmed")


def replaying(folder: Path, lines: int = 100_000) -> Iterator[Row]:
    """Measure the time and memory to count a log of this many lines again, in its own process."""
    bank = load_bank(BANK)
    paths = StatePaths.of(folder, bank.name)
    folder.mkdir()
    write_long_log(bank, paths.log, lines)
    context = _context()
    reading, writing = context.Pipe(duplex=False)
    process = context.Process(target=_count, args=(bank, paths, writing))
    process.start()
    took, grown, interviews = reading.recv()
    process.join()
    yield Row(f"a log of {lines:,} lines counted again", took, "seconds", f"{interviews:,} interviews")
    yield Row("memory for this", grown / 1e6, "MB")


def _context() -> ForkContext | SpawnContext:
    return get_context("fork") if hasattr(os, "fork") else get_context("spawn")


def _count(bank: Bank, paths: StatePaths, answer: Any) -> None:
    index = BankIndex.of(bank)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begin = time.perf_counter()
    known = read_snapshot(paths, index)
    took = time.perf_counter() - begin
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    answer.send((took, grown * 1024, known.counts.interviews))


def _hold(bank: Bank, folder: Path, count: int, seed: int, gate: Any) -> None:
    gate.wait()
    for turn in range(count):
        session = Session.start(bank, folder, seed=1000 * seed + turn, operator="bench")
        while session.question is not None:
            question = session.question
            low = (question.range or (0.0, 0.0))[0]
            session.answer(low + 1 if question.type == "number" else question.answers[turn % 2].id)
        session.confirm(bank.outcomes[turn % len(bank.outcomes)].id)


def _events(count: int) -> list[list[Event]]:
    common: dict[str, Any] = {"interview": "0123456789abcdef", "time": timestamp(1.7e9)}
    return [
        [
            Asked(**common, n=2 * k + 2, question="router-lights"),
            Answered(**common, n=2 * k + 3, question="router-lights", answer="yes", cost=10, seconds=4.25),
        ]
        for k in range(count)
    ]
