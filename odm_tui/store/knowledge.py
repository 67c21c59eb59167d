"""What was learned, as exact whole counts, and how the log's ids become places in the bank of today."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self, TypeVar

import numpy as np

from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Problem
from odm_tui.errors import BadArgument
from odm_tui.store.events import Answer
from odm_tui.store.lives import Lesson

Key = TypeVar("Key")


@dataclass(frozen=True, eq=False)
class Subject:
    """What is learned about: a bank as the store sees it, with the ids that things had before."""

    name: str
    hash: str
    problem: Problem
    question_aliases: Mapping[str, str] = field(default_factory=dict)
    outcome_aliases: Mapping[str, str] = field(default_factory=dict)

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

    def place(self, question: str, answer: Answer) -> tuple[int, int] | None:
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


@dataclass(slots=True)
class Knowledge:
    """How often each answer came with each outcome, by index; only what was seen at all is held."""

    answers: dict[tuple[int, int, int], int] = field(default_factory=dict)
    outcomes: dict[int, int] = field(default_factory=dict)

    @property
    def interviews(self) -> int:
        """How many interviews were learned from."""
        return sum(self.outcomes.values())

    def count(self, lesson: Lesson | None, subject: Subject, by: int = 1) -> None:
        """Add what an interview teaches, or take it away with ``by=-1``."""
        if lesson is None:
            return
        answers, outcome = lesson
        j = subject.outcome_places.get(outcome)
        if j is None:
            return
        _shift(self.outcomes, j, by)
        for question, answer in answers:
            place = subject.place(question, answer)
            if place is not None:
                _shift(self.answers, (place[0], j, place[1]), by)

    def plus(self, other: Knowledge, by: int = 1) -> Knowledge:
        """The sum of two, or with ``by=-1`` what is left without the other."""
        made = Knowledge(dict(self.answers), dict(self.outcomes))
        for key, count in other.answers.items():
            _shift(made.answers, key, by * count)
        for outcome, count in other.outcomes.items():
            _shift(made.outcomes, outcome, by * count)
        return made

    def posterior(self, problem: Problem) -> Posterior:
        """The same counts as the engine takes them."""
        counts = np.zeros(problem.shape)
        for key, count in self.answers.items():
            counts[key] = count
        outcomes = np.zeros(len(problem.outcomes))
        for outcome, count in self.outcomes.items():
            outcomes[outcome] = count
        return Posterior.of(problem, counts, outcomes, self.interviews)

    @classmethod
    def nothing(cls) -> Self:
        """What is known before the first interview."""
        return cls()


def _shift(counts: dict[Key, int], key: Key, by: int) -> None:
    count = counts.get(key, 0) + by
    if count:
        counts[key] = count
    else:
        counts.pop(key, None)
