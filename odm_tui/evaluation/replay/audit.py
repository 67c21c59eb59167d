"""Audit logged interviews: hold each again and check that it asks the same questions."""

from __future__ import annotations

from dataclasses import dataclass, field

from odm_tui.banks.bank import Bank
from odm_tui.engine.interview import Ask, Decide, Interview
from odm_tui.engine.policy import policy_from
from odm_tui.errors import BadArgument
from odm_tui.evaluation.replay.logged_interviews import LoggedInterview
from odm_tui.store.apply_events import apply_event
from odm_tui.store.counts import BankIndex
from odm_tui.store.events import Answered, Asked, Decided, Event, Skipped, Unknown

MAX_DIFFERENCES = 20
"""How many differences are listed; all are counted."""


@dataclass(frozen=True)
class Difference:
    """One interview that does not repeat: the first difference and its probable reason."""

    interview: str
    event: int
    what: str
    reason: str


@dataclass
class Audit:
    """How many interviews repeat exactly, and how many differ, by reason."""

    bank: Bank
    checked: int = 0
    same: int = 0
    reasons: dict[str, int] = field(default_factory=dict)
    differences: list[Difference] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._index = BankIndex.of(self.bank)

    def check(self, logged: LoggedInterview) -> Difference | None:
        """Hold one interview again; return the first difference, or None."""
        self.checked += 1
        found = self._first_difference(logged)
        if found is None:
            self.same += 1
            return None
        event, what = found
        difference = Difference(logged.started.interview, event, what, self._reason(logged))
        self.reasons[difference.reason] = self.reasons.get(difference.reason, 0) + 1
        if len(self.differences) < MAX_DIFFERENCES:
            self.differences.append(difference)
        return difference

    def _reason(self, logged: LoggedInterview) -> str:
        if logged.started.bank_hash != self.bank.hash:
            return "the bank has changed"
        if logged.edited:
            return "the log was edited or is damaged"
        return "it was held with another version of odm-tui, or its log was edited"

    def _first_difference(self, logged: LoggedInterview) -> tuple[int, str] | None:
        started = logged.started
        try:
            problem = logged.before.problem
            interview = Interview(problem, policy_from(started.policy), logged.before, started.seed)
        except BadArgument as error:
            return started.n, f"its policy can't be used: {error}"
        for event in logged.events[1:]:
            what = self._compare(interview, event)
            if what is not None:
                return event.n, what
            try:
                apply_event(interview, event, self._index)
            except BadArgument as error:
                return event.n, f"'{event.name}' is not possible there: {error}"
        return None

    def _compare(self, interview: Interview, event: Event) -> str | None:
        if isinstance(event, Asked | Answered | Unknown | Skipped):
            logged = event.proposed or event.question
            upcoming = interview.next
            now = self.bank.questions[upcoming.question].id if isinstance(upcoming, Ask) else "a decision"
            place = self._index.question_places.get(logged)
            same = isinstance(upcoming, Ask) and place == upcoming.question
            # An operator who continues after the decision picks a question; the policy proposes none.
            if not same and not (isinstance(upcoming, Decide) and event.proposed is None):
                return f"the log has {logged!r} next, now it is {now!r}"
        if isinstance(event, Decided):
            upcoming = interview.next
            if isinstance(upcoming, Ask):
                return f"the log decides, now {self.bank.questions[upcoming.question].id!r} is asked"
            if event.refers != upcoming.refer and not interview.is_stopped:
                return (
                    "the log hands over, now it decides"
                    if event.refers
                    else "the log decides, now it hands over"
                )
            if self._index.outcome_places.get(event.outcome) != upcoming.outcome:
                return f"the log decides {event.outcome!r}, now {self.bank.outcomes[upcoming.outcome].id!r}"
        return None
