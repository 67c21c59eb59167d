"""Run calls in parallel: in processes of this machine, or on a Dask cluster."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator, Sequence
from enum import StrEnum
from importlib.util import find_spec
from typing import Any, TypeVar

from odm_tui.errors import BadArgument

Item = TypeVar("Item")
Result = TypeVar("Result")
Call = tuple[Callable[..., Any], tuple[Any, ...]]
"""A function and its arguments."""


class ParallelBackend(StrEnum):
    """Where calls run."""

    PROCESSES = "processes"
    DASK = "dask"


def count_cores() -> int:
    """Return how many processes can run at a time: 1 if joblib, which starts them, is not installed."""
    if find_spec("joblib") is None:
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_calls(calls: Sequence[Call], jobs: int) -> list[Any]:
    """Return the results of some calls, in their order, computed in this many processes.

    >>> run_calls([(pow, (2, 3)), (max, (4, 5))], jobs=1)
    [8, 5]
    """
    if jobs == 1 or len(calls) < 2:
        return [function(*arguments) for function, arguments in calls]
    joblib = _import_joblib()
    with _joblib_config("loky", jobs):
        return list(joblib.Parallel()(joblib.delayed(function)(*arguments) for function, arguments in calls))


def run_each(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    *,
    jobs: int = 1,
    backend: ParallelBackend = ParallelBackend.PROCESSES,
    scheduler: str | None = None,
) -> Generator[Result, None, None]:
    """Call a function with each item and yield each result as soon as it is there, in any order.

    ``jobs`` is the number of processes; ``scheduler`` is the address of a Dask cluster's scheduler.
    """
    if scheduler is not None and backend != ParallelBackend.DASK:
        raise BadArgument("--scheduler needs --backend dask.")
    if backend == ParallelBackend.DASK:
        from odm_tui.evaluation.dask_cluster import run_on_cluster

        yield from run_on_cluster(function, items, scheduler)
    elif jobs == 1:
        yield from map(function, items)
    else:
        yield from _run_with_joblib("loky", jobs, function, items)


def _run_with_joblib(
    backend: str, jobs: int, function: Callable[[Item], Result], items: Sequence[Item]
) -> Iterator[Result]:
    if not items:
        return
    joblib = _import_joblib()
    with _joblib_config(backend, jobs):
        work = joblib.Parallel(return_as="generator_unordered", batch_size=1)
        yield from work(joblib.delayed(function)(item) for item in items)


def _joblib_config(backend: str, jobs: int) -> Any:
    # One BLAS thread per process: the matrices are small, and threads that wait for each other cost more.
    options: dict[str, Any] = {"inner_max_num_threads": 1} if backend == "loky" else {}
    return _import_joblib().parallel_config(backend, n_jobs=jobs, **options)


def _import_joblib() -> Any:
    try:
        import joblib
    except ImportError:
        raise BadArgument(
            "Parallel runs need joblib. Install it with pip install joblib, or use --jobs 1."
        ) from None
    return joblib
