"""The backend: holds the interview, and does everything that touches the engine, a disk or a lock.

The screens never call it themselves: they hand it work through a :class:`~odm_tui.tui.worker.client.WorkerClient`, and get plain
values back. Nothing heavy is imported here before it is needed, because the screens know this module too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from odm_tui.banks.bank import Bank, BankQuestion
    from odm_tui.options import InterviewOptions
    from odm_tui.session import Archive, Session
    from odm_tui.views.banks import BankRow
    from odm_tui.views.history import HistoryView, ReplayStep
    from odm_tui.views.interview import InterviewView, QuestionView, UnfinishedInterview, WhyView
    from odm_tui.views.learned import LearnedView
    from odm_tui.views.summary import SummaryView

Act = Literal["answer", "dont_know", "skip", "undo", "pick", "change", "stop"]
"""What an operator can do in an interview: the methods of a session that move it on."""


class LeftInterview(NamedTuple):
    """An interview that was left half-way: the bank, as it was named, and the interview's id."""

    bank: str
    interview: str
    pending: bool
    """Whether it is decided, so that it waits for its outcome and not for more answers."""


class Backend:
    """One interview at a time, and the banks that were read."""

    def __init__(self, options: InterviewOptions) -> None:
        self.options = options
        self.session: Session | None = None
        self._moment: InterviewView | None = None
        self._banks: dict[str, Bank] = {}
        self._stamps: dict[str, object] = {}
        self._name = ""

    def warm_up(self) -> None:
        """Load what the first question needs, while the screen is still being built."""
        from odm_tui.errors import OdmError

        if self.options.bank is None:
            return
        try:
            bank = self.bank(self.options.bank)
            from odm_tui.session import Session, resume
            from odm_tui.views import history

            del resume, history  # only to have them imported
            Session.warm_up(bank, self.options.policy_name)
        except OdmError:
            return  # the screen that asks for it says so

    def think_ahead(self) -> Iterator[None]:
        """Find the next question for each answer that may come; pauses before each, so that none has to wait."""
        if self.session is not None and not self.session.has_ended:
            yield from self.session.think_ahead()

    def operator_is(self, operator: str | None) -> None:
        """From now on, this person asks."""
        self.options = self.options._replace(operator=operator)

    # -- banks ----------------------------------------------------------------------------------------

    def bank(self, name: str) -> Bank:
        """The bank of this name, read once."""
        if name not in self._banks:
            from odm_tui.banks import load_bank

            bank = self._banks[name] = load_bank(name)
            self._stamps[name] = _stamp(bank)
        return self._banks[name]

    def _read_again(self, name: str) -> bool:
        """Forget a bank whose file has changed since it was read; whether that was so."""
        bank = self._banks.get(name)
        if bank is None or _stamp(bank) == self._stamps[name]:
            return False
        del self._banks[name]
        return self.bank(name).hash != bank.hash

    def archive(self, name: str) -> Archive:
        """The interviews of this bank."""
        from odm_tui.session import Archive

        return Archive.of(self.bank(name), self.options.state_dir)

    def bank_names(self) -> list[str]:
        """The names of all banks that can be found, and of the one that was named at the start."""
        from odm_tui.banks import available_banks
        from odm_tui.errors import OdmError

        locations = available_banks()
        names = [location.name for location in locations]
        named = self.options.bank
        if named is not None and named not in names:
            with suppress(OdmError):  # the screen that asks for it says so
                if self.bank(named).path.resolve() not in [location.path.resolve() for location in locations]:
                    names.append(named)
        return names

    def bank_row(self, name: str) -> BankRow:
        """A row of the list of banks, without what the log says."""
        from odm_tui.errors import OdmError
        from odm_tui.views.banks import bank_row, unusable_row

        try:
            return bank_row(self.bank(name), name)
        except OdmError as error:
            return unusable_row(name, error)

    def bank_row_with_history(self, row: BankRow) -> BankRow:
        """The same row with what the log says."""
        from odm_tui.views.banks import add_history

        if row.mistake:
            return row
        with closing(self.archive(row.name)) as archive:
            return add_history(row, archive, self.options.operator)

    # -- past interviews ------------------------------------------------------------------------------

    def history(self, name: str) -> HistoryView:
        """All interviews of a bank."""
        from odm_tui.views.history import history_view

        with closing(self.archive(name)) as archive:
            return history_view(self.bank(name), archive)

    def replay(self, name: str, interview: str) -> tuple[ReplayStep, ...]:
        """A past interview, event by event."""
        from odm_tui.views.history import replay_steps

        with closing(self.archive(name)) as archive:
            return replay_steps(self.bank(name), archive, interview)

    def learned(self, name: str) -> LearnedView:
        """What a bank has learned."""
        from odm_tui.views.learned import learned_view

        with closing(self.archive(name)) as archive:
            return learned_view(self.bank(name), archive)

    def confirm_past(self, name: str, interview: str, outcome: str | None) -> None:
        """Confirm the outcome of a pending interview."""
        with closing(self.archive(name)) as archive:
            archive.confirm(interview, outcome, self.options.operator)

    def correct_past(self, name: str, interview: str, outcome: str | None) -> None:
        """Correct the confirmed outcome of an interview."""
        with closing(self.archive(name)) as archive:
            archive.correct(interview, outcome, self.options.operator)

    def retract_past(self, name: str, interview: str) -> None:
        """Retract an interview, so that nothing is learned from it."""
        with closing(self.archive(name)) as archive:
            archive.retract(interview, self.options.operator)

    # -- beginning and ending -------------------------------------------------------------------------

    def begin(self, name: str) -> InterviewView | tuple[UnfinishedInterview, ...]:
        """Begin an interview, unless there are interrupted ones to choose from: then these, the latest first."""
        from odm_tui.session.resume import unfinished_interviews
        from odm_tui.views.interview import unfinished_view

        waiting = unfinished_interviews(self.bank(name), self.options.state_dir, self.options.operator)
        return tuple(unfinished_view(record) for record in waiting) or self.start(name)

    def start(self, name: str) -> InterviewView:
        """Begin an interview."""
        from odm_tui.session import Session

        self.leave()
        self._name = name
        changed = self._read_again(name)
        self.session = Session.start(
            self.bank(name),
            self.options.state_dir,
            policy=self.options.policy_name,
            seed=self.options.seed,
            operator=self.options.operator,
        )
        if changed:
            self.session.notices.append(
                "The bank's file has changed; this interview follows the new version."
            )
        return self._look(None)

    def resume(self, name: str, interview: str) -> InterviewView:
        """Go on with an interview that was interrupted: its id, the beginning of it, or "last"."""
        from odm_tui.session import Session
        from odm_tui.session.resume import find_interview

        self.leave()
        self._name = name
        bank = self.bank(name)
        meant = find_interview(bank, interview, self.options.state_dir, self.options.operator)
        self.session = Session.resume(bank, meant, self.options.state_dir)
        return self._look(None)

    def start_instead(self, name: str, interview: str) -> InterviewView:
        """Give an interrupted interview up, and begin a new one."""
        self.resume(name, interview)
        self.abandon()
        return self.start(name)

    def confirm(self, outcome: str | None) -> SummaryView:
        """Confirm the outcome, and sum up."""
        from odm_tui.views.summary import summary_view

        session = self._at_hand()
        session.confirm(outcome)
        return summary_view(session, outcome, self._name)

    def abandon(self) -> None:
        """Give the interview up; nothing is learned from it."""
        self._at_hand().abandon()
        self.session = self._moment = None

    def leave(self) -> LeftInterview | None:
        """Leave the interview that is open, if any; how it can be found again.

        An interview in which nothing stands is given up instead: there is nothing in it to go on with.
        """
        from odm_tui.errors import OdmError

        session = self.session
        if session is not None and not (session.has_ended or session.steps or session.decision):
            with suppress(OdmError):  # where that can't be written down now, it stays, as any other does
                session.abandon()
        return self.put_away()

    def put_away(self) -> LeftInterview | None:
        """Leave the interview that is open, if any, exactly as it is; how it can be found again."""
        session, self.session, self._moment = self.session, None, None
        if session is None or session.has_ended:
            return None
        pending = session.decision is not None
        session.leave()
        return LeftInterview(self._name, session.id, pending)

    # -- in the interview -----------------------------------------------------------------------------

    def turn(self, act: Act, *values: str | float | None) -> InterviewView:
        """Do something in the interview, and see where it stands then."""
        session = self._at_hand()
        gone = getattr(session, act)(*values)
        if act == "change" and gone:
            session.notices.append(_dropped(gone))
        return self._look(self._moment)

    def forecast(self) -> float:
        """About what the rest of the interview will cost."""
        return 0.0 if self.session is None else self.session.interview.expected_cost_to_come

    def why(self) -> WhyView | None:
        """Why this question; nothing where no interview is open any more."""
        from odm_tui.views.interview import why_view

        return None if self.session is None else why_view(self.session)

    def others(self) -> tuple[QuestionView, ...]:
        """The questions that could be asked instead."""
        from odm_tui.views.interview import available_questions

        return () if self.session is None else available_questions(self.session)

    def _at_hand(self) -> Session:
        assert self.session is not None
        return self.session

    def _look(self, previous: InterviewView | None) -> InterviewView:
        from odm_tui.views.interview import interview_view

        session = self._at_hand()
        self._moment = interview_view(session, previous)._replace(bank=self._name)
        session.notices.clear()
        return self._moment


def _dropped(questions: tuple[BankQuestion, ...]) -> str:
    """Which answers had to go, because an earlier one has changed."""
    from odm_tui.text import one_line

    named = ", ".join(f"“{one_line(question.text)}”" for question in questions)
    if len(questions) == 1:
        return f"1 later answer no longer applies and was dropped: {named}."
    return f"{len(questions)} later answers no longer apply and were dropped: {named}."


def _stamp(bank: Bank) -> object:
    """What changes when the bank's file does; None where there is no file any more."""
    try:
        about = bank.path.stat()
    except OSError:
        return None
    return about.st_mtime_ns, about.st_size, about.st_ino
