"""Random: the baseline that asks questions in random order."""

from __future__ import annotations

from typing import ClassVar

from odm_tui.engine.oracles.base import Oracle
from odm_tui.engine.situation import Situation


class Random(Oracle):
    """Ask in random order.

    The order is drawn at the start of the interview. The paper's section 6, Random Information Acquisition.
    """

    name: ClassVar[str] = "random"
    uses_theta: ClassVar[bool] = False

    def _choose(self, situation: Situation) -> int:
        order = situation.draws.order
        return int(order[situation.available[order].argmax()])
