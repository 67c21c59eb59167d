"""A bank with a half-life, seen with clocks that are wrong, and after long years."""

from __future__ import annotations

from pathlib import Path

from odm_tui.banks import Bank
from odm_tui.session import Archive, Session
from tests.support.faults.interviews import BANK, open_question, sample_answer, sample_bank

DAY = 86_400.0
NOW = 20_000 * DAY


def fading(tmp_path: Path) -> Bank:
    return sample_bank(tmp_path / "bank", "half_life_days = 30\n" + BANK.lstrip())


def hold(bank: Bank, state: Path, at: float, outcome: str = "cold") -> Session:
    session = Session.start(bank, state, seed=1, operator="op", clock=lambda: at)
    while session.question is not None:
        session.answer(sample_answer(open_question(session)))
    session.confirm(outcome)
    return session


def test_a_date_in_the_future_is_reported_and_can_be_corrected(tmp_path: Path) -> None:
    bank, state = fading(tmp_path), tmp_path / "state"
    hold(bank, state, NOW)
    late = hold(bank, state, NOW + 3_650 * DAY, "flu")
    archive = Archive.of(bank, state, lambda: NOW + DAY)
    [problem] = list(archive.find_problems())
    assert late.id in problem
    assert "redate" in problem
    archive.redate(late.id, "2024-10-05")
    assert list(archive.find_problems()) == []


def test_long_years_without_an_interview_are_said_at_the_start(tmp_path: Path) -> None:
    bank, state = fading(tmp_path), tmp_path / "state"
    hold(bank, state, NOW)
    soon = Session.start(bank, state, seed=2, operator="op", clock=lambda: NOW + 10 * DAY)
    assert soon.notices == []
    soon.abandon()
    session = Session.start(bank, state, seed=2, operator="op", clock=lambda: NOW + 3_650 * DAY)
    assert any("3,65" in notice and "half-life" in notice for notice in session.notices)


def test_a_resumed_interview_weighs_as_it_did_at_its_start(tmp_path: Path) -> None:
    bank, state = fading(tmp_path), tmp_path / "state"
    for day in range(5):
        hold(bank, state, NOW + 7 * day * DAY, "flu" if day % 2 else "cold")
    session = Session.start(bank, state, seed=2, operator="op", clock=lambda: NOW + 60 * DAY)
    session.answer(sample_answer(open_question(session)))
    belief, question = session.belief, session.question
    session.leave()
    again = Session.resume(bank, session.id, state, clock=lambda: NOW + 400 * DAY)
    assert again.belief == belief
    assert again.question == question
