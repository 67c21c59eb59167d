"""Count the answers of confirmed interviews exactly, and map the log's ids to the indices of the current bank.

With a half-life, there are counts for each period of time; :mod:`odm_tui.store.half_life` says what each weighs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol, Self, TypeVar

import numpy as np

from odm_tui.engine.certainty import evidence_of, find_bin
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Floats, Problem
from odm_tui.errors import BadArgument
from odm_tui.store.events import Answer
from odm_tui.store.half_life import find_moment, find_period, middle_of, period_weight
from odm_tui.store.interview_record import MILLIONTHS, InterviewRecord, Lesson, Statement
from odm_tui.store.variants.fitted import FittedVariants

Key = TypeVar("Key")


class HasAliases(Protocol):
    """A question, an answer or an outcome with its former ids."""

    @property
    def id(self) -> str: ...
    @property
    def aliases(self) -> Sequence[str]: ...


class HasAnswers(HasAliases, Protocol):
    """A question with its answers."""

    @property
    def answers(self) -> Sequence[HasAliases]: ...


class BankLike(Protocol):
    """The parts of a bank that the store uses."""

    @property
    def log_name(self) -> str: ...
    @property
    def hash(self) -> str: ...
    @property
    def problem(self) -> Problem: ...
    @property
    def questions(self) -> Sequence[HasAnswers]: ...
    @property
    def outcomes(self) -> Sequence[HasAliases]: ...
    @property
    def half_life_days(self) -> float | None: ...


@dataclass(frozen=True, eq=False)
class BankIndex:
    """A bank as the store uses it: find questions, answers and outcomes by the ids of the log, former ids included."""

    name: str
    hash: str
    problem: Problem
    question_aliases: Mapping[str, str] = field(default_factory=dict)
    outcome_aliases: Mapping[str, str] = field(default_factory=dict)
    half_life_days: float | None = None
    counts_pairs: bool = False
    """Whether :attr:`Counts.pairs` is counted; only policies that draw sets of questions use it."""
    answer_aliases: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Former ids of answers, by question."""

    @classmethod
    def of(cls, bank: BankLike, *, counts_pairs: bool = False) -> Self:
        """Create the index of a bank."""
        return cls(
            bank.log_name,
            bank.hash,
            bank.problem,
            {old: question.id for question in bank.questions for old in question.aliases},
            {old: outcome.id for outcome in bank.outcomes for old in outcome.aliases},
            bank.half_life_days,
            counts_pairs,
            {
                question.id: former
                for question in bank.questions
                if (former := {old: answer.id for answer in question.answers for old in answer.aliases})
            },
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

    def find_period(self, time: str) -> int | None:
        """Return the period of a time, in a bank with a half-life."""
        return None if self.half_life_days is None else find_period(time, self.half_life_days)

    def find_moment(self, time: str) -> float | None:
        """Return a time in half-lives since 1970, in a bank with a half-life."""
        return None if self.half_life_days is None else find_moment(time, self.half_life_days)

    def find_answer(self, question: str, answer: Answer) -> tuple[int, int] | None:
        """Return the indices of a question and its answer; None if the bank no longer has them."""
        i = self.question_places.get(question)
        if i is None:
            return None
        asked = self.problem.questions[i]
        if bool(asked.thresholds) == isinstance(answer, str):
            return None  # the question was a number question and no longer is, or the other way round
        if isinstance(answer, str):
            answer = self.answer_aliases.get(asked.id, {}).get(answer, answer)
        try:
            return i, asked.index(answer)
        except BadArgument:
            return None


@dataclass(slots=True)
class Counts:
    """How often each answer was given with each outcome, by index, without zeros; every interview counts 1.

    ``unknown`` counts the answers "not known" of each question. ``by_period`` has the same counts for each period of
    a bank with a half-life, from which :meth:`posterior` weighs them; it is empty without one. ``pairs`` is the sum of
    products of the answers' indices for each two questions, the lower one first, or None where it was not counted. The
    state file does not have it. ``said`` counts the decisions by how sure they were (the bin of
    :func:`~odm_tui.engine.certainty.find_bin`) and by whether they were right. ``aimed`` is how many interviews had a
    target for their cost, and ``moved`` how far these move the stakes, in millionths. ``fitted`` are the
    variants of outcomes that were fitted to the first of these interviews; they do not add up like counts.
    """

    answers: dict[tuple[int, int, int], int] = field(default_factory=dict)
    outcomes: dict[int, int] = field(default_factory=dict)
    unknown: dict[int, int] = field(default_factory=dict)
    interviews: int = 0
    by_period: dict[int, Counts] = field(default_factory=dict)
    pairs: dict[tuple[int, int], int] | None = None
    said: dict[tuple[int, bool], int] = field(default_factory=dict)
    aimed: int = 0
    moved: int = 0
    fitted: FittedVariants | None = field(default=None, compare=False)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was counted."""
        return not (self.answers or self.outcomes or self.unknown or self.interviews)

    def learn(self, record: InterviewRecord, index: BankIndex, by: int = 1) -> None:
        """Add a confirmed interview, or subtract it with ``by=-1``."""
        lesson = record.lesson
        if lesson is not None:
            period = index.find_period(record.confirmed_at)
            self.add_lesson(lesson, index, by, period, record.statement, record.move)

    def add_lesson(
        self,
        lesson: Lesson,
        index: BankIndex,
        by: int = 1,
        period: int | None = None,
        statement: Statement | None = None,
        move: int | None = None,
    ) -> None:
        """Add the answers, the outcome and the decision of an interview of this period, or subtract them with ``by=-1``.

        ``move`` is how far it moves the stakes, if it has a target.
        """
        answers, outcome = lesson
        j = index.outcome_places.get(outcome)
        if j is None:
            return
        if period is not None:
            part = self.by_period.setdefault(period, Counts())
            part.add_lesson(lesson, index, by, None, statement, move)
            if part.is_empty:
                del self.by_period[period]
        self.interviews += by
        if move is not None:
            self.aimed += by
            self.moved += by * move
        _add_to(self.outcomes, j, by)
        decided = None if statement is None else index.outcome_places.get(statement[0])
        if statement is not None and decided is not None:
            _add_to(self.said, (find_bin(statement[1]), decided == j), by)
        if index.counts_pairs:
            self._add_pairs(answers, index, by)
        for question, answer in answers:
            if answer is None:
                i = index.question_places.get(question)
                if i is not None:
                    _add_to(self.unknown, i, by)
                continue
            place = index.find_answer(question, answer)
            if place is not None:
                _add_to(self.answers, (place[0], j, place[1]), by)

    def _add_pairs(self, answers: Sequence[tuple[str, Answer | None]], index: BankIndex, by: int) -> None:
        found = (index.find_answer(question, answer) for question, answer in answers if answer is not None)
        places = sorted(place for place in found if place is not None and place[1] > 0)
        if self.pairs is None:
            self.pairs = {}
        for at, (i, first) in enumerate(places):
            for k, second in places[at:]:
                _add_to(self.pairs, (i, k), by * first * second)

    def plus(self, other: Counts, by: int = 1) -> Counts:
        """Return the sum of both counts, or their difference with ``by=-1``; the fitted variants stay these."""
        periods = {
            period: self.by_period.get(period, Counts()).plus(other.by_period.get(period, Counts()), by)
            for period in {*self.by_period, *other.by_period}
        }
        return Counts(
            _sum(self.answers, other.answers, by),
            _sum(self.outcomes, other.outcomes, by),
            _sum(self.unknown, other.unknown, by),
            self.interviews + by * other.interviews,
            {period: part for period, part in periods.items() if not part.is_empty},
            None
            if self.pairs is None and other.pairs is None
            else _sum(self.pairs or {}, other.pairs or {}, by),
            _sum(self.said, other.said, by),
            self.aimed + by * other.aimed,
            self.moved + by * other.moved,
            self.fitted,
        )

    def weighted(self, moment: float | None = None) -> list[tuple[float, Counts]]:
        """Return parts of the counts and what an interview of each part counts at a moment; see :mod:`half_life`.

        Without a moment it is that of the newest interview.
        """
        if not self.by_period:
            return [(1.0, self)]
        if moment is None:
            moment = middle_of(max(self.by_period))
        return [(period_weight(period, moment), part) for period, part in sorted(self.by_period.items())]

    def posterior(self, problem: Problem, moment: float | None = None) -> Posterior:
        """Convert the counts to the engine's posterior; ``moment`` is the time at which it is used, in half-lives."""
        n, m, _ = problem.shape
        counts, outcomes, unknown = np.zeros(problem.shape), np.zeros(m), np.zeros(n)
        for weight, part in self.weighted(moment):
            for key, count in part.answers.items():
                counts[key] += weight * count
            for j, count in part.outcomes.items():
                outcomes[j] += weight * count
            for i, count in part.unknown.items():
                unknown[i] += weight * count
        return Posterior.of(
            problem,
            counts,
            outcomes,
            self.interviews,
            unknown if self.unknown else None,
            self._products(problem, moment),
            self.statements(moment),
            variants=None if self.fitted is None else self.fitted.at(moment, problem.named_variants),
            moved=self.moves(moment),
        )

    def moves(self, moment: float | None = None) -> float:
        """How far interviews with a target have moved the stakes, weighed at a moment."""
        return sum(weight * part.moved for weight, part in self.weighted(moment)) / MILLIONTHS

    def statements(self, moment: float | None = None) -> Floats | None:
        """How many decisions of each bin were wrong and right, (81, 2), weighed at a moment; None without any."""
        if not self.said:
            return None
        return evidence_of(
            (place, right, weight * count)
            for weight, part in self.weighted(moment)
            for (place, right), count in sorted(part.said.items())
        )

    def _products(self, problem: Problem, moment: float | None) -> Floats | None:
        """XᵀX of the answers scaled to 0 to 1, (n, n); None where the pairs were not counted."""
        if self.pairs is None and self.interviews:
            return None
        sizes = np.maximum(problem.valid.sum(axis=1) - 1, 1)
        products = np.zeros((len(sizes), len(sizes)))
        for weight, part in self.weighted(moment):
            for (i, k), total in (part.pairs or {}).items():
                products[i, k] += weight * total / (sizes[i] * sizes[k])
                if i != k:
                    products[k, i] = products[i, k]
        return products


def _sum(ours: Mapping[Key, int], theirs: Mapping[Key, int], by: int) -> dict[Key, int]:
    total = dict(ours)
    for key, count in theirs.items():
        _add_to(total, key, by * count)
    return total


def _add_to(counts: dict[Key, int], key: Key, by: int) -> None:
    count = counts.get(key, 0) + by
    if count:
        counts[key] = count
    else:
        counts.pop(key, None)
