"""A log of a million events: reading it once, and everything that has to be immediate, beside an empty log.

All times are CPU times of processes of their own, so that other load changes the ratios little.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from benchmarks.long_log import interview_id, write_long_log
from benchmarks.table import Row, folder_on_disk
from odm_tui.banks import Bank, load_bank
from odm_tui.session import Archive
from odm_tui.store.paths import StatePaths

BANK = "home-network"
EVENTS = 1_000_000
FEWER = 10_000
EACH = 9
"""Events of an interview, as in the log of the issue: 111,000 interviews in a million events."""
ROUNDS = 7
_START = f"""
import sys
from odm_tui.banks import load_bank
from odm_tui.session import Session
session = Session.start(load_bank("{BANK}"), sys.argv[1], seed=1, operator="bench")
session.abandon()
"""
_HISTORY = f"""
import sys
from odm_tui.interview_options import InterviewOptions
from odm_tui.tui.worker.backend import Backend
from odm_tui.tui.worker.reader import Reader
Reader(Backend(InterviewOptions(state_dir=sys.argv[1], operator="bench"))).history("{BANK}")
"""
_HOME = f"""
import sys
from odm_tui.interview_options import InterviewOptions
from odm_tui.tui.worker.backend import Backend
from odm_tui.tui.worker.reader import Reader
reader = Reader(Backend(InterviewOptions(state_dir=sys.argv[1], operator="bench")))
reader.bank_row_with_history(reader.bank_row("{BANK}"))
reader.inbox("{BANK}")
"""


def rows(events: int = EVENTS, fewer: int = FEWER) -> Iterator[Row]:
    """Measure rebuilding, then start, list, show, search, history and home with three lengths of the log."""
    bank = load_bank(BANK)
    with folder_on_disk() as folder:
        folders = {size: Path(folder) / str(size) for size in (EACH, fewer, events)}
        for size, each in folders.items():
            each.mkdir(mode=0o700)
            write_long_log(bank, StatePaths.of(each, bank.log_name).log, size, answers=3)
        yield from _rebuild(bank, folders[events], events)
        for size in (EACH, fewer):
            _in_process(_build, bank, folders[size])
        yield from _immediate(folders, events, fewer)


def _rebuild(bank: Bank, folder: Path, events: int) -> Iterator[Row]:
    """Measure the state and the index made from the log alone, and a bare pass over the same log."""
    log = StatePaths.of(folder, bank.log_name).log
    begin = _children()
    subprocess.run(["wc", "-l", log], check=True, stdout=subprocess.DEVNULL)
    counted = _children() - begin
    bare, _ = _in_process(_parse, bank, folder)
    built, memory = _in_process(_build, bank, folder)
    size = f"{log.stat().st_size / 1e6:,.0f} MB, {events // EACH:,} interviews"
    yield Row(f"{events:,} events: a bare pass of json.loads", bare, "seconds of CPU", size)
    yield Row("state and index rebuilt, against that", built / bare, "ratio", "<= 3")
    yield Row("state and index rebuilt, against wc -l", built / max(counted, 1e-3), "ratio")
    yield Row("memory of the process that rebuilt them", memory / 1e6, "MB", "<= 200")


def _immediate(folders: Mapping[int, Path], events: int, fewer: int) -> Iterator[Row]:
    """Measure what has to be immediate: against a log of one interview, and the growth from fewer events."""
    options = ("--bank", BANK, "--state-dir")
    python, module = [sys.executable, "-c"], [sys.executable, "-m", "odm_tui", "sessions"]
    middle = {size: interview_id(size // EACH // 2) for size in folders}
    commands: dict[str, Callable[[int], Sequence[str]]] = {
        "a start": lambda size: [*python, _START, str(folders[size])],
        "sessions list, the first page": lambda size: [*module, "list", *options, str(folders[size])],
        "sessions show, from the middle": lambda size: [
            *module,
            "show",
            middle[size],
            *options,
            str(folders[size]),
        ],
        "sessions pending": lambda size: [*module, "pending", *options, str(folders[size])],
        "search for a case that nobody has": lambda size: [
            *module,
            "list",
            "t-4711",
            *options,
            str(folders[size]),
        ],
        "history": lambda size: [*python, _HISTORY, str(folders[size])],
        "home": lambda size: [*python, _HOME, str(folders[size])],
    }
    for name, command in commands.items():
        times = _best_in_turns([command(size) for size in (EACH, fewer, events)])
        yield Row(f"{name} with {events:,} events", times[2] * 1000, "ms of CPU")
        yield Row("  against one interview", times[2] / times[0], "ratio", "<= 1.5")
        yield Row(f"  against {fewer:,} events", times[2] / times[1], "ratio", "<= 1.2")


def _best_in_turns(commands: Sequence[Sequence[str]]) -> list[float]:
    """Return the least CPU time of each command; they take turns."""
    best = [float("inf")] * len(commands)
    for turn in range(ROUNDS + 1):
        for at, command in enumerate(commands):
            begin = _children()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if turn:  # the first one fills caches
                best[at] = min(best[at], _children() - begin)
    return best


def _children() -> float:
    """Return the CPU time of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _in_process(work: Callable[..., None], bank: Bank, folder: Path) -> tuple[float, float]:
    """Do some work in a new process; return its CPU time and the most memory that the process had."""
    context = get_context("spawn")
    reading, writing = context.Pipe(duplex=False)
    process = context.Process(target=_measured, args=(work, bank, folder, writing))
    process.start()
    found: tuple[float, float] = reading.recv()
    process.join()
    return found


def _measured(work: Callable[[Bank, Path], None], bank: Bank, folder: Path, answer: Any) -> None:
    begin = resource.getrusage(resource.RUSAGE_SELF)
    work(bank, folder)
    end = resource.getrusage(resource.RUSAGE_SELF)
    took = end.ru_utime + end.ru_stime - begin.ru_utime - begin.ru_stime
    answer.send((took, end.ru_maxrss * 1024))


def _parse(bank: Bank, folder: Path) -> None:
    with StatePaths.of(folder, bank.log_name).log.open("rb") as log:
        for line in log:
            json.loads(line)


def _build(bank: Bank, folder: Path) -> None:
    archive = Archive.of(bank, folder)
    known = archive.read_snapshot()
    with archive.lock.held():
        archive.update_state(known)
    archive.close()
