"""W-EC²: the weight of the cut edges per expected cost."""

from __future__ import annotations

from typing import ClassVar

from odm_tui.engine.gains import ec2_gains, expected_costs
from odm_tui.engine.oracles.base import Scores, ScoringOracle
from odm_tui.engine.situation import Situation
from odm_tui.engine.ucb import optimistic_gains as ucb


class WeightedEdgeCutting(ScoringOracle):
    """Cut the most edges between decision regions per cost.

    The paper's W-EC², eq:gain_w_ec2.
    """

    name: ClassVar[str] = "w-ec2"
    needs_hypotheses: ClassVar[bool] = True

    def scores(self, situation: Situation) -> Scores:
        model, belief = situation.model, situation.belief
        listing, _ = situation.listed_hypotheses
        if model.bounds is None:
            gains = ec2_gains(listing.hypotheses, situation.weights, situation.chances, listing.fading)
            return Scores(model.scale_by_answerable(gains), expected_costs(model, belief))
        gains = ucb.ec2_gains(
            model.bounds, model.theta, listing.hypotheses, situation.joint, belief, listing.fading
        )
        return Scores(model.scale_by_answerable(gains), ucb.expected_costs(model.bounds, belief))
