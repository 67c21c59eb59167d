"""An interview keeps the variants that it began with: when it is resumed, in the history, and when it is audited."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from numpy.testing import assert_allclose, assert_array_equal

from odm_tui.banks.bank import Bank
from odm_tui.evaluation.replay.audit import Audit
from odm_tui.evaluation.replay.logged_interviews import Tally, read_interviews
from odm_tui.session import Archive, Session
from odm_tui.store.events import Confirmed, Event, Started
from odm_tui.store.half_life import middle_of
from odm_tui.store.locking import Lock
from odm_tui.store.variants import log_fit
from odm_tui.tui.worker.backend import Backend
from tests.support.interacting import TEXT, interacting_bank, interviews, write_log
from tests.support.sample_banks import loaded

HELD = interviews(200)
SAID: dict[str, str | float] = {"left": "yes", "right": "no", "colour": "blue", "age": 7.0}


@pytest.fixture
def bank(tmp_path: Path) -> Bank:
    return interacting_bank(tmp_path / "bank")


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


def add(bank: Bank, state: Path, held: list[list[Event]]) -> None:
    write_log(Archive.of(bank, state).paths, held)


def hold(bank: Bank, state: Path, seed: int) -> Session:
    """Hold and confirm an interview whose answers come from its seed."""
    session = Session.start(bank, state, policy="w-ig-ts", seed=seed, operator="op")
    while session.question is not None:
        session.answer(SAID[session.question.id])
    session.confirm(("same", "different")[seed % 2])
    return session


def started_of(session: Session) -> Started:
    assert session.record.started is not None
    return session.record.started


def test_an_interview_begins_with_the_variants_of_the_state_and_the_log_says_which(
    bank: Bank, state: Path
) -> None:
    add(bank, state, HELD[:149])
    first = hold(bank, state, 1)
    assert started_of(first).variants == 0
    assert first.interview.posterior.variants is None
    second = hold(bank, state, 2)
    assert started_of(second).variants == 150
    assert second.interview.posterior.variants is not None


def test_an_interview_goes_on_with_the_variants_that_it_began_with(bank: Bank, state: Path) -> None:
    add(bank, state, HELD[:150])
    Archive.of(bank, state).rebuild()
    session = Session.start(bank, state, policy="w-ig-ts", seed=3, operator="op")
    began = session.interview.posterior.variants
    session.leave()
    for change in ("growth", "retraction"):
        if change == "growth":
            add(bank, state, HELD[150:180])
            Archive.of(bank, state).fit_variants()
        else:
            Archive.of(bank, state).retract(HELD[4][0].interview)
        resumed = Session.resume(bank, session.id, state)
        again = resumed.interview.posterior.variants
        resumed.leave()
        assert began is not None
        assert again is not None
        assert_array_equal(again.counts, began.counts)
        assert_array_equal(again.weight, began.weight)


@pytest.mark.parametrize("later", [160, 180], ids=["the same as now", "others than now"])
def test_nobody_waits_while_the_variants_of_an_old_interview_are_looked_up(
    bank: Bank, state: Path, monkeypatch: pytest.MonkeyPatch, later: int
) -> None:
    add(bank, state, HELD[:150])
    Archive.of(bank, state).rebuild()
    session = Session.start(bank, state, policy="w-ig-ts", seed=3, operator="op")
    session.leave()
    add(bank, state, HELD[150:later])
    Archive.of(bank, state).fit_variants()
    looked: list[str] = []

    def unlocked(name: str) -> Any:
        work = getattr(log_fit, name)

        def run(*args: Any) -> Any:
            with Lock(Archive.of(bank, state).paths.lock, longest_wait=0.0).held():
                looked.append(name)
            return work(*args)

        return run

    for name in ("fit_log", "counts_between"):
        monkeypatch.setattr(log_fit, name, unlocked(name))
    Session.resume(bank, session.id, state).leave()
    assert looked == (["counts_between"] if later == 160 else ["fit_log"])


def test_interviews_with_variants_ask_the_same_questions_when_they_are_audited(
    bank: Bank, state: Path
) -> None:
    add(bank, state, HELD[:149])
    held = [hold(bank, state, seed) for seed in range(4)]
    Archive.of(bank, state).retract(HELD[4][0].interview)
    held += [hold(bank, state, seed) for seed in range(4, 8)]
    add(bank, state, HELD[149:180])
    held += [hold(bank, state, seed) for seed in range(8, 11)]
    sizes = [started_of(session).variants for session in held]
    # Interviews that were confirmed earlier came last: the variants before do not hold any more.
    assert sizes == [0, 150, 150, 150, 150, 150, 150, 150, 0, 175, 175]
    audit, names = Audit(bank), {session.id for session in held}
    for logged in read_interviews([Archive.of(bank, state).paths.log], bank, Tally()):
        if logged.started.interview in names:
            audit.check(logged)
    assert (audit.checked, audit.same) == (11, 11), audit.differences


def test_a_deferred_fit_leaves_the_variants_until_somebody_asks_for_it(bank: Bank, state: Path) -> None:
    add(bank, state, HELD[:149])
    session = Session.start(bank, state, policy="w-ig-ts", seed=1, operator="op")
    session.defer_fits()
    while session.question is not None:
        session.answer(SAID[session.question.id])
    session.confirm("same")
    archive = Archive.of(bank, state)
    assert archive.read_snapshot().counts.fitted is None
    archive.fit_variants()
    fitted = archive.read_snapshot().counts.fitted
    assert fitted is not None
    assert fitted.interviews == 150


def test_the_worker_fits_variants_when_nobody_waits(bank: Bank, state: Path, tmp_path: Path) -> None:
    from odm_tui.interview_options import InterviewOptions

    add(bank, state, HELD[:149])
    name = str(tmp_path / "bank" / "sample.toml")
    backend = Backend(InterviewOptions(bank=name, policy="w-ig-ts", state_dir=str(state), seed=1))
    view = backend.start(name)
    while view.decision is None:
        assert backend.session is not None
        question = backend.session.question
        assert question is not None
        view = backend.perform("answer", SAID[question.id])
    backend.confirm("same")
    archive = Archive.of(bank, state)
    assert archive.read_snapshot().counts.fitted is None
    for _ in backend.think_ahead():
        pass
    assert backend.fitting is not None
    backend.fitting.join(60)
    fitted = archive.read_snapshot().counts.fitted
    assert fitted is not None
    assert fitted.interviews == 150


def test_the_interview_after_a_confirmation_need_not_wait_for_the_fit(bank: Bank, state: Path) -> None:
    """It begins with the variants before, and the log says so."""
    add(bank, state, HELD[:150])
    Archive.of(bank, state).rebuild()
    add(bank, state, HELD[150:175])  # 175 are due, and nobody has fitted them yet
    session = Session.start(bank, state, policy="w-ig-ts", seed=1, operator="op")
    assert started_of(session).variants == 150
    session.leave()
    assert isinstance(HELD[0][-1], Confirmed)


NAMED = """
[[outcomes.variants]]
id = "on"
expected = { left = 0.9, right = 0.9 }
[[outcomes.variants]]
id = "off"
expected = { left = 0.1, right = 0.1 }
"""


def named_bank(folder: Path, more: str = "") -> Bank:
    """The bank with two variants of one outcome that the author names."""
    folder.mkdir(parents=True, exist_ok=True)
    label = 'label = "Both alike"\n'
    return loaded(folder, TEXT.format(more=more).replace(label, label + NAMED, 1))


def test_named_variants_learn_from_the_first_interview_and_are_audited(tmp_path: Path, state: Path) -> None:
    bank = named_bank(tmp_path / "named")
    held = [hold(bank, state, seed) for seed in range(6)]
    assert [started_of(session).variants for session in held] == [0, 1, 2, 3, 4, 5]
    fitted = Archive.of(bank, state).read_snapshot().counts.fitted
    assert fitted is not None
    assert fitted.variants is not None
    assert fitted.variants.numbers.tolist() == [2, 1]
    audit = Audit(bank)
    for logged in read_interviews([Archive.of(bank, state).paths.log], bank, Tally()):
        audit.check(logged)
    assert (audit.checked, audit.same) == (6, 6), audit.differences
    before = Archive.of(bank, state).paths.state.read_bytes()
    Archive.of(bank, state).rebuild()
    assert Archive.of(bank, state).paths.state.read_bytes() == before


def test_what_the_author_expects_of_a_variant_does_not_fade_with_the_half_life(
    tmp_path: Path, state: Path
) -> None:
    bank = named_bank(tmp_path / "named", "half_life_days = 1")
    for seed in range(0, 8, 2):
        hold(bank, state, seed)
    counts = Archive.of(bank, state).read_snapshot().counts
    named = bank.problem.named_variants
    assert named is not None
    assert counts.fitted is not None
    assert counts.fitted.period is not None
    late = counts.posterior(bank.problem, middle_of(counts.fitted.period) + 60.0).variants
    assert late is not None
    place = bank.problem.positions["left"]
    assert_allclose(late.counts[place, :2].sum(axis=-1), named.counts[place, :2].sum(axis=-1), rtol=1e-6)
