"""An open interview as it stands: its question or decision, its steps and its beliefs."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from odm_tui.banks.bank import Bank, BankQuestion
from odm_tui.engine.explain import Explanation
from odm_tui.engine.interview import Ask, Decide
from odm_tui.errors import BadArgument
from odm_tui.session.answers import Decision, StepTaken
from odm_tui.session.archive import Archive
from odm_tui.session.contradiction import Contradiction, find_contradiction
from odm_tui.session.event_writer import EventWriter
from odm_tui.session.red_flags import describe_reason, find_red_flag, find_warnings
from odm_tui.session.session_start import OpenedInterview
from odm_tui.store.events import Answered
from odm_tui.store.interview_record import CONFIRMED
from odm_tui.store.log import is_longer_than

_LARGEST_LOG = 1_000_000
"""Bytes."""
_TARGETS = (0.5, 0.8, 0.9, 0.95, 0.99)


class CurrentInterview:
    """An open interview as it stands; :class:`~odm_tui.session.session.Session` adds what the operator can do."""

    def __init__(self, bank: Bank, opened: OpenedInterview, stopwatch: Callable[[], float]) -> None:
        self.bank = bank
        self.interview = opened.interview
        self.record = opened.record
        self._opened = opened
        self._archive = opened.archive
        self._writer = EventWriter(opened.archive, opened.record, opened.written)
        self._stopwatch = stopwatch
        self._picked: int | None = None
        self._shown_at = stopwatch()
        self.has_ended = False
        self._taken_back = False

    @property
    def id(self) -> str:
        """The interview's id."""
        return self.record.interview

    @property
    def case(self) -> str:
        """The case reference; empty if there is none."""
        return self.record.case

    @property
    def note(self) -> str:
        """The note; empty if there is none."""
        return self.record.note

    @property
    def notices(self) -> list[str]:
        """Messages for the operator: a changed bank, a state that was set aside, damaged lines."""
        return self._archive.notices

    @property
    def question(self) -> BankQuestion | None:
        """The question to ask now: the operator's pick, or else the proposed one; None after the decision."""
        if self._picked is not None:
            return self.bank.questions[self._picked]
        upcoming = self.interview.next
        return self.bank.questions[upcoming.question] if isinstance(upcoming, Ask) else None

    @property
    def decision(self) -> Decision | None:
        """The decision; None before it."""
        upcoming = self.interview.next
        if self._picked is not None or not isinstance(upcoming, Decide):
            return None
        outcome = self.bank.outcomes[upcoming.outcome]
        reason, flag = describe_reason(self.bank, upcoming), find_red_flag(self.bank, upcoming)
        refer = self.bank.refer if upcoming.refer else None
        sure = float(self.interview.shown_belief[upcoming.outcome])
        return Decision(outcome, sure, reason, upcoming.rule, flag, refer)

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings that the answers so far set off."""
        return find_warnings(self.bank, self.interview)

    @property
    def is_sure_enough(self) -> bool:
        """Whether the decision may be confirmed by one key.

        Not without an answer, not below the bank's ``sure_enough``, and not if a red flag has no outcome of the bank.
        """
        decision = self.decision
        if decision is None or not any(step.kind == "answered" for step in self.interview.steps):
            return False
        if decision.flag is not None and decision.flag.outcome is None:
            return False
        return decision.belief >= self.bank.sure_enough

    @property
    def next_target(self) -> float:
        """The belief that asking on aims at: the next of a few round ones."""
        sure = float(self.interview.belief.max())
        return next((target for target in _TARGETS if target > sure), 1.0)

    def mean_questions(self) -> float | None:
        """The mean number of questions of this operator's confirmed interviews; None if there are fewer than two.

        None also for a large log: reading it would hold up the summary.
        """
        archive = Archive(self._archive.paths, self.bank, self._archive.clock)
        try:
            if is_longer_than(archive.paths.log, _LARGEST_LOG):
                return None
            found = [r.questions for r in archive.history(CONFIRMED) if r.operator == self.record.operator]
        except OSError:
            return None
        finally:
            archive.close()
        return sum(found) / len(found) if len(found) > 1 else None

    @property
    def is_taken_back(self) -> bool:
        """Whether the confirmation was taken back: then only another outcome can be confirmed."""
        return self._taken_back

    @property
    def can_undo(self) -> bool:
        """Whether there is anything to take back."""
        return not self._taken_back and (self._picked is not None or self.interview.last_action is not None)

    @property
    def steps(self) -> tuple[StepTaken, ...]:
        """The current steps, with numbers as they were typed."""
        return tuple(
            StepTaken(
                self.bank.questions[step.question],
                step.kind,
                event.answer if isinstance(event, Answered) else None,
                step.cost,
                event.seconds,
                event.proposed,
            )
            for step, event in zip(self.interview.steps, self.record.steps or (), strict=True)
        )

    @property
    def available(self) -> tuple[BankQuestion, ...]:
        """The questions that could be asked now."""
        return tuple(self.bank.questions[i] for i in self.interview.available.nonzero()[0])

    @property
    def belief(self) -> dict[str, float]:
        """P(outcome | answers so far) as it is shown, by the outcome's id."""
        return {o.id: float(p) for o, p in zip(self.bank.outcomes, self.interview.shown_belief, strict=True)}

    @property
    def contradiction(self) -> Contradiction | None:
        """The answer that clearly contradicts the others and changes the outcome, if there is one."""
        given = (
            (step.question, taken.answer)
            for step, taken in zip(self.interview.steps, self.steps, strict=True)
        )
        return find_contradiction(self.interview, self.bank, dict(given))

    def explain(self, top: int = 3) -> Explanation:
        """Explain the choice: the best questions, with their gain and cost."""
        return self.interview.explain(top)

    def think_ahead(self) -> Iterator[None]:
        """Compute the next question for each possible answer, and yield before each; the interview does not change."""
        return self.interview.think_ahead(self._picked)

    def _check_open(self) -> None:
        """Raise BadArgument if the interview has ended."""
        if self.has_ended:
            raise BadArgument(f"Interview {self.id} has ended.")
        if self._taken_back:
            raise BadArgument("Only another outcome can be confirmed now; the answers stay as they are.")

    def _open_question(self) -> int:
        self._check_open()
        if self._picked is not None:
            return self._picked
        upcoming = self.interview.next
        if isinstance(upcoming, Decide):
            raise BadArgument("There is no open question: the interview has reached its decision.")
        return upcoming.question
