"""One interview from start to confirmation: every answer is on disk before the next question shows."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from odm_tui.banks.bank import Bank, BankQuestion
from odm_tui.engine.explain import Explanation
from odm_tui.engine.interview import Ask, Decide, Interview
from odm_tui.engine.policy import Policy, policy_from
from odm_tui.errors import BadArgument, CannotWrite, Locked
from odm_tui.session.archive import Archive
from odm_tui.session.contradiction import Contradiction, find_contradiction
from odm_tui.session.journal import Journal
from odm_tui.session.policies import policy_for
from odm_tui.session.pseudonyms import pseudonym
from odm_tui.session.steps import Decision, StepTaken, parse_answer, round_cost
from odm_tui.store.events import (
    Abandoned,
    Answer,
    Answered,
    Asked,
    Changed,
    Confirmed,
    Decided,
    Dropped,
    Skipped,
    Started,
    Stopped,
    Undone,
    Unknown,
    timestamp,
)
from odm_tui.store.interview_record import OPEN, PENDING, InterviewRecord, StepEvent
from odm_tui.store.presence import Presence
from odm_tui.store.replay import apply_steps
from odm_tui.store.state_update import Snapshot, read_snapshot

_SEEDS = 10**18
"""Seeds stay below this: a log takes no longer number, so that every reader of JSON reads it exactly."""


class Session:
    """One interview, durable: use :meth:`start` or :meth:`resume`.

    A method that returns has its effect on disk; one that raises has changed nothing, neither on disk nor
    here, so that it can be tried again.
    """

    def __init__(
        self,
        archive: Archive,
        bank: Bank,
        interview: Interview,
        started: Started,
        presence: Presence,
        stopwatch: Callable[[], float],
    ) -> None:
        self.bank = bank
        self.interview = interview
        self.started = started
        self._archive = archive
        self._journal = Journal(archive, started.interview, started.n)
        self._presence = presence
        self._stopwatch = stopwatch
        self._steps: list[StepEvent] = []
        self._picked: int | None = None
        self._shown_at = stopwatch()
        self._stopped = False
        self._known: Snapshot | None = None
        self.ended = False

    @staticmethod
    def warm_up(bank: Bank, policy: str | Mapping[str, Any] | Policy | None = None) -> None:
        """Choose a first question and discard it, so that a later interview finds everything loaded."""
        _ = Interview(bank.problem, policy_for(bank, policy)).next

    # -- beginning ------------------------------------------------------------------------------------

    @classmethod
    def start(
        cls,
        bank: Bank,
        state_dir: str | Path | None = None,
        *,
        policy: str | Mapping[str, Any] | Policy | None = None,
        seed: int | None = None,
        operator: str | None = None,
        clock: Callable[[], float] = time.time,
        stopwatch: Callable[[], float] = time.monotonic,
    ) -> Session:
        """Begin an interview with all that is known now.

        A policy that is named leaves the bank's own stop rule in force; see :func:`policy_for`.
        """
        if seed is not None and not 0 <= seed < _SEEDS:
            raise BadArgument(f"A seed is a whole number from 0 to {_SEEDS - 1}, not {seed}.")
        archive = Archive.of(bank, state_dir, clock)
        chosen = policy_for(bank, policy)
        subject = archive.needed_subject()
        before = read_snapshot(archive.paths, subject)  # the long way, if there is one, without the lock
        started = Started(
            interview=secrets.token_hex(8),
            n=1,
            time=timestamp(clock()),
            bank=bank.name,
            bank_hash=bank.hash,
            policy=chosen.spec(),
            seed=secrets.randbits(32) if seed is None else seed,
            operator=pseudonym(archive.paths.folder, operator),
        )
        presence = Presence(archive.paths, started.interview)
        try:
            with archive.lock.held():
                # All that stands before "started" in the log is what this interview knows: that is how a
                # resumed one finds the same knowledge again.
                now = archive.catch_up(before) or read_snapshot(archive.paths, subject)
                presence.claim()
                archive.log.append([started])
            interview = Interview(bank.problem, chosen, now.knowledge.posterior(bank.problem), started.seed)
        except BaseException:
            presence.give_up()
            archive.close()
            raise
        session = cls(archive, bank, interview, started, presence, stopwatch)
        session._known = now
        session._settle()
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
        """Go on with an interview that was interrupted, at the question it was at."""
        archive = Archive.of(bank, state_dir, clock)
        presence = Presence(archive.paths, interview)
        try:
            if not presence.claim():
                raise Locked(
                    f"Interview {interview} is open in another terminal; go on there, or close it first."
                )
            with archive.lock.held():
                now = archive.catch_up()
                past = archive.past(interview, now.opened.get(interview, 0) if now else 0, now)
                archive.log.end()
            record = past.record
            if record.started is None:
                raise BadArgument(f"There is no interview {interview!r} in {archive.paths.log}.")
            if record.status not in (OPEN, PENDING):
                raise BadArgument(f"Interview {interview} can't go on: it is {record.status}.")
            engine = Interview(
                bank.problem,
                policy_from(record.started.policy),
                past.knowledge.posterior(bank.problem),
                record.started.seed,
            )
            session = cls(archive, bank, engine, record.started, presence, stopwatch)
            session._known = now
            picked, decided = session._take_up(record)
        except BaseException:
            presence.give_up()
            archive.close()
            raise
        session._settle(picked, decided)
        return session

    def _take_up(self, record: InterviewRecord) -> tuple[int | None, Decide | None]:
        """Take the steps again that stand in the log; the operator's pick and the decision that stand there."""
        self._journal.n = record.last
        if self.started.bank_hash != self.bank.hash:
            self.notices.append(
                "The bank has changed since this interview began, so its next questions may be others."
            )
        standing = record.steps or []
        left_out = apply_steps(self.interview, standing, self._archive.needed_subject())
        self._steps = [step for step in standing if step not in left_out]
        gone = tuple(step.question for step in left_out)
        if gone:
            self._journal.owe(Dropped, questions=gone)
            self.notices.append(
                f"The answers to {len(gone)} questions were left out: the bank no longer has them."
            )
        if record.stopped:
            self.interview.stop()
            self._stopped = True
        upcoming = self.interview.next
        decided = upcoming if record.decided is not None and isinstance(upcoming, Decide) else None
        place = None if record.shown is None else self.bank.problem.positions.get(record.shown.question)
        if place is None or record.stopped or not self.interview.available[place] or upcoming == Ask(place):
            return None, decided
        return place, decided

    # -- where it stands ------------------------------------------------------------------------------

    @property
    def id(self) -> str:
        """The interview's id."""
        return self.started.interview

    @property
    def notices(self) -> list[str]:
        """What the operator should be told: a changed bank, a state that was set aside, damaged records."""
        return self._archive.notices

    @property
    def question(self) -> BankQuestion | None:
        """The question to ask now: the operator's pick, else the proposed one; None when it is decided."""
        if self._picked is not None:
            return self.bank.questions[self._picked]
        upcoming = self.interview.next
        return self.bank.questions[upcoming.question] if isinstance(upcoming, Ask) else None

    @property
    def decision(self) -> Decision | None:
        """What the interview has come to, once it has."""
        upcoming = self.interview.next
        if self._picked is not None or not isinstance(upcoming, Decide):
            return None
        outcome = self.bank.outcomes[upcoming.outcome]
        return Decision(outcome, upcoming.belief, upcoming.reason, upcoming.rule)

    @property
    def steps(self) -> tuple[StepTaken, ...]:
        """The steps that stand, with numbers as they were typed."""
        return tuple(
            StepTaken(
                self.bank.questions[step.question],
                step.kind,
                event.answer if isinstance(event, Answered) else None,
                step.cost,
                event.seconds,
                event.proposed,
            )
            for step, event in zip(self.interview.steps, self._steps, strict=True)
        )

    @property
    def available(self) -> tuple[BankQuestion, ...]:
        """The questions that could be asked now."""
        return tuple(self.bank.questions[i] for i in self.interview.available.nonzero()[0])

    @property
    def belief(self) -> dict[str, float]:
        """P(outcome | answers so far), by the outcome's id."""
        return {o.id: float(p) for o, p in zip(self.bank.outcomes, self.interview.belief, strict=True)}

    @property
    def contradiction(self) -> Contradiction | None:
        """The answer that the others speak against, if one does so clearly and it changes the outcome."""
        given = (
            (step.question, taken.answer)
            for step, taken in zip(self.interview.steps, self.steps, strict=True)
        )
        return find_contradiction(self.interview, self.bank, dict(given))

    def explain(self, top: int = 3) -> Explanation:
        """Why this question: the best few, what each would tell and cost."""
        return self.interview.explain(top)

    def think_ahead(self) -> Iterator[None]:
        """Find the next question for each answer that may come, and pause before each; nothing changes by it."""
        return self.interview.think_ahead(self._picked)

    # -- what the operator does -----------------------------------------------------------------------

    def answer(self, answer: Answer) -> None:
        """Answer the question that is shown: "yes", "no", a choice's id, or the number that was typed."""
        index = self._open_question()
        meant = parse_answer(self.bank, index, answer)
        self.interview.answer(meant, index)
        self._step(Answered, index, answer=meant)

    def dont_know(self) -> None:
        """The question was put and nobody knows the answer."""
        index = self._open_question()
        self.interview.dont_know(index)
        self._step(Unknown, index)

    def skip(self) -> None:
        """Pass the question over."""
        index = self._open_question()
        self.interview.skip(index)
        self._step(Skipped, index)

    def pick(self, question: str) -> None:
        """Show another question than the proposed one; the proposed one's id takes the pick back."""
        self._still_going()
        if self._stopped:
            raise BadArgument("The interview was stopped; undo that before you pick a question.")
        place = self.bank.problem.positions.get(question)
        if place is None or not self.interview.available[place]:
            raise BadArgument(f"Question {question!r} can't be asked now.")
        picked = None if self.interview.next == Ask(place) else place
        if picked != self._picked:
            self._journal.keep(Asked, **self._asking(place))
            self._picked = picked
            self._shown_at = self._stopwatch()

    def undo(self, steps: int = 1) -> None:
        """Take back the last steps; stopping counts as one. The log keeps them."""
        self._still_going()
        most = len(self._steps) + self._stopped
        if not 1 <= steps <= most:
            raise BadArgument(
                f"{steps} of {most} steps can't be taken back; take back 1 to {most}."
                if most
                else "There is no step to take back."
            )
        self._journal.keep(Undone, steps=steps)
        self.interview.undo(steps)
        if self._stopped:
            self._stopped = False
            steps -= 1
        del self._steps[len(self._steps) - steps :]
        self._settle()

    def change(self, step: int, answer: Answer | None) -> tuple[BankQuestion, ...]:
        """Give another answer to an earlier step (None: not known), counted from 0; later answers stay.

        Returns the questions of later steps that had to go, because their question is asleep now.
        """
        self._still_going()
        if not 0 <= step < len(self._steps):
            raise BadArgument(f"There is no step {step}; there are {len(self._steps)}.")
        before = list(self._steps)
        if answer is not None:
            answer = parse_answer(self.bank, self.interview.steps[step].question, answer)
        asleep = {self.bank.questions[s.question].id for s in self.interview.change(step, answer)}
        values = {
            "step": step,
            "question": before[step].question,
            "answer": answer,
            "cost": round_cost(self.interview.steps[step].cost),
            "dropped": tuple(s.question for s in before if self.bank.question(s.question).id in asleep),
        }
        try:
            event = self._journal.keep(Changed, **values)
        except BaseException:
            self.interview.undo(len(self.interview.steps))
            apply_steps(self.interview, before, self._archive.needed_subject())
            if self._stopped:
                self.interview.stop()
            raise
        record = InterviewRecord(self.id, began=self.started.time, steps=before)
        record.follow(event)
        self._steps = record.steps or []
        self._stopped = False
        self._settle()
        return tuple(q for q in self.bank.questions if q.id in asleep)

    def stop(self) -> None:
        """Decide now, with what is known."""
        self._still_going()
        if not self._stopped:
            self._journal.keep(Stopped)
            self.interview.stop()
            self._stopped = True
            self._settle()

    def confirm(self, outcome: str | None) -> None:
        """Say what the right outcome is (None: none of these); only now the interview teaches anything."""
        self._still_going()
        if self.decision is None:
            raise BadArgument("The interview has not come to a decision yet; stop it first.")
        named = None if outcome is None else self._archive.outcome_id(outcome)
        with self._archive.lock.held():
            self._journal.append(Confirmed, outcome=named)
            self._archive.catch_up(self._known)
        self._end()

    def abandon(self) -> None:
        """Give the interview up; nothing is learned from it."""
        self._still_going()
        self._journal.keep(Abandoned)
        self._end()

    def later(self) -> None:
        """Leave the interview as it is: it can be resumed, or confirmed, at any later time."""
        if not self.ended:
            self._end()

    def _end(self) -> None:
        self.ended = True
        self._presence.give_up()
        self._archive.close()

    # -- keeping --------------------------------------------------------------------------------------

    def _still_going(self) -> None:
        if self.ended:
            raise BadArgument(f"Interview {self.id} has ended.")

    def _open_question(self) -> int:
        self._still_going()
        if self._picked is not None:
            return self._picked
        upcoming = self.interview.next
        if isinstance(upcoming, Decide):
            raise BadArgument("There is no open question: the interview has come to its decision.")
        return upcoming.question

    def _step(
        self, kind: type[Answered] | type[Unknown] | type[Skipped], index: int, **values: Answer
    ) -> None:
        """Keep a step that the engine has taken; if that fails, the engine takes it back."""
        step = self.interview.steps[-1]
        common: dict[str, Any] = {
            "question": self.bank.questions[index].id,
            **values,
            "cost": round_cost(step.cost),
            "seconds": max(0.0, round(self._stopwatch() - self._shown_at, 3)),
        }
        if self._picked is not None and step.proposed is not None and step.proposed != index:
            common["proposed"] = self.bank.questions[step.proposed].id
        try:
            event = self._journal.keep(kind, **common)
        except BaseException:
            self.interview.undo(1)
            raise
        assert isinstance(event, Answered | Unknown | Skipped)
        self._steps.append(event)
        self._settle()

    def _settle(self, picked: int | None = None, decided: Decide | None = None) -> None:
        """Find what comes next: a decision is kept at once, a question that is shown with its answer.

        ``picked`` is the operator's own question, ``decided`` the decision that is in the log already.
        """
        upcoming = self.interview.next
        self._picked = picked
        self._shown_at = self._stopwatch()
        if picked is not None:
            self._journal.owe(Asked, **self._asking(picked))
        elif isinstance(upcoming, Ask):
            self._journal.owe(Asked, **self._asking(upcoming.question))
        elif upcoming != decided:
            self._journal.owe(
                Decided,
                outcome=self.bank.outcomes[upcoming.outcome].id,
                belief=round(upcoming.belief, 6),
                reason=upcoming.reason,
                rule=upcoming.rule,
            )
            try:
                self._journal.settle()
            except (CannotWrite, Locked) as error:
                # The answers are safe; the decision follows from them and goes along with what comes next.
                self.notices.append(f"The decision could not be kept yet: {error}")

    def _asking(self, place: int) -> dict[str, str | None]:
        upcoming = self.interview.next
        proposed = None
        if isinstance(upcoming, Ask) and upcoming.question != place:
            proposed = self.bank.questions[upcoming.question].id
        return {"question": self.bank.questions[place].id, "proposed": proposed}
