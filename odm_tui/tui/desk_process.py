"""The clerk in a process of its own.

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
from collections import deque
from collections.abc import Iterator
from typing import Any, NoReturn

from odm_tui.errors import OdmError
from odm_tui.tui.clerk import Clerk, Options
from odm_tui.tui.desk import BrokenError, Desk, P, T, Work

_LENGTH = struct.Struct("!Q")
_CHUNK = 1 << 18
_DONE, _REFUSED, _BROKEN = range(3)
_PAUSE = 0.1
"""Seconds after which there is time to think ahead: the screen has been drawn by then."""
_GONE = (
    "The part of the program that keeps the answers has ended. All answers up to the last one shown as taken are "
    "kept: leave with Ctrl+Q, and go on with --resume last."
)


class ProcessDesk(Desk):
    """Talks to the clerk over a socket; replies come in the order of the work."""

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._line, far_end = socket.socketpair()
        self._clerk = os.fork()
        if self._clerk == 0:
            self._line.close()
            _serve(options, far_end)
        far_end.close()
        self._received = bytearray()
        self._waiting: deque[asyncio.Future[Any] | None] = deque()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._gone = False

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
        if not self._gone:
            try:
                _send(self._line, (work, args, kwargs))
            except OSError:
                self._gone = True
            else:
                self._waiting.append(reply)
                return
        if reply is not None:
            reply.set_exception(OdmError(_GONE))

    def _listen(self) -> None:
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            loop.add_reader(self._line, self._read)
            self._loop = loop

    def _read(self) -> None:
        """Take in what has arrived, and hand out the replies that are complete."""
        try:
            chunk = self._line.recv(_CHUNK)
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
                reply.set_exception(OdmError(value) if kind == _REFUSED else BrokenError(value))

    def _lost(self) -> None:
        self._gone = True
        if self._loop is not None:
            self._loop.remove_reader(self._line)
        while self._waiting:
            reply = self._waiting.popleft()
            if reply is not None and not reply.done():
                reply.set_exception(OdmError(_GONE))

    def close(self) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.remove_reader(self._line)
        self._line.close()
        os.waitpid(self._clerk, 0)


# -- in the clerk's process ---------------------------------------------------------------------------


def _serve(options: Options, line: socket.socket) -> NoReturn:
    """Do the work that arrives, until there is nobody any more to do it for."""
    clerk = Clerk(options)
    try:
        _leave_the_terminal()
        clerk.warm_up()
        for work, args, kwargs in _arriving(line):
            _send(line, _done(clerk, work, args, kwargs))
            if not gc.isenabled():  # it would only have slowed the start down; what that has made will stay
                gc.freeze()
                gc.enable()
            pause = _PAUSE
            for _ in clerk.think_ahead():
                if select.select([line], [], [], pause)[0]:
                    break
                pause = 0.0
    except OSError:
        pass  # the screen is gone
    except Exception as error:
        _record(error, clerk)
    finally:
        with contextlib.suppress(Exception):
            clerk.put_away()
        os._exit(0)  # what the first process has registered to be done at its end is not ours to do


def _leave_the_terminal() -> None:
    """Neither what is typed there nor its end is for this process; only the end of the line is."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(nothing, descriptor)
    os.close(nothing)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)


def _done(clerk: Clerk, work: Work[..., Any], args: Any, kwargs: Any) -> tuple[int, Any]:
    try:
        return _DONE, work(clerk, *args, **kwargs)
    except OdmError as error:
        return _REFUSED, str(error)
    except Exception as error:
        return _BROKEN, _record(error, clerk)


def _record(error: Exception, clerk: Clerk) -> str:
    from odm_tui.store.locations import state_folder
    from odm_tui.tui import crash

    return crash.record(error, state_folder(clerk.options.state_dir))


# -- over the line --------------------------------------------------------------------------------------


def _send(line: socket.socket, value: object) -> None:
    data = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    line.sendall(_LENGTH.pack(len(data)) + data)


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
    """The values that arrive, until the other end is closed."""
    received = bytearray()
    while True:
        try:
            chunk = line.recv(_CHUNK)
        except OSError:
            return
        if not chunk:
            return
        received += chunk
        yield from _complete(received)
