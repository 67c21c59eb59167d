"""Lookahead: plan several questions ahead and ask the first one of the plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from odm_tui.engine.gains import decision_gains, expected_costs
from odm_tui.engine.lookahead.planner import NOTHING, PlannedQuestions, Planner
from odm_tui.engine.oracles.base import Oracle, Scores
from odm_tui.engine.situation import Situation
from odm_tui.errors import BadArgument


@dataclass(frozen=True)
class Lookahead(Oracle):
    """Plan several questions ahead: the highest value of the decision − cost, with one number stakes · P(right) − cost.

    The plan is made over the K most promising questions, by dynamic programming.
    """

    milliseconds: float = 50.0
    name: ClassVar[str] = "lookahead"
    default_stop: ClassVar[str] = "value"
    plans: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not 0 < self.milliseconds <= 60_000:
            raise BadArgument(
                f"The milliseconds must be above 0 and at most 60000, not {self.milliseconds:g}."
            )

    @property
    def planner(self) -> Planner:
        return Planner(self.milliseconds)

    def _choose(self, situation: Situation) -> int:
        made, worth = self.planner.worths(situation)
        best = worth.max()
        return int(made.questions[(worth >= best - NOTHING * max(1.0, abs(best))).argmax()])

    def scores(self, situation: Situation) -> Scores:
        """The gain is how much more the best plan that starts with the question is worth than deciding now."""
        made = self.plan_for(situation)
        costs = expected_costs(situation.model, situation.belief)
        gains = situation.model.scale_by_answerable(decision_gains(situation.model, situation.belief))
        worth = made.plan.worths(made.state) - made.plan.stop_worth(made.state)
        planned = np.isfinite(worth)
        chosen = made.questions[planned]
        gains[chosen] = np.maximum(worth[planned] + costs[chosen], 0.0)
        net = np.full(len(costs), -np.inf)
        net[chosen] = worth[planned]
        return Scores(gains, costs, net)

    def plan_for(self, situation: Situation) -> PlannedQuestions:
        """The plan for a situation. It is computed once."""
        return self.planner.plan_for(situation)
