"""A log that is removed or replaced under an open interview: its answers are written again, or refused."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from odm_tui.banks import Bank
from odm_tui.errors import BadArgument, Locked
from odm_tui.session import Archive, Session
from odm_tui.store import forget_interview, state_update
from odm_tui.store.forget_interview import PreparedLog, prepare
from odm_tui.store.index.opening import CountedLog, count_and_index
from odm_tui.store.integrity import replaced_log
from odm_tui.store.integrity.log_check import find_problems
from odm_tui.store.integrity.replaced_log import InterviewSearch
from odm_tui.store.locking import Lock
from odm_tui.store.log import read_log, valid_entries
from odm_tui.store.log_codec import LONGEST_LINE
from odm_tui.store.log_writer import Log
from odm_tui.store.paths import StatePaths
from tests.support.faults.checks import is_sound, logged_answers
from tests.support.faults.interviews import hold_interview, open_question, sample_answer, sample_bank
from tests.support.faults.samples import interview_events, many, paths_in, write


@pytest.fixture
def bank(tmp_path: Path) -> Bank:
    return sample_bank(tmp_path / "bank")


def is_free(bank: Bank, state: Path) -> bool:
    """Whether nobody holds the bank's lock."""
    try:
        with Lock(Archive.of(bank, state).paths.lock, longest_wait=0.0).held():
            return True
    except Locked:
        return False


def remove_folder(state: Path, _: Path) -> None:
    shutil.rmtree(state)


def remove_log(state: Path, _: Path) -> None:
    (state / "sample.log.jsonl").unlink()


def put_older_folder_in_place(state: Path, older: Path) -> None:
    shutil.rmtree(state)
    shutil.copytree(older, state)


def put_older_log_in_place(state: Path, older: Path) -> None:
    shutil.copyfile(older / "sample.log.jsonl", state / "copy")
    (state / "copy").replace(state / "sample.log.jsonl")


def cut_log_in_place(state: Path, older: Path) -> None:
    with (state / "sample.log.jsonl").open("r+b") as log:
        log.truncate((older / "sample.log.jsonl").stat().st_size)


ACCIDENTS = (remove_folder, remove_log, put_older_folder_in_place, put_older_log_in_place, cut_log_in_place)


@pytest.mark.parametrize("accident", ACCIDENTS, ids=lambda accident: accident.__name__)
@pytest.mark.parametrize("step", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("older_by", [0, 1, 2])
def test_acknowledged_answers_are_written_again_and_the_operator_is_told(
    bank: Bank, tmp_path: Path, accident: Callable[[Path, Path], None], step: int, older_by: int
) -> None:
    state, older = tmp_path / "state", tmp_path / "older"
    hold_interview(bank, state, seed=3)
    if older_by > step:
        shutil.copytree(state, older)
    session = Session.start(bank, state, seed=1, operator="op")
    told: list[str] = []
    for number in range(5):
        if number == step - older_by:
            shutil.copytree(state, older)
        if number == step:
            accident(state, older)
        question = open_question(session)
        session.answer(sample_answer(question))
        told.append(question.id)
    if older_by or accident in (remove_folder, remove_log):
        assert any("removed or replaced" in notice for notice in session.notices)
    session.confirm("cold")
    archive = Archive.of(bank, state)
    record = next(r for r in archive.history() if r.interview == session.id)
    assert [e.question for e in archive.read_interview(record.interview).record.steps or ()] == told
    assert record.status == "confirmed"
    assert is_sound(bank, state)


def test_what_another_process_added_after_the_replacement_is_not_mixed(bank: Bank, tmp_path: Path) -> None:
    state, older = tmp_path / "state", tmp_path / "older"
    session = Session.start(bank, state, seed=1, operator="op")
    session.answer(sample_answer(open_question(session)))
    shutil.copytree(state, older)
    for left in older.glob(".*.open"):
        left.unlink()
    elsewhere = Session.resume(bank, session.id, older)
    elsewhere.dont_know()
    elsewhere.leave()
    shutil.copyfile(older / "sample.log.jsonl", state / "copy")
    (state / "copy").replace(state / "sample.log.jsonl")
    before = (state / "sample.log.jsonl").read_bytes()
    with pytest.raises(Locked, match="continued by another process"):
        session.answer(sample_answer(open_question(session)))
    assert (state / "sample.log.jsonl").read_bytes() == before


def test_an_interview_that_was_forgotten_meanwhile_is_not_brought_back(bank: Bank, tmp_path: Path) -> None:
    state, older = tmp_path / "state", tmp_path / "older"
    session = Session.start(bank, state, seed=1, operator="op")
    session.answer(sample_answer(open_question(session)))
    shutil.copytree(state, older)
    for left in older.glob(".*.open"):
        left.unlink()
    Archive.of(bank, older).forget(session.id)
    shutil.copyfile(older / "sample.log.jsonl", state / "sample.log.jsonl")
    with pytest.raises(BadArgument, match="forgotten"):
        session.answer(sample_answer(open_question(session)))
    assert logged_answers(bank, state) == []


def test_forgetting_another_interview_is_no_accident(bank: Bank, tmp_path: Path) -> None:
    state = tmp_path / "state"
    other = hold_interview(bank, state, seed=3)
    session = Session.start(bank, state, seed=1, operator="op")
    session.answer(sample_answer(open_question(session)))
    Archive.of(bank, state).forget(other.id)
    session.answer(sample_answer(open_question(session)))
    assert session.notices == []
    assert list(find_problems(StatePaths.of(state, bank.name).log)) == []


def test_a_log_that_was_replaced_is_searched_before_the_lock_is_taken(
    bank: Bank, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "state"
    hold_interview(bank, state, seed=3)
    gone = Archive.of(bank, state).history()[0].interview
    session = Session.start(bank, state, seed=1, operator="op")
    session.answer(sample_answer(open_question(session)))
    Archive.of(bank, state).forget(gone)
    log = Archive.of(bank, state).paths.log
    size, searched = log.stat().st_size, []
    go_on = InterviewSearch.go_on

    def go_on_beside_others(search: InterviewSearch, descriptor: int) -> InterviewSearch:
        searched.append((is_free(bank, state), search.stop))
        return go_on(search, descriptor)

    monkeypatch.setattr(InterviewSearch, "go_on", go_on_beside_others)
    session.answer(sample_answer(open_question(session)))
    assert searched == [(True, 0), (False, size)]
    session.leave()
    assert is_sound(bank, state)


def test_a_log_that_is_replaced_while_an_answer_waits_for_the_lock_is_searched_without_it(
    bank: Bank, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "state"
    gone = hold_interview(bank, state, seed=3).id
    session = Session.start(bank, state, seed=1, operator="op")
    session.answer(sample_answer(open_question(session)))
    searched, search_if_replaced, go_on = [], Log.search_if_replaced, InterviewSearch.go_on

    def search_just_before_somebody_forgets(log: Log, interview: str) -> None:
        search_if_replaced(log, interview)
        monkeypatch.setattr(Log, "search_if_replaced", search_if_replaced)
        Archive.of(bank, state).forget(gone)

    def go_on_beside_others(search: InterviewSearch, descriptor: int) -> InterviewSearch:
        searched.append((is_free(bank, state), search.stop))
        return go_on(search, descriptor)

    monkeypatch.setattr(Log, "search_if_replaced", search_just_before_somebody_forgets)
    monkeypatch.setattr(InterviewSearch, "go_on", go_on_beside_others)
    session.answer(sample_answer(open_question(session)))
    assert [free for free, start in searched if start == 0] == [True]
    assert session.notices == []
    session.leave()
    assert is_sound(bank, state)


def test_a_log_that_is_replaced_at_every_try_is_searched_in_the_end(
    bank: Bank, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "state"
    others = [hold_interview(bank, state, seed=seed).id for seed in range(12)]
    session = Session.start(bank, state, seed=1, operator="op")
    session.answer(sample_answer(open_question(session)))
    search_if_replaced = Log.search_if_replaced

    def search_just_before_somebody_forgets(log: Log, interview: str) -> None:
        search_if_replaced(log, interview)
        Archive.of(bank, state).forget(others.pop())

    monkeypatch.setattr(Log, "search_if_replaced", search_just_before_somebody_forgets)
    session.answer(sample_answer(open_question(session)))
    assert others
    kept = Archive.of(bank, state).read_interview(session.id).events
    assert [event.name for event in kept].count("answered") == 2
    session.leave()
    assert is_sound(bank, state)


def test_a_confirmation_does_not_count_the_log_again_under_the_lock_if_one_that_taught_nothing_was_forgotten(
    bank: Bank, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "state"
    hold_interview(bank, state, seed=3)
    abandoned = Session.start(bank, state, seed=2, operator="op")
    abandoned.abandon()
    session = Session.start(bank, state, seed=1, operator="op")
    session.stop()
    Archive.of(bank, state).forget(abandoned.id)  # the state has the same bytes as before
    counted = []

    def count_beside_others(*arguments: Any, **options: Any) -> CountedLog:
        counted.append(is_free(bank, state))
        return count_and_index(*arguments, **options)

    monkeypatch.setattr(state_update, "count_and_index", count_beside_others)
    session.confirm("flu")
    assert False not in counted
    monkeypatch.undo()
    assert is_sound(bank, state)


def confirm_open(_: Bank, __: Path, session: Session) -> None:
    session.confirm("flu")


def confirm_later(bank: Bank, state: Path, session: Session) -> None:
    session.leave()
    Archive.of(bank, state).confirm(session.id, "flu")


def resume_and_confirm(bank: Bank, state: Path, session: Session) -> None:
    session.leave()
    Session.resume(bank, session.id, state).confirm("flu")


@pytest.mark.parametrize(
    "act", [confirm_open, confirm_later, resume_and_confirm], ids=lambda act: act.__name__
)
def test_without_a_state_the_log_is_counted_before_the_lock_is_taken(
    bank: Bank, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, act: Callable[[Bank, Path, Session], None]
) -> None:
    state = tmp_path / "state"
    gone = hold_interview(bank, state, seed=3).id
    session = Session.start(bank, state, seed=1, operator="op")
    session.stop()
    paths = Archive.of(bank, state).paths
    with Lock(paths.lock).held():
        forget_interview.forget(paths, [gone])  # as a merge does it: without a bank there is no state
    assert not paths.state.exists()
    counted = []

    def count_beside_others(*arguments: Any, **options: Any) -> CountedLog:
        counted.append(is_free(bank, state))
        return count_and_index(*arguments, **options)

    monkeypatch.setattr(state_update, "count_and_index", count_beside_others)
    act(bank, state, session)
    assert True in counted
    assert False not in counted
    assert is_sound(bank, state)


def test_of_two_who_forget_at_once_both_copy_the_log_without_the_lock(
    bank: Bank, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "state"
    one, other, kept = (hold_interview(bank, state, seed=seed).id for seed in (3, 4, 5))
    copied = []

    def copy_just_before_somebody_forgets(*arguments: Any) -> PreparedLog:
        copied.append(is_free(bank, state))
        prepared = prepare(*arguments)
        if len(copied) == 1:
            Archive.of(bank, state).forget(other)
        return prepared

    monkeypatch.setattr(forget_interview, "prepare", copy_just_before_somebody_forgets)
    Archive.of(bank, state).forget(one)
    assert copied == [True, True, True]  # one, other, and one again
    assert [record.interview for record in Archive.of(bank, state).history()] == [kept]
    assert not list(state.glob(".*.tmp"))
    assert is_sound(bank, state)


def test_the_old_file_of_a_log_that_was_replaced_is_closed_before_the_lock_is_taken(
    bank: Bank, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "state"
    gone = hold_interview(bank, state, seed=3).id
    session = Session.start(bank, state, seed=1, operator="op")
    session.answer(sample_answer(open_question(session)))
    Archive.of(bank, state).forget(gone)
    open_under_lock, is_searched = [], Log.is_searched

    def look(log: Log, interview: str) -> bool:
        links = [str(path.readlink()) for path in Path("/proc/self/fd").iterdir() if path.is_symlink()]
        open_under_lock.append(f"{log.paths.log} (deleted)" in links)
        return is_searched(log, interview)

    monkeypatch.setattr(Log, "is_searched", look)
    session.answer(sample_answer(open_question(session)))
    assert open_under_lock[0] is False


@pytest.mark.parametrize("chunk", [1_000, 70_000, 1 << 20])
def test_a_search_finds_what_reading_every_line_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    where = paths_in(tmp_path)
    write(where, [*many(2), interview_events("aaaaaaaa", {"fever": "yes"}, "flu"), *many(2, first=5)])
    with where.log.open("ab") as log:
        log.write(b'{"aaaaaaaa" is damaged}\n' + b"aaaaaaaa" * (LONGEST_LINE // 4) + b"\n")
    write(where, [interview_events("bbbbbbbb", {"fever": "no"}, "cold")])
    with where.log.open("ab") as log:
        log.write(where.log.read_bytes().splitlines()[8][:60])  # an unfinished line
    size = where.log.read_bytes().rfind(b"\n") + 1
    monkeypatch.setattr(replaced_log, "_CHUNK", chunk)
    for interview in ("aaaaaaaa", "bbbbbbbb", many(1)[0][0].interview, "cccccccc"):
        expected = [entry.event for entry in valid_entries(read_log(where.log, only={interview}))]
        with where.log.open("rb", buffering=0) as file:
            search = InterviewSearch.start(file.fileno(), interview).go_on(file.fileno())
            assert list(search.events) == expected
            assert search.stop == size
            assert search.holds_for(file.fileno(), interview)
            assert not search.holds_for(file.fileno(), "dddddddd")
            assert search.go_on(file.fileno()) == search
