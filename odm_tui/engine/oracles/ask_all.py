"""All: the baseline that asks everything."""

from __future__ import annotations

from typing import ClassVar

from odm_tui.engine.oracles.base import Oracle
from odm_tui.engine.situation import Situation


class AskAll(Oracle):
    """Every available question, in the bank's order (section 6, All)."""

    name: ClassVar[str] = "all"
    uses_theta: ClassVar[bool] = False
    asks_everything: ClassVar[bool] = True

    def _choose(self, situation: Situation) -> int:
        return int(situation.available.argmax())
