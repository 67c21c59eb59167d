"""The worker: where the screens hand work to the backend, and wait for it without holding anything up.

Work is done one piece after another, in the order in which it was handed in, so an answer is shown as taken only
after it is kept. The worker sits in a process of its own (:mod:`odm_tui.tui.worker.process`) wherever that can be had,
and in a thread otherwise.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Concatenate, ParamSpec, TypeVar

from odm_tui.options import InterviewOptions
from odm_tui.tui.worker.backend import Backend

P = ParamSpec("P")
T = TypeVar("T")
Work = Callable[Concatenate[Backend, P], T]
"""A function of this package that takes the worker first; what goes in and comes out are plain values."""


class WorkerCrashError(Exception):
    """The worker has failed through a mistake of the program; the sentence says where that was written down."""


class WorkerClient(ABC):
    """Takes in work for the backend."""

    def __init__(self, options: InterviewOptions) -> None:
        self.options = options

    @abstractmethod
    async def run(self, work: Work[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Have work done after all earlier work; what comes of it."""

    @abstractmethod
    def tell(self, work: Work[P, object], *args: P.args, **kwargs: P.kwargs) -> None:
        """Have work done that nobody waits for."""

    @abstractmethod
    def close(self) -> None:
        """Let the worker finish, put the interview away, and go."""

    def operator_is(self, operator: str | None) -> None:
        """From now on, this person asks."""
        self.options = self.options._replace(operator=operator)
        self.tell(Backend.operator_is, operator)


class ThreadWorker(WorkerClient):
    """The worker in a thread."""

    def __init__(self, options: InterviewOptions) -> None:
        super().__init__(options)
        self.backend = Backend(options)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="odm-tui worker")

    async def run(self, work: Work[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.wrap_future(self._thread.submit(work, self.backend, *args, **kwargs))

    def tell(self, work: Work[P, object], *args: P.args, **kwargs: P.kwargs) -> None:
        self._thread.submit(work, self.backend, *args, **kwargs)

    def close(self) -> None:
        self._thread.submit(self.backend.put_away)
        self._thread.shutdown(wait=True)
