"""Fix what Textual's terminal driver gets wrong: Ctrl+Z and ``fg``, invalid bytes, and errors while reading.

Bytes that are not UTF-8 are ignored, and an error while reading is reported like any other. The event loop stops and
continues the program. Textual does that inside the signal handler, which can interrupt a write that holds the lock of
the output queue; leaving the screen writes too, and would wait for that lock forever.
"""

from __future__ import annotations

import asyncio
import os
import signal
from typing import TYPE_CHECKING, Any

from textual.drivers.linux_driver import LinuxDriver

if TYPE_CHECKING:
    from textual.app import App
    from textual.driver import Driver

_STOPPING = 0.02
"""Seconds between leaving the screen and stopping, in which a SIGCONT right after SIGTSTP is noticed."""
_SWAPPED = 0.5
"""Seconds after a SIGCONT that nothing explains, in which a SIGTSTP is taken for the one that it has overtaken.

Different threads can receive the two signals, and the later one can be noticed first.
"""


class RobustDriver(LinuxDriver):
    """Read keys whatever bytes the terminal sends, and stop and continue safely."""

    def __init__(self, app: App[Any], **options: Any) -> None:
        super().__init__(app, **options)
        self._loop = asyncio.get_running_loop()
        self._stopping: asyncio.Handle | None = None
        self._has_stopped = False
        self._continued_at = float("-inf")
        self._loop.add_signal_handler(signal.SIGTSTP, self._sigtstp_application)
        self._loop.add_signal_handler(signal.SIGCONT, self._sigcont_application)

    def _sigtstp_application(self, *_: object) -> None:
        """Leave the screen and stop the process, unless it is continued first."""
        if self._stopping is not None or self._loop.time() - self._continued_at < _SWAPPED:
            return
        if self._auto_restart and self._app.is_running:
            self._must_signal_resume = True
            self.suspend_application_mode()
        self._stopping = self._loop.call_later(_STOPPING, self._stop_soon)

    def _stop_soon(self) -> None:
        """Let a SIGCONT that has come in the same moment go first."""
        self._stopping = self._loop.call_soon(self._stop)

    def _stop(self) -> None:
        self._stopping = None
        self._has_stopped = True
        os.kill(os.getpid(), signal.SIGSTOP)

    def _sigcont_application(self, *_: object) -> None:
        """Take the screen back and redraw it completely: the shell may have written on it in the meantime."""
        if self._stopping is not None:
            self._stopping.cancel()
            self._stopping = None
        elif not self._has_stopped:
            self._continued_at = self._loop.time()
        self._has_stopped = False
        if self._auto_restart and self._app.is_running:
            if self._has_screen:
                self.suspend_application_mode()
            self.resume_application_mode()

    @property
    def _has_screen(self) -> bool:
        return self._writer_thread is not None and self._writer_thread.is_alive()

    def write(self, data: str) -> None:
        """Write to the terminal; drop what is drawn while the screen belongs to the shell."""
        if self._has_screen:
            super().write(data)

    def run_input_thread(self) -> None:
        """Read on after bytes that are no key, such as a Latin-1 ``ä`` or a number that no character has.

        What came with them is lost.
        """
        while not self.exit_event.is_set():
            try:
                super().run_input_thread()
            except (ValueError, OverflowError):
                continue
            return

    def _run_input_thread(self) -> None:
        """Report an error like any other: Textual would print local variables, and with them answers."""
        try:
            self.run_input_thread()
        except Exception as error:
            self._app.call_later(self._app._handle_exception, error)


def choose_driver(usual: type[Driver]) -> type[Driver]:
    """RobustDriver where Textual would use LinuxDriver; else the driver that Textual chose."""
    return RobustDriver if usual is LinuxDriver else usual
