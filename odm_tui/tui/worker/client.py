"""The desk: where the screens hand work to the clerk, and wait for it without holding anything up.

Work is done one piece after another, in the order in which it was handed in, so an answer is shown as taken only
after it is kept. The clerk sits in a process of its own (:mod:`odm_tui.tui.worker.process`) wherever that can be had,
and in a thread otherwise.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Concatenate, ParamSpec, TypeVar

from odm_tui.tui.worker.backend import Clerk, Options

P = ParamSpec("P")
T = TypeVar("T")
Work = Callable[Concatenate[Clerk, P], T]
"""A function of this package that takes the clerk first; what goes in and comes out are plain values."""


class BrokenError(Exception):
    """The clerk has failed through a mistake of the program; the sentence says where that was written down."""


class Desk(ABC):
    """Takes in work for the clerk."""

    def __init__(self, options: Options) -> None:
        self.options = options

    @abstractmethod
    async def run(self, work: Work[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Have work done after all earlier work; what comes of it."""

    @abstractmethod
    def tell(self, work: Work[P, object], *args: P.args, **kwargs: P.kwargs) -> None:
        """Have work done that nobody waits for."""

    @abstractmethod
    def close(self) -> None:
        """Let the clerk finish, put the interview away, and go."""

    def operator_is(self, operator: str | None) -> None:
        """From now on, this person asks."""
        self.options = self.options._replace(operator=operator)
        self.tell(Clerk.operator_is, operator)


class ThreadDesk(Desk):
    """The clerk in a thread."""

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self.clerk = Clerk(options)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="desk")

    async def run(self, work: Work[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.wrap_future(self._thread.submit(work, self.clerk, *args, **kwargs))

    def tell(self, work: Work[P, object], *args: P.args, **kwargs: P.kwargs) -> None:
        self._thread.submit(work, self.clerk, *args, **kwargs)

    def close(self) -> None:
        self._thread.submit(self.clerk.put_away)
        self._thread.shutdown(wait=True)
