"""What was learned, as exact whole counts, and how the log's ids become places in the bank of today.

In a bank with a half-record, time is cut into generations of that length, and an interview of the generation g
counts 2^(g - G), where G is the newest generation there is. What is held is Σ 2^g, a whole number: it adds up
in any order and can be taken back exactly, and only when it is used it is divided by 2^G. So what counts
follows from the log alone, never from the clock. Without a half-record all interviews are of generation 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from functools import cached_property
from typing import Protocol, Self, TypeVar

import numpy as np

from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Problem
from odm_tui.errors import BadArgument
from odm_tui.store.events import Answer
from odm_tui.store.interview_record import InterviewRecord, Lesson

Key = TypeVar("Key")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_DAY = timedelta(days=1) // _MICROSECOND


class HasAliases(Protocol):
    """A question or an outcome, with the ids that it had before."""

    @property
    def id(self) -> str: ...
    @property
    def aliases(self) -> Sequence[str]: ...


class BankLike(Protocol):
    """What the store must know of a bank; it does not know how banks are written."""

    @property
    def name(self) -> str: ...
    @property
    def hash(self) -> str: ...
    @property
    def problem(self) -> Problem: ...
    @property
    def questions(self) -> Sequence[HasAliases]: ...
    @property
    def outcomes(self) -> Sequence[HasAliases]: ...
    @property
    def half_life_days(self) -> float | None: ...


@dataclass(frozen=True, eq=False)
class BankIndex:
    """What is learned about: a bank as the store sees it, with the ids that things had before."""

    name: str
    hash: str
    problem: Problem
    question_aliases: Mapping[str, str] = field(default_factory=dict)
    outcome_aliases: Mapping[str, str] = field(default_factory=dict)
    half_life_days: float | None = None

    @classmethod
    def of(cls, bank: BankLike) -> Self:
        """What a log's ids mean in this bank, former ids included."""
        return cls(
            bank.name,
            bank.hash,
            bank.problem,
            {old: question.id for question in bank.questions for old in question.aliases},
            {old: outcome.id for outcome in bank.outcomes for old in outcome.aliases},
            bank.half_life_days,
        )

    @cached_property
    def outcome_places(self) -> Mapping[str, int]:
        """The index of each outcome, by its id or a former one."""
        places = {name: j for j, name in enumerate(self.problem.outcomes)}
        former = {old: places[new] for old, new in self.outcome_aliases.items() if new in places}
        return {**former, **places}

    @cached_property
    def question_places(self) -> Mapping[str, int]:
        """The index of each question, by its id or a former one."""
        places = dict(self.problem.positions)
        former = {old: places[new] for old, new in self.question_aliases.items() if new in places}
        return {**former, **places}

    def find_answer(self, question: str, answer: Answer) -> tuple[int, int] | None:
        """(question, answer) as indices; None where today's bank no longer has them."""
        i = self.question_places.get(question)
        if i is None:
            return None
        asked = self.problem.questions[i]
        if bool(asked.thresholds) == isinstance(answer, str):
            return None  # it was a number and no longer is, or the other way round
        try:
            return i, asked.index(answer)
        except BadArgument:
            return None

    @cached_property
    def _half_life(self) -> Fraction | None:
        """In microseconds."""
        return None if self.half_life_days is None else Fraction(self.half_life_days) * _DAY

    def generation(self, time: str) -> int:
        """How many half-records after 1970 a moment is; 0 where nothing drifts.

        >>> BankIndex("b", "h", Problem.build(["q"], ["o"]), half_life_days=10).generation("1970-02-05T00:00:00Z")
        3
        """
        if self._half_life is None:
            return 0
        try:
            moment = (datetime.fromisoformat(time) - _EPOCH) // _MICROSECOND
        except ValueError:  # no day of the calendar: as old as can be
            return 0
        return max(0, moment * self._half_life.denominator // self._half_life.numerator)


@dataclass(slots=True)
class Counts:
    """How often each answer came with each outcome, by index; only what was seen at all is held.

    ``unknown`` is how often each question was put and nobody knew; ``generations`` how many interviews were
    confirmed in each. All but these count an interview of the generation g as 2^g, see :meth:`weight`.
    """

    answers: dict[tuple[int, int, int], int] = field(default_factory=dict)
    outcomes: dict[int, int] = field(default_factory=dict)
    unknown: dict[int, int] = field(default_factory=dict)
    generations: dict[int, int] = field(default_factory=dict)

    @property
    def interviews(self) -> int:
        """How many interviews were learned from, old and new alike."""
        return sum(self.generations.values())

    @property
    def full_weight(self) -> int:
        """What an interview of the newest generation counts."""
        return 1 << max(self.generations, default=0)

    def weight(self, count: int) -> float:
        """A count in interviews of the newest generation: the plain number where nothing drifts."""
        return count / self.full_weight

    def learn(self, record: InterviewRecord, index: BankIndex, by: int = 1) -> None:
        """Add what an interview teaches, or take it away with ``by=-1``."""
        lesson = record.lesson
        if lesson is not None:
            self.add_lesson(lesson, index, by, index.generation(record.confirmed_at))

    def add_lesson(self, lesson: Lesson, index: BankIndex, by: int = 1, generation: int = 0) -> None:
        """The same for a lesson of this generation."""
        said, outcome = lesson
        j = index.outcome_places.get(outcome)
        if j is None:
            return
        _shift(self.generations, generation, by)
        by <<= generation
        _shift(self.outcomes, j, by)
        for question, answer in said:
            if answer is None:
                i = index.question_places.get(question)
                if i is not None:
                    _shift(self.unknown, i, by)
                continue
            place = index.find_answer(question, answer)
            if place is not None:
                _shift(self.answers, (place[0], j, place[1]), by)

    def plus(self, other: Counts, by: int = 1) -> Counts:
        """The sum of two, or with ``by=-1`` what is left without the other."""
        return Counts(
            _sum(self.answers, other.answers, by),
            _sum(self.outcomes, other.outcomes, by),
            _sum(self.unknown, other.unknown, by),
            _sum(self.generations, other.generations, by),
        )

    def posterior(self, problem: Problem) -> Posterior:
        """The same counts as the engine takes them."""
        n, m, _ = problem.shape
        one = self.full_weight
        counts, outcomes, unknown = np.zeros(problem.shape), np.zeros(m), np.zeros(n)
        for key, count in self.answers.items():
            counts[key] = count / one
        for j, count in self.outcomes.items():
            outcomes[j] = count / one
        for i, count in self.unknown.items():
            unknown[i] = count / one
        return Posterior.of(problem, counts, outcomes, self.interviews, unknown if self.unknown else None)


def _sum(ours: Mapping[Key, int], theirs: Mapping[Key, int], by: int) -> dict[Key, int]:
    made = dict(ours)
    for key, count in theirs.items():
        _shift(made, key, by * count)
    return made


def _shift(counts: dict[Key, int], key: Key, by: int) -> None:
    count = counts.get(key, 0) + by
    if count:
        counts[key] = count
    else:
        counts.pop(key, None)
