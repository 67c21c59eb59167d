"""The oracles, one file each. :data:`ORACLES` has them all, by name."""

from __future__ import annotations

from odm_tui.engine.oracles.ask_all import AskAll
from odm_tui.engine.oracles.base import Oracle, Scores, ScoringOracle
from odm_tui.engine.oracles.dpp import Determinantal
from odm_tui.engine.oracles.lookahead import Lookahead
from odm_tui.engine.oracles.random import Random
from odm_tui.engine.oracles.w_ec2 import WeightedEdgeCutting
from odm_tui.engine.oracles.w_eced import ErrorTolerantEdgeCutting
from odm_tui.engine.oracles.w_ig import WeightedInformationGain
from odm_tui.engine.plugin_registry import Registry

_BUILT_IN: tuple[Oracle, ...] = (
    WeightedEdgeCutting(),
    ErrorTolerantEdgeCutting(),
    WeightedInformationGain(),
    Lookahead(),
    Random(),
    AskAll(),
    Determinantal(),
)

ORACLES: Registry[Oracle] = Registry(
    "oracle", "odm_tui.oracles", Oracle, ((oracle.name, oracle) for oracle in _BUILT_IN)
)
"""Every oracle that a policy can name, those of other packages included."""

__all__ = ["ORACLES", "Oracle", "Scores", "ScoringOracle"]
