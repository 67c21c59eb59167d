"""The list of banks."""

from __future__ import annotations

from pathlib import Path

from odm_tui.banks import Bank
from odm_tui.errors import BadData
from odm_tui.session import Archive, Session
from odm_tui.views.banks import add_history, bank_row, unusable_row
from tests.support.faults.interviews import hold_interview


def test_a_row_has_the_size_of_the_bank_and_no_history_yet(bank: Bank) -> None:
    row = bank_row(bank, "mine")
    assert (row.name, row.title, row.questions, row.outcomes, row.unit) == ("mine", "Sample", 6, 3, "seconds")
    assert row.interviews is None


def test_a_bank_that_can_not_be_loaded_shows_its_error() -> None:
    row = unusable_row("broken", BadData("It has \x1b no title."))
    assert (row.title, row.mistake, row.interviews) == ("broken", "It has \ufffd no title.", 0)


def test_the_history_counts_confirmed_pending_and_unfinished_interviews(bank: Bank, state: Path) -> None:
    done = hold_interview(bank, state, 1)
    pending = Session.start(bank, state, seed=2, operator="op")
    pending.skip()
    pending.stop()
    pending.leave()
    for operator in ("op", "someone"):
        unfinished = Session.start(bank, state, seed=3, operator=operator)
        unfinished.skip()
        unfinished.leave()
    row = add_history(bank_row(bank, "mine"), Archive.of(bank, state), "someone")
    assert (row.interviews, row.pending) == (1, 1)
    assert row.costs == (done.interview.cost_so_far,)
    assert [one.interview for one in row.unfinished] == [unfinished.id]


def test_a_bank_that_was_never_used_has_no_interviews(bank: Bank, state: Path) -> None:
    assert add_history(bank_row(bank, "mine"), Archive.of(bank, state), "op").interviews == 0
    assert not state.exists()
