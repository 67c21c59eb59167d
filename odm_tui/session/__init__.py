"""The only door between the screens and commands and what is kept: bank, engine and store together.

:class:`Session` is one interview from its start (or its resumption) to the confirmed outcome;
:class:`Archive` is all of a bank's interviews, and what can be done with them later.
"""

from __future__ import annotations

from odm_tui.session.archive import Archive
from odm_tui.session.contradiction import Contradiction
from odm_tui.session.replay import ReplayedEvent, replay
from odm_tui.session.session import Session
from odm_tui.session.steps import Decision, StepTaken

__all__ = ["Archive", "Contradiction", "Decision", "ReplayedEvent", "Session", "StepTaken", "replay"]
