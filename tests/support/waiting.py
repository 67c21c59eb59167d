"""Wait for something that another process does, with a generous limit."""

from __future__ import annotations

import threading
from collections.abc import Callable

_PAUSE = 0.02


def wait_until(holds: Callable[[], object], seconds: float = 60.0) -> None:
    """Return as soon as ``holds()`` is true; fail after a long time."""
    pause = threading.Event()
    for _ in range(int(seconds / _PAUSE)):
        if holds():
            return
        pause.wait(_PAUSE)
    raise AssertionError("it did not happen in time")
