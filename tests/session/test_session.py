"""One interview: nothing is learned before its confirmation, and every answer is on disk before the next question."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from odm_tui.banks import Bank
from odm_tui.errors import BadArgument, CannotWrite, Locked
from odm_tui.session import Archive, Session, replay_interview
from odm_tui.store.events import (
    Answer,
    Answered,
    Asked,
    Confirmed,
    Decided,
    Event,
    Skipped,
    Started,
    Undone,
    Unknown,
)
from odm_tui.store.integrity.log_check import find_problems
from odm_tui.store.interview_record import InterviewRecord
from odm_tui.store.log import read_log, valid_entries
from odm_tui.store.paths import StatePaths
from tests.support.faults.interviews import BANK, hold_interview, open_question, sample_answer, sample_bank


@pytest.fixture
def session(bank: Bank, state: Path) -> Iterator[Session]:
    session = Session.start(bank, state, seed=1, operator="op")
    yield session
    session.leave()


def logged(state: Path) -> list[Event]:
    return [entry.event for entry in valid_entries(read_log(StatePaths.of(state, "sample").log))]


def kept_answers(record: InterviewRecord) -> list[tuple[str, Answer]]:
    """The questions and answers of an interview in which every question was answered."""
    kept = []
    for step in record.steps or ():
        assert isinstance(step, Answered)
        kept.append((step.question, step.answer))
    return kept


def interviews(state: Path) -> int:
    path = StatePaths.of(state, "sample").state
    return int(json.loads(path.read_bytes())["interviews"]) if path.exists() else 0


def run(session: Session) -> list[str]:
    asked = []
    while session.question is not None:
        asked.append(session.question.id)
        session.answer(sample_answer(session.question))
    return asked


def test_an_interview_starts_with_all_that_determines_it(session: Session, state: Path, bank: Bank) -> None:
    started = logged(state)[0]
    assert isinstance(started, Started)
    assert (started.seed, started.operator, started.bank_hash) == (1, "op", bank.hash)
    assert isinstance(started.policy, Mapping)
    assert started.policy["stop"] == {"max_questions": 5}


def test_an_answer_is_in_the_log_when_the_method_returns(session: Session, state: Path) -> None:
    question = session.question
    assert question is not None
    session.answer(sample_answer(question))
    last = logged(state)[-1]
    assert isinstance(last, Answered)
    assert (last.question, last.answer) == (question.id, sample_answer(question))


def test_don_t_know_and_skip_are_kept_as_themselves(session: Session, state: Path) -> None:
    session.dont_know()
    session.skip()
    assert [type(e) for e in logged(state) if not isinstance(e, Asked | Started)] == [Unknown, Skipped]
    assert [taken.kind for taken in session.steps] == ["unknown", "skipped"]


def test_a_number_is_kept_as_it_was_typed(session: Session, state: Path) -> None:
    session.pick("ping")
    session.answer(41.5)
    assert session.steps[0].answer == 41.5
    last = logged(state)[-1]
    assert isinstance(last, Answered)
    assert last.answer == 41.5


@pytest.mark.parametrize("typed", [float("nan"), float("inf"), -1, 5001, "many", True])
def test_a_number_that_can_not_be_is_refused_and_nothing_is_kept(
    session: Session, state: Path, typed: float
) -> None:
    session.pick("ping")
    before = logged(state)
    with pytest.raises(BadArgument, match="ping"):
        session.answer(typed)
    assert logged(state) == before
    assert session.steps == ()


def test_an_answer_that_the_question_does_not_have_is_refused(session: Session, state: Path) -> None:
    session.pick("colour")
    before = logged(state)
    with pytest.raises(BadArgument, match="colour"):
        session.answer("green")
    assert logged(state) == before


def test_seconds_are_measured_from_when_the_question_showed(bank: Bank, state: Path) -> None:
    ticks = itertools.count(step=2.5)
    session = Session.start(bank, state, seed=1, operator="op", stopwatch=lambda: next(ticks))
    session.skip()
    assert session.steps[0].seconds == 2.5
    session.leave()


def test_an_undone_answer_is_asked_again_and_stays_in_the_log(session: Session, state: Path) -> None:
    first = open_question(session)
    session.answer(sample_answer(first))
    session.undo()
    assert session.question == first
    assert [type(e) for e in logged(state)].count(Answered) == 1
    assert isinstance(logged(state)[-1], Undone)


@pytest.mark.parametrize("seed", [-1, 10**18, 10**30])
def test_a_seed_that_no_log_could_hold_is_refused_before_anything_is_written(state: Path, seed: int) -> None:
    with pytest.raises(BadArgument, match="seed"):
        Session.start(sample_bank(state.parent), state, seed=seed)
    assert not list(state.glob("*.jsonl"))


def test_more_steps_than_there_are_can_not_be_undone(session: Session) -> None:
    with pytest.raises(BadArgument, match="nothing to take back"):
        session.undo()


def test_a_changed_answer_drops_the_questions_that_sleep_now(session: Session, state: Path) -> None:
    session.pick("fever")
    session.answer("yes")
    session.pick("high")
    session.answer("no")
    session.pick("cough")
    session.answer("yes")
    assert [q.id for q in session.change(0, "no")] == ["high"]
    assert [(t.question.id, t.answer) for t in session.steps] == [("fever", "no"), ("cough", "yes")]
    past = Archive.of(session.bank, state).read_interview(session.id)
    assert kept_answers(past.record) == [("fever", "no"), ("cough", "yes")]


def test_the_operators_own_pick_is_logged_as_such(session: Session, state: Path) -> None:
    proposed = open_question(session)
    other = next(q for q in session.available if q != proposed)
    session.pick(other.id)
    assert session.question == other
    session.answer(sample_answer(other))
    last = logged(state)[-1]
    assert isinstance(last, Answered)
    assert (last.question, last.proposed) == (other.id, proposed.id)


def test_a_pick_is_taken_back_by_picking_the_proposed_question(session: Session) -> None:
    proposed = open_question(session)
    session.pick(next(q.id for q in session.available if q != proposed))
    session.pick(proposed.id)
    session.answer(sample_answer(proposed))
    assert session.steps[0].proposed is None


def test_a_question_that_sleeps_can_not_be_picked(session: Session) -> None:
    with pytest.raises(BadArgument, match="high"):
        session.pick("high")


def test_the_stop_reason_is_kept_in_words(session: Session, state: Path) -> None:
    run(session)
    decided = logged(state)[-1]
    assert isinstance(decided, Decided)
    assert decided.rule == "max_questions"
    assert session.decision is not None
    assert decided.reason == session.decision.reason


def test_a_stop_by_the_operator_can_be_undone(session: Session) -> None:
    session.stop()
    assert session.decision is not None
    assert session.decision.rule == "operator"
    session.undo()
    assert session.question is not None


def test_a_decision_that_comes_again_after_an_undo_waits_in_the_pending_list_again(
    session: Session, bank: Bank, state: Path
) -> None:
    session.skip()
    session.stop()
    session.undo()
    session.stop()
    session.leave()
    assert [record.interview for record in Archive.of(bank, state).pending()] == [session.id]


def test_an_interview_goes_on_after_its_decision_with_a_question_of_the_operators_own(
    session: Session, bank: Bank, state: Path
) -> None:
    run(session)
    session.pick(session.available[0].id)
    assert session.decision is None
    session.skip()
    assert session.decision is not None
    session.leave()
    assert [record.interview for record in Archive.of(bank, state).pending()] == [session.id]


def test_nothing_is_learned_before_the_confirmation(session: Session, state: Path) -> None:
    run(session)
    assert interviews(state) == 0
    session.confirm("cold")
    assert interviews(state) == 1


def test_an_outcome_may_be_confirmed_by_its_former_id(session: Session, state: Path) -> None:
    session.stop()
    session.confirm("grippe")
    last = logged(state)[-1]
    assert isinstance(last, Confirmed)
    assert last.outcome == "flu"


def test_none_of_these_is_kept_and_teaches_nothing(session: Session, state: Path) -> None:
    session.stop()
    session.confirm(None)
    assert Archive.of(session.bank, state).history()[0].status == "confirmed"
    assert interviews(state) == 0


def test_an_undecided_interview_can_not_be_confirmed(session: Session) -> None:
    with pytest.raises(BadArgument, match="stop it first"):
        session.confirm("flu")


def test_an_unknown_outcome_is_refused_with_those_there_are(session: Session) -> None:
    session.stop()
    with pytest.raises(
        BadArgument, match=r"Unknown outcome 'plague'\. Choose one of 'flu', 'cold', 'line-fault'"
    ):
        session.confirm("plague")


def test_an_ended_interview_takes_nothing_more(session: Session) -> None:
    session.abandon()
    for act in (session.skip, session.dont_know, session.stop, session.undo, session.abandon):
        with pytest.raises(BadArgument, match="has ended"):
            act()


def test_what_was_learned_is_there_for_the_next_interview(bank: Bank, state: Path) -> None:
    for seed in range(3):
        hold_interview(bank, state, seed)
    session = Session.start(bank, state, seed=9, operator="op")
    assert session.interview.posterior.interviews == 3
    session.leave()


# -- going on later -----------------------------------------------------------------------------------


@pytest.mark.parametrize("interrupt_at", range(6))
def test_a_resumed_interview_asks_what_it_would_have_asked(
    bank: Bank, tmp_path: Path, interrupt_at: int
) -> None:
    whole = Session.start(bank, tmp_path / "whole", seed=5, operator="op")
    expected = run(whole)
    first = Session.start(bank, tmp_path / "cut", seed=5, operator="op")
    asked = []
    for _ in range(interrupt_at):
        question = open_question(first)
        asked.append(question.id)
        first.answer(sample_answer(question))
    first.leave()
    # meanwhile others finish theirs: that must not change the questions of the one that was interrupted
    others = Session.start(bank, tmp_path / "cut", seed=77, operator="other")
    run(others)
    others.confirm("line-fault")
    second = Session.resume(bank, first.id, tmp_path / "cut")
    assert asked + run(second) == expected
    assert second.decision == whole.decision
    whole.leave()
    second.leave()


@pytest.mark.parametrize("id", ["0123456789abcdef", "../../etc/passwd", "", "A B"])
def test_an_interview_that_is_not_there_is_one_sentence_and_leaves_no_file(
    session: Session, bank: Bank, state: Path, id: str
) -> None:
    before = sorted(state.iterdir())
    with pytest.raises(BadArgument, match="There is no interview"):
        Session.resume(bank, id, state)
    assert sorted(state.iterdir()) == before


def test_a_resumed_interview_stands_at_the_operators_pick(session: Session, bank: Bank, state: Path) -> None:
    session.skip()
    picked = next(q for q in session.available if q != session.question)
    session.pick(picked.id)
    session.leave()
    again = Session.resume(bank, session.id, state)
    assert again.question == picked
    again.leave()


def test_a_resumed_interview_keeps_the_operators_stop(session: Session, bank: Bank, state: Path) -> None:
    session.stop()
    session.leave()
    again = Session.resume(bank, session.id, state)
    assert again.decision is not None
    assert again.decision.rule == "operator"
    again.undo()
    assert again.question is not None
    again.leave()


def test_an_interview_that_is_open_elsewhere_is_neither_offered_nor_resumed(
    session: Session, bank: Bank, state: Path
) -> None:
    session.skip()
    archive = Archive.of(bank, state)
    assert archive.unfinished() == []
    with pytest.raises(Locked, match="another terminal"):
        Session.resume(bank, session.id, state)
    session.leave()
    assert [record.interview for record in archive.unfinished("op")] == [session.id]
    assert archive.unfinished("someone else") == []


def test_a_bank_that_lost_a_question_goes_on_without_its_answer(
    session: Session, bank: Bank, state: Path, tmp_path: Path
) -> None:
    session.pick("cough")
    session.answer("yes")
    session.pick("noise")
    session.answer("no")
    session.leave()
    changed = BANK.replace('id = "cough"', 'id = "sneeze"').replace("cough = {", "sneeze = {")
    again = Session.resume(sample_bank(tmp_path / "new", changed), session.id, state)
    assert [taken.question.id for taken in again.steps] == ["noise"]
    assert any("bank has changed" in notice for notice in again.notices)
    assert any("left out" in notice for notice in again.notices)
    again.change(0, "yes")
    again.leave()
    record = Archive.of(again.bank, state).read_interview(session.id).record
    assert kept_answers(record) == [("noise", "yes")]


def test_an_answer_to_a_renamed_question_can_still_be_changed(
    session: Session, state: Path, tmp_path: Path
) -> None:
    session.pick("noise")
    session.answer("no")
    session.leave()
    renamed = BANK.replace('id = "noise"', 'id = "hum"').replace('["sound"]', '["sound", "noise"]')
    again = Session.resume(sample_bank(tmp_path / "new", renamed), session.id, state)
    again.change(0, "yes")
    again.stop()
    again.confirm("flu")
    known = Archive.of(again.bank, state).read_snapshot().counts
    assert known.answers == {(again.bank.problem.positions["hum"], 0, 1): 1}


def test_a_decided_interview_waits_and_is_confirmed_by_its_id(
    session: Session, bank: Bank, state: Path
) -> None:
    run(session)
    session.leave()
    archive = Archive.of(bank, state)
    assert [record.interview for record in archive.pending()] == [session.id]
    archive.confirm(session.id, "flu")
    assert archive.pending() == []
    assert interviews(state) == 1


def test_a_confirmed_interview_is_not_confirmed_again(bank: Bank, state: Path) -> None:
    done = hold_interview(bank, state, 1)
    with pytest.raises(BadArgument, match="correct it"):
        Archive.of(bank, state).confirm(done.id, "flu")


def test_a_correction_moves_the_counts_to_the_right_outcome(bank: Bank, tmp_path: Path) -> None:
    wrong = hold_interview(bank, tmp_path / "wrong", 1, outcome="flu")
    archive = Archive.of(bank, tmp_path / "wrong")
    archive.correct(wrong.id, "cold")
    hold_interview(bank, tmp_path / "right", 1, outcome="cold")
    files = [StatePaths.of(tmp_path / name, "sample").state for name in ("wrong", "right")]
    assert files[0].read_bytes() == files[1].read_bytes()


def test_a_retraction_takes_the_counts_back_exactly_and_can_be_put_right(bank: Bank, state: Path) -> None:
    hold_interview(bank, state, 1)
    path = StatePaths.of(state, "sample").state
    before = path.read_bytes()
    second = hold_interview(bank, state, 2)
    after = path.read_bytes()
    archive = Archive.of(bank, state)
    archive.retract(second.id)
    assert path.read_bytes() == before
    archive.correct(second.id, "cold")
    assert path.read_bytes() == after


def test_a_forgotten_interview_is_found_no_more(bank: Bank, state: Path) -> None:
    done = hold_interview(bank, state, 1)
    archive = Archive.of(bank, state)
    archive.forget(archive.find_id(done.id[:6]))
    assert interviews(state) == 0
    with pytest.raises(BadArgument, match="no interview"):
        archive.find_id(done.id)


def test_an_open_interview_is_not_forgotten_under_the_operators_hands(
    session: Session, bank: Bank, state: Path
) -> None:
    with pytest.raises(BadArgument, match="another terminal"):
        Archive.of(bank, state).forget(session.id)


# -- looking back -------------------------------------------------------------------------------------


def test_a_replay_shows_the_beliefs_as_they_were(bank: Bank, state: Path) -> None:
    hold_interview(bank, state, 1)
    session = Session.start(bank, state, seed=2, operator="op")
    beliefs = []
    while session.question is not None:
        session.answer(sample_answer(session.question))
        beliefs.append(session.belief)
    session.confirm("flu")
    for seed in range(3, 6):
        hold_interview(bank, state, seed)
    moments = replay_interview(Archive.of(bank, state).read_interview(session.id), bank)
    assert [m.belief for m in moments if isinstance(m.event, Answered)] == beliefs
    assert all(moment.fits for moment in moments)


def test_the_history_tells_what_each_interview_took(bank: Bank, state: Path) -> None:
    done = hold_interview(bank, state, 1)
    record = Archive.of(bank, state).history()[0]
    assert (record.interview, record.questions, record.status, record.outcome) == (
        done.id,
        5,
        "confirmed",
        "cold",
    )
    assert record.cost == pytest.approx(done.interview.cost_so_far)


def test_a_sound_folder_has_no_problems(bank: Bank, state: Path) -> None:
    for seed in range(3):
        hold_interview(bank, state, seed)
    archive = Archive.of(bank, state)
    assert list(archive.find_problems()) == []
    assert list(find_problems(archive.paths.log)) == []


def test_a_state_that_was_edited_is_a_problem(bank: Bank, state: Path) -> None:
    hold_interview(bank, state, 1)
    archive = Archive.of(bank, state)
    path = archive.paths.state
    path.write_bytes(path.read_bytes().replace(b'"interviews": 1', b'"interviews": 2'))
    assert "damaged or edited" in next(archive.find_problems())
    archive.rebuild()
    assert list(archive.find_problems()) == []


def test_two_folders_that_were_apart_know_the_same_after_a_merge(bank: Bank, tmp_path: Path) -> None:
    for name, seeds in (("one", (1, 2)), ("two", (3,))):
        for seed in seeds:
            hold_interview(bank, tmp_path / name, seed)
    one, two = Archive.of(bank, tmp_path / "one"), Archive.of(bank, tmp_path / "two")
    assert one.merge(tmp_path / "two").interviews == 1
    assert two.merge(tmp_path / "one").interviews == 2
    assert one.paths.state.read_bytes() == two.paths.state.read_bytes()


# -- privacy ------------------------------------------------------------------------------------------


def test_everything_that_is_kept_is_private(bank: Bank, state: Path) -> None:
    session = Session.start(bank, state, seed=1)
    session.stop()
    session.confirm("flu")
    assert state.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in state.iterdir()} == {0o600}


def test_a_folder_that_was_made_for_a_group_keeps_its_files_for_the_group(bank: Bank, state: Path) -> None:
    state.mkdir()
    state.chmod(0o770)
    session = Session.start(bank, state, seed=1)
    session.stop()
    session.confirm("flu")
    assert {path.stat().st_mode & 0o777 for path in state.iterdir()} == {0o660}


def test_operators_are_pseudonyms_that_stay_the_same_in_one_folder(
    bank: Bank, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOGNAME", "jane.doe")
    found = []
    for name in ("one", "one", "two"):
        session = Session.start(bank, tmp_path / name, seed=1)
        found.append(session.record.operator)
        session.leave()
    assert found[0] == found[1] != found[2]
    kept = b"".join(path.read_bytes() for path in (tmp_path / "one").iterdir())
    assert b"jane" not in kept


@pytest.mark.parametrize("given", ["", "x" * 65, "a\x1b[2J"])
def test_a_pseudonym_that_can_not_be_shown_is_refused(bank: Bank, state: Path, given: str) -> None:
    with pytest.raises(BadArgument, match="pseudonym"):
        Session.start(bank, state, operator=given)


def test_a_change_that_could_not_be_kept_leaves_a_stopped_interview_stopped(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.pick("fever")
    session.answer("yes")
    session.stop()
    decided, belief = session.decision, session.belief

    def refused(*_: object, **__: object) -> None:
        raise CannotWrite("The disk is full.")

    monkeypatch.setattr(session._writer, "write", refused)
    with pytest.raises(CannotWrite):
        session.change(0, "no")
    assert session.decision == decided
    assert session.belief == belief
    assert session.question is None


@pytest.mark.parametrize("way", ["undo", "undo twice", "change back", "stop and undo"])
def test_after_undo_and_leaving_the_same_question_is_shown_again(
    session: Session, bank: Bank, state: Path, way: str
) -> None:
    session.dont_know()
    session.dont_know()
    if way == "change back":
        session.change(0, None)
        session.undo()
    elif way == "stop and undo":
        session.stop()
        session.undo()
    else:
        session.undo(2 if way == "undo twice" else 1)
    assert session.question is not None
    shown = session.question.id
    session.leave()
    again = Session.resume(bank, session.id, state)
    assert again.question is not None
    assert again.question.id == shown
    assert again._picked is None
    again.leave()
