"""Leaving when the terminal is gone, or when the system says so: every answer is on disk."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import sys
from collections.abc import Callable
from contextlib import suppress

EVERY = 2.0
"""Seconds between two looks at the terminal."""
HUNG_UP = 129
"""The exit code, as shells have it for a hangup: 128 + SIGHUP."""
TERMINATED = 143
"""The exit code after a request to end: 128 + SIGTERM."""


def terminal_is_gone() -> bool:
    """Whether the terminal that this process reads from was closed.

    A shell tells its programs so by a signal, but not every parent is a shell: without this a program that
    was left behind would read the end of its input over and over.
    """
    if sys.__stdin__ is None or not hasattr(select, "poll"):
        return False
    watch = select.poll()
    watch.register(sys.__stdin__.fileno(), 0)
    return any(events & (select.POLLHUP | select.POLLERR) for _, events in watch.poll(0))


def leave_if_gone() -> None:
    """End the process at once where nothing can be drawn any more."""
    if terminal_is_gone():
        os._exit(HUNG_UP)


def when_told_to_end(leave: Callable[[int], object]) -> None:
    """Call ``leave`` with the exit code at SIGTERM and SIGHUP, from the event loop and not from a signal handler.

    A SIGHUP that was ignored when the program started, as ``nohup`` does, stays ignored.
    """

    def hung_up() -> None:
        leave_if_gone()
        leave(HUNG_UP)

    loop = asyncio.get_running_loop()
    with suppress(NotImplementedError):  # an event loop without signals, on Windows
        loop.add_signal_handler(signal.SIGTERM, leave, TERMINATED)
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
            loop.add_signal_handler(signal.SIGHUP, hung_up)
