"""W-EC²: the weight of the edges cut per expected cost."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from odm_tui.engine import optimism
from odm_tui.engine.belief import log_sum
from odm_tui.engine.gains import ec2_gains, expected_costs
from odm_tui.engine.oracles.base import Scores, ScoringOracle
from odm_tui.engine.situation import Situation


class WeightedEdgeCutting(ScoringOracle):
    """The question that cuts most edges between regions per cost: the paper's eq:gain_w_ec2."""

    name: ClassVar[str] = "w-ec2"
    needs_hypotheses: ClassVar[bool] = True

    def scores(self, situation: Situation) -> Scores:
        model, belief = situation.model, situation.belief
        listing, alive = situation.listing, situation.alive
        if listing is None or alive is None:
            raise ValueError("W-EC² needs hypotheses")
        if model.bounds is None:
            gains = ec2_gains(listing.hypotheses, situation.weights, situation.chances, listing.fading)
            return Scores(gains, expected_costs(model, belief))
        joint = np.exp(listing.log_joint - log_sum(situation.log_joint))
        gains = optimism.ec2_gains(model.bounds, model.theta, listing.hypotheses, alive, joint, belief)
        return Scores(gains, optimism.expected_costs(model.bounds, belief))
