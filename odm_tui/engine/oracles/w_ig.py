"""W-IG: information gain per expected cost."""

from __future__ import annotations

from typing import ClassVar

from odm_tui.engine.gains import expected_costs, telling_gains
from odm_tui.engine.oracles.base import Scores, ScoringOracle
from odm_tui.engine.situation import Situation
from odm_tui.engine.ucb import optimistic_gains as ucb


class WeightedInformationGain(ScoringOracle):
    """Gain the most information about the outcome per cost.

    The paper's W-IG, eq:gain_w_ig. Information about the variant of an outcome counts too, as far as the outcome is open.
    """

    name: ClassVar[str] = "w-ig"

    def scores(self, situation: Situation) -> Scores:
        model, belief = situation.model, situation.belief
        if model.bounds is None:
            gains = telling_gains(model, belief)
            return Scores(model.scale_by_answerable(gains), expected_costs(model, belief))
        gains = ucb.information_gains(model.bounds, belief)
        return Scores(model.scale_by_answerable(gains), ucb.expected_costs(model.bounds, belief))
