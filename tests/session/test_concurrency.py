"""Many operators at once on one state: nothing is lost, nothing counts twice, and how fast that goes."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from benchmarks.bench_store import rows
from odm_tui.banks import Bank
from odm_tui.errors import Locked
from odm_tui.session import Archive, Session
from odm_tui.store.counts import BankIndex, Counts
from odm_tui.store.state_file import decode_counts, encode_state, unseal
from odm_tui.store.variants.fitted import FIRST
from tests.support.faults.checks import is_sound
from tests.support.faults.disk import KILLS, FaultyDisk, in_place
from tests.support.faults.interviews import SAID, sample_answer, sample_bank
from tests.support.faults.processes import Child, Tell
from tests.support.faults.report import Table

OUTCOMES = ("flu", "cold", "line-fault")


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Bank:
    made = sample_bank(tmp_path_factory.mktemp("banks"))
    assert made.problem.shape
    return made


def patiently(act: Callable[[], Any]) -> Any:
    """Call a function; if the state is locked, try again, as an operator would."""
    for _ in range(20):
        with contextlib.suppress(Locked):
            return act()
    return act()


def one_interview(bank: Bank, state: Path, seed: int, tell: Tell) -> None:
    session = patiently(lambda: Session.start(bank, state, seed=seed, operator="op"))
    answers = {}
    while session.question is not None:
        question = session.question
        patiently(partial(session.answer, sample_answer(question)))
        answers[question.id] = sample_answer(question)
    outcome = OUTCOMES[seed % 3]
    tell(f"confirming {session.id} {outcome} {' '.join(answers)}")
    patiently(lambda: session.confirm(outcome))
    tell(f"confirmed {session.id}")


def operator(bank: Bank, state: Path, seeds: range, kill_at: int | None, kind: str) -> Child:
    def work(tell: Tell) -> None:
        disk = FaultyDisk(kind, kill_at, random.Random(seeds.start).choice(KILLS))
        with in_place(disk):
            for seed in seeds:
                one_interview(bank, state, seed, tell)

    return Child(work)


@pytest.mark.parametrize(
    ("operators", "each"), [(4, 25), pytest.param(16, 200, marks=pytest.mark.soak)], ids=["4x25", "16x200"]
)
def test_many_operators_some_of_them_killed_count_every_interview_once(
    bank: Bank, tmp_path: Path, operators: int, each: int, table: Table
) -> None:
    state = tmp_path / "state"
    rng = random.Random(3)
    left = {k: range(k * each, (k + 1) * each) for k in range(operators)}
    confirming: dict[str, tuple[str, list[str]]] = {}
    confirmed: set[str] = set()
    kills = 0
    while left:
        children = {}
        for k, seeds in left.items():
            # half of them are killed at some write, flush or rename, and come back for the rest
            kill_at = rng.randrange(1, 3 * len(seeds)) if rng.random() < 1 / 2 else None
            children[k] = operator(bank, state, seeds, kill_at, rng.choice(["write", "fsync", "replace"]))
        for k, child in children.items():
            told, killed = child.outcome()
            kills += killed
            for line in told:
                word, interview, *rest = line.split()
                if word == "confirming":
                    confirming[interview] = (rest[0], rest[1:])
                else:
                    confirmed.add(interview)
            done = sum(line.startswith("confirmed ") for line in told)
            left[k] = left[k][done:]
        left = {k: seeds for k, seeds in left.items() if seeds}
    Session.start(bank, state, seed=0, operator="op").abandon()  # the next start catches up with everything
    archive = Archive.of(bank, state)
    kept = {record.interview: record for record in archive.history("confirmed")}
    index = BankIndex.of(bank)
    expected = Counts()
    for interview in kept:
        outcome, questions = confirming[interview]
        lesson = (tuple((q, SAID[q]) for q in questions), outcome)
        expected.add_lesson(lesson, index, statement=archive.read_interview(interview).record.statement)
    found = decode_counts(unseal(archive.paths.state.read_bytes(), "state"), index, "state")
    lost = len(confirmed - set(kept))
    wrong = lost + (found != expected) + (not is_sound(bank, state))
    table.row(f"{operators} operators × {each} interviews", len(confirmed), wrong, f"{kills} kills")
    assert len(confirmed) == operators * each
    assert wrong == 0


def test_two_operators_who_start_together_have_different_interviews(bank: Bank, tmp_path: Path) -> None:
    one = Session.start(bank, tmp_path, seed=1, operator="one")
    other = Session.start(bank, tmp_path, seed=1, operator="other")
    for session in (one, other):
        while session.question is not None:
            session.answer(sample_answer(session.question))
    one.confirm("flu")
    other.confirm("cold")
    assert Archive.of(bank, tmp_path).read_snapshot().counts.outcomes == {0: 1, 1: 1}


def test_a_state_with_variants_is_sound_if_they_are_those_of_the_log(bank: Bank, tmp_path: Path) -> None:
    for seed in range(FIRST):  # from so many interviews on variants are fitted
        session = Session.start(bank, tmp_path, seed=seed, operator="op")
        session.stop()
        session.confirm(OUTCOMES[seed % 3])
    archive, index = Archive.of(bank, tmp_path), BankIndex.of(bank)
    position = archive.paths.position.read_bytes()
    counts = decode_counts(unseal(archive.paths.state.read_bytes(), "state"), index, "state")
    assert counts.fitted is not None
    assert counts.fitted.interviews == FIRST
    assert is_sound(bank, tmp_path)
    assert archive.paths.position.read_bytes() == position
    counts.fitted = replace(counts.fitted, until=(counts.fitted.until[0], "0123456789abcdef"))
    archive.paths.state.write_bytes(encode_state(counts, index))
    assert not is_sound(bank, tmp_path)


@pytest.mark.soak
@pytest.mark.alone
def test_the_throughput_is_at_least_half_of_a_bare_loop_of_append_and_fsync(table: Table) -> None:
    for row in rows():
        figure = f"{row.measured:,.2f}" if row.measured < 100 else f"{row.measured:,.0f}"
        table.figure(row.name, figure, f"{row.unit}; {row.target}" if row.target else row.unit)
        if row.unit == "ratio":
            assert row.measured >= 0.5
