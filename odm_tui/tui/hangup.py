"""Leaving when the terminal is gone: nobody is there any more, and every answer is on disk."""

from __future__ import annotations

import os
import select
import sys

EVERY = 2.0
"""Seconds between two looks at the terminal."""
HUNG_UP = 129
"""The exit code, as shells have it for a hangup: 128 + SIGHUP."""


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
