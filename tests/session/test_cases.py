"""Case references and notes: written to the log, kept by the record, found again everywhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from odm_tui.banks import Bank, load_bank
from odm_tui.errors import BadArgument
from odm_tui.session import Archive, Session
from odm_tui.session.export import interview_rows
from odm_tui.session.statistics import measure_costs
from odm_tui.store.events import Filed, Noted, Started
from odm_tui.store.interview_record import InterviewRecord
from odm_tui.store.log import read_log, valid_entries
from odm_tui.store.paths import StatePaths
from odm_tui.views.history import history_view
from odm_tui.views.inbox import filter_inbox, inbox_rows
from odm_tui.views.interview import interview_view
from odm_tui.views.summary import summary_view
from tests.support.faults.interviews import open_question, sample_answer, sample_bank

TIMES = [f"2026-01-0{day}T00:00:00.000000Z" for day in range(1, 8)]


def answer_all(session: Session) -> None:
    while session.question is not None:
        session.answer(sample_answer(session.question))


def test_a_case_and_a_note_are_in_the_log_and_come_back_when_the_interview_is_resumed(
    bank: Bank, state: Path
) -> None:
    session = Session.start(bank, state, seed=1, case=" T-4711 ")
    session.answer(sample_answer(open_question(session)))
    session.set_note("calls back\nafter five")
    session.leave()
    events = [entry.event for entry in valid_entries(read_log(StatePaths.of(state, "sample").log))]
    assert [event.case for event in events if isinstance(event, Filed)] == ["T-4711"]
    assert [event.note for event in events if isinstance(event, Noted)] == ["calls back\nafter five"]
    again = Session.resume(bank, session.id, state)
    assert (again.case, again.note) == ("T-4711", "calls back\nafter five")
    again.set_case("")
    assert again.case == ""
    view = interview_view(again)
    assert (view.case, view.note, view.needs_case) == ("", "calls back\nafter five", False)
    again.leave()


def test_a_case_that_is_too_long_is_refused_and_nothing_is_written(bank: Bank, state: Path) -> None:
    with pytest.raises(BadArgument, match=r"at most 100 characters, not 101\. Shorten it\."):
        Session.start(bank, state, case="x" * 101)
    assert not StatePaths.of(state, "sample").log.exists()


def test_cases_are_found_in_the_inbox_the_history_the_summary_and_the_export(bank: Bank, state: Path) -> None:
    unfinished = Session.start(bank, state, seed=1, operator="op", case="T-1")
    unfinished.answer(sample_answer(open_question(unfinished)))
    unfinished.leave()
    pending = Session.start(bank, state, seed=2, operator="op", case="T-2")
    answer_all(pending)
    pending.set_note("came twice")
    pending.leave()
    empty = Session.start(bank, state, seed=3, operator="op")
    empty.leave()
    confirmed = Session.start(bank, state, seed=4, operator="op", case="T-4")
    answer_all(confirmed)
    confirmed.confirm("flu")
    assert summary_view(confirmed, "flu", "sample").case == "T-4"
    archive = Archive.of(bank, state)
    rows = inbox_rows(bank, "sample", archive, "op")
    assert [(row.case, row.status) for row in rows] == [("T-2", "pending"), ("T-1", "unfinished")]
    assert [row.case for row in filter_inbox(rows, "TWICE sample")] == ["T-2"]
    assert [row.case for row in history_view(bank, archive).rows] == ["T-4", "T-2", "T-1"]
    header, exported = interview_rows(archive)
    cells = [dict(zip(header, row, strict=True)) for row in exported]
    assert [(cell["case"], cell["note"]) for cell in cells if cell["case"]] == [
        ("T-1", None),
        ("T-2", "came twice"),
        ("T-4", None),
    ]


def test_a_past_interview_can_be_given_a_case_and_a_note(bank: Bank, state: Path) -> None:
    session = Session.start(bank, state, seed=1)
    answer_all(session)
    session.confirm("flu")
    archive = Archive.of(bank, state)
    before = archive.read_snapshot().counts.interviews
    archive.set_case(session.id, "T-9")
    archive.set_note(session.id, "was a guest")
    (record,) = archive.history()
    assert (record.case, record.note, record.status) == ("T-9", "was a guest", "confirmed")
    assert archive.read_snapshot().counts.interviews == before == 1
    assert list(archive.find_problems()) == []
    archive.correct(session.id, "cold")  # the events' numbers go on after a label
    assert archive.history()[0].outcome == "cold"
    assert list(archive.find_problems()) == []


def test_of_two_labels_the_later_one_counts_in_whichever_order_they_are_read() -> None:
    start = Started(
        interview="abcd", n=1, time=TIMES[0], bank="b", bank_hash="h", policy="all", seed=1, operator="op"
    )
    labels = [
        Filed(interview="abcd", n=2, time=TIMES[1], case="old"),
        Filed(interview="abcd", n=2, time=TIMES[2], case="new"),
    ]
    for order in (labels, labels[::-1]):
        record = InterviewRecord("abcd")
        for event in (start, *order):
            record.follow(event)
        assert record.case == "new"


def test_interviews_without_answers_are_not_offered_again(bank: Bank, state: Path) -> None:
    Session.start(bank, state, operator="op").leave()
    archive = Archive.of(bank, state)
    (record,) = archive.history()
    assert record.is_empty
    assert archive.unfinished() == []
    assert history_view(bank, archive).rows == ()


def test_the_times_of_a_scripted_interview_are_not_measured(bank: Bank, state: Path) -> None:
    ticks = iter(range(0, 1000, 7))
    for scripted in (False, True):
        session = Session.start(bank, state, seed=1, scripted=scripted, stopwatch=lambda: float(next(ticks)))
        answer_all(session)
        session.confirm("flu")
    archive = Archive.of(bank, state)
    assert [record.scripted for record in archive.history()] == [False, True]
    assert {one.times for one in measure_costs(archive, bank)} == {1}


def test_a_bank_that_requires_a_case_says_so_until_there_is_one(tmp_path: Path, state: Path) -> None:
    file = sample_bank(tmp_path / "banks").path
    text = file.read_text(encoding="utf-8")
    before = load_bank(str(file)).hash
    file.write_text(f'case = "required"\n{text}', encoding="utf-8")
    bank = load_bank(str(file))
    assert bank.hash != before
    session = Session.start(bank, state)
    assert interview_view(session).needs_case
    session.set_case("T-1")
    assert not interview_view(session).needs_case
    session.leave()
