"""What an event of the log does to the engine's interview: for resuming, for the history and for the audit."""

from __future__ import annotations

from collections.abc import Iterable

from odm_tui.engine.interview import Interview
from odm_tui.errors import BadArgument
from odm_tui.store.counts import BankIndex
from odm_tui.store.events import (
    Answered,
    Changed,
    Continued,
    Decided,
    Event,
    Reverted,
    Skipped,
    Stopped,
    Tried,
    Undone,
    Unknown,
)
from odm_tui.store.interview_record import StepEvent


def apply_event(interview: Interview, event: Event, index: BankIndex) -> None:
    """Repeat one event in the engine; events that change no answer do nothing.

    Raise BadArgument, and change nothing, if the bank no longer allows the event.
    """
    if isinstance(event, Answered):
        interview.answer(event.answer, _find_question(event.question, index))
    elif isinstance(event, Unknown):
        interview.dont_know(_find_question(event.question, index))
    elif isinstance(event, Skipped):
        interview.skip(_find_question(event.question, index))
    elif isinstance(event, Undone):
        interview.undo(event.steps)
    elif isinstance(event, Changed):
        # Not by event.step: steps that the bank no longer allows are missing in the engine.
        question = _find_question(event.question, index)
        asked = [step.question for step in interview.steps]
        if question not in asked:
            raise BadArgument(f"Question {event.question!r} has no answer to change.")
        interview.change(asked.index(question), event.answer)
    elif isinstance(event, Reverted):
        interview.revert()
    elif isinstance(event, Stopped):
        interview.stop()
    elif isinstance(event, Continued):
        interview.ask_on(event.target)
    elif isinstance(event, Tried):
        outcome = index.outcome_places.get(event.outcome)
        if outcome is None:
            raise BadArgument(f"The bank has no outcome {event.outcome!r}.")
        interview.rule_out(outcome)
    elif isinstance(event, Decided) and event.refers and interview.is_stopped:
        interview.refer()  # the operator's own decision: an oracle's follows from the answers


def apply_steps(interview: Interview, steps: Iterable[StepEvent], index: BankIndex) -> list[StepEvent]:
    """Repeat the steps in the engine and return those that the bank no longer allows, which are left out."""
    left_out = []
    for step in steps:
        try:
            apply_event(interview, step, index)
        except BadArgument:
            left_out.append(step)
    return left_out


def _find_question(name: str, index: BankIndex) -> int:
    question = index.question_places.get(name)
    if question is None:
        raise BadArgument(f"The bank has no question {name!r}.")
    return question
