"""Wait until an app has nothing to do, instead of until the processor is idle.

Textual's pilot sleeps 20 ms at least five times for every key, and longer where another thread computes. Nothing
in these tests needs that time: what a key starts is in the queue of the event loop, in a worker of the app, or due
at the next drawing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sized
from typing import cast

_QUIET_ROUNDS = 3
"""How often in a row the queue of the event loop must be empty."""


async def wait_until_quiet(min_sleep: float = 0.0, max_sleep: float = 0.0) -> None:
    """Wait until nothing is left in the queue of the event loop; takes what Textual's ``wait_for_idle`` takes."""
    ready = cast("Sized", vars(asyncio.get_running_loop())["_ready"])
    empty = 0
    while empty < _QUIET_ROUNDS:
        await asyncio.sleep(0)
        empty = 0 if len(ready) else empty + 1
