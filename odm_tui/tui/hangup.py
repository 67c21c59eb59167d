"""End odm-tui when its terminal is closed, or when SIGTERM or SIGHUP arrives. Every answer is on disk already.

Stopping and continuing (Ctrl+Z, ``fg``) is in :mod:`odm_tui.tui.terminal_driver`.
"""

from __future__ import annotations

import asyncio
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress

CHECK_INTERVAL = 2.0
"""Seconds between two checks whether the terminal is still there."""
HUNG_UP = 129
"""The exit code that shells use for a hangup: 128 + SIGHUP."""
TERMINATED = 143
"""The exit code that shells use for a request to end: 128 + SIGTERM."""


def terminal_is_gone() -> bool:
    """Whether the terminal that this process reads from was closed.

    A shell sends a signal then, but not every parent process is a shell. Without this check, an orphaned program
    would read the end of its input in a loop.
    """
    if sys.__stdin__ is None or not hasattr(select, "poll"):
        return False
    watch = select.poll()
    watch.register(sys.__stdin__.fileno(), 0)
    return any(events & (select.POLLHUP | select.POLLERR) for _, events in watch.poll(0))


def exit_if_terminal_is_gone() -> None:
    """End the process at once if there is no terminal to draw on."""
    if terminal_is_gone():
        os._exit(HUNG_UP)


def watch_terminal() -> None:
    """Check again and again whether the terminal is still there, in a thread of its own.

    The event loop can't do that: without a terminal it may have more to do than it ever gets done.
    """

    def check() -> None:
        while True:
            time.sleep(CHECK_INTERVAL)
            exit_if_terminal_is_gone()

    threading.Thread(target=check, name="terminal-watch", daemon=True).start()


def handle_exit_signals(leave: Callable[[int], object]) -> None:
    """Call ``leave`` with the exit code at SIGTERM and SIGHUP, from the event loop and not from a signal handler.

    A SIGHUP that was ignored when the program started, as ``nohup`` does, stays ignored.
    """

    def hung_up() -> None:
        exit_if_terminal_is_gone()
        leave(HUNG_UP)

    loop = asyncio.get_running_loop()
    with suppress(NotImplementedError):  # an event loop without signals, on Windows
        loop.add_signal_handler(signal.SIGTERM, leave, TERMINATED)
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
            loop.add_signal_handler(signal.SIGHUP, hung_up)
