"""The interface that screens use to send work to the backend, and its implementation with a thread.

Work is done in the order in which it was sent, so an answer is shown as accepted only after it is on disk. Reading
for lists and tables (:class:`~odm_tui.tui.worker.reader.Reader`) goes on beside it and holds nothing up. The backend runs in a process of its own (:mod:`odm_tui.tui.worker.process`) where the system has ``fork``, and in a
thread elsewhere.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Concatenate, ParamSpec, TypeVar

from odm_tui.interview_options import InterviewOptions
from odm_tui.tui.worker.backend import Backend
from odm_tui.tui.worker.reader import Reader

P = ParamSpec("P")
T = TypeVar("T")
Work = Callable[Concatenate[Backend, P], T]
"""A function of this package whose first argument is the backend; its arguments and results are plain values."""
Reading = Callable[Concatenate[Reader, P], T]
"""The same with the reader as its first argument."""


class WorkerCrashError(Exception):
    """The backend raised an unexpected exception; the message says where the crash report is."""


class WorkerClient(ABC):
    """Send work to the backend."""

    def __init__(self, options: InterviewOptions) -> None:
        self.options = options

    @abstractmethod
    async def run(self, work: Work[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do this work after all earlier work and return its result."""

    @abstractmethod
    async def read(self, reading: Reading[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Read something after all earlier work and beside all later work; return what was read."""

    @abstractmethod
    def submit(self, work: Work[P, object], *args: P.args, **kwargs: P.kwargs) -> None:
        """Do this work after all earlier work, without waiting for it; its result is dropped."""

    @abstractmethod
    def close(self) -> None:
        """Finish the work, close the open interview and end the worker."""

    def set_operator(self, operator: str | None) -> None:
        """Set the operator for later interviews."""
        self.options = self.options._replace(operator=operator)
        self.submit(Backend.set_operator, operator)

    def set_explore(self, explore: str) -> None:
        """Set when later interviews may ask in order to learn: always, quiet, never, or as the bank says."""
        wanted = None if explore == "bank" else explore
        self.options = self.options._replace(explore=wanted)
        self.submit(Backend.set_explore, wanted)


class ThreadWorker(WorkerClient):
    """Run the backend in a thread."""

    def __init__(self, options: InterviewOptions) -> None:
        super().__init__(options)
        self.backend = Backend(options)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="odm-tui worker")
        self._reader = Reader(self.backend)
        self._reading = ThreadPoolExecutor(max_workers=1, thread_name_prefix="odm-tui reader")

    async def run(self, work: Work[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.wrap_future(self._thread.submit(work, self.backend, *args, **kwargs))

    async def read(self, reading: Reading[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        def begin() -> Future[T]:
            return self._reading.submit(reading, self._reader, *args, **kwargs)

        return await asyncio.wrap_future(await asyncio.wrap_future(self._thread.submit(begin)))

    def submit(self, work: Work[P, object], *args: P.args, **kwargs: P.kwargs) -> None:
        self._thread.submit(work, self.backend, *args, **kwargs)

    def close(self) -> None:
        self._thread.submit(self.backend.close)
        self._thread.shutdown(wait=True)
        self._reading.shutdown(wait=True, cancel_futures=True)
