"""What an interview knew when it began is the same on every machine, so its questions are too."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from odm_tui.banks import Bank
from odm_tui.errors import Locked
from odm_tui.evaluation.replay.replay import ReplayOptions, replay
from odm_tui.evaluation.replay.team_log import copied_log
from odm_tui.session import Archive, Session, past_interviews, replay_interview
from odm_tui.session.team.sync_loop import SyncLoop
from odm_tui.store.counts import BankIndex, Counts
from odm_tui.store.events import Started
from odm_tui.store.locking import Lock
from odm_tui.store.log import read_log, valid_entries
from odm_tui.store.paths import StatePaths
from odm_tui.store.state_update import Snapshot
from odm_tui.store.team import sync as team_sync
from odm_tui.store.team.knowledge import counts_known_to
from odm_tui.store.team.server import StoredRow, TeamServer
from tests.support.faults.interviews import hold_interview, sample_answer, sample_bank
from tests.support.postgresql.server import PostgresServer


@pytest.fixture
def bank(tmp_path: Path) -> Bank:
    return sample_bank(tmp_path / "banks")


class Laptop:
    """A state folder that is synced when it is told to."""

    def __init__(self, bank: Bank, folder: Path, address: str) -> None:
        self.bank, self.folder, self.address = bank, folder, address
        self.loop = SyncLoop(address, folder)

    def sync(self) -> bool:
        assert self.loop.run_pass(at_once=True).state == "working"
        return True

    def hold(self, seed: int, outcome: str = "cold") -> str:
        return hold_interview(self.bank, self.folder, seed, outcome=outcome).id

    def archive(self) -> Archive:
        return Archive.of(self.bank, self.folder)


@pytest.fixture
def laptops(postgres: PostgresServer, store: str, bank: Bank, tmp_path: Path) -> Iterator[list[Laptop]]:
    made = [Laptop(bank, tmp_path / name, postgres.address(store, "ann")) for name in ("a", "b", "c")]
    for laptop in made:
        laptop.sync()
    yield made
    for laptop in made:
        laptop.loop.close()


def counts_at_start(laptop: Laptop, interview: str) -> object:
    archive = laptop.archive()
    try:
        return archive.read_interview(interview).counts
    finally:
        archive.close()


def test_the_start_says_what_was_known(laptops: list[Laptop]) -> None:
    a, b, _ = laptops
    a.hold(1), a.sync(), b.hold(2), b.sync()
    first = b.hold(3)
    archive = b.archive()
    started = archive.read_interview(first).record.started
    assert started is not None
    events = len(list(valid_entries(read_log(archive.paths.log))))
    of_first = len(archive.read_interview(first).logged)
    assert started.knew == events - of_first
    assert len(started.folder) == 16


def test_an_interview_began_with_the_same_counts_on_every_machine(laptops: list[Laptop]) -> None:
    a, b, c = laptops
    held = [a.hold(1), b.hold(2)]
    a.sync()
    held += [c.hold(3, "flu")]  # c is offline: its interviews get their heads much later
    b.sync(), b.sync()
    held += [b.hold(4, "flu"), a.hold(5), c.hold(6), a.hold(7, "line-fault")]
    for laptop in (b, a, b):
        laptop.sync()
    held += [b.hold(8)]
    for laptop in (c, b, a, c, b):
        laptop.sync()
    for interview in held:
        found = [counts_at_start(laptop, interview) for laptop in laptops]
        assert found[0] == found[1] == found[2], interview


def test_a_correction_that_came_later_was_not_known(laptops: list[Laptop]) -> None:
    a, b, c = laptops
    wrong = a.hold(1)
    for laptop in (a, b, c):
        laptop.sync()
    archive = c.archive()
    archive.correct(wrong, "flu")
    archive.close()
    c.sync()
    later = b.hold(2)  # b does not know the correction yet
    for laptop in (b, a, c):
        laptop.sync()
    found = [counts_at_start(laptop, later) for laptop in laptops]
    assert found[0] == found[1] == found[2]
    assert found[0] != a.archive().read_snapshot().counts


def test_an_interview_that_is_taken_over_asks_what_it_would_have_asked(
    laptops: list[Laptop], bank: Bank
) -> None:
    a, b, _ = laptops
    for seed in range(4):
        b.hold(seed, ("flu", "cold")[seed % 2])
    open_here = Session.start(bank, a.folder, seed=11)
    assert open_here.question is not None
    open_here.answer(sample_answer(open_here.question))
    open_here.leave()
    expected = Session.resume(bank, open_here.id, a.folder)
    asked = []
    while expected.question is not None:
        asked.append(expected.question.id)
        expected.answer(sample_answer(expected.question))
    expected.leave()
    log = (a.folder / "sample.log.jsonl").read_bytes().splitlines(keepends=True)
    (a.folder / "sample.log.jsonl").write_bytes(b"".join(log[:3]))  # as it was before
    a.sync(), b.sync()
    taken = Session.resume(bank, open_here.id, b.folder)
    again = []
    while taken.question is not None:
        again.append(taken.question.id)
        taken.answer(sample_answer(taken.question))
    assert again == asked
    taken.confirm("cold")
    b.sync(), a.sync()
    for laptop in (a, b):
        archive = laptop.archive()
        past = archive.read_interview(open_here.id)
        assert all(step.fits for step in replay_interview(past, bank))
        archive.close()


def test_without_a_team_the_log_says_nothing_of_one(bank: Bank, tmp_path: Path) -> None:
    hold_interview(bank, tmp_path / "alone", seed=1)
    log = (tmp_path / "alone" / "sample.log.jsonl").read_bytes()
    assert b'"folder"' not in log
    assert b'"knew"' not in log
    assert isinstance(next(valid_entries(read_log(tmp_path / "alone" / "sample.log.jsonl"))).event, Started)


def test_the_audit_finds_the_same_questions_on_every_machine_and_in_the_store(
    laptops: list[Laptop], bank: Bank
) -> None:
    a, b, c = laptops
    for seed in range(3):
        a.hold(seed), a.sync()
        c.hold(100 + seed, "flu")  # c is offline all day
        b.sync(), b.hold(50 + seed, ("flu", "line-fault")[seed % 2]), b.sync()
    for laptop in (c, a, b, c):
        laptop.sync()
    options = ReplayOptions(())
    logs = [laptop.folder / "sample.log.jsonl" for laptop in laptops]
    with copied_log(a.address, bank.log_name) as stored:
        for log in (*logs, stored):
            audit = replay(bank, [log], options).audit
            assert audit is not None
            assert (audit.checked, audit.same, audit.differences) == (9, 9, [])


def test_what_an_interview_knew_is_not_computed_again_under_the_lock(
    laptops: list[Laptop], monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b, _ = laptops
    a.hold(1), b.hold(2)
    for laptop in (a, b, a):
        laptop.sync()
    session = Session.start(a.bank, a.folder)
    interview = session.id
    assert session.question is not None
    session.answer(sample_answer(session.question))
    session.leave()
    a.sync(), b.hold(3), b.sync()
    held: list[bool] = []

    def note(started: Started, paths: StatePaths, now: Snapshot, index: BankIndex) -> Counts | None:
        other = Lock(paths.lock, longest_wait=0.0)
        try:
            with other.held():
                held.append(False)
        except Locked:
            held.append(True)
        finally:
            other.close()
        return counts_known_to(started, paths, now, index)

    monkeypatch.setattr(past_interviews, "counts_known_to", note)
    Session.resume(b.bank, interview, b.folder).leave()
    assert held == [False]


def test_an_interview_that_is_opened_during_a_long_pass_is_marked_as_open_before_its_end(
    laptops: list[Laptop], monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b, _ = laptops
    for seed in range(4):
        a.hold(seed)
    a.sync()
    monkeypatch.setattr(team_sync, "PAGE", 5)
    pull = TeamServer.pull
    claimed: list[int] = []

    def pull_and_open(server: TeamServer, bank: str, since: int, upto: int) -> list[StoredRow]:
        claimed.append(len(b.loop._claimed))
        b.loop.set_open([(bank, "12345678")])
        return pull(server, bank, since, upto)

    monkeypatch.setattr(TeamServer, "pull", pull_and_open)
    b.sync()
    assert claimed[:2] == [0, 1]
