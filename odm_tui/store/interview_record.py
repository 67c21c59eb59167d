"""The record of an interview, built from its events: its current steps, its decision, its confirmed outcome.

The events are those of one branch: if two copies of a folder went on with the same interview,
:mod:`odm_tui.store.branches` chooses one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from odm_tui.engine.interview_state import RED_FLAG
from odm_tui.engine.operator_marks import (
    Mark,
    Marks,
    find_tried,
    is_stopped,
    keep_after_change,
    undo_mark,
)
from odm_tui.engine.target import find_move
from odm_tui.store.events import (
    STEPS,
    Abandoned,
    Answer,
    Answered,
    Asked,
    Changed,
    Confirmed,
    Continued,
    Corrected,
    Decided,
    Dropped,
    Event,
    Filed,
    Noted,
    Redated,
    Retracted,
    Reverted,
    Settled,
    Skipped,
    Started,
    Stopped,
    Tried,
    Undone,
    Unknown,
)

StepEvent = Answered | Unknown | Skipped
GivenAnswer = tuple[str, Answer | None]
"""A question and its answer; None if the answer was not known."""
Lesson = tuple[tuple[GivenAnswer, ...], str]
"""What is learned from an interview: its final answers, and its confirmed outcome."""
Statement = tuple[str, float]
"""The outcome that was decided, and its belief as it was logged."""

MILLIONTHS = 1_000_000
"""Moves of the stakes are counted in millionths: whole numbers, which add up exactly."""

UNFINISHED, PENDING, CONFIRMED = "unfinished", "pending", "confirmed"
ABANDONED, RETRACTED = "abandoned", "retracted"


@dataclass(slots=True, eq=False)
class InterviewRecord:
    """One interview so far; pass its events to :meth:`follow` in the order of the log.

    ``last_number`` and ``last_time`` belong to ``last``, its last event.
    ``highest`` is the highest number of any event of it in the log; ``conflicts`` counts its other branches.
    :meth:`add_up` sets the totals ``questions``, ``cost`` and ``seconds``, and what was decided.
    """

    interview: str
    began: str = ""
    operator: str = ""
    scripted: bool = False
    target_cost: float | None = None
    stakes_factor: float = 1.0
    """What the interview should cost on average, and by what that has multiplied its stakes."""
    case: str = ""
    note: str = ""
    started: Started | None = None
    steps: list[StepEvent] | None = None
    last: Event | None = None
    last_number: int = 0
    highest: int = 0
    last_time: str = ""
    questions: int = 0
    cost: float = 0.0
    seconds: float = 0.0
    decided_outcome: str | None = None
    referred: bool = False
    """Whether the decision was to hand over; ``decided_outcome`` is then the one that would be decided otherwise."""
    said: tuple[str, float] | None = None
    """The outcome that was decided before any was tried, and its belief as it was logged; None without a decision by belief."""
    shown: Asked | None = None
    marks: Marks = ()
    """What the operator did beside answering: stop, ask on, try an outcome."""
    changes: list[tuple[int, list[StepEvent], Marks]] | None = None
    """For each change of an answer the number of steps after it, and the steps and marks before it."""
    decided: Decided | None = None
    first_decided: Decided | None = None
    """The decision before the advice of any outcome was tried."""
    ending: Confirmed | Corrected | Abandoned | Retracted | None = None
    learned: tuple[GivenAnswer, ...] | None = None
    first_confirmed: tuple[int, str] | None = None
    labelled: tuple[tuple[int, str], tuple[int, str]] = ((0, ""), (0, ""))
    """The number and time of the last events that gave a case reference and a note."""
    redated: str = ""
    conflicts: int = 0

    @property
    def status(self) -> str:
        """Unfinished, pending (decided but not confirmed), confirmed, abandoned or retracted."""
        if isinstance(self.ending, Abandoned):
            return ABANDONED
        if isinstance(self.ending, Retracted):
            return RETRACTED
        if self.ending is not None:
            return CONFIRMED
        return PENDING if self.decided is not None else UNFINISHED

    @property
    def stopped(self) -> bool:
        """Whether the operator has stopped the interview."""
        return is_stopped(self.marks)

    @property
    def tried(self) -> tuple[str, ...]:
        """The outcomes whose advice was tried and did not help."""
        return find_tried(self.marks)

    @property
    def is_empty(self) -> bool:
        """Whether lists leave the interview out: it has no answer, and nothing else that anyone may look for."""
        if self.questions or self.steps:
            return False
        return self.status in (UNFINISHED, ABANDONED) or (
            self.status == PENDING and not (self.case or self.note)
        )

    @property
    def outcome(self) -> str | None:
        """The confirmed outcome; None before the confirmation, or if it is none of the bank's outcomes."""
        return self.ending.outcome if isinstance(self.ending, Confirmed | Corrected) else None

    @property
    def lesson(self) -> Lesson | None:
        """What is learned from the interview; None before an outcome is confirmed."""
        if self.outcome is None or self.learned is None:
            return None
        return self.learned, self.outcome

    @property
    def statement(self) -> Statement | None:
        """The first decision and how sure it was; None without one by belief: handed over, red flags.

        What was decided after an outcome's advice did not help does not count: only wrong decisions come to that.
        """
        return self.said

    @property
    def move(self) -> int | None:
        """How far it moves the stakes towards its target, in millionths; None without a target."""
        if self.target_cost is None:
            return None
        return move_of(self.cost, self.target_cost, self.stakes_factor)

    @property
    def confirmed_at(self) -> str:
        """The time of the first confirmation, before any correction; empty if there is none."""
        return self.redated or (self.first_confirmed[1] if self.first_confirmed else "")

    def follow(self, event: Event) -> bool:
        """Apply the next event; return False, and ignore the event, if it does not fit."""
        if isinstance(event, Settled | Redated):
            if event.n <= self.last_number or (isinstance(event, Redated) and self.ending is None):
                return False
            if isinstance(event, Redated):
                self.redated = event.confirmed
            self.last, self.last_number, self.last_time = event, event.n, event.time
            return True
        if isinstance(event, Confirmed | Corrected | Abandoned | Retracted):
            return self._end(event)
        if isinstance(event, Filed | Noted):
            return self._label(event)
        if self.ending is not None or event.n <= self.last_number:
            return False
        if not self._continue(event):
            return False
        self.last, self.last_number, self.last_time = event, event.n, event.time
        return True

    def _continue(self, event: Event) -> bool:
        steps = self.steps if self.steps is not None else []
        if isinstance(event, Started):
            self.started = event
            self.began, self.operator, self.scripted = event.time, event.operator, event.scripted
            self.target_cost, self.stakes_factor = event.target_cost, event.stakes_factor or 1.0
        elif not self.began:
            return False
        elif isinstance(event, Asked):
            self.shown = event
            return True
        elif isinstance(event, STEPS):
            if any(step.question == event.question for step in steps):
                return False
            steps.append(event)
        elif isinstance(event, Undone):
            if event.steps > len(steps) + len(self.marks):
                return False
            self._undo(steps, event.steps)
        elif isinstance(event, Changed):
            if event.step >= len(steps) or steps[event.step].question != event.question:
                return False
            before = list(steps), self.marks
            steps[event.step] = _change_step(steps[event.step], event)
            steps[event.step + 1 :] = [s for s in steps[event.step + 1 :] if s.question not in event.dropped]
            self.marks = keep_after_change(self.marks, len(steps))
            self.changes = [*(self.changes or ()), (len(steps), *before)]
        elif isinstance(event, Reverted):
            if not self.changes or self.changes[-1][0] != len(steps):
                return False
            _, steps, self.marks = self.changes[-1]
            self.changes = self.changes[:-1]
        elif isinstance(event, Dropped):
            steps = [step for step in steps if step.question not in event.questions]
            self.marks = tuple(mark._replace(depth=min(mark.depth, len(steps))) for mark in self.marks)
            self.changes = None
        elif isinstance(event, Stopped | Continued | Tried):
            self._mark(event, len(steps))
        elif isinstance(event, Decided):
            self.decided, self.shown = event, None
            if not self.tried:
                self.first_decided = event
            return True
        self.steps = steps
        # The answers have changed, so neither the decision nor the question that was shown holds any longer.
        self.decided = self.shown = None
        if not self.tried:
            self.first_decided = None
        return True

    def _undo(self, steps: list[StepEvent], times: int) -> None:
        """Take back the last marks and steps; a change stays, unless :class:`Reverted` takes it back."""
        for _ in range(times):
            depth = len(steps)
            fewer = undo_mark(self.marks, depth)
            if fewer is not None:
                self.marks = fewer
            else:
                steps.pop()
                self.changes = [change for change in self.changes or () if change[0] < depth]

    def _mark(self, event: Stopped | Continued | Tried, depth: int) -> None:
        if isinstance(event, Continued):
            mark = Mark("asked_on", depth, target=event.target)
        elif isinstance(event, Tried):
            mark = Mark("tried", depth, outcome=event.outcome)
        else:
            mark = Mark("stopped", depth)
        self.marks = (*self.marks, mark)

    def _label(self, event: Filed | Noted) -> bool:
        if not self.take_label(event):
            return False
        self.last, self.last_number = event, max(self.last_number, event.n)
        self.last_time = max(self.last_time, event.time)
        return True

    def take_label(self, event: Filed | Noted) -> bool:
        """Set the case or the note, also after the end; the later event counts, of whichever branch it is."""
        at, (filed, noted) = (event.n, event.time), self.labelled
        if not self.began or at <= (filed if isinstance(event, Filed) else noted):
            return False
        if isinstance(event, Filed):
            self.case, self.labelled = event.case or "", (at, noted)
        else:
            self.note, self.labelled = event.note or "", (filed, at)
        return True

    def _end(self, event: Confirmed | Corrected | Abandoned | Retracted) -> bool:
        if not self.began:
            return False
        if isinstance(event, Confirmed | Corrected):
            # The earliest one counts, in whichever order a merge brings them, even if this event is ignored below.
            at = (event.n, event.time)
            self.first_confirmed = min(at, self.first_confirmed or at)
        if self.ending is not None and (event.n, event.time, event.name) <= (
            self.ending.n,
            self.ending.time,
            self.ending.name,
        ):
            return False
        if self.learned is None:
            asked = (step for step in self.steps or () if not isinstance(step, Skipped))
            self.learned = tuple(
                _share_pair(step.question, step.answer if isinstance(step, Answered) else None)
                for step in asked
            )
            self.add_up()
        self.last, self.last_number, self.last_time = event, max(self.last_number, event.n), event.time
        self.ending = event
        return True

    def add_up(self) -> None:
        """Compute the totals of the current steps: questions, cost and time."""
        steps = self.steps or ()
        self.questions = sum(not isinstance(step, Skipped) for step in steps)
        self.cost = sum(step.cost for step in steps)
        self.seconds = sum(step.seconds for step in steps)
        self.decided_outcome = self.decided.outcome if self.decided else None
        self.referred = self.decided is not None and self.decided.refers
        first = self.first_decided
        by_belief = first is not None and not first.refers and first.rule != RED_FLAG
        self.said = (first.outcome, first.belief) if first is not None and by_belief else None

    def drop_details(self) -> None:
        """Remove everything but the totals and the lesson of an interview that has ended, to save memory."""
        if self.ending is not None:
            self.started = self.steps = self.shown = self.changes = self.last = None
            self.decided = self.first_decided = None


def move_of(cost: float, target: float, factor: float) -> int:
    """How far an interview moves the stakes towards its target, in millionths."""
    return round(MILLIONTHS * find_move(cost, target, factor))


def _change_step(step: StepEvent, event: Changed) -> StepEvent:
    common: dict[str, Any] = {
        "interview": step.interview,
        "n": step.n,
        "time": step.time,
        "question": step.question,
        "cost": event.cost,
        "seconds": step.seconds,
        "proposed": step.proposed,
    }
    if event.answer is None:
        return Unknown(**common)
    return Answered(**common, answer=event.answer)


_pairs: dict[tuple[str, type, Answer | None], GivenAnswer] = {}


def _share_pair(question: str, answer: Answer | None) -> GivenAnswer:
    """Return the same object for equal pairs, so that a million answers take the memory of a few hundred."""
    if len(_pairs) > 100_000:
        _pairs.clear()
    return _pairs.setdefault((question, type(answer), answer), (question, answer))
