"""What a bank has learned."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from odm_tui.banks import Bank
from odm_tui.session import Archive, Session
from odm_tui.views.learned import learned_view
from odm_tui.views.trend import smooth_trend
from tests.support.faults.interviews import hold_interview, sample_answer


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


def hold(bank: Bank, folder: Path, seed: int, operator: str, outcome: str = "cold") -> None:
    """Hold an interview of an operator, and confirm the outcome."""
    session = Session.start(bank, folder, seed=seed, operator=operator)
    while session.question is not None:
        session.answer(sample_answer(session.question))
    session.confirm(outcome)
    session.leave()


def test_what_one_operator_learned_is_what_is_left_without_the_others(
    bank: Bank, state: Path, tmp_path: Path
) -> None:
    for seed, (operator, outcome) in enumerate(
        [("ann", "cold"), ("ben", "flu"), ("ann", "flu"), ("ann", "line-fault"), ("ben", "cold")]
    ):
        hold(bank, state, seed, operator, outcome)
    found = learned_view(bank, Archive.of(bank, state), "ann", "ann")
    rest = Archive.of(bank, Path(shutil.copytree(state, tmp_path / "rest")))
    for record in rest.history():
        if record.operator != "ann":
            rest.forget(record.interview)
    expected = learned_view(bank, rest, "ann")
    assert found.interviews == 3
    assert found == replace(expected, operator="ann", operators=("ann", "ben"))


def test_the_operators_come_in_turn_oneself_first_and_then_all_again(bank: Bank, state: Path) -> None:
    for seed, operator in enumerate(("cy", "ann", "ben", "ben")):
        hold(bank, state, seed, operator)
    archive, seen = Archive.of(bank, state), []
    view = learned_view(bank, archive, "ann")
    for _ in range(5):
        seen.append((view.whose, view.interviews))
        view = learned_view(bank, archive, "ann", view.next_operator)
    assert seen == [("all operators", 4), ("mine", 1), ("ben", 2), ("cy", 1), ("all operators", 4)]


def test_a_folder_of_one_operator_names_none(bank: Bank, state: Path) -> None:
    hold(bank, state, 1, "ann")
    assert learned_view(bank, Archive.of(bank, state), "ann").whose == ""


def test_a_pseudonym_is_shown_without_control_characters(bank: Bank, state: Path) -> None:
    view = learned_view(bank, Archive.of(bank, state))
    assert replace(view, operator="b\x1b[2Jen", operators=("a", "b\x1b[2Jen")).whose.isprintable()
