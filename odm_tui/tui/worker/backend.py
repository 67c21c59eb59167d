"""Do everything for the screens that touches the engine, a disk or a lock.

Screens never call the backend directly: they send it work through a :class:`~odm_tui.tui.worker.client.WorkerClient`
and get plain values back. Heavy modules are imported inside the methods, because the screens import this module too.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

from odm_tui.tui.worker.bank_cache import BankCache

if TYPE_CHECKING:
    from odm_tui.banks.bank import Bank, BankQuestion
    from odm_tui.interview_options import InterviewOptions
    from odm_tui.session import Archive, Session
    from odm_tui.session.team.team_link import TeamLink
    from odm_tui.tui.worker.bank_trial import BankTrial
    from odm_tui.views.evidence import EvidenceView
    from odm_tui.views.interview import InterviewView, OtherQuestion, UnfinishedInterview, WhyView
    from odm_tui.views.search import SearchableQuestion
    from odm_tui.views.summary import SummaryView

InterviewAction = Literal[
    "answer",
    "dont_know",
    "skip",
    "undo",
    "pick",
    "change",
    "refer",
    "stop",
    "ask_on",
    "rule_out",
    "set_case",
    "set_note",
]
"""What an operator can do in an interview: the methods of a session that change it."""

_EXPLAINED = 8
"""How many questions the reason compares; a screen shows as many as it has room for."""


class LeftInterview(NamedTuple):
    """An interview that was left before it ended: its bank, as it was named, and its id."""

    bank: str
    interview: str
    pending: bool
    """Whether it is pending (it needs a confirmed outcome) or unfinished (it needs more answers)."""
    is_taken_back: bool = False
    """Whether its confirmation was taken back and no other was given: then it counts as retracted."""


class CallSummary(NamedTuple):
    """A call in plain text, and the file that it was written to."""

    text: str
    path: str


class TeamStatus(NamedTuple):
    """How the sync with a team's store is doing."""

    mark: str
    """A few words for the header."""
    news: int
    """A number that changes when the team has brought events, or opened or left an interview."""


class Backend:
    """Hold the open interview and the banks that were read."""

    def __init__(self, options: InterviewOptions) -> None:
        self.options = options
        self.session: Session | None = None
        self._view: InterviewView | None = None
        self._confirmed: str | None = None
        """The label of the outcome that was confirmed last; empty for none of the outcomes."""
        self._banks = BankCache()
        self._name = ""
        self.has_request: Callable[[], bool] = lambda: False
        """Whether another request waits, so that work which is not urgent can be left."""
        self._is_prepared = False
        """Whether the next interview was prepared since the last one was started."""
        self.trial: BankTrial | None = None
        """The interviews of the bank that is being tried."""
        self._changed: str | None = None
        """The bank of which an interview was started, confirmed or changed since its variants were looked at."""
        self.fitting: threading.Thread | None = None
        self._team: TeamLink | None = None
        self._connecting = threading.Lock()

    def warm_up(self) -> None:
        """Load what the first question needs while the screen is still being drawn."""
        from odm_tui.errors import OdmError

        if self.options.store is not None:
            _ = self.team
        if self.options.bank is None:
            return
        try:
            bank = self.bank(self.options.bank)
            from odm_tui.session import Session, resume
            from odm_tui.views import history

            del resume, history  # only to have them imported
            Session.warm_up(bank, self.options.policy_name)
        except OdmError:
            return  # reported when a screen requests the bank

    @property
    def team(self) -> TeamLink:
        """The sync with the team's store, if one was named; it starts with the first use."""
        with self._connecting:
            if self._team is None:
                from odm_tui.session.team.team_link import TeamLink

                options = self.options
                self._team = TeamLink.of(options.store, options.state_dir, options.operator)
            return self._team

    def team_status(self) -> TeamStatus | None:
        """How the sync with the team's store is doing; None without a store."""
        status = self.team.status
        if status is None:
            return None
        return TeamStatus(status.mark, hash((status.taken, frozenset(status.present.items()))))

    def close(self) -> None:
        """Close the open interview, and let the sync send what is left."""
        self.close_session()
        if self._team is not None:
            self._team.close()

    def think_ahead(self) -> Iterator[None]:
        """Compute the next question for each possible answer; yield before each one, so that the caller can stop."""
        if self.session is not None and not self.session.has_ended:
            yield from self.session.think_ahead()
        elif self._name and not self._is_prepared:
            yield
            self._prepare_next()
        if self._changed is not None:
            yield
            self._fit_variants(self._changed)

    def _prepare_next(self) -> None:
        """Compute what the next interview with the same bank needs at its start, while the summary is read."""
        from odm_tui.errors import OdmError
        from odm_tui.session.session_start import prepare_interview

        self._is_prepared = True
        options = self.options
        with suppress(OdmError, OSError):  # reported when an interview is started
            prepare_interview(
                self.bank(self._name),
                options.state_dir,
                policy=options.policy_name,
                explore=cast(Literal["always", "quiet", "never"] | None, options.explore),
                target_cost=options.target_cost,
            )

    def _fit_variants(self, name: str) -> None:
        """Fit the variants that a confirmed or changed interview has made due, in a thread: nobody waits for them."""
        if self.fitting is not None and self.fitting.is_alive():
            return
        self._changed, archive = None, self.archive(name)

        def fit() -> None:
            with closing(archive):
                archive.fit_variants()

        self.fitting = threading.Thread(target=fit, daemon=True)
        self.fitting.start()

    def set_operator(self, operator: str | None) -> None:
        """Set the operator for later interviews."""
        self.options = self.options._replace(operator=operator)

    def set_explore(self, explore: str | None) -> None:
        """Set when later interviews may ask in order to learn; None for what the bank says."""
        self.options = self.options._replace(explore=explore)

    # -- banks and past interviews --------------------------------------------------------------------

    def bank(self, name: str) -> Bank:
        """The bank with this name; its file is read once."""
        return self._banks.get(name)

    def archive(self, name: str) -> Archive:
        """All interviews of this bank."""
        from odm_tui.session import Archive

        archive = Archive.of(self.bank(name), self.options.state_dir)
        archive.defers_fits = True
        return archive

    def confirm_past(self, name: str, interview: str, outcome: str | None) -> None:
        """Confirm the outcome of a pending interview."""
        with closing(self.archive(name)) as archive:
            archive.confirm(interview, outcome, self.options.operator)
        self._changed = name
        self.team.follow(self.session)

    def correct_past(self, name: str, interview: str, outcome: str | None) -> None:
        """Correct the confirmed outcome of an interview."""
        with closing(self.archive(name)) as archive:
            archive.correct(interview, outcome, self.options.operator)
        self._changed = name
        self.team.follow(self.session)

    def retract_past(self, name: str, interview: str) -> None:
        """Retract an interview, so that nothing is learned from it."""
        with closing(self.archive(name)) as archive:
            archive.retract(interview, self.options.operator)
        self._changed = name
        self.team.follow(self.session)

    def set_case_of_past(self, name: str, interview: str, case: str | None) -> None:
        """Set the case reference of a past interview."""
        with closing(self.archive(name)) as archive:
            archive.set_case(interview, case)
        self.team.follow(self.session)

    def set_note_of_past(self, name: str, interview: str, note: str | None) -> None:
        """Set the note of a past interview."""
        with closing(self.archive(name)) as archive:
            archive.set_note(interview, note)
        self.team.follow(self.session)

    # -- starting and ending --------------------------------------------------------------------------

    def start_or_list_unfinished(self, name: str) -> InterviewView | tuple[UnfinishedInterview, ...]:
        """Start an interview; if there are unfinished ones, return these instead, the latest first."""
        from odm_tui.session.resume import unfinished_interviews
        from odm_tui.views.interview import unfinished_view

        options = self.options
        unfinished = unfinished_interviews(self.bank(name), options.state_dir, options.operator, options.case)
        return tuple(unfinished_view(record) for record in unfinished) or self.start(name)

    def start(self, name: str) -> InterviewView:
        """Start an interview."""
        from odm_tui.session import Session

        self.leave()
        self._name, self._is_prepared = name, False
        changed = self._banks.reload_if_changed(name)
        self.session = Session.start(
            self.bank(name),
            self.options.state_dir,
            policy=self.options.policy_name,
            seed=self.options.seed,
            operator=self.options.operator,
            case=self.options.case,
            explore=cast(Literal["always", "quiet", "never"] | None, self.options.explore),
            target_cost=self.options.target_cost,
        )
        self.session.defer_fits()
        self._changed = name
        self.options = self.options._replace(case=None)  # it belongs to the first interview only
        if changed:
            self.session.notices.append(
                "The bank's file has changed; this interview follows the new version."
            )
        return self._update_view(None)

    def resume(self, name: str, interview: str) -> InterviewView:
        """Resume an unfinished interview, named by its id, the beginning of its id, or "last"."""
        from odm_tui.session import Session
        from odm_tui.session.resume import find_interview

        self.leave()
        self._name, self._is_prepared = name, False
        self._banks.reload_if_changed(name)
        bank = self.bank(name)
        full_id = find_interview(bank, interview, self.options.state_dir, self.options.operator)
        self.team.check_free(bank.log_name, full_id)
        self.session = Session.resume(bank, full_id, self.options.state_dir)
        self.session.defer_fits()
        return self._update_view(None)

    def abandon_and_start(self, name: str, interview: str) -> InterviewView:
        """Abandon an unfinished interview and start a new one."""
        self.resume(name, interview)
        self.abandon()
        return self.start(name)

    def confirm(self, outcome: str | None) -> SummaryView:
        """Confirm the outcome; the summary of the interview."""
        from odm_tui.views.summary import summary_view

        session = self._require_session()
        session.confirm(outcome)
        self._changed = self._name
        self.team.follow(None)
        summary = summary_view(session, outcome, self._name)
        self._confirmed = summary.outcome
        return summary

    def unconfirm(self) -> InterviewView:
        """Take the confirmation back, exactly; the decision, where another outcome can be confirmed."""
        session = self._require_session()
        session.unconfirm()
        session.notices.append("Taken back: the confirmation.")
        self._changed = self._name
        return self._update_view(None)

    def abandon(self) -> None:
        """Abandon the interview; nothing is learned from it."""
        self._require_session().abandon()
        self.session = self._view = None
        self.team.follow(None)

    def leave(self) -> LeftInterview | None:
        """Leave the open interview, if any, so that it can be resumed; None if there is nothing to resume.

        An interview without any step is abandoned instead: it holds nothing to resume.
        """
        from odm_tui.errors import OdmError

        session = self.session
        if session is not None and not (session.has_ended or session.steps or session.decision):
            with suppress(OdmError):  # if that can't be written, the interview stays unfinished
                session.abandon()
        return self.close_session()

    def close_session(self) -> LeftInterview | None:
        """Close the open interview, if any, as it is; None if there is nothing to resume."""
        session, self.session, self._view = self.session, None, None
        if session is None or session.has_ended:
            return None
        left = LeftInterview(self._name, session.id, session.decision is not None, session.is_taken_back)
        session.leave()
        self.team.follow(None)
        return left

    # -- in the interview -----------------------------------------------------------------------------

    def perform(self, action: InterviewAction, *values: str | float | None) -> InterviewView:
        """Perform an action in the interview; its new state."""
        session = self._require_session()
        result = getattr(session, action)(*values)
        if action == "change" and result:
            session.notices.append(_format_dropped_answers(result))
        if action == "undo":
            session.notices.append(f"Taken back: {result}.")
        return self._update_view(self._view)

    def file_case(self, case: str, note: str) -> InterviewView:
        """Set the case reference and the note of the interview; only what is different is written."""
        session = self._require_session()
        if case != session.case:
            session.set_case(case)
        if note != session.note:
            session.set_note(note)
        return self._update_view(self._view)

    def save_call_summary(self) -> CallSummary:
        """Write the call as text, for the clipboard, and to a file in the state folder."""
        from odm_tui.files import write_atomically
        from odm_tui.session import state_folder
        from odm_tui.views.call_summary import call_summary

        view = self._view
        assert view is not None
        text = call_summary(view, self._confirmed)
        path = state_folder(self.options.state_dir) / "call-summary.txt"
        write_atomically(path, text.encode("utf-8"))
        return CallSummary(text, str(path))

    def evidence(self, outcomes: tuple[str, ...]) -> tuple[EvidenceView, ...]:
        """Which answers speak for each of these outcomes, and which against it."""
        from odm_tui.views.evidence import evidence_view

        session = self._require_session()
        return tuple(evidence_view(session, outcome) for outcome in outcomes)

    def forecast_cost(self) -> float | None:
        """The expected cost of the rest of the interview; None if another request came before it was known.

        It takes longest, so the next question for each possible answer is computed before it.
        """
        if self.session is None:
            return 0.0
        for _ in self.think_ahead():
            if self.has_request():
                return None
        steps = self.session.interview.forecast_cost()
        while True:
            try:
                next(steps)
            except StopIteration as end:
                return float(end.value)
            if self.has_request():
                return None

    def explain_question(self) -> WhyView | None:
        """Why this question is asked; None if no interview is open."""
        from odm_tui.views.interview import why_view

        return None if self.session is None else why_view(self.session, _EXPLAINED)

    def take_answer(self, question: str, answer: str | None) -> InterviewView:
        """Take what was said as an answer, with all that it implies; without an answer, put the question."""
        from odm_tui.session.known_answers import take_answer

        session = self._require_session()
        note = take_answer(session, question, answer)
        session.notices.extend([note] if note else [])
        return self._update_view(self._view)

    def searchable_questions(self) -> tuple[SearchableQuestion, ...]:
        """The questions that words can find: those that can be asked now or after others."""
        from odm_tui.views.search import searchable_questions

        return () if self.session is None else searchable_questions(self.session)

    def other_questions(self) -> tuple[OtherQuestion, ...]:
        """The questions that could be asked instead of the current one."""
        from odm_tui.views.interview import other_questions

        return () if self.session is None else other_questions(self.session)

    def _require_session(self) -> Session:
        assert self.session is not None
        return self.session

    def _update_view(self, previous: InterviewView | None) -> InterviewView:
        from odm_tui.views.interview import interview_view

        session = self._require_session()
        self._confirmed = None
        self.team.follow(session)
        session.notices.extend(self.team.take_notices())
        self._view = interview_view(session, previous)._replace(bank=self._name)
        session.notices.clear()
        return self._view


def _format_dropped_answers(questions: tuple[BankQuestion, ...]) -> str:
    """The notice about answers that were dropped because an earlier answer changed."""
    from odm_tui.text import one_line

    named = ", ".join(f"“{one_line(question.text)}”" for question in questions)
    if len(questions) == 1:
        return f"1 later answer no longer applies and was dropped: {named}."
    return f"{len(questions)} later answers no longer apply and were dropped: {named}."
