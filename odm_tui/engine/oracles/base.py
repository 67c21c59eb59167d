"""The base classes of oracles: an oracle looks at a situation and chooses the next question."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

import numpy as np

from odm_tui.engine.gains import per_cost
from odm_tui.engine.lookahead.planner import NOTHING, Planner
from odm_tui.engine.problem import Bools, Floats
from odm_tui.engine.situation import Situation

_SHORT_PLANS = Planner(milliseconds=10.0)


class Scores(NamedTuple):
    """An oracle's rating of every question: gain, expected cost and gain per cost, (n,) each.

    ``net`` is for an oracle that plans: what the best plan that starts with the question is worth more than deciding
    now, its costs subtracted; -inf for questions outside the plan.
    """

    gain: Floats
    cost: Floats
    net: Floats | None = None

    @property
    def score(self) -> Floats:
        """Gain per cost, (n,)."""
        return per_cost(self.gain, self.cost)


class Oracle(ABC):
    """Choose the next question. Subclasses set ``name`` and implement :meth:`_choose`.

    An oracle has no state: the same situation always gives the same question.
    """

    name: ClassVar[str]
    default_stop: ClassVar[str] = "region"
    """The stop rule of a policy that names none."""
    needs_hypotheses: ClassVar[bool] = False
    """Whether it needs a list of hypotheses."""
    uses_theta: ClassVar[bool] = True
    """Whether it looks at theta. If not, its policies have no exploration in their name."""
    asks_everything: ClassVar[bool] = False
    """Whether a bank's stop rule does not apply to it: it asks all its questions."""
    tolerates_errors: ClassVar[bool] = False
    """Whether hypotheses that contradict an answer lose weight instead of being removed."""
    plans: ClassVar[bool] = False
    """Whether it plans several questions ahead."""
    draws_a_set: ClassVar[bool] = False
    """Whether it asks a set of questions that is drawn from a DPP at the start."""

    def choose(self, situation: Situation) -> int | None:
        """The next question, one of the available ones, or None if the oracle proposes no more."""
        if not np.logical_or.reduce(situation.available):
            return None
        question = self._choose(situation)
        if question is not None and not situation.available[question]:
            raise AssertionError(
                f"The oracle {self.name!r} chose question {question}, which is not available."
            )
        return question

    @abstractmethod
    def _choose(self, situation: Situation) -> int | None:
        """The index of an available question, or None. At least one is available."""

    def scores(self, situation: Situation) -> Scores | None:
        """Gain and cost of every question, or None for an oracle that does not rate them."""
        return None

    @property
    def planner(self) -> Planner:
        """The planner that :meth:`should_continue` uses."""
        return _SHORT_PLANS

    def should_continue(self, situation: Situation) -> bool:
        """Whether another question is worth its cost under the oracle's model.

        One question alone often changes no decision where two or three together do. So this makes a plan, even for
        an oracle that chooses without one.
        """
        return self.planner.should_continue(situation)


def choose_best(score: Floats, cost: Floats, available: Bools) -> int:
    """The available question with the highest score; the cheapest one if none has a score above 0.

    Of questions that differ by rounding only, the first one, so that rounding decides nothing.
    """
    score = np.where(available, score, -np.inf)
    best = float(score.max())
    if best > 0:
        return int((score >= best * (1.0 - NOTHING)).argmax())
    # No question has a gain, but no stop rule applies.
    cost = np.where(available, cost, np.inf)
    return int((cost <= float(cost.min()) * (1.0 + NOTHING)).argmax())


class ScoringOracle(Oracle):
    """Choose the available question with the highest gain per cost. Subclasses implement :meth:`scores`."""

    @abstractmethod
    def scores(self, situation: Situation) -> Scores:
        """Gain and cost of every question."""

    def _choose(self, situation: Situation) -> int:
        scores = self.scores(situation)
        return choose_best(scores.score, scores.cost, situation.available)
