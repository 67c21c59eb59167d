"""Keys that nobody can have meant: held down, bounced, pasted, or pressed before there was anything to read."""

from __future__ import annotations

import time


class KeyGuard:
    """Tells a key that is meant for what is shown from one that was on its way before."""

    READ = 0.1
    """Seconds that pass at least between two things that a person has seen and answered."""
    DECIDE = 0.6
    """The same where a key ends an interview: Enter pressed twice after a number must confirm nothing."""

    def __init__(self) -> None:
        self._shown = self._key = time.monotonic()

    def shown(self) -> None:
        """Something new is to be read."""
        self._shown = time.monotonic()

    def too_soon(self, seconds: float) -> bool:
        """Whether a key that is pressed now came too soon after what is shown, or right after another key."""
        now = time.monotonic()
        before, self._key = self._key, now
        return now - self._shown < seconds or now - before < self.READ
