"""Long work shuts nobody out: others start, answer and confirm while interviews are forgotten, logs merged and states rebuilt."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.long_log import interview_id, write_long_log
from odm_tui.banks import Bank, load_bank
from odm_tui.errors import Locked
from odm_tui.session import Archive, Session
from odm_tui.store.locking import Lock
from tests.support.faults.processes import Child, Tell
from tests.support.faults.report import Table

EVENTS_OF_AN_INTERVIEW = 9


@pytest.fixture
def bank() -> Bank:
    return load_bank("home-network")


@pytest.fixture
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait longer for locks than a person would: on a busy machine everything takes longer."""
    defaults = Lock.__init__.__kwdefaults__
    assert defaults is not None
    monkeypatch.setitem(defaults, "longest_wait", 30.0)


def long_folder(bank: Bank, folder: Path, lines: int) -> Archive:
    folder.mkdir(mode=0o700)
    archive = Archive.of(bank, folder)
    write_long_log(bank, archive.paths.log, lines, answers=3)
    known = archive.read_snapshot()
    with archive.lock.held():
        archive.update_state(known)
    return archive


def writer(bank: Bank, folder: Path, number: int, interviews: int) -> Callable[[Tell], None]:
    """Hold interviews, one after the other; report each one, and each refusal."""

    def run(tell: Tell) -> None:
        for turn in range(interviews):
            try:
                session = Session.start(bank, folder, seed=100 * number + turn, operator="op")
                session.defer_fits()
                session.stop()
                session.confirm(bank.outcomes[turn % len(bank.outcomes)].id)
                tell(f"confirmed {session.id}")
            except Locked:
                tell("refused")

    return run


def work_beside_writers(
    bank: Bank, folder: Path, writers: int, interviews: int, work: Callable[[Archive], None]
) -> tuple[list[str], int]:
    """Return the interviews that were confirmed beside the work, and how often a writer was refused."""
    children = [Child(writer(bank, folder, number, interviews)) for number in range(1, writers + 1)]
    archive = Archive.of(bank, folder)
    archive.defers_fits = True
    work(archive)
    archive.close()
    told = [line for child in children for line in child.outcome()[0]]
    return [line.split()[1] for line in told if line != "refused"], told.count("refused")


def forgetting_beside_writers(
    bank: Bank, folder: Path, lines: int, writers: int, interviews: int, times: int
) -> int:
    long_folder(bank, folder, lines).close()
    before = lines // EVENTS_OF_AN_INTERVIEW

    def forget(archive: Archive) -> None:
        archive.lock = Lock(archive.paths.lock, longest_wait=60.0)
        for number in range(times):
            archive.forget(interview_id(number * 7))

    confirmed, refused = work_beside_writers(bank, folder, writers, interviews, forget)
    kept = {record.interview for record in Archive.of(bank, folder).history("confirmed")}
    assert set(confirmed) <= kept
    assert len(confirmed) + refused == writers * interviews
    assert len(kept) == before - times + len(confirmed)
    assert not any(interview_id(number * 7) in kept for number in range(times))
    return refused


@pytest.mark.usefixtures("patience")
def test_nobody_is_refused_while_interviews_are_forgotten(bank: Bank, tmp_path: Path) -> None:
    assert forgetting_beside_writers(bank, tmp_path / "s", 9_000, 2, 6, 2) == 0


@pytest.mark.usefixtures("patience")
def test_nobody_is_refused_while_a_state_is_rebuilt_and_a_log_is_merged(bank: Bank, tmp_path: Path) -> None:
    archive = long_folder(bank, tmp_path / "s", 900)
    other = tmp_path / "other"
    shutil.copytree(archive.paths.folder, other)
    archive.close()
    write_long_log(bank, Archive.of(bank, other).paths.log, 9_000, answers=3)

    def work(archive: Archive) -> None:
        archive.merge(other)
        archive.rebuild()

    confirmed, refused = work_beside_writers(bank, tmp_path / "s", 2, 6, work)
    assert (len(confirmed), refused) == (12, 0)
    assert len(Archive.of(bank, tmp_path / "s").history("confirmed")) == 1_000 + 12
    assert list(Archive.of(bank, tmp_path / "s").find_problems()) == []


@pytest.mark.soak
@pytest.mark.alone
def test_four_writers_beside_one_who_forgets_in_a_log_of_a_million_events(
    bank: Bank, tmp_path: Path, table: Table
) -> None:
    refused = forgetting_beside_writers(bank, tmp_path / "s", 1_000_000, 4, 200, 3)
    table.row("interviews beside forgetting in 1,000,000 events", 800, refused, "refused")
    assert refused == 0
