"""When variants are fitted to the log, to which interviews, and what of it is kept.

Confirmed interviews are sorted by the time of their confirmation, and by id. Variants are fitted to the first c of them, where c
follows from their number alone (:func:`find_size`). So they are a function of the set of confirmed interviews: the order of
merging does not matter, and most new interviews change nothing. Fitting takes up to a few seconds, so it happens after the
answer was given. Until then, an interview starts with the variants before, and the log says how many interviews those were
fitted to.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from odm_tui.engine.variants.cases import LearningCases
from odm_tui.engine.variants.fit import FEWEST_CASES, fit_variants
from odm_tui.engine.variants.variants import Variants
from odm_tui.store.half_life import middle_of, period_weight
from odm_tui.store.interview_record import InterviewRecord, Lesson

if TYPE_CHECKING:
    from odm_tui.store.counts import BankIndex

FIRST = FEWEST_CASES
"""The number of confirmed interviews at which variants are fitted for the first time."""
MOST_CASES = 10_000
"""Of more interviews, only the newest are fitted to."""
_STEADY = 4.0
"""What the outcome's own theta counts in a variant; it does not fade with the half-life."""


class DatedLesson(NamedTuple):
    """A confirmed interview: sorted by time, then by id."""

    confirmed: str
    interview: str
    lesson: Lesson

    @property
    def key(self) -> tuple[str, str]:
        """The place in the order."""
        return self.confirmed, self.interview


@dataclass(frozen=True, eq=False)
class FittedVariants:
    """Variants and the interviews that they were fitted to: the first ``interviews``, up to ``until``.

    ``variants`` is None if one variant for each outcome predicts as well. ``until`` is the time and the id of the last
    interview. ``period`` is its period in a bank with a half-life.
    """

    interviews: int
    until: tuple[str, str]
    variants: Variants | None
    period: int | None = None

    def at(self, moment: float | None, named: Variants | None = None) -> Variants | None:
        """The variants as they count at a moment, in half-lives: the same means, from fewer observations.

        What is known of ``named`` variants beforehand does not fade.
        """
        if self.variants is None or self.period is None or moment is None:
            return self.variants
        faded = period_weight(self.period, moment)
        total = self.variants.counts.sum(axis=-1, keepdims=True)
        steady = _STEADY if named is None else named.counts.sum(axis=-1, keepdims=True)
        kept = np.minimum(total, steady) + faded * np.maximum(total - steady, 0.0)
        return replace(self.variants, counts=self.variants.counts * (kept / total))

    def has_changed(self, key: tuple[str, str]) -> bool:
        """Whether the fit no longer holds if the interview with this key came, went or changed."""
        return key <= self.until


def find_size(interviews: int, *, named: bool = False) -> int:
    """Return how many of so many confirmed interviews variants are fitted to; 0 for none.

    From 150 on every 25, from 250 on every 50, and beyond 1,000 after every twentieth more. Variants that the author names
    learn from the first interview on.

    >>> [find_size(n) for n in (149, 150, 174, 260, 310, 1049, 2099, 2100)]
    [0, 150, 150, 250, 300, 1000, 2000, 2100]
    >>> [find_size(n, named=True) for n in (0, 7, 39, 160)]
    [0, 7, 30, 150]
    """
    if interviews < FIRST:
        if not named:
            return 0
        return interviews if interviews < 20 else interviews // 10 * 10
    start, step = (FIRST, 25) if interviews < 250 else (250, 50)
    if interviews >= 1_000:
        scale = 2 ** int(math.log2(interviews // 1_000))
        start, step = 1_000 * scale, 50 * scale
    return start + (interviews - start) // step * step


def size_for(interviews: int, index: BankIndex) -> int:
    """Return the same for a bank: 0 if it allows one variant only."""
    if index.problem.most_variants == 1:
        return 0
    return find_size(interviews, named=index.problem.named_variants is not None)


def find_lessons(records: Iterable[InterviewRecord], index: BankIndex) -> list[DatedLesson]:
    """Return the confirmed interviews that the bank learns from, in order."""
    found = (lesson for record in records if (lesson := dated_lesson(record)) is not None)
    counting = (lesson for lesson in found if lesson.lesson[1] in index.outcome_places)
    return sorted(counting, key=lambda each: each.key)


def dated_lesson(record: InterviewRecord) -> DatedLesson | None:
    """Return what is learned from an interview, and when; None before it is confirmed."""
    lesson = record.lesson
    return None if lesson is None else DatedLesson(record.confirmed_at, record.interview, lesson)


def fit_first(lessons: Sequence[DatedLesson], size: int, index: BankIndex) -> FittedVariants | None:
    """Fit variants to the first interviews; None if there are not so many."""
    if not 0 < size <= len(lessons):
        return None
    used = lessons[max(0, size - MOST_CASES) : size]
    answers = np.full((len(used), len(index.problem.questions)), -1, dtype=np.int16)
    for row, each in enumerate(used):
        for question, answer in each.lesson[0]:
            place = None if answer is None else index.find_answer(question, answer)
            if place is not None:
                answers[row, place[0]] = place[1]
    outcomes = [index.outcome_places[each.lesson[1]] for each in used]
    last, period, weights = used[-1], index.find_period(used[-1].confirmed), None
    if period is not None:
        periods = (index.find_period(each.confirmed) or 0 for each in used)
        weights = [period_weight(each, middle_of(period)) for each in periods]
    cases = LearningCases.of(index.problem, answers, outcomes, weights)
    return FittedVariants(size, last.key, fit_variants(cases), period)


class LessonBook:
    """The confirmed interviews of a log that is read from its start, and the variants of each size."""

    def __init__(self, index: BankIndex) -> None:
        self._index = index
        self._lessons: list[DatedLesson] = []
        self._fitted: dict[int, FittedVariants | None] = {}

    def change(self, before: DatedLesson | None, after: DatedLesson | None) -> None:
        """Replace an interview, add it (``before`` is None), or remove it (``after`` is None)."""
        for lesson, adds in ((before, False), (after, True)):
            if lesson is None or lesson.lesson[1] not in self._index.outcome_places:
                continue
            at = bisect_left(self._lessons, lesson.key, key=lambda each: each.key)
            if adds:
                self._lessons.insert(at, lesson)
            else:
                del self._lessons[at]
            self._fitted = {
                size: fitted
                for size, fitted in self._fitted.items()
                if fitted is not None and not fitted.has_changed(lesson.key)
            }

    def fitted(self, size: int) -> FittedVariants | None:
        """Return the variants that were fitted to the first interviews so far."""
        if size not in self._fitted:
            self._fitted[size] = fit_first(self._lessons, size, self._index)
        return self._fitted[size]


def have_same_variants(ours: FittedVariants | None, theirs: FittedVariants | None) -> bool:
    """Whether two fits are the same but for rounding."""
    if ours is None or theirs is None:
        return ours is theirs
    if (ours.interviews, ours.until) != (theirs.interviews, theirs.until):
        return False
    if ours.variants is None or theirs.variants is None:
        return ours.variants is theirs.variants
    return (
        np.array_equal(ours.variants.outcome, theirs.variants.outcome)
        and np.allclose(ours.variants.weight, theirs.variants.weight, rtol=1e-4, atol=1e-4)
        and np.allclose(ours.variants.counts, theirs.variants.counts, rtol=1e-3, atol=1e-3)
    )
