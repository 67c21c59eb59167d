"""The interface that screens use to send work to the backend, and its implementation with a thread.

Work is done in the order in which it was sent, so an answer is shown as accepted only after it is on disk. The
backend runs in a process of its own (:mod:`odm_tui.tui.worker.process`) where the system has ``fork``, and in a
thread elsewhere.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Concatenate, ParamSpec, TypeVar

from odm_tui.interview_options import InterviewOptions
from odm_tui.tui.worker.backend import Backend

P = ParamSpec("P")
T = TypeVar("T")
Work = Callable[Concatenate[Backend, P], T]
"""A function of this package whose first argument is the backend; its arguments and results are plain values."""


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

    async def run(self, work: Work[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.wrap_future(self._thread.submit(work, self.backend, *args, **kwargs))

    def submit(self, work: Work[P, object], *args: P.args, **kwargs: P.kwargs) -> None:
        self._thread.submit(work, self.backend, *args, **kwargs)

    def close(self) -> None:
        self._thread.submit(self.backend.close)
        self._thread.shutdown(wait=True)
