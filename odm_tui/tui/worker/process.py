"""Run the backend in a process of its own and talk to it over a socket.

While this process loads and draws the screen, the worker process loads the engine, the bank and the first question on
another core. Later, no computation delays a key press. The worker process is forked before any thread is started and
before the terminal is touched. It reads requests from a socket and ends when the other end is closed, so it never
outlives the screen.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import select
import signal
import socket
from collections.abc import Callable
from typing import Any

from odm_tui.errors import OdmError
from odm_tui.interview_options import InterviewOptions
from odm_tui.tui.worker.client import P, Reading, T, Work, WorkerClient, WorkerCrashError
from odm_tui.tui.worker.frames import DONE, FAILED, READING, WORK, encode_frame, take_frames
from odm_tui.tui.worker.request_loop import LAST, serve

_CHUNK = 1 << 18
_ENDING = LAST + 0.2
"""Seconds to wait for the worker process to end before it is killed: it may be stopped, or wait for a disk."""
_KILLED = 0.3
"""Seconds to wait for a killed process to end."""
_GONE = (
    "The worker process of odm-tui has ended unexpectedly. All saved answers are safe. Leave with Ctrl+Q, then "
    "resume the interview with --resume last."
)


class ProcessWorker(WorkerClient):
    """Send requests to the worker process; each reply has the number of its request."""

    def __init__(self, options: InterviewOptions) -> None:
        super().__init__(options)
        self._socket, far_end = socket.socketpair()
        self._lifeline, held = socket.socketpair()  # readable when the worker process has ended
        self._backend = os.fork()
        if self._backend == 0:
            self._socket.close()
            self._lifeline.close()
            serve(options, far_end)
        far_end.close()
        held.close()
        self._socket.setblocking(False)
        self._received, self._outgoing = bytearray(), bytearray()
        self._waiting: dict[int, asyncio.Future[Any] | None] = {}
        self._numbers = itertools.count()
        self._loop: asyncio.AbstractEventLoop | None = None

    async def run(self, work: Work[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._request(WORK, work, args, kwargs)

    async def read(self, reading: Reading[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._request(READING, reading, args, kwargs)

    def submit(self, work: Work[P, object], *args: P.args, **kwargs: P.kwargs) -> None:
        self._send_request(None, WORK, work, args, kwargs)

    async def _request(self, kind: int, work: Callable[..., T], args: object, kwargs: object) -> T:
        self._listen()
        reply: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._send_request(reply, kind, work, args, kwargs)
        return await reply

    def _send_request(
        self,
        reply: asyncio.Future[T] | None,
        kind: int,
        work: Callable[..., T],
        args: object,
        kwargs: object,
    ) -> None:
        number = next(self._numbers)
        frame = encode_frame((number, kind, work, args, kwargs))
        self._waiting[number] = reply
        self._outgoing += frame
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
        for number, kind, value in take_frames(self._received):
            reply = self._waiting.pop(number)
            if reply is None or reply.done():
                continue
            if kind == DONE:
                reply.set_result(value)
            else:
                reply.set_exception(_make_error(*value) if kind == FAILED else WorkerCrashError(value))

    def _handle_disconnect(self) -> None:
        self._stop_listening()
        self._outgoing.clear()
        waiting, self._waiting = self._waiting, {}
        for reply in waiting.values():
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
