"""The worker in a process of its own.

While the screen's modules are loaded and drawn here, the engine, the bank and the first question are loaded there, on
another core; later no computation there ever holds up a key here. The process is forked before any thread is started
and before the terminal is touched. It reads work from a socket and ends when the other end is closed, so it outlives
neither a screen that was left nor one that was killed.
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
from odm_tui.options import InterviewOptions
from odm_tui.tui.worker.backend import Backend
from odm_tui.tui.worker.client import P, T, Work, WorkerClient, WorkerCrashError

_LENGTH = struct.Struct("!Q")
_CHUNK = 1 << 18
_DONE, _REFUSED, _BROKEN = range(3)
_PAUSE = 0.1
"""Seconds after which there is time to think ahead: the screen has been drawn by then."""
_LAST = 1.0
"""Seconds that work which is going on may still take when the screen is gone."""
_ENDING = _LAST + 0.2
"""Seconds that leaving waits for the worker's process before it is killed: it may be stopped, or hang on a disk."""
_KILLED = 0.3
"""Seconds that a process that was killed may take to end."""
_GONE = (
    "The part of the program that keeps the answers has ended. All answers up to the last one shown as taken are "
    "kept: leave with Ctrl+Q, and go on with --resume last."
)


class ProcessWorker(WorkerClient):
    """Talks to the worker over a socket; replies come in the order of the work."""

    def __init__(self, options: InterviewOptions) -> None:
        super().__init__(options)
        self._line, far_end = socket.socketpair()
        self._lifeline, held = socket.socketpair()  # at its end when the worker's process is gone
        self._backend = os.fork()
        if self._backend == 0:
            self._line.close()
            self._lifeline.close()
            _serve(options, far_end)
        far_end.close()
        held.close()
        self._line.setblocking(False)
        self._received, self._outgoing = bytearray(), bytearray()
        self._waiting: deque[asyncio.Future[Any] | None] = deque()
        self._loop: asyncio.AbstractEventLoop | None = None

    async def run(self, work: Work[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        self._listen()
        reply: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._hand_in(reply, work, args, kwargs)
        return await reply

    def tell(self, work: Work[P, object], *args: P.args, **kwargs: P.kwargs) -> None:
        self._hand_in(None, work, args, kwargs)

    def _hand_in(
        self, reply: asyncio.Future[T] | None, work: Work[P, T], args: object, kwargs: object
    ) -> None:
        self._waiting.append(reply)
        self._outgoing += _packed((work, args, kwargs))
        self._write()

    def _listen(self) -> None:
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            loop.add_reader(self._line, self._read)
            self._loop = loop

    def _write(self) -> None:
        """Send what the line takes now, and the rest when it takes more: nothing here may wait for the backend."""
        try:
            del self._outgoing[: self._line.send(self._outgoing)]
        except BlockingIOError:
            pass
        except OSError:
            self._lost()
            return
        if self._loop is not None:
            if self._outgoing:
                self._loop.add_writer(self._line, self._write)
            else:
                self._loop.remove_writer(self._line)

    def _read(self) -> None:
        """Take in what has arrived, and hand out the replies that are complete."""
        try:
            chunk = self._line.recv(_CHUNK)
        except BlockingIOError:
            return
        except OSError:
            chunk = b""
        if not chunk:
            self._lost()
            return
        self._received += chunk
        for kind, value in _complete(self._received):
            reply = self._waiting.popleft()
            if reply is None or reply.done():
                continue
            if kind == _DONE:
                reply.set_result(value)
            else:
                reply.set_exception(_refusal(*value) if kind == _REFUSED else WorkerCrashError(value))

    def _lost(self) -> None:
        self._stop_listening()
        self._outgoing.clear()
        while self._waiting:
            reply = self._waiting.popleft()
            if reply is not None and not reply.done():
                reply.set_exception(OdmError(_GONE))

    def _stop_listening(self) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.remove_reader(self._line)
            self._loop.remove_writer(self._line)

    def close(self) -> None:
        self._stop_listening()
        self._line.close()
        if not self._has_ended(_ENDING):
            os.kill(self._backend, signal.SIGKILL)
        options = 0 if self._has_ended(_KILLED) else os.WNOHANG  # what the disk holds can't even be killed
        self._lifeline.close()
        with contextlib.suppress(ChildProcessError):  # a parent that ignores SIGCHLD has it reaped already
            os.waitpid(self._backend, options)

    def _has_ended(self, seconds: float) -> bool:
        """Wait for the end of the worker's process, for so long at most."""
        return bool(select.select([self._lifeline], [], [], seconds)[0])


def _refusal(exit_code: int, sentence: str) -> OdmError:
    """The worker's refusal, as it is told here."""
    error = OdmError(sentence)
    error.exit_code = exit_code
    return error


# -- in the worker's process ---------------------------------------------------------------------------


def _serve(options: InterviewOptions, line: socket.socket) -> NoReturn:
    """Do the work that arrives, until there is nobody any more to do it for."""
    backend = Backend(options)
    try:
        _leave_the_terminal()
        threading.Thread(target=_end_with, args=(line,), daemon=True).start()
        _in_advance(backend, backend.warm_up)
        for work, args, kwargs in _arriving(line):
            if not _sent(line, _done(backend, work, args, kwargs)):
                break
            if not gc.isenabled():  # it would only have slowed the start down; what that has made will stay
                gc.freeze()
                gc.enable()
            _in_advance(backend, lambda: _think(backend, line))
    except Exception as error:
        _record(error, backend)
    finally:
        with contextlib.suppress(Exception):
            backend.put_away()
        os._exit(0)  # what the first process has registered to be done at its end is not ours to do


def _in_advance(backend: Backend, prepare: Callable[[], None]) -> None:
    """Prepare for what may come; what fails then is written down, and fails again where it is asked for."""
    try:
        prepare()
    except Exception as error:
        _record(error, backend)


def _think(backend: Backend, line: socket.socket) -> None:
    """Think ahead while nothing is asked for; not before the screen had the time to draw."""
    pause = _PAUSE
    for _ in backend.think_ahead():
        if select.select([line], [], [], pause)[0]:
            break
        pause = 0.0


def _end_with(line: socket.socket) -> None:
    """End soon after the screen, even in the middle of long work: every step is on disk, and another may go on."""
    hangup = select.poll()
    hangup.register(line, 0)
    hangup.poll()
    time.sleep(_LAST)
    os._exit(0)


def _leave_the_terminal() -> None:
    """Neither what is typed there nor its end is for this process; only the end of the line is."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(nothing, descriptor)
    os.close(nothing)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)


def _done(backend: Backend, work: Work[..., Any], args: Any, kwargs: Any) -> tuple[int, Any]:
    try:
        return _DONE, work(backend, *args, **kwargs)
    except OdmError as error:
        return _REFUSED, (error.exit_code, str(error))
    except Exception as error:
        return _BROKEN, _record(error, backend)


def _record(error: Exception, backend: Backend) -> str:
    from odm_tui.session import state_folder
    from odm_tui.tui.worker import crash

    return crash.record(error, state_folder(backend.options.state_dir))


# -- over the line --------------------------------------------------------------------------------------


def _packed(value: object) -> bytes:
    data = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(data)) + data


def _sent(line: socket.socket, value: object) -> bool:
    """Send a value whole; False if there is nobody any more."""
    data = _packed(value)
    try:
        line.sendall(data)
    except OSError:
        return False
    return True


def _complete(received: bytearray) -> Iterator[Any]:
    """Take the values that have arrived whole off the front."""
    while len(received) >= _LENGTH.size:
        (length,) = _LENGTH.unpack_from(received)
        end = _LENGTH.size + length
        if len(received) < end:
            return
        data = bytes(received[_LENGTH.size : end])
        del received[:end]
        yield pickle.loads(data)


def _arriving(line: socket.socket) -> Iterator[Any]:
    """The values that arrive, until the other end is closed; those not asked for yet stay on the line."""
    while head := _exactly(line, _LENGTH.size):
        body = _exactly(line, *_LENGTH.unpack(head))
        if not body:
            return
        yield pickle.loads(body)


def _exactly(line: socket.socket, length: int) -> bytes:
    """So many bytes; none at the end."""
    received = bytearray()
    while len(received) < length:
        try:
            chunk = line.recv(length - len(received))
        except OSError:
            return b""
        if not chunk:
            return b""
        received += chunk
    return bytes(received)
