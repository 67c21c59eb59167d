"""Processes to kill: a forked child does the work and reports, line by line, what was accepted."""

from __future__ import annotations

import os
import select
import signal
import warnings
from collections.abc import Callable

Tell = Callable[[str], None]


class Child:
    """A forked process that runs ``work(tell)``; its lines can be read after its death."""

    def __init__(self, work: Callable[[Tell], object]) -> None:
        reading, writing = os.pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # numpy's idle threads are no concern here
            self.pid = os.fork()
        if self.pid == 0:
            code = 1
            try:
                os.close(reading)
                work(lambda line: (os.write(writing, f"{line}\n".encode()), None)[1])
                code = 0
            except BaseException as error:  # report it to the parent: the child can't fail a test itself
                os.write(writing, f"error {type(error).__name__}: {error}\n".encode())
            finally:
                os._exit(code)
        os.close(writing)
        self._reading = reading
        self._heard = b""

    def kill_after(self, seconds: float) -> None:
        """Kill the process after some seconds, unless it has ended."""
        deadline = _now() + seconds
        while (left := deadline - _now()) > 0:
            if select.select([self._reading], [], [], left)[0]:
                data = os.read(self._reading, 1 << 16)
                if not data:
                    return
                self._heard += data
        os.kill(self.pid, signal.SIGKILL)

    def outcome(self) -> tuple[list[str], bool]:
        """Wait for the end; return the lines, and whether the process was killed."""
        while data := os.read(self._reading, 1 << 16):
            self._heard += data
        os.close(self._reading)
        _, status = os.waitpid(self.pid, 0)
        told = self._heard.decode().splitlines()
        errors = [line for line in told if line.startswith("error ")]
        if errors:
            raise AssertionError(errors[0])
        return told, os.WIFSIGNALED(status)


def _now() -> float:
    import time

    return time.monotonic()
