"""Follow an interview through a long log with few operations, if nothing unusual happens in it.

Most interviews are a start, answers, a decision, an outcome, and perhaps a case and a note. For these, this gives the
same totals as :class:`~odm_tui.store.interview_record.InterviewRecord`. Any other interview is marked as complex: its
lines are then read again, and the record decides.
"""

from __future__ import annotations

from typing import Any

from odm_tui.engine.interview_state import RED_FLAG
from odm_tui.store.events import (
    REFER,
    Abandoned,
    Answered,
    Asked,
    Confirmed,
    Decided,
    Filed,
    Noted,
    Skipped,
    Started,
    Unknown,
)
from odm_tui.store.index.summary import is_empty
from odm_tui.store.interview_record import (
    ABANDONED,
    CONFIRMED,
    PENDING,
    UNFINISHED,
    GivenAnswer,
    Statement,
    move_of,
)

ASKED, ANSWERED, UNKNOWN, SKIPPED, STARTED, DECIDED, ENDED, FILED, NOTED = range(9)
KINDS: dict[type, int] = {
    Asked: ASKED,
    Answered: ANSWERED,
    Unknown: UNKNOWN,
    Skipped: SKIPPED,
    Started: STARTED,
    Decided: DECIDED,
    Confirmed: ENDED,
    Abandoned: ENDED,
    Filed: FILED,
    Noted: NOTED,
}
"""The events of simple interviews; the fast decoder adds its own types."""


class TrackedInterview:
    """One interview of a log that is being indexed; ``spans`` are the places of its lines."""

    __slots__ = (
        *("answers", "asked", "began", "case", "cost", "decided", "ending", "factor", "highest", "interview"),
        *(
            "is_complex",
            "last_time",
            "note",
            "number",
            "operator",
            "questions",
            "scripted",
            "seconds",
            "spans",
        ),
        "target",
    )

    def __init__(self, interview: str, number: int, spans: list[int], *, is_complex: bool = False) -> None:
        self.interview, self.number, self.spans, self.is_complex = interview, number, spans, is_complex
        self.highest = 0
        self.began = self.operator = self.case = self.note = self.last_time = ""
        self.scripted = False
        self.answers: list[GivenAnswer] = []
        """The answers that teach something."""
        self.asked: set[str] = set()
        self.questions = 0
        self.cost: float = 0
        self.seconds: float = 0
        self.decided: Any = None
        self.ending: Any = None
        self.target: float | None = None
        self.factor = 1.0

    def follow(self, event: Any, kind: int) -> None:
        """Apply the next event, or mark the interview as complex; ``kind`` is its value in :data:`KINDS`, else -1."""
        if self.is_complex:
            return
        n = event.n
        if n <= self.highest or not (self.began or kind == STARTED):
            self.is_complex = True
            return
        self.highest = n
        if kind >= FILED:
            self.last_time = max(self.last_time, event.time)
            if kind == FILED:
                self.case = event.case or ""
            else:
                self.note = event.note or ""
            return
        if self.ending is not None or kind < 0:
            self.is_complex = True
            return
        self.last_time = event.time
        if kind == ASKED:
            return
        if kind <= SKIPPED:
            question = event.question
            if question in self.asked:
                self.is_complex = True
                return
            self.asked.add(question)
            self.cost += event.cost
            self.seconds += event.seconds
            self.decided = None
            if kind != SKIPPED:
                self.questions += 1
                self.answers.append((question, event.answer if kind == ANSWERED else None))
        elif kind == DECIDED:
            self.decided = event
        elif kind == ENDED:
            self.ending = event
        elif self.began:
            self.is_complex = True  # a second start
        else:
            self.began, self.operator = event.time, event.operator
            self.scripted = event.scripted is True
            self.target = event.target_cost or None
            self.factor = event.stakes_factor or 1.0

    @property
    def outcome(self) -> str | None:
        """The confirmed outcome."""
        return getattr(self.ending, "outcome", None)

    @property
    def statement(self) -> Statement | None:
        """The decision and how sure it was; None without one by belief."""
        decided = self.decided
        if decided is None or decided.rule in (REFER, RED_FLAG):
            return None
        return decided.outcome, decided.belief

    @property
    def move(self) -> int | None:
        """How far it moves the stakes towards its target; see :attr:`InterviewRecord.move`."""
        return None if self.target is None else move_of(self.cost, self.target, self.factor)

    def columns(self) -> tuple[Any, ...]:
        """Return what :meth:`~odm_tui.store.index.summary.InterviewSummary.columns` returns for its record."""
        ending, decided = self.ending, self.decided
        if ending is None:
            status = UNFINISHED if decided is None else PENDING
            has_steps = bool(self.asked)
        else:
            status = CONFIRMED if hasattr(ending, "outcome") else ABANDONED
            has_steps = self.questions > 0
        return (
            *(self.interview, self.began, self.operator, self.scripted, self.case, self.note, status),
            *(
                is_empty(status, has_steps, bool(self.case or self.note)),
                self.questions,
                self.cost,
                self.seconds,
            ),
            *(None if decided is None else decided.outcome, self.outcome),
            *(decided is not None and decided.rule == REFER, self.last_time, 0, self.target, self.factor),
        )
