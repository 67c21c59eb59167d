"""Ignore key presses that arrive too soon: held down, bounced, pasted, or typed before the screen changed."""

from __future__ import annotations

import time


class KeyGuard:
    """Remember when the screen last changed and when a key was last pressed."""

    ANSWER_DELAY = 0.1
    """The shortest time in seconds between two answers, and between a new question and its answer."""
    CONFIRM_DELAY = 0.6
    """The same for keys that end an interview, so that pressing Enter twice after a number confirms nothing."""

    READING_TIME = 0.4
    """Seconds in which a new question is only read: what takes long is computed after that, so that no answer waits for it."""

    def __init__(self) -> None:
        self._changed = self._pressed = time.monotonic()

    def restart(self) -> None:
        """Note that the screen now shows something new to read."""
        self._changed = time.monotonic()

    def is_too_soon(self, seconds: float) -> bool:
        """Note a key press; whether it came within ``seconds`` of the screen's change, or right after another key."""
        now = time.monotonic()
        previous, self._pressed = self._pressed, now
        return now - self._changed < seconds or now - previous < self.ANSWER_DELAY
