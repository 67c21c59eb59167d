"""The oracles, one file each; :data:`ORACLES` names them all."""

from __future__ import annotations

from collections.abc import Mapping

from odm_tui.engine.oracles.ask_all import AskAll
from odm_tui.engine.oracles.base import Oracle, Scores, ScoringOracle
from odm_tui.engine.oracles.dpp import Determinantal
from odm_tui.engine.oracles.lookahead import Lookahead
from odm_tui.engine.oracles.random import Random
from odm_tui.engine.oracles.w_ec2 import WeightedEdgeCutting
from odm_tui.engine.oracles.w_eced import ErrorTolerantEdgeCutting
from odm_tui.engine.oracles.w_ig import WeightedInformationGain

ORACLES: Mapping[str, Oracle] = {
    oracle.name: oracle
    for oracle in (
        WeightedEdgeCutting(),
        ErrorTolerantEdgeCutting(),
        WeightedInformationGain(),
        Lookahead(),
        Random(),
        AskAll(),
        Determinantal(),
    )
}
"""Every oracle that a policy can name."""

__all__ = ["ORACLES", "Oracle", "Scores", "ScoringOracle"]
