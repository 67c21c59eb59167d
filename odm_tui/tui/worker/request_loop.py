"""What runs in the worker process: handle requests until the screen closes its end of the connection.

Requests are worked off one after the other in the main thread. Those that only read go on to a thread of their own, so
that an answer never waits for them.
"""

from __future__ import annotations

import contextlib
import gc
import os
import queue
import select
import signal
import socket
import threading
import time
from collections.abc import Callable
from typing import Any, NoReturn

from odm_tui.errors import OdmError
from odm_tui.interview_options import InterviewOptions
from odm_tui.tui.worker.backend import Backend
from odm_tui.tui.worker.frames import CRASHED, DONE, FAILED, READING, receive_frames, send_frame
from odm_tui.tui.worker.reader import Reader

_PAUSE = 0.1
"""Seconds to wait after a reply before thinking ahead, so that the screen can draw first."""
LAST = 1.0
"""Seconds that unfinished work may still take after the screen has closed its end."""


class _ReadingThread:
    """Handle the requests that only read, one after the other, beside everything else."""

    def __init__(self, backend: Backend, connection: socket.socket, sending: threading.Lock) -> None:
        self._backend, self._connection, self._sending = backend, connection, sending
        self._requests: queue.SimpleQueue[tuple[Any, ...]] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    def add(self, request: tuple[Any, ...]) -> None:
        """Handle this request when the earlier ones are done."""
        self._requests.put(request)
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="odm-tui reader", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        reader = Reader(self._backend)
        while True:
            number, _, reading, args, kwargs = self._requests.get()
            reply = (number, *_execute(self._backend, reading, reader, args, kwargs))
            with self._sending:
                if not send_frame(self._connection, reply):
                    return


def serve(options: InterviewOptions, connection: socket.socket) -> NoReturn:
    """Handle requests until the other end of the connection is closed, then end this process."""
    backend = Backend(options)
    try:
        _detach_from_terminal()
        backend.has_request = lambda: bool(select.select([connection], [], [], 0.0)[0])
        threading.Thread(target=_exit_after_disconnect, args=(connection,), daemon=True).start()
        _prepare(backend, backend.warm_up)
        _handle_requests(backend, connection)
    except Exception as error:
        _write_crash_report(error, backend)
    finally:
        with contextlib.suppress(Exception):
            backend.close()
        os._exit(0)  # skip the exit handlers that belong to the parent process


def _handle_requests(backend: Backend, connection: socket.socket) -> None:
    sending = threading.Lock()
    readings = _ReadingThread(backend, connection, sending)
    for request in receive_frames(connection):
        number, kind, work, args, kwargs = request
        if kind == READING:
            readings.add(request)
        else:
            reply = (number, *_execute(backend, work, backend, args, kwargs))
            with sending:
                if not send_frame(connection, reply):
                    return
        if not gc.isenabled():  # disabled by the launcher to start faster; objects made by now will stay
            gc.freeze()
            gc.enable()
        _prepare(backend, lambda: _think_ahead(backend, connection))


def _prepare(backend: Backend, prepare: Callable[[], None]) -> None:
    """Do work in advance; an unexpected error is reported now and raised again when the work is requested."""
    try:
        prepare()
    except Exception as error:
        _write_crash_report(error, backend)


def _think_ahead(backend: Backend, connection: socket.socket) -> None:
    """Compute possible next questions until a request arrives; first give the screen time to draw."""
    pause = _PAUSE
    for _ in backend.think_ahead():
        if select.select([connection], [], [], pause)[0]:
            break
        pause = 0.0


def _exit_after_disconnect(connection: socket.socket) -> None:
    """End this process soon after the screen, even in the middle of long work: every step is on disk already."""
    hangup = select.poll()
    hangup.register(connection, 0)
    hangup.poll()
    time.sleep(LAST)
    os._exit(0)


def _detach_from_terminal() -> None:
    """Detach the standard streams and ignore the terminal's signals; only the end of the connection ends this process."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(nothing, descriptor)
    os.close(nothing)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)


def _execute(
    backend: Backend, work: Callable[..., Any], first: Backend | Reader, args: Any, kwargs: Any
) -> tuple[int, Any]:
    try:
        return DONE, work(first, *args, **kwargs)
    except OdmError as error:
        return FAILED, (error.exit_code, str(error))
    except Exception as error:
        return CRASHED, _write_crash_report(error, backend)


def _write_crash_report(error: Exception, backend: Backend) -> str:
    from odm_tui.session import state_folder
    from odm_tui.tui.worker import crash_report

    return crash_report.write_crash_report(error, state_folder(backend.options.state_dir))
