"""Run calls on a Dask cluster, and say in one sentence what is wrong with it: no scheduler, no workers, lost ones."""

from __future__ import annotations

import contextlib
import logging
import pkgutil
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any, TypeVar

from odm_tui import __version__
from odm_tui.errors import BadArgument, OdmError

Item = TypeVar("Item")
Result = TypeVar("Result")

_CONNECT_SECONDS = 10
_ANSWER_SECONDS = 5
_PATIENCE = 10.0
"""Seconds without a scheduler, or without any worker, after which the run ends; a worker may restart meanwhile."""
_LOOK = 1.0
_KEPT = "What is finished is kept; the same command goes on from there."


def run_on_cluster(
    function: Callable[[Item], Result], items: Sequence[Item], scheduler: str | None
) -> Generator[Result, None, None]:
    """Call a function with each item on the workers of a cluster; yield each result as soon as it is there."""
    with _connected(scheduler) as client:
        _check_workers(client, str(scheduler))
        yield from _Run(client, str(scheduler)).results(function, items)


class _Run:
    """The calls of one run, and since when the cluster has not answered or has had no workers."""

    def __init__(self, client: Any, scheduler: str) -> None:
        self.client, self.scheduler = client, scheduler
        self._lost: dict[str, float] = {}

    def results(self, function: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        import distributed

        left = {self.client.submit(function, item, pure=False): item for item in items}
        while left:
            with (
                contextlib.suppress(TimeoutError, distributed.TimeoutError, distributed.CancelledError),
                self.client.as_current(),
            ):
                wait: Any = distributed.wait
                wait(list(left), timeout=_LOOK, return_when="FIRST_COMPLETED")
            ready = [future for future in left if future.status == "finished"]
            for future in ready:
                result = self._take(future)
                if result is not None:
                    del left[future]
                    yield result[0]
            for future in [future for future in left if future.status == "error"]:
                self._raise(future)
            if left and not ready:
                self._look()
                for future in [future for future in left if future.status in ("cancelled", "lost")]:
                    item = left.pop(future)  # the scheduler was restarted and knows nothing of it
                    with contextlib.suppress(Exception):
                        left[self.client.submit(function, item, pure=False)] = item
                        continue
                    left[future] = item

    def _take(self, future: Any) -> tuple[Any] | None:
        """The result of a finished call; None if its worker has died with it, so that it is computed again."""
        try:
            return (future.result(timeout=_ANSWER_SECONDS),)
        except OdmError:
            raise
        except Exception:
            if future.status == "error":
                self._raise(future)
            return None

    def _raise(self, future: Any) -> None:
        import distributed

        error = future.exception(timeout=_ANSWER_SECONDS)
        if isinstance(error, distributed.KilledWorker):
            raise BadArgument(
                f"The workers of the Dask cluster at {self.scheduler} keep dying; they may lack memory. Start them with more, "
                f"or use --backend processes. {_KEPT}"
            ) from None
        raise error

    def _look(self) -> None:
        """Raise BadArgument if the scheduler, or every worker, has been gone for some time."""
        try:
            workers = len(_ask_threads(self.client))
        except Exception:
            self._note("scheduler", True)
            if self._is_over("scheduler"):
                raise BadArgument(
                    f"The Dask scheduler at {self.scheduler} has gone. Start it and its workers again. {_KEPT}"
                ) from None
            return
        self._note("scheduler", False)
        self._note("workers", workers == 0)
        if self._is_over("workers"):
            raise BadArgument(
                f"All workers of the Dask cluster at {self.scheduler} have gone. Start some with "
                f"'dask worker {self.scheduler}'. {_KEPT}"
            )

    def _note(self, what: str, lost: bool) -> None:
        if lost:
            self._lost.setdefault(what, time.monotonic())
        else:
            self._lost.pop(what, None)

    def _is_over(self, what: str) -> bool:
        return what in self._lost and time.monotonic() - self._lost[what] > _PATIENCE


@contextlib.contextmanager
def _connected(scheduler: str | None) -> Iterator[Any]:
    try:
        from distributed import Client  # type: ignore[import-not-found,unused-ignore]  # not installed for the checks
    except ImportError:
        raise BadArgument(
            "--backend dask needs Dask. Install it with pip install 'dask[distributed]'."
        ) from None
    if scheduler is None:
        raise BadArgument("--backend dask needs --scheduler ADDRESS, such as tcp://127.0.0.1:8786.")
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # one sentence is enough
    try:
        client: Any = Client(scheduler, timeout=_CONNECT_SECONDS, set_as_default=False)  # type: ignore[no-untyped-call,unused-ignore]
    except (OSError, ValueError, TimeoutError) as error:
        raise BadArgument(
            f"No Dask scheduler answers at {scheduler} ({type(error).__name__}). Check the address, or start one with 'dask scheduler'."
        ) from None
    try:
        yield client
    finally:
        with contextlib.suppress(Exception):
            client.close(timeout=2)


def _ask_threads(client: Any) -> dict[str, int]:
    """The threads of each worker, asked now: what the client remembers may be old."""
    found = client.sync(client.scheduler.ncores, workers=None, callback_timeout=_ANSWER_SECONDS)
    return dict(found)


def _check_workers(client: Any, scheduler: str) -> None:
    """Raise BadArgument if the cluster has no workers, or workers that lack this version of odm-tui."""
    end = time.monotonic() + _PATIENCE
    while not _ask_threads(client):
        if time.monotonic() > end:
            raise BadArgument(
                f"The Dask cluster at {scheduler} has no workers. Start some with 'dask worker {scheduler}'."
            )
        time.sleep(0.2)
    found = client.run(pkgutil.resolve_name, "odm_tui:__version__", on_error="return")
    lacking = [worker for worker, version in found.items() if not isinstance(version, str)]
    if lacking:
        raise BadArgument(
            f"{len(lacking)} of {len(found)} Dask workers can't import odm_tui. Install it there: "
            f"pip install odm-tui=={__version__}."
        )
    others = sorted({version for version in found.values() if version != __version__})
    if others:
        raise BadArgument(
            f"Some Dask workers have odm-tui {', '.join(others)} and not {__version__}. Install the same version there: "
            f"pip install odm-tui=={__version__}."
        )
