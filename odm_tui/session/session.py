"""Run one interview from start to confirmation; every answer is on disk before the next question shows."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from odm_tui.banks.bank import Bank, BankQuestion
from odm_tui.banks.policies import policy_for
from odm_tui.engine.interview import Ask, Decide, Interview
from odm_tui.engine.policy import Explore, Policy
from odm_tui.errors import BadArgument, CannotWrite, Locked
from odm_tui.session.answers import parse_answer, round_cost
from odm_tui.session.archive import Archive
from odm_tui.session.case_texts import parse_case, parse_note
from odm_tui.session.current_interview import CurrentInterview
from odm_tui.session.red_flags import describe_reason, find_red_flag
from odm_tui.session.session_start import reopen_interview, start_interview
from odm_tui.store.apply_events import apply_steps
from odm_tui.store.events import (
    REFER,
    Abandoned,
    Answer,
    Answered,
    Asked,
    Changed,
    Confirmed,
    Continued,
    Decided,
    Dropped,
    Filed,
    Noted,
    Reverted,
    Skipped,
    Stopped,
    Tried,
    Undone,
    Unknown,
)
from odm_tui.store.interview_record import CONFIRMED
from odm_tui.text import one_line


class Session(CurrentInterview):
    """One interview whose events are on disk; create it with :meth:`start` or :meth:`resume`.

    When a method returns, its effect is on disk. When it raises, it has changed nothing, neither on disk nor in
    memory, so that it can be tried again.
    """

    @staticmethod
    def warm_up(bank: Bank, policy: str | Mapping[str, Any] | Policy | None = None) -> None:
        """Choose a first question and discard it, so that a later interview finds everything loaded."""
        _ = Interview(bank.problem, policy_for(bank, policy)).next

    # -- starting ------------------------------------------------------------------------------------

    @classmethod
    def start(
        cls,
        bank: Bank,
        state_dir: str | Path | None = None,
        *,
        policy: str | Mapping[str, Any] | Policy | None = None,
        seed: int | None = None,
        operator: str | None = None,
        case: str | None = None,
        scripted: bool = False,
        explore: Explore | None = None,
        target_cost: float | None = None,
        clock: Callable[[], float] = time.time,
        stopwatch: Callable[[], float] = time.monotonic,
    ) -> Session:
        """Start an interview with the current counts.

        A policy given by name keeps the bank's stop rule; see :func:`policy_for`. ``case`` is a case reference.
        ``scripted`` says that a program gives the answers, so that their times are not counted.
        ``explore`` and ``target_cost`` replace the bank's.
        """
        opened = start_interview(
            bank,
            state_dir,
            policy=policy,
            seed=seed,
            operator=operator,
            case=case,
            scripted=scripted,
            explore=explore,
            target_cost=target_cost,
            clock=clock,
        )
        session = cls(bank, opened, stopwatch)
        session._show_next()
        return session

    @classmethod
    def resume(
        cls,
        bank: Bank,
        interview: str,
        state_dir: str | Path | None = None,
        *,
        clock: Callable[[], float] = time.time,
        stopwatch: Callable[[], float] = time.monotonic,
    ) -> Session:
        """Resume an unfinished or pending interview at the question where it was left."""
        opened = reopen_interview(bank, interview, state_dir, clock=clock)
        try:
            session = cls(bank, opened, stopwatch)
            picked, decided = session._repeat_steps()
        except BaseException:
            opened.close()
            raise
        session._show_next(picked, decided)
        return session

    def _repeat_steps(self) -> tuple[int | None, Decide | None]:
        """Repeat the record's steps in the engine; return the operator's pick and the logged decision, if any."""
        record, was_decided = self.record, self.record.decided is not None
        left_out = apply_steps(self.interview, record.steps or (), self._archive.require_index())
        if left_out:
            self._writer.defer(Dropped, questions=tuple(step.question for step in left_out))
            self.notices.append(
                "1 answer was left out: the bank no longer has its question."
                if len(left_out) == 1
                else f"{len(left_out)} answers were left out: the bank no longer has their questions."
            )
        self.interview.restore_marks(record.marks)
        if record.stopped and record.decided is not None and record.decided.refers and self.bank.refer:
            self.interview.refer()
        upcoming = self.interview.next
        decided = upcoming if was_decided and isinstance(upcoming, Decide) else None
        place = None if record.shown is None else self.bank.problem.positions.get(record.shown.question)
        if place is None or record.stopped or not self.interview.available[place] or upcoming == Ask(place):
            return None, decided
        return place, decided

    # -- what the operator does -----------------------------------------------------------------------
    #
    # Always the engine first, since it checks the operation and gives costs and dropped answers; then the log,
    # and the engine goes back to where it was if the log can't be written; then the next question.

    def answer(self, answer: Answer) -> None:
        """Answer the question that is shown: "yes", "no", a choice's id, or the number that was typed."""
        index = self._open_question()
        parsed = parse_answer(self.bank, index, answer)
        with self.interview.rollback_on_error():
            self.interview.answer(parsed, index)
            self._write_step(Answered, answer=parsed)
        self._show_next()

    def dont_know(self) -> None:
        """Note that the answer to the question that is shown is not known."""
        index = self._open_question()
        with self.interview.rollback_on_error():
            self.interview.dont_know(index)
            self._write_step(Unknown)
        self._show_next()

    def skip(self) -> None:
        """Skip the question that is shown."""
        index = self._open_question()
        with self.interview.rollback_on_error():
            self.interview.skip(index)
            self._write_step(Skipped)
        self._show_next()

    def pick(self, question: str) -> None:
        """Show another question than the proposed one; picking the proposed one undoes the pick."""
        self._check_open()
        if self.record.stopped:
            raise BadArgument("You decided to stop here; undo that before you pick a question.")
        if find_red_flag(self.bank, self.interview.next) is not None:
            raise BadArgument("A red flag has ended this interview; take its answer back before you ask on.")
        place = self.bank.problem.positions.get(question)
        if place is None or not self.interview.available[place]:
            raise BadArgument(f"Question {question!r} can't be asked now.")
        picked = None if self.interview.next == Ask(place) else place
        if picked != self._picked:
            self._writer.write(Asked, **self._asked_values(place))
            self._picked = picked
            self._shown_at = self._stopwatch()

    def undo(self, steps: int = 1) -> str:
        """Take back the last thing that was done, or the last few; return what it was, in words.

        That is a pick, a change of an answer, a stop, asking on, an outcome that was tried, or a step. The log keeps it.
        """
        self._check_open()
        if steps == 1 and self._picked is not None:
            return self._undo_pick()
        if steps == 1 and self.interview.last_action == "change":
            with self.interview.rollback_on_error():
                self.interview.revert()
                self._writer.write(Reverted)
            self._show_next()
            return "the change of an answer"
        most = len(self.record.steps or ()) + len(self.record.marks)
        if not 1 <= steps <= most:
            raise BadArgument(
                f"{steps} of {most} steps can't be taken back; take back 1 to {most}."
                if most
                else "There is nothing to take back."
            )
        words = self._describe_last() if steps == 1 else f"the last {steps} steps"
        with self.interview.rollback_on_error():
            self.interview.undo(steps)
            self._writer.write(Undone, steps=steps)
        self._show_next()
        return words

    def _undo_pick(self) -> str:
        """Show the proposed question again, or the decision, in place of the operator's pick."""
        upcoming = self.interview.next
        if isinstance(upcoming, Ask):
            self._writer.write(Asked, **self._asked_values(upcoming.question))
            self._picked, self._shown_at = None, self._stopwatch()
        else:
            self._show_next()
        return "the pick of another question"

    def _describe_last(self) -> str:
        """Describe the last mark or step in words."""
        if self.interview.last_action == "mark":
            mark = self.record.marks[-1]
            return {"stopped": "the stop", "asked_on": "asking on"}.get(mark.kind, "“tried, did not help”")
        last = self.steps[-1]
        text = one_line(last.question.text)
        return {
            "skipped": f"the skip of “{text}”",
            "unknown": f"“don't know” to “{text}”",
        }.get(last.kind, f"the answer to “{text}”")

    def ask_on(self, target: float | None = None) -> None:
        """Go on asking after the decision, until the belief in one outcome reaches the target.

        Without a target it is the next of 50, 80, 90, 95 and 99 %.
        """
        self._check_open()
        if target is None:
            target = self.next_target
        with self.interview.rollback_on_error():
            self.interview.ask_on(target)
            self._writer.write(Continued, target=round(target, 6))
        self._show_next()

    def rule_out(self, outcome: str | None = None) -> None:
        """Record that an outcome's advice was tried and did not help (None: the decided one's).

        The interview moves on to the next outcome, and the answers stay.
        """
        self._check_open()
        decision = self.decision
        if decision is None:
            raise BadArgument("The interview has no decision yet, so there is no advice to try.")
        if decision.flag is not None:
            raise BadArgument("A red flag has ended this interview. Take its answer back first.")
        named = decision.outcome.id if outcome is None else self._archive.outcome_id(outcome)
        place = [known.id for known in self.bank.outcomes].index(named)
        with self.interview.rollback_on_error():
            self.interview.rule_out(place)
            self._writer.write(Tried, outcome=named)
        self._show_next()

    def change(self, step: int, answer: Answer | None) -> tuple[BankQuestion, ...]:
        """Give another answer to an earlier step (None: not known), counted from 0; later answers stay.

        Return the questions whose later answers had to go, because they can no longer be asked.
        """
        self._check_open()
        steps = self.record.steps or []
        if not 0 <= step < len(steps):
            raise BadArgument(f"There is no step {step}; there are {len(steps)}.")
        if answer is not None:
            answer = parse_answer(self.bank, self.interview.steps[step].question, answer)
        with self.interview.rollback_on_error():
            dropped = {self.bank.questions[s.question].id for s in self.interview.change(step, answer)}
            self._writer.write(
                Changed,
                step=step,
                question=steps[step].question,
                answer=answer,
                cost=round_cost(self.interview.steps[step].cost),
                dropped=tuple(s.question for s in steps if self.bank.question(s.question).id in dropped),
            )
        self._show_next()
        return tuple(q for q in self.bank.questions if q.id in dropped)

    def stop(self) -> None:
        """Decide now, with the answers so far."""
        self._check_open()
        if not self.record.stopped:
            with self.interview.rollback_on_error():
                self.interview.stop()
                self._writer.write(Stopped)
            self._show_next()

    def refer(self) -> None:
        """Hand over instead of deciding. The outcome can be confirmed later."""
        self._check_open()
        if self.bank.refer is None:
            raise BadArgument("The bank has no [refer], so nobody can take over.")
        decision = self.decision
        if decision is not None and decision.flag is not None:
            raise BadArgument("A red flag has ended the interview; follow its advice.")
        if decision is None or decision.refer is None:
            with self.interview.rollback_on_error():
                self.interview.refer()
                if not self.record.stopped:
                    self._writer.write(Stopped)
            self._show_next()

    def confirm(self, outcome: str | None) -> None:
        """Confirm the right outcome (None: none of the bank's); only now the interview is learned from."""
        if self._taken_back:
            self._reopen_archive().correct(self.id, outcome)
            self._taken_back = False
            self._end()
            return
        self._check_open()
        if self.decision is None:
            raise BadArgument("The interview has no decision yet; stop it first.")
        named = None if outcome is None else self._archive.outcome_id(outcome)
        known = self._archive.refresh(self._opened.known)  # may take long, so it happens without the lock
        with self._writer.held():
            self._writer.write_locked(Confirmed, outcome=named)
            now = self._archive.update_state(known)
        self._archive.fit_now(now)
        self._end()

    def unconfirm(self) -> None:
        """Take the confirmation back: what was learned is subtracted exactly, and another outcome can be confirmed.

        The answers stay as they are. If nothing is confirmed after that, the interview counts as retracted.
        """
        if self._taken_back or self.record.status != CONFIRMED:
            raise BadArgument("There is no confirmation to take back.")
        self._reopen_archive().retract(self.id)
        self._taken_back, self.has_ended = True, False

    def _reopen_archive(self) -> Archive:
        """Open the archive again after the end of the interview."""
        archive = Archive(self._archive.paths, self.bank, self._archive.clock)
        archive.defers_fits = self._archive.defers_fits
        return archive

    def defer_fits(self) -> None:
        """Leave the variants as they are after the confirmation; the caller fits them when nobody waits."""
        self._archive.defers_fits = True

    def set_case(self, case: str | None) -> None:
        """Set the case reference; an empty one removes it."""
        self._check_open()
        self._writer.write(Filed, case=parse_case(case))

    def set_note(self, note: str | None) -> None:
        """Set the note; an empty one removes it."""
        self._check_open()
        self._writer.write(Noted, note=parse_note(note))

    def abandon(self) -> None:
        """Abandon the interview; nothing is learned from it."""
        self._check_open()
        self._writer.write(Abandoned)
        self._end()

    def leave(self) -> None:
        """Close the interview; it can be resumed or confirmed later."""
        if not self.has_ended:
            self._end()

    def _end(self) -> None:
        self.has_ended = True
        self._opened.close()

    # -- writing --------------------------------------------------------------------------------------

    def _write_step(self, kind: type[Answered] | type[Unknown] | type[Skipped], **values: Answer) -> None:
        """Write the step that the engine has just taken."""
        step = self.interview.steps[-1]
        if self._picked is not None and step.proposed is not None and step.proposed != step.question:
            values["proposed"] = self.bank.questions[step.proposed].id
        self._writer.write(
            kind,
            question=self.bank.questions[step.question].id,
            cost=round_cost(step.cost),
            seconds=max(0.0, round(self._stopwatch() - self._shown_at, 3)),
            **values,
        )

    def _show_next(self, picked: int | None = None, decided: Decide | None = None) -> None:
        """Find what comes next: write a decision at once, defer a question that is shown.

        ``picked`` is the operator's own question, ``decided`` the decision that is in the log already.
        """
        upcoming = self.interview.next
        self._picked = picked
        self._shown_at = self._stopwatch()
        if picked is not None:
            self._writer.defer(Asked, **self._asked_values(picked))
        elif isinstance(upcoming, Ask):
            self._writer.defer(Asked, **self._asked_values(upcoming.question))
        elif upcoming != decided:
            self._writer.defer(
                Decided,
                outcome=self.bank.outcomes[upcoming.outcome].id,
                belief=round(upcoming.belief, 6),
                reason=describe_reason(self.bank, upcoming),
                rule=REFER if upcoming.refer else upcoming.rule,
            )
            try:
                self._writer.write_deferred()
            except (CannotWrite, Locked) as error:
                # The answers are on disk; the decision follows from them and is written with the next event.
                self.notices.append(f"The decision is not saved yet: {error}")

    def _asked_values(self, place: int) -> dict[str, str | None]:
        """Return the fields of an ``asked`` event for this question."""
        upcoming = self.interview.next
        proposed = None
        if isinstance(upcoming, Ask) and upcoming.question != place:
            proposed = self.bank.questions[upcoming.question].id
        return {"question": self.bank.questions[place].id, "proposed": proposed}
