"""What an event of the log does to the engine's interview."""

from __future__ import annotations

import pytest

from odm_tui.engine.interview import Interview
from odm_tui.engine.problem import Problem
from odm_tui.errors import BadArgument
from odm_tui.store.apply_events import apply_event, apply_steps
from odm_tui.store.counts import BankIndex
from odm_tui.store.events import Answered, Asked, Changed, Event, Skipped, Stopped, Undone, Unknown


@pytest.fixture
def index() -> BankIndex:
    problem = Problem.build(["fever", "cough", "rash"], ["flu", "cold"])
    return BankIndex("b", "h", problem, question_aliases={"temperature": "fever"})


@pytest.fixture
def interview(index: BankIndex) -> Interview:
    return Interview(index.problem, "w-ec2-ts", seed=1)


def answered(question: str, answer: str = "yes") -> Answered:
    return Answered(interview="abcd", question=question, answer=answer, cost=1, seconds=0)


def steps(interview: Interview) -> list[tuple[str, str, int | None]]:
    return [
        (interview.problem.questions[step.question].id, step.kind, step.answer) for step in interview.steps
    ]


def test_each_kind_of_step_is_repeated(interview: Interview, index: BankIndex) -> None:
    for event in (
        answered("cough"),
        Unknown(interview="abcd", question="rash", cost=1, seconds=0),
        Skipped(interview="abcd", question="fever", cost=0, seconds=0),
    ):
        apply_event(interview, event, index)
    assert steps(interview) == [
        ("cough", "answered", 1),
        ("rash", "unknown", None),
        ("fever", "skipped", None),
    ]


def test_a_question_is_found_by_a_former_id(interview: Interview, index: BankIndex) -> None:
    apply_event(interview, answered("temperature"), index)
    changed = Changed(interview="abcd", step=0, question="temperature", answer="no", cost=1)
    apply_event(interview, changed, index)
    assert steps(interview) == [("fever", "answered", 0)]


def test_undoing_and_stopping_are_repeated(interview: Interview, index: BankIndex) -> None:
    apply_event(interview, answered("cough"), index)
    apply_event(interview, Stopped(interview="abcd"), index)
    assert interview.question is None
    apply_event(interview, Undone(interview="abcd", steps=2), index)
    assert steps(interview) == []
    assert interview.question is not None


def test_an_event_that_changes_no_answer_does_nothing(interview: Interview, index: BankIndex) -> None:
    apply_event(interview, Asked(interview="abcd", question="gone"), index)
    assert steps(interview) == []


@pytest.mark.parametrize(
    "event",
    [
        answered("gone"),
        answered("fever", "perhaps"),
        Undone(interview="abcd", steps=2),
        Changed(interview="abcd", step=0, question="rash", answer="no", cost=1),
    ],
)
def test_an_event_that_the_bank_does_not_allow_changes_nothing(
    interview: Interview, index: BankIndex, event: Event
) -> None:
    apply_event(interview, answered("cough"), index)
    with pytest.raises(BadArgument):
        apply_event(interview, event, index)
    assert steps(interview) == [("cough", "answered", 1)]


def test_a_change_finds_its_answer_also_when_an_earlier_question_is_gone(
    interview: Interview, index: BankIndex
) -> None:
    assert [
        step.question for step in apply_steps(interview, [answered("gone"), answered("cough")], index)
    ] == ["gone"]
    apply_event(interview, Changed(interview="abcd", step=1, question="cough", answer="no", cost=1), index)
    assert steps(interview) == [("cough", "answered", 0)]
