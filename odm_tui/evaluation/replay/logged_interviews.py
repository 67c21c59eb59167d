"""Read logged interviews as a stream, each with what its log had taught before it began.

Memory holds only the unfinished interviews, and those that are corrected later; a first pass over the log finds these.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from odm_tui.banks.bank import Bank
from odm_tui.engine.oracles.ask_all import AskAll
from odm_tui.engine.policy import policy_from
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.target import with_target
from odm_tui.engine.variants.variants import Variants
from odm_tui.errors import BadArgument, BadData
from odm_tui.evaluation.replay.dated_posterior import DatedPosterior
from odm_tui.formatting import format_count
from odm_tui.store.branches.records import read_counting_entries
from odm_tui.store.counts import BankIndex, Counts
from odm_tui.store.events import (
    Answered,
    Changed,
    Corrected,
    Decided,
    Dropped,
    Event,
    Forgotten,
    Retracted,
    Started,
    Unknown,
)
from odm_tui.store.half_life import middle_of
from odm_tui.store.interview_record import InterviewRecord
from odm_tui.store.log import Damage, Entry, find_interviews, read_log
from odm_tui.store.team.log_order import LogOrder, UnknownInterview
from odm_tui.store.variants.fitted import FittedVariants, LessonBook, dated_lesson


@dataclass(frozen=True, eq=False)
class LoggedInterview:
    """One interview of a log whose outcome was confirmed.

    ``log`` is the number of its log, from 0. ``before`` is what the log had taught when it began. ``answers`` is one
    answer index per question, -1 for none; ``order`` is the questions asked, in order, and ``path`` is the same with
    the skipped ones. ``outcome`` is the index of the confirmed outcome after all corrections. ``decided`` is what was
    decided before the advice of any outcome was tried; None if it was handed over, as ``referred`` says. ``decisions`` are
    the policy's own, by the number of steps before them, -1 for an outcome that the bank lacks; at ``referrals`` it handed
    over, and would have decided so otherwise. ``edited``: lines before its end were damaged, missing or moved.

    ``picked``: the operator chose at least one of the questions. ``stopped``: the operator ended it. ``changed``: an
    earlier answer was replaced or left out while later ones stayed. ``began`` and
    ``confirmed`` are its moments, in half-lives since 1970; both are 0 in a bank without a half-life.
    """

    log: int
    started: Started
    before: Posterior
    events: tuple[Event, ...]
    answers: npt.NDArray[np.int16]
    order: tuple[int, ...]
    unknown: frozenset[int]
    decided: int | None
    outcome: int
    edited: bool
    path: tuple[int, ...] = ()
    skipped: frozenset[int] = frozenset()
    picked: bool = False
    stopped: bool = False
    changed: bool = False
    began: float = 0.0
    confirmed: float = 0.0
    decisions: Mapping[int, int] = field(default_factory=dict)
    referrals: frozenset[int] = frozenset()
    referred: bool = False

    @property
    def is_complete(self) -> bool:
        """Whether every question was answered, by a policy that asks everything.

        An interview that needed every question by chance does not count: such interviews are the hard ones.
        """
        return self.asks_everything and bool((self.answers >= 0).all())

    @property
    def asks_everything(self) -> bool:
        """Whether the interview's policy asks every question."""
        try:
            return policy_from(self.started.policy).oracle.name == AskAll.name
        except BadArgument:
            return False


@dataclass
class Tally:
    """How many lines and interviews were read, and how many were skipped."""

    events: int = 0
    torn: int = 0
    damaged: int = 0
    misfits: int = 0
    interviews: int = 0
    unfinished: int = 0
    not_confirmed: int = 0
    elsewhere: int = 0
    """Interviews of another bank."""
    first_damage: str = ""

    def note(self, damage: Damage) -> None:
        """Count a line that can't be used."""
        if damage.torn:
            self.torn += 1
        else:
            self.damaged += 1
            self.first_damage = self.first_damage or damage.reason


def describe_damage(paths: Sequence[Path]) -> str | None:
    """Return a sentence about the damaged lines of some logs; None if there are none."""
    for path in paths:
        damages = [found for found in read_log(path) if isinstance(found, Damage)]
        if damages:
            count = format_count(len(damages), "line")
            return (
                f"{path}: the log is damaged, {count} can't be read. First: {damages[0].reason} "
                "Restore the log from a backup, or name another one."
            )
    return None


def read_interviews(paths: Sequence[Path], bank: Bank, tally: Tally) -> Iterator[LoggedInterview]:
    """Yield the interviews of several logs, merged by the time at which each ended."""
    streams = [_LogReader(number, path, bank, tally).read() for number, path in enumerate(paths)]
    for _, logged in heapq.merge(*streams, key=lambda found: found[0]):
        yield logged


@dataclass
class _LogReader:
    """Read one log."""

    number: int
    path: Path
    bank: Bank
    tally: Tally
    counts: Counts = field(default_factory=Counts)
    open: dict[str, tuple[InterviewRecord, list[Event], DatedPosterior, bool]] = field(default_factory=dict)
    variants: dict[str, Variants | None] = field(default_factory=dict)
    """The variants that each open interview began with."""
    ended: dict[str, InterviewRecord] = field(default_factory=dict)
    _known: DatedPosterior | None = None

    def __post_init__(self) -> None:
        if not self.path.is_file():
            raise BadData(f"{self.path}: there is no such log. Name a file that ends in .log.jsonl.")
        self.index = BankIndex.of(self.bank, counts_pairs=True)
        self.final = read_final_outcomes(self.path)
        self.lessons = LessonBook(self.index)
        self.order = LogOrder.of_log(self.path)

    def read(self) -> Iterator[tuple[str, LoggedInterview]]:
        damaged = False
        for found in read_counting_entries(self.path):
            if isinstance(found, Damage):
                self.tally.note(found)
                damaged = True
                continue
            self.tally.events += 1
            damaged = damaged or not found.is_in_order
            logged = self._follow(found, damaged)
            if logged is not None:
                yield found.event.time, logged
        self.tally.unfinished += len(self.open)
        if self.order is not None:
            self.order.close()

    def _follow(self, entry: Entry, damaged: bool) -> LoggedInterview | None:
        event = entry.event
        name = event.interview
        if isinstance(event, Started):
            if event.bank not in (self.bank.log_name, self.bank.name):
                self.tally.elsewhere += 1
                return None
            record = InterviewRecord(name)
            record.follow(event)
            unknown = [] if self.order is None else self.order.find_unknown(event, entry.cursor)
            self.open[name] = (record, [event], self._posterior(event.time, unknown), damaged)
            if event.variants:
                fitted = self._fit_known(event.variants, unknown)
                named, moment = self.index.problem.named_variants, self.index.find_moment(event.time)
                self.variants[name] = None if fitted is None else fitted.at(moment, named)
            return None
        if name in self.open:
            return self._continue(name, event, damaged)
        if name in self.ended:
            self._learn_again(self.ended[name], event)
        elif not isinstance(event, Forgotten):
            self.tally.misfits += 1
        return None

    def _continue(self, name: str, event: Event, damaged: bool) -> LoggedInterview | None:
        record, events, before, edited = self.open[name]
        if isinstance(event, Forgotten):
            del self.open[name]
            self.variants.pop(name, None)
            return None
        if not record.follow(event):
            self.tally.misfits += 1
            return None
        events.append(event)
        if record.ending is None:
            return None
        del self.open[name]
        self.counts.learn(record, self.index)
        self.lessons.change(None, dated_lesson(record))
        self._known = None
        logged = self._logged(record, events, before, edited or damaged)
        if name in self.final:
            record.drop_details()
            self.ended[name] = record
        return logged

    def _learn_again(self, record: InterviewRecord, event: Event) -> None:
        """Apply a correction or retraction of an interview that has ended."""
        self.counts.learn(record, self.index, -1)
        taught = dated_lesson(record)
        self._known = None
        if isinstance(event, Forgotten):
            self.lessons.change(taught, None)
            del self.ended[record.interview]
            return
        record.follow(event)
        self.counts.learn(record, self.index)
        self.lessons.change(taught, dated_lesson(record))

    def _logged(
        self, record: InterviewRecord, events: list[Event], before: DatedPosterior, edited: bool
    ) -> LoggedInterview | None:
        self.tally.interviews += 1
        taught, variants = before.posterior, self.variants.pop(record.interview, None)
        if variants is not None:
            taught = replace(taught, variants=variants)
        outcome = self.final.get(record.interview, record.outcome)
        place = None if outcome is None else self.index.outcome_places.get(outcome)
        if place is None or record.started is None:
            self.tally.not_confirmed += 1
            return None
        answers = np.full(len(self.bank.questions), -1, dtype=np.int16)
        order, unknown, path, skipped = [], set(), [], set()
        changed = any(isinstance(event, Changed | Dropped) for event in events)
        for step in record.steps or ():
            question = self.index.question_places.get(step.question)
            if question is None:
                changed = True
                continue
            path.append(question)
            if isinstance(step, Answered):
                known = self.index.find_answer(step.question, step.answer)
                if known is not None:
                    answers[question] = known[1]
                    order.append(question)
                else:
                    changed = True
            elif isinstance(step, Unknown):
                unknown.add(question)
                order.append(question)
            else:
                skipped.add(question)
        period = self.index.find_period(record.confirmed_at)
        verdict, decisions = record.first_decided, _find_decisions(events)
        referred = verdict is not None and verdict.refers
        return LoggedInterview(
            log=self.number,
            started=record.started,
            before=_aim(taught, record.started.target_cost),
            events=tuple(events),
            answers=answers,
            order=tuple(order),
            unknown=frozenset(unknown),
            decided=None if verdict is None or referred else self.index.outcome_places.get(verdict.outcome),
            outcome=place,
            edited=edited,
            path=tuple(path),
            skipped=frozenset(skipped),
            picked=any(step.proposed is not None for step in record.steps or ()),
            stopped=record.stopped,
            changed=changed,
            began=before.moment,
            confirmed=0.0 if period is None else middle_of(period),
            decisions={
                depth: self.index.outcome_places.get(event.outcome, -1) for depth, event in decisions.items()
            },
            referrals=frozenset(depth for depth, event in decisions.items() if event.refers),
            referred=referred,
        )

    def _posterior(self, time: str, unknown: Sequence[UnknownInterview] = ()) -> DatedPosterior:
        """Return what the log has taught so far; the same object until it teaches more, or time makes it weaker.

        ``unknown`` is what an interview of another machine did not know of it.
        """
        moment = self.index.find_moment(time)
        if unknown:
            counts = self.counts.plus(Counts())
            for one in unknown:
                counts.learn(one.with_all, self.index, -1)
                if one.as_known is not None:
                    counts.learn(one.as_known, self.index)
            return DatedPosterior(counts.posterior(self.bank.problem, moment), moment or 0.0)
        if self._known is None or (moment is not None and moment != self._known.moment):
            self._known = DatedPosterior(self.counts.posterior(self.bank.problem, moment), moment or 0.0)
        return self._known

    def _fit_known(self, size: int, unknown: Sequence[UnknownInterview]) -> FittedVariants | None:
        """Return the variants of the first interviews so far, without those that were not known."""
        lessons = [
            (dated_lesson(one.with_all), None if one.as_known is None else dated_lesson(one.as_known))
            for one in unknown
        ]
        for with_all, as_known in lessons:
            self.lessons.change(with_all, as_known)
        fitted = self.lessons.fitted(size)
        for with_all, as_known in lessons:
            self.lessons.change(as_known, with_all)
        return fitted


def _find_decisions(events: Sequence[Event]) -> dict[int, Decided]:
    """Return what was decided before any outcome was tried, by the number of steps before it, without what was undone.

    Where the operator hands over after a decision, the decision counts.
    """
    record, found = InterviewRecord(""), dict[int, Decided]()
    for event in events:
        record.follow(event)
        depth = len(record.steps or ())
        own = not (record.stopped and depth in found)
        if isinstance(event, Decided) and not record.tried and own:
            found[depth] = event
        found = {at: decided for at, decided in found.items() if at <= depth}
    return found


def _aim(known: Posterior, target_cost: float | None) -> Posterior:
    """Return what was known with the target that an interview had; the same object where it is the bank's."""
    problem = with_target(known.problem, target_cost)
    return known if problem is known.problem else replace(known, problem=problem)


def read_final_outcomes(path: Path) -> dict[str, str | None]:
    """Return the final outcomes of interviews that were corrected, retracted or forgotten later; None for no outcome."""
    changed = find_interviews(path, {Corrected.name, Retracted.name, Forgotten.name})
    if not changed:
        return {}
    records: dict[str, InterviewRecord] = {}
    forgotten: set[str] = set()
    for entry in _entries(read_counting_entries(path)):
        event = entry.event
        if event.interview not in changed:
            continue
        if isinstance(event, Forgotten):
            forgotten.add(event.interview)
        else:
            records.setdefault(event.interview, InterviewRecord(event.interview)).follow(event)
    ended = {name: record.outcome for name, record in records.items()}
    return {**ended, **dict.fromkeys(forgotten)}


def _entries(found: Iterable[Entry | Damage]) -> Iterator[Entry]:
    return (entry for entry in found if isinstance(entry, Entry))
