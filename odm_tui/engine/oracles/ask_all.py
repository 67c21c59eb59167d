"""All: the baseline that asks every question."""

from __future__ import annotations

from typing import ClassVar

from odm_tui.engine.oracles.base import Oracle
from odm_tui.engine.situation import Situation


class AskAll(Oracle):
    """Ask every question, in the order of the bank.

    The paper's section 6, All.
    """

    name: ClassVar[str] = "all"
    default_stop: ClassVar[str] = "never"
    uses_theta: ClassVar[bool] = False
    asks_everything: ClassVar[bool] = True

    def _choose(self, situation: Situation) -> int:
        return int(situation.available.argmax())
