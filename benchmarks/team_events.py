"""Events for the benchmarks of a team's store: interviews of the bank ``led``, in logs and in stores."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from functools import cache
from itertools import count, islice
from typing import Any

from odm_tui.banks import load_bank
from odm_tui.store.events import Answered, Asked, Confirmed, Decided, Event, Started, timestamp
from odm_tui.store.integrity.chain import identify
from odm_tui.store.log_codec import encode_body
from odm_tui.store.log_writer import Log
from odm_tui.store.paths import StatePaths
from odm_tui.store.team.connection import connect
from odm_tui.store.team.digest import digest_body

BANK = "led"
_BATCH = 20_000
_QUESTIONS = ("top", "upper-left", "upper-right", "middle", "lower-left", "lower-right", "bottom")


def make_interview(name: str) -> list[Event]:
    """The 17 events of one interview with every question of the bank."""
    events: list[Event] = [
        Started(
            interview=name,
            n=1,
            time=timestamp(1.8e9),
            bank=BANK,
            bank_hash=_find_hash(),
            policy="w-ec2-ts",
            seed=1,
            operator="op-00000000",
        )
    ]
    for question in _QUESTIONS:
        _add(events, Asked, {"question": question})
        _add(events, Answered, {"question": question, "answer": "yes", "cost": 1.0, "seconds": 3.25})
    decided = {"outcome": "eight", "belief": 0.97, "reason": "One region is left.", "rule": "region"}
    _add(events, Decided, decided)
    _add(events, Confirmed, {"outcome": "eight"})
    return events


def make_events(many: int, first: int = 0) -> Iterator[Event]:
    """So many events, interview by interview; ``first`` is the number of the first interview."""
    return islice((event for number in count(first) for event in make_interview(f"{number:016x}")), many)


def write_log(paths: StatePaths, many: int, first: int = 0) -> None:
    """Write a log with so many events."""
    paths.folder.mkdir(mode=0o700, parents=True)
    log, events = Log(paths), make_events(many, first)
    while batch := list(islice(events, _BATCH)):
        log.append(batch)
    log.close()


def fill_store(address: str, many: int, after: int = 0) -> None:
    """Put so many events into a store at once, as its owner; ``after`` is how many it has already."""
    with closing(connect(address)) as connection, connection.transaction():
        connection.execute("SET LOCAL statement_timeout = 0")  # a million rows take longer than an answer may
        connection.execute(
            "INSERT INTO odm_tui.banks VALUES (%s, %s) ON CONFLICT (bank) DO UPDATE SET head = excluded.head",
            (BANK, after + many),
        )
        columns = "bank, head, interview, digest, folder, body"
        with (
            connection.cursor() as cursor,
            cursor.copy(f"COPY odm_tui.events ({columns}) FROM STDIN") as copy,
        ):
            for head, event in enumerate(make_events(many, first=after), start=after + 1):
                body = encode_body(event)
                copy.write_row((BANK, head, event.interview, digest_body(body), "f" * 16, body))


@cache
def _find_hash() -> str:
    return load_bank(BANK).hash


def _add(events: list[Event], kind: type[Event], values: dict[str, Any]) -> None:
    last = events[-1]
    n = last.n + 1
    events.append(
        kind(interview=last.interview, n=n, time=timestamp(1.8e9 + n), after=identify(last), **values)
    )
