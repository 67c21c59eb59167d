"""What an oracle is: it looks at a situation and names the next question."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

import numpy as np

from odm_tui.engine.gains import per_cost
from odm_tui.engine.lookahead.planner import Planner
from odm_tui.engine.problem import Floats
from odm_tui.engine.situation import Situation

GLANCE = Planner(milliseconds=10.0)


class Scores(NamedTuple):
    """What an oracle thinks of every question: gain, expected cost and gain per cost, (n,) each."""

    gain: Floats
    cost: Floats

    @property
    def score(self) -> Floats:
        return per_cost(self.gain, self.cost)


class Oracle(ABC):
    """Chooses the next question. Subclasses fill in ``_choose``; the checks are made here.

    An oracle has no state of its own: the same situation always gives the same question.
    """

    name: ClassVar[str]
    needs_hypotheses: ClassVar[bool] = False
    """Whether a list of hypotheses must be kept for it."""
    uses_theta: ClassVar[bool] = True
    """Whether it uses theta at all; one that does not has no exploration."""
    asks_everything: ClassVar[bool] = False
    """Whether it goes on to the end of its own list unless a stop rule is named."""
    tolerates_errors: ClassVar[bool] = False
    """Whether hypotheses that an answer speaks against fade instead of being removed."""
    draws_a_set: ClassVar[bool] = False
    """Whether it asks a set of questions drawn at the start."""

    def choose(self, situation: Situation) -> int | None:
        """The next question, one of the available ones, or None if the oracle wants no more."""
        if not np.logical_or.reduce(situation.available):
            return None
        question = self._choose(situation)
        if question is not None and not situation.available[question]:
            raise AssertionError(f"the oracle {self.name} chose question {question}, which is not available")
        return question

    @abstractmethod
    def _choose(self, situation: Situation) -> int | None:
        """The next question; at least one is available."""

    def scores(self, situation: Situation) -> Scores | None:
        """Gain and cost of every question, or None for an oracle that does not weigh them."""
        return None

    @property
    def planner(self) -> Planner:
        """How far the oracle looks ahead when it is asked whether going on is worth it."""
        return GLANCE

    def should_continue(self, situation: Situation) -> bool:
        """Whether asking on is worth its cost under the oracle's model.

        A single question often changes no decision where two or three together do, so this looks at a
        plan, whatever the oracle itself looks at when it chooses.
        """
        return self.planner.should_continue(situation)


class ScoringOracle(Oracle):
    """Takes the available question with the highest gain per cost; subclasses fill in ``scores``."""

    @abstractmethod
    def scores(self, situation: Situation) -> Scores:
        """Gain and cost of every question."""

    def _choose(self, situation: Situation) -> int:
        scores = self.scores(situation)
        score = np.where(situation.available, scores.score, -np.inf)
        best = int(score.argmax())
        if score[best] > 0:
            return best
        # Nothing is left to gain, yet a stop rule wants to go on: the cheapest question does least harm.
        return int(np.where(situation.available, scores.cost, np.inf).argmin())
