"""An interview keeps the variants that it began with: when it is resumed, in the history, and when it is audited."""

from __future__ import annotations

from pathlib import Path

import pytest
from numpy.testing import assert_array_equal

from odm_tui.banks.bank import Bank
from odm_tui.evaluation.replay.audit import Audit
from odm_tui.evaluation.replay.logged_interviews import Tally, read_interviews
from odm_tui.session import Archive, Session
from odm_tui.store.events import Confirmed, Event, Started
from odm_tui.tui.worker.backend import Backend
from tests.support.interacting import interacting_bank, interviews, write_log

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
