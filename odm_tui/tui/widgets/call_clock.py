"""How long a call has lasted."""

from __future__ import annotations

import time
from collections.abc import Callable

from odm_tui.formatting import format_duration


class CallClock:
    """Count the seconds of the current interview, also while the decision or a dialog is shown.

    After a resumed interview was opened, it goes on from the time that its answers took.
    """

    time: Callable[[], float] = staticmethod(time.monotonic)

    def __init__(self) -> None:
        self._interview = ""
        self._began = 0.0

    def follow(self, interview: str, seconds: float) -> None:
        """Start the clock for an interview, unless it runs already."""
        if interview != self._interview:
            self._interview, self._began = interview, self.time() - seconds

    def __str__(self) -> str:
        return format_duration(self.time() - self._began)
