"""What a bank has learned."""

from __future__ import annotations

from pathlib import Path

from odm_tui.banks import Bank
from odm_tui.session import Archive
from odm_tui.views.learned import learned_view
from odm_tui.views.trend import smooth_trend
from tests.support.faults.interviews import hold_interview


def test_every_answer_has_a_row_but_no_of_a_yes_no_question(bank: Bank, state: Path) -> None:
    view = learned_view(bank, Archive.of(bank, state))
    assert [row.label for row in view.rows if row.question == "Is there a fever?"] == ["Yes"]
    assert [row.label for row in view.rows if row.question == "Which colour?"] == ["Red", "Amber", "Off"]
    assert len(view.rows) == 4 + 3 + 4
    assert (view.interviews, view.costs, view.right) == (0, (), ())
    assert {count for row in view.rows for count in row.seen} == {0}


def test_an_interval_lies_around_its_mean_and_within_0_and_1(bank: Bank, state: Path) -> None:
    for row in learned_view(bank, Archive.of(bank, state)).rows:
        for mean, low, high in row.cells:
            assert 0 <= low < mean < high <= 1


def test_confirmed_interviews_move_the_estimates(bank: Bank, state: Path) -> None:
    before = learned_view(bank, Archive.of(bank, state))
    done = [hold_interview(bank, state, seed) for seed in range(3)]
    view = learned_view(bank, Archive.of(bank, state))
    assert view.interviews == 3
    assert view.costs == smooth_trend([one.interview.cost_so_far for one in done])
    assert len(view.right) == 3
    cold = view.outcomes.index("Cold")
    changed = [
        (old.cells[cold][0], new.cells[cold][0])
        for old, new in zip(before.rows, view.rows, strict=True)
        if new.seen[cold]
    ]
    assert changed
    assert all(old != new for old, new in changed)


def test_the_most_informative_question_comes_first(bank: Bank, state: Path) -> None:
    bits = [question.bits for question in learned_view(bank, Archive.of(bank, state)).telling]
    assert len(bits) == len(bank.questions)
    assert bits == sorted(bits, reverse=True)
