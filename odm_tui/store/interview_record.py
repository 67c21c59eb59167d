"""The record of an interview, told from its events: what stands, what was decided, what was confirmed.

Events that two copies of a folder added to the same interview meet in a merge. For confirmations,
corrections and retractions the later one counts, in whichever order they are read; answers that come twice
under the same number don't fit and are left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from odm_tui.store.events import (
    STEPS,
    Abandoned,
    Answer,
    Answered,
    Asked,
    Changed,
    Confirmed,
    Corrected,
    Decided,
    Dropped,
    Event,
    Forgotten,
    Retracted,
    Skipped,
    Started,
    Stopped,
    Undone,
    Unknown,
)
from odm_tui.store.log import Entry

StepEvent = Answered | Unknown | Skipped
GivenAnswer = tuple[str, Answer | None]
"""A question and its answer; None: it was put, and nobody knew."""
Lesson = tuple[tuple[GivenAnswer, ...], str]
"""What an interview teaches: what was said and stood, and the outcome that was confirmed."""

UNFINISHED, PENDING, CONFIRMED = "unfinished", "pending", "confirmed"
ABANDONED, RETRACTED = "abandoned", "retracted"


@dataclass(slots=True, eq=False)
class InterviewRecord:
    """One interview so far; feed it its events in the order of the log.

    ``offset`` is where it begins in the log, ``last`` and ``latest`` are its last event's number and time.
    Once it has ended: ``put`` questions took ``seconds`` and ``cost``, and ``decided_outcome`` was decided.
    """

    interview: str
    offset: int = 0
    began: str = ""
    operator: str = ""
    started: Started | None = None
    steps: list[StepEvent] | None = None
    last_number: int = 0
    last_time: str = ""
    questions: int = 0
    cost: float = 0.0
    seconds: float = 0.0
    decided_outcome: str | None = None
    shown: Asked | None = None
    stopped: bool = False
    decided: Decided | None = None
    ending: Confirmed | Corrected | Abandoned | Retracted | None = None
    learned: tuple[GivenAnswer, ...] | None = None
    first_confirmed: tuple[int, str] | None = None

    @property
    def status(self) -> str:
        """unfinished, pending (decided, not confirmed yet), confirmed, abandoned or retracted."""
        if isinstance(self.ending, Abandoned):
            return ABANDONED
        if isinstance(self.ending, Retracted):
            return RETRACTED
        if self.ending is not None:
            return CONFIRMED
        return PENDING if self.decided is not None else UNFINISHED

    @property
    def outcome(self) -> str | None:
        """The outcome that counts as confirmed; None if there is none, or none of the bank's."""
        return self.ending.outcome if isinstance(self.ending, Confirmed | Corrected) else None

    @property
    def lesson(self) -> Lesson | None:
        """What there is to learn, if anything: nothing before the confirmation."""
        if self.outcome is None or self.learned is None:
            return None
        return self.learned, self.outcome

    @property
    def confirmed_at(self) -> str:
        """When the outcome was first confirmed, whatever was corrected later; empty before that."""
        return self.first_confirmed[1] if self.first_confirmed else ""

    def follow(self, event: Event) -> bool:
        """Take the next event in; False if it does not fit, and is left out."""
        if isinstance(event, Confirmed | Corrected | Abandoned | Retracted):
            return self._end(event)
        if self.ending is not None or event.n <= self.last_number:
            return False
        if not self._continue(event):
            return False
        self.last_number, self.last_time = event.n, event.time
        return True

    def _continue(self, event: Event) -> bool:
        steps = self.steps if self.steps is not None else []
        if isinstance(event, Started):
            self.started = event
            self.began, self.operator = event.time, event.operator
        elif not self.began:
            return False
        elif isinstance(event, Asked):
            self.shown = event
            return True
        elif isinstance(event, STEPS):
            if any(step.question == event.question for step in steps):
                return False
            steps.append(event)
            self.shown = None
        elif isinstance(event, Undone):
            if event.steps > len(steps) + self.stopped:
                return False
            for _ in range(event.steps):
                if self.stopped:
                    self.stopped = False
                else:
                    steps.pop()
        elif isinstance(event, Changed):
            if event.step >= len(steps) or steps[event.step].question != event.question:
                return False
            steps[event.step] = _changed(steps[event.step], event)
            steps[event.step + 1 :] = [s for s in steps[event.step + 1 :] if s.question not in event.dropped]
            self.stopped = False
        elif isinstance(event, Dropped):
            steps = [step for step in steps if step.question not in event.questions]
        elif isinstance(event, Stopped):
            self.stopped = True
        elif isinstance(event, Decided):
            self.decided = event
            return True
        self.steps = steps
        self.decided = None  # anything that was said or taken back since asks for a new decision
        return True

    def _end(self, event: Confirmed | Corrected | Abandoned | Retracted) -> bool:
        if not self.began:
            return False
        if isinstance(event, Confirmed | Corrected):
            # The first one, in whichever order a merge brings them: also where the event itself comes too late.
            at = (event.n, event.time)
            self.first_confirmed = min(at, self.first_confirmed or at)
        if self.ending is not None and (event.n, event.time, event.name) <= (
            self.ending.n,
            self.ending.time,
            self.ending.name,
        ):
            return False
        if self.learned is None:
            put = (step for step in self.steps or () if not isinstance(step, Skipped))
            self.learned = tuple(
                _shared(step.question, step.answer if isinstance(step, Answered) else None) for step in put
            )
            self.add_up()
        self.last_number, self.last_time = max(self.last_number, event.n), event.time
        self.ending = event
        return True

    def add_up(self) -> None:
        """Sum up what the steps that stand have cost."""
        steps = self.steps or ()
        self.questions = len(steps)
        self.cost = sum(step.cost for step in steps)
        self.seconds = sum(step.seconds for step in steps)
        self.decided_outcome = self.decided.outcome if self.decided else None

    def drop_details(self) -> None:
        """Keep only what counts of an interview that has ended, to save room while counting."""
        if self.ending is not None:
            self.started = self.steps = self.shown = self.decided = None


def _changed(step: StepEvent, event: Changed) -> StepEvent:
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


def _shared(question: str, answer: Answer | None) -> GivenAnswer:
    """The same pair for the same answer: a million of them then need room for a few hundred."""
    if len(_pairs) > 100_000:
        _pairs.clear()
    return _pairs.setdefault((question, type(answer), answer), (question, answer))


@dataclass(slots=True, eq=False)
class InterviewRecords:
    """All interviews of a log, by id; forgotten ones only as the set of their ids."""

    by_id: dict[str, InterviewRecord] = field(default_factory=dict)
    forgotten: set[str] = field(default_factory=set)
    misfits: list[str] = field(default_factory=list)

    @classmethod
    def from_entries(cls, found: Iterable[Entry]) -> InterviewRecords:
        """The interviews of these entries."""
        records = cls()
        for entry in found:
            records.follow(entry)
        return records

    def follow(self, entry: Entry) -> None:
        """Take the next entry of the log in."""
        event = entry.event
        if isinstance(event, Forgotten):
            self.by_id.pop(event.interview, None)
            self.forgotten.add(event.interview)
            return
        if event.interview in self.forgotten:
            return
        record = self.by_id.get(event.interview)
        if record is None:
            record = self.by_id[event.interview] = InterviewRecord(event.interview, entry.offset)
        if not record.follow(event):
            self.misfits.append(
                f"line {entry.line}: '{event.name}' does not fit interview {event.interview} there"
            )
