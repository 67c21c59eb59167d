"""How fast answers and interviews are kept, against the least that a durable log could cost."""

from __future__ import annotations

import os
import resource
import tempfile
import time
from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from odm_tui.banks import Bank, load_bank
from odm_tui.session import Archive, Session
from odm_tui.store.codec import encode_event
from odm_tui.store.counts import BankIndex
from odm_tui.store.events import Answered, Asked, Confirmed, Event, Started, timestamp
from odm_tui.store.locking import Lock
from odm_tui.store.log import Log
from odm_tui.store.paths import StatePaths
from odm_tui.store.state_update import read_snapshot

Row = tuple[str, float, str, str]
ANSWERS = 2000
ROUND = 20
INTERVIEWS = 48
BANK = "home-network"


def rows() -> Iterator[Row]:
    """(name, measured, unit, target) of everything that is measured here."""
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        yield from durable_answers(Path(folder))
        for writers in (1, 4, 16):
            yield from interviews(Path(folder) / f"w{writers}", writers)
        yield from replaying(Path(folder) / "long")


def durable_answers(folder: Path) -> Iterator[Row]:
    """Answers kept a second (lock, question and answer written, flushed), and a bare loop in the same run.

    The two take turns in rounds of a few answers, so that a busy machine slows both alike.
    """
    events = _events(ANSWERS)
    lines = [b"".join(encode_event(event, 1) for event in pair) for pair in events]
    log = Log(StatePaths.of(folder, "kept"))
    lock = Lock(StatePaths.of(folder, "kept").lock)
    bare = os.open(folder / "bare", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    bare_took = kept_took = 0.0
    for first in range(0, ANSWERS, ROUND):
        begin = time.perf_counter()
        for line in lines[first : first + ROUND]:
            os.write(bare, line)
            os.fsync(bare)
        middle = time.perf_counter()
        for pair in events[first : first + ROUND]:
            with lock.held():
                log.append(pair, following=True)
        kept_took += time.perf_counter() - middle
        bare_took += middle - begin
    os.close(bare)
    log.close()
    lock.close()
    yield "answers kept durably", ANSWERS / kept_took, "a second", ""
    yield "the same against a bare loop of append + fsync", bare_took / kept_took, "ratio", ">= 0.5"


def interviews(folder: Path, writers: int) -> Iterator[Row]:
    """Whole interviews a second, start to confirmed outcome, by so many processes on one state."""
    each = INTERVIEWS // writers
    bank = load_bank(BANK)
    context = get_context("fork" if hasattr(os, "fork") else "spawn")
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
    name = f"interviews with {writers} writer{'s' if writers > 1 else ''}"
    yield name, confirmed / took, "a second", f"{confirmed} of {each * writers} confirmed"


def replaying(folder: Path, lines: int = 100_000) -> Iterator[Row]:
    """How long a log of so many lines takes to be counted again, in a process of its own, and its memory."""
    bank = load_bank(BANK)
    paths = StatePaths.of(folder, bank.name)
    folder.mkdir()
    write_long_log(bank, paths.log, lines)
    context = get_context("fork" if hasattr(os, "fork") else "spawn")
    reading, writing = context.Pipe(duplex=False)
    process = context.Process(target=_count, args=(bank, paths, writing))
    process.start()
    took, grown, interviews = reading.recv()
    process.join()
    yield f"a log of {lines:,} lines counted again", took, "seconds", f"{interviews:,} interviews"
    yield "memory that this took", grown / 1e6, "MB", ""


def write_long_log(bank: Bank, path: Path, lines: int) -> None:
    """A log of so many lines, with interviews of nine answers that are all confirmed."""
    questions = [q for q in bank.questions if q.type == "yes_no"][:9]
    number = 0
    with path.open("wb") as log:
        while number < lines:
            interview = f"{number:016x}"
            common: dict[str, Any] = {"interview": interview, "time": timestamp(1.7e9 + number)}
            outcome = bank.outcomes[number % len(bank.outcomes)].id
            events: list[Event] = [
                Started(
                    **common,
                    n=1,
                    bank=bank.name,
                    bank_hash=bank.hash,
                    policy="w-ig-ts",
                    seed=1,
                    operator="bench",
                )
            ]
            for k, question in enumerate(questions):
                said = "yes" if (number + k) % 3 else "no"
                events.append(Asked(**common, n=2 * k + 2, question=question.id))
                events.append(
                    Answered(**common, n=2 * k + 3, question=question.id, answer=said, cost=10, seconds=4.25)
                )
            events.append(Confirmed(**common, n=2 * len(questions) + 2, outcome=outcome))
            for event in events[: lines - number]:
                number += 1
                log.write(encode_event(event, number))


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
