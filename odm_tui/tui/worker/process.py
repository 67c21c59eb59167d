"""Run the backend in a process of its own and talk to it over a socket.

While this process loads and draws the screen, the worker process loads the engine, the bank and the first question on
another core. Later, no computation delays a key press. The worker process is forked before any thread is started and
before the terminal is touched. It reads requests from a socket and ends when the other end is closed, so it never
outlives the screen.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import pickle
import select
import signal
import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from odm_tui.errors import OdmError
from odm_tui.interview_options import InterviewOptions
from odm_tui.tui.worker.backend import Backend
from odm_tui.tui.worker.client import P, T, Work, WorkerClient, WorkerCrashError

_LENGTH = struct.Struct("!Q")
_CHUNK = 1 << 18
_DONE, _FAILED, _CRASHED = range(3)
_PAUSE = 0.1
"""Seconds to wait after a reply before thinking ahead, so that the screen can draw first."""
_LAST = 1.0
"""Seconds that unfinished work may still take after the screen has closed its end."""
_ENDING = _LAST + 0.2
"""Seconds to wait for the worker process to end before it is killed: it may be stopped, or wait for a disk."""
_KILLED = 0.3
"""Seconds to wait for a killed process to end."""
_GONE = (
    "The worker process of odm-tui has ended unexpectedly. All saved answers are safe. Leave with Ctrl+Q, then "
    "resume the interview with --resume last."
)


class ProcessWorker(WorkerClient):
    """Send requests to the worker process; replies arrive in the order of the requests."""

    def __init__(self, options: InterviewOptions) -> None:
        super().__init__(options)
        self._socket, far_end = socket.socketpair()
        self._lifeline, held = socket.socketpair()  # readable when the worker process has ended
        self._backend = os.fork()
        if self._backend == 0:
            self._socket.close()
            self._lifeline.close()
            _serve(options, far_end)
        far_end.close()
        held.close()
        self._socket.setblocking(False)
        self._received, self._outgoing = bytearray(), bytearray()
        self._waiting: deque[asyncio.Future[Any] | None] = deque()
        self._loop: asyncio.AbstractEventLoop | None = None

    async def run(self, work: Work[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        self._listen()
        reply: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._send_request(reply, work, args, kwargs)
        return await reply

    def submit(self, work: Work[P, object], *args: P.args, **kwargs: P.kwargs) -> None:
        self._send_request(None, work, args, kwargs)

    def _send_request(
        self, reply: asyncio.Future[T] | None, work: Work[P, T], args: object, kwargs: object
    ) -> None:
        self._waiting.append(reply)
        self._outgoing += _encode_frame((work, args, kwargs))
        self._write()

    def _listen(self) -> None:
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            loop.add_reader(self._socket, self._read)
            self._loop = loop

    def _write(self) -> None:
        """Send what the socket accepts now and the rest when it accepts more; never block."""
        try:
            del self._outgoing[: self._socket.send(self._outgoing)]
        except BlockingIOError:
            pass
        except OSError:
            self._handle_disconnect()
            return
        if self._loop is not None:
            if self._outgoing:
                self._loop.add_writer(self._socket, self._write)
            else:
                self._loop.remove_writer(self._socket)

    def _read(self) -> None:
        """Read what has arrived and deliver every complete reply."""
        try:
            chunk = self._socket.recv(_CHUNK)
        except BlockingIOError:
            return
        except OSError:
            chunk = b""
        if not chunk:
            self._handle_disconnect()
            return
        self._received += chunk
        for kind, value in _take_frames(self._received):
            reply = self._waiting.popleft()
            if reply is None or reply.done():
                continue
            if kind == _DONE:
                reply.set_result(value)
            else:
                reply.set_exception(_make_error(*value) if kind == _FAILED else WorkerCrashError(value))

    def _handle_disconnect(self) -> None:
        self._stop_listening()
        self._outgoing.clear()
        while self._waiting:
            reply = self._waiting.popleft()
            if reply is not None and not reply.done():
                reply.set_exception(OdmError(_GONE))

    def _stop_listening(self) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.remove_reader(self._socket)
            self._loop.remove_writer(self._socket)

    def close(self) -> None:
        self._stop_listening()
        self._socket.close()
        if not self._has_ended(_ENDING):
            os.kill(self._backend, signal.SIGKILL)
        options = 0 if self._has_ended(_KILLED) else os.WNOHANG  # what the disk holds can't even be killed
        self._lifeline.close()
        with contextlib.suppress(ChildProcessError):  # a parent that ignores SIGCHLD has it reaped already
            os.waitpid(self._backend, options)

    def _has_ended(self, seconds: float) -> bool:
        """Whether the worker process ends within this time."""
        return bool(select.select([self._lifeline], [], [], seconds)[0])


def _make_error(exit_code: int, sentence: str) -> OdmError:
    """The error that the backend raised, with its exit code."""
    error = OdmError(sentence)
    error.exit_code = exit_code
    return error


# -- in the worker process ----------------------------------------------------------------------------


def _serve(options: InterviewOptions, connection: socket.socket) -> NoReturn:
    """Handle requests until the other end of the connection is closed."""
    backend = Backend(options)
    try:
        _detach_from_terminal()
        backend.has_request = lambda: bool(select.select([connection], [], [], 0.0)[0])
        threading.Thread(target=_exit_after_disconnect, args=(connection,), daemon=True).start()
        _prepare(backend, backend.warm_up)
        for work, args, kwargs in _receive_frames(connection):
            if not _send(connection, _execute(backend, work, args, kwargs)):
                break
            if not gc.isenabled():  # disabled by the launcher to start faster; objects made by now will stay
                gc.freeze()
                gc.enable()
            _prepare(backend, lambda: _think_ahead(backend, connection))
    except Exception as error:
        _write_crash_report(error, backend)
    finally:
        with contextlib.suppress(Exception):
            backend.close()
        os._exit(0)  # skip the exit handlers that belong to the parent process


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
    time.sleep(_LAST)
    os._exit(0)


def _detach_from_terminal() -> None:
    """Detach the standard streams and ignore the terminal's signals; only the end of the connection ends this process."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(nothing, descriptor)
    os.close(nothing)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)


def _execute(backend: Backend, work: Work[..., Any], args: Any, kwargs: Any) -> tuple[int, Any]:
    try:
        return _DONE, work(backend, *args, **kwargs)
    except OdmError as error:
        return _FAILED, (error.exit_code, str(error))
    except Exception as error:
        return _CRASHED, _write_crash_report(error, backend)


def _write_crash_report(error: Exception, backend: Backend) -> str:
    from odm_tui.session import state_folder
    from odm_tui.tui.worker import crash_report

    return crash_report.write_crash_report(error, state_folder(backend.options.state_dir))


# -- frames on the connection -------------------------------------------------------------------------


def _encode_frame(value: object) -> bytes:
    data = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(data)) + data


def _send(connection: socket.socket, value: object) -> bool:
    """Send one frame; False if the other end is closed."""
    data = _encode_frame(value)
    try:
        connection.sendall(data)
    except OSError:
        return False
    return True


def _take_frames(received: bytearray) -> Iterator[Any]:
    """Remove every complete frame from the front of the buffer and yield its value."""
    while len(received) >= _LENGTH.size:
        (length,) = _LENGTH.unpack_from(received)
        end = _LENGTH.size + length
        if len(received) < end:
            return
        data = bytes(received[_LENGTH.size : end])
        del received[:end]
        yield pickle.loads(data)


def _receive_frames(connection: socket.socket) -> Iterator[Any]:
    """Yield the value of each frame until the other end is closed; read no further than the current frame."""
    while head := _receive_exactly(connection, _LENGTH.size):
        body = _receive_exactly(connection, *_LENGTH.unpack(head))
        if not body:
            return
        yield pickle.loads(body)


def _receive_exactly(connection: socket.socket, length: int) -> bytes:
    """Receive exactly this many bytes; none at the end of the stream."""
    received = bytearray()
    while len(received) < length:
        try:
            chunk = connection.recv(length - len(received))
        except OSError:
            return b""
        if not chunk:
            return b""
        received += chunk
    return bytes(received)
