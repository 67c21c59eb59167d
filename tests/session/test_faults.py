"""Faults at every write: nothing that was acknowledged is lost, nothing counts twice.

The faults are injected in the process, at the one module that writes, flushes, replaces and truncates files
(:mod:`tests.support.faults.disk`); ``test_strace.py`` injects them at the system calls.
"""

from __future__ import annotations

import contextlib
import errno
import random
import resource
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from odm_tui.banks import Bank
from odm_tui.errors import BadData, CannotWrite
from odm_tui.session import Archive, Session
from odm_tui.store.log import Damage, read_log, valid_entries
from odm_tui.store.paths import StatePaths
from tests.support.faults.checks import count_lost_or_doubled, is_sound, logged_answers
from tests.support.faults.disk import KILLS, FaultyDisk, LossyDisk, in_place
from tests.support.faults.interviews import hold_interview, open_question, sample_answer, sample_bank
from tests.support.faults.processes import Child, Tell
from tests.support.faults.report import Table

SEED = 5


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Bank:
    made = sample_bank(tmp_path_factory.mktemp("banks"))
    assert made.problem.shape
    return made


ONCE_MORE_IN_SOAK = pytest.mark.parametrize("seed", [SEED, pytest.param(8, marks=pytest.mark.soak)])


def uninterrupted(bank: Bank, folder: Path, seed: int) -> list[str]:
    """Run an interview without faults and return its questions."""
    hold_interview(bank, folder / "uninterrupted", seed)
    return logged_answers(bank, folder / "uninterrupted")


def after_a_kill(told: list[str], bank: Bank, state: Path, seed: int, expected: list[str]) -> int:
    """Resume after a kill; count what was lost or doubled, at once and in the end."""
    wrong = count_lost_or_doubled(told, bank, state)
    if Archive.of(bank, state).history("confirmed"):  # kept, though it could not be acknowledged any more
        Session.start(bank, state, seed=seed, operator="op").abandon()
    else:
        hold_interview(bank, state, seed)
    wrong += logged_answers(bank, state) != expected
    wrong += len(Archive.of(bank, state).history("confirmed")) != 1
    return wrong + (not is_sound(bank, state))


# -- killed -------------------------------------------------------------------------------------------


@ONCE_MORE_IN_SOAK
@pytest.mark.parametrize("fault", KILLS)
@pytest.mark.parametrize("kind", ["write", "fsync", "replace"])
def test_killed_at_any_write_fsync_or_rename_it_goes_on_where_it_was(
    bank: Bank, tmp_path: Path, kind: str, fault: str, seed: int, table: Table
) -> None:
    expected = uninterrupted(bank, tmp_path, seed)
    when = wrong = 0
    while True:
        when += 1
        state = tmp_path / str(when)

        def work(tell: Tell, state: Path = state, when: int = when) -> None:
            with in_place(FaultyDisk(kind, when, fault)):
                hold_interview(bank, state, seed, tell)

        told, killed = Child(work).outcome()
        if not killed:
            break
        if told and told[-1].startswith("confirmed"):
            continue
        wrong += after_a_kill(told, bank, state, seed, expected)
    table.row(f"SIGKILL at every {kind} ({fault})", when - 1, wrong)
    assert when > 3
    assert wrong == 0


@pytest.mark.parametrize("times", [50, pytest.param(1000, marks=pytest.mark.soak)])
def test_killed_at_random_times_it_goes_on_where_it_was(
    bank: Bank, tmp_path: Path, times: int, table: Table
) -> None:
    expected = uninterrupted(bank, tmp_path, SEED)
    rng = random.Random(1)
    wrong = kills = 0
    for turn in range(times):
        state = tmp_path / str(turn)
        child = Child(partial(hold_interview, bank, state, SEED))
        child.kill_after(rng.uniform(0, 0.06))
        told, killed = child.outcome()
        if killed and not (told and told[-1].startswith("confirmed")):
            kills += 1
            wrong += after_a_kill(told, bank, state, SEED, expected)
        shutil.rmtree(state, ignore_errors=True)
    table.row("SIGKILL at random times", times, wrong, f"{kills} in the middle of an interview")
    assert wrong == 0
    assert kills > times // 4


# -- without power ------------------------------------------------------------------------------------


def test_a_power_cut_after_any_acknowledgement_loses_nothing_of_it(bank: Bank, tmp_path: Path) -> None:
    if not Path("/proc/self/fd").exists():
        pytest.skip("this system does not tell which file a descriptor belongs to")
    told: list[str] = []
    disk = LossyDisk()

    def heard(line: str) -> None:
        told.append(line)
        left = tmp_path / f"left-{len(told)}"
        disk.power_cut(left)
        assert count_lost_or_doubled(told, bank, left) == 0
        confirmed = Archive.of(bank, left).history("confirmed")
        assert len(confirmed) == line.startswith("confirmed")
        assert Archive.of(bank, left).read_snapshot().counts.interviews == len(confirmed)

    with in_place(disk):
        hold_interview(bank, tmp_path / "state", SEED, heard)
    assert len(told) > 6


# -- refused ------------------------------------------------------------------------------------------


def determined(bank: Bank, state: Path, seed: int) -> tuple[list[str], int]:
    """Run an interview on a disk that may fail, and try every failed operation once more.

    Returns the answers that were acknowledged and the number of refusals.
    """
    acknowledged: list[str] = []
    refusals = 0

    def tried(act: Callable[[], object]) -> object:
        nonlocal refusals
        with contextlib.suppress(CannotWrite):
            return act()
        refusals += 1
        return act()

    session = tried(lambda: Session.start(bank, state, seed=seed, operator="op"))
    assert isinstance(session, Session)
    while session.question is not None:
        question = session.question
        before = len(session.steps)
        tried(partial(session.answer, sample_answer(question)))
        assert len(session.steps) == before + 1
        acknowledged.append(question.id)
    tried(lambda: session.confirm("cold"))
    return acknowledged, refusals + bool(session.notices)


@ONCE_MORE_IN_SOAK
@pytest.mark.parametrize("fault", [errno.ENOSPC, errno.EIO, "short"])
@pytest.mark.parametrize("kind", ["write", "fsync", "replace"])
def test_a_disk_that_refuses_once_at_any_place_costs_nothing_that_was_acknowledged(
    bank: Bank, tmp_path: Path, kind: str, fault: int | str, seed: int, table: Table
) -> None:
    expected = uninterrupted(bank, tmp_path, seed)
    when = wrong = 0
    while True:
        when += 1
        state = tmp_path / str(when)
        disk = FaultyDisk(kind, when, fault)
        with in_place(disk):
            acknowledged, refusals = determined(bank, state, seed)
        if not disk.fired:
            break
        Archive.of(bank, state).rebuild()
        kept = Archive.of(bank, state).history("confirmed")
        wrong += acknowledged != expected or len(kept) != 1 or not is_sound(bank, state)
        wrong += refusals != 1
    name = fault if isinstance(fault, str) else errno.errorcode[fault]
    table.row(f"{name} at every {kind}", when - 1, wrong)
    assert when > 3
    assert wrong == 0


@pytest.mark.parametrize("fault", [errno.ENOSPC, errno.EIO])
def test_a_disk_that_is_full_from_some_write_on_says_so_and_keeps_what_was_there(
    bank: Bank, tmp_path: Path, fault: int
) -> None:
    expected = uninterrupted(bank, tmp_path, SEED)
    for when in range(1, 10):
        state = tmp_path / str(when)
        told: list[str] = []
        with in_place(FaultyDisk("write", when, fault, stays=True)), pytest.raises(CannotWrite):
            hold_interview(bank, state, SEED, told.append)
        assert count_lost_or_doubled(told, bank, state) == 0
        for path in state.glob(".*.open"):
            path.unlink()
        hold_interview(bank, state, SEED)
        assert logged_answers(bank, state) == expected


@ONCE_MORE_IN_SOAK
def test_short_writes_at_a_real_limit_on_file_sizes_lose_nothing(
    bank: Bank, tmp_path: Path, seed: int, table: Table
) -> None:
    def work(tell: Tell, state: Path, limit: int) -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        try:
            hold_interview(bank, state, seed, tell)
        except CannotWrite as error:
            tell(f"refused {error}")

    limits = range(150, 1500, 90)
    wrong = 0
    for limit in limits:
        state = tmp_path / str(limit)
        told, _ = Child(partial(work, state=state, limit=limit)).outcome()
        assert told[-1].startswith("refused Can't write ")
        wrong += count_lost_or_doubled(told, bank, state)
        log = StatePaths.of(state, bank.name).log
        if log.exists():
            assert not [found for found in read_log(log) if isinstance(found, Damage) and not found.torn]
    table.row("short writes at a limit on file sizes", len(limits), wrong)
    assert wrong == 0


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a file system of a few pages."""
    folder = tmp_path / "small"
    folder.mkdir()
    try:
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=12k,mode=700", "tmpfs", str(folder)],
            check=True,
            capture_output=True,
        )
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("mounting a small tmpfs is not allowed here; the seam's ENOSPC stands for it")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


@ONCE_MORE_IN_SOAK
def test_a_really_full_disk_is_one_sentence_and_keeps_every_acknowledged_answer(
    bank: Bank, full_disk: Path, tmp_path: Path, seed: int, table: Table
) -> None:
    told: list[str] = []

    def work() -> None:
        for turn in range(100):
            hold_interview(bank, full_disk, seed + turn, told.append)

    with pytest.raises(CannotWrite, match="the disk is full"):
        work()
    copy = tmp_path / "copy"
    shutil.copytree(full_disk, copy)
    kept = Archive.of(bank, copy).history()
    answers = sum(line.startswith("kept ") for line in told)
    lost = answers - sum(record.questions for record in kept)
    lost += sum(line.startswith("confirmed ") for line in told)
    lost -= sum(record.status == "confirmed" for record in kept)
    table.row("answers kept until a tmpfs of 12 kB was full", answers, lost)
    assert lost == 0


OPERATIONS: dict[str, Callable[[Session], object]] = {
    "answer": lambda session: session.answer(sample_answer(open_question(session))),
    "dont_know": lambda session: session.dont_know(),
    "skip": lambda session: session.skip(),
    "pick": lambda session: session.pick(next(q.id for q in session.available if q != session.question)),
    "undo": lambda session: session.undo(2),
    "change": lambda session: session.change(0, "no"),
    "stop": lambda session: session.stop(),
    "abandon": lambda session: session.abandon(),
}


def memory_of(session: Session) -> tuple[object, ...]:
    """Everything that a session says about its interview."""
    record = session.record
    return (
        *(session.question, session.decision, session.steps, session.belief, session.available),
        *(session.interview.cost_so_far, session.has_ended, record.status),
        *(record.last_number, record.stopped, tuple(record.steps or ())),
    )


@pytest.mark.parametrize("kind", ["write", "fsync"])
@pytest.mark.parametrize(
    ("name", "stopped"),
    [*((name, False) for name in OPERATIONS), ("undo", True), ("change", True), ("abandon", True)],
)
def test_an_operation_that_the_disk_refuses_has_changed_nothing(
    bank: Bank, tmp_path: Path, name: str, kind: str, stopped: bool
) -> None:
    logs = []
    for fails in (False, True):
        state = tmp_path / str(fails)
        session = Session.start(
            bank, state, seed=SEED, operator="op", clock=lambda: 0.0, stopwatch=lambda: 0.0
        )
        for question in ("fever", "high", "cough"):
            session.pick(question)
            session.answer("yes")
        if stopped:
            session.stop()
        log = StatePaths.of(state, bank.name).log
        if fails:
            before, kept = memory_of(session), log.read_bytes()
            with in_place(FaultyDisk(kind, 1, errno.ENOSPC)), pytest.raises(CannotWrite):
                OPERATIONS[name](session)
            assert memory_of(session) == before
            assert log.read_bytes() == kept
        OPERATIONS[name](session)
        session.leave()
        logs.append([replace(entry.event, interview="", after="") for entry in valid_entries(read_log(log))])
    assert logs[0] == logs[1]


def test_a_read_only_folder_is_one_sentence(bank: Bank, tmp_path: Path) -> None:
    with (
        in_place(FaultyDisk("write", 1, errno.EROFS, stays=True)),
        pytest.raises(CannotWrite, match="read-only"),
    ):
        Session.start(bank, tmp_path / "state", seed=1, operator="op")


# -- rotten -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("times", [500, pytest.param(10_000, marks=pytest.mark.soak)])
def test_a_flipped_byte_of_log_or_state_is_noticed_and_never_used(
    bank: Bank, tmp_path: Path, times: int, table: Table
) -> None:
    state = tmp_path / "state"
    for seed in range(3):
        hold_interview(bank, state, seed)
    paths = StatePaths.of(state, bank.name)
    originals = {path: path.read_bytes() for path in (paths.log, paths.state)}
    events = {entry.line: entry.event for entry in valid_entries(read_log(paths.log))}
    rng = random.Random(2)
    wrong = 0
    for _ in range(times):
        path = rng.choice(list(originals))
        data = bytearray(originals[path])
        data[rng.randrange(len(data))] ^= rng.randrange(1, 256)
        path.write_bytes(data)
        problems = list(Archive.of(bank, state).find_problems())
        used = [entry.event for entry in valid_entries(read_log(paths.log))]
        wrong += not problems or not all(event in events.values() for event in used)
        path.write_bytes(originals[path])
    table.row("one byte of log or state flipped", times, wrong)
    assert wrong == 0


def test_garbage_in_place_of_any_file_is_one_sentence_or_put_right(bank: Bank, tmp_path: Path) -> None:
    rng = random.Random(3)
    for turn in range(30):
        state = tmp_path / str(turn)
        hold_interview(bank, state, SEED)
        paths = StatePaths.of(state, bank.name)
        path = (paths.log, paths.state, paths.position)[turn % 3]
        path.write_bytes(rng.randbytes(rng.choice([0, 1, 300, 5000])))
        with contextlib.suppress(BadData):
            session = Session.start(bank, state, seed=1, operator="op")
            session.stop()
            session.confirm("flu")


def test_nothing_is_left_open_after_many_interviews(bank: Bank, tmp_path: Path) -> None:
    hold_interview(bank, tmp_path / "state", 0)
    before = open_files()
    for seed in range(1, 20):
        hold_interview(bank, tmp_path / "state", seed)
    assert open_files() <= before


def open_files() -> int:
    folder = Path("/proc/self/fd")
    if not folder.exists():
        pytest.skip("this system does not tell which files a process has open")
    return sum(1 for _ in folder.iterdir())
