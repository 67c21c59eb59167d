"""Runs the units of an experiment over the cores or a cluster, and goes on where a run was interrupted.

Each finished unit is kept as a file in the run's folder. A run that is started again with the same settings
finds them there. When all units are done, a folder that the user did not ask for is removed.
"""

from __future__ import annotations

import hashlib
import io
import shutil
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from odm_tui.errors import BadArgument, CannotWrite
from odm_tui.evaluation.experiment.plan import Unit, pack, unpack
from odm_tui.evaluation.experiment.simulation import Trace

Progress = Callable[[int, int], None]
"""Told how many units are done, and of how many."""

BACKENDS = ("processes", "dask")


def run_units(
    units: Sequence[Unit],
    *,
    folder: Path | None = None,
    jobs: int = 1,
    backend: str = "processes",
    scheduler: str | None = None,
    progress: Progress = lambda done, of: None,
) -> dict[Unit, Trace]:
    """The traces of all units; those already in ``folder`` are read, the others run and are kept there."""
    if backend not in BACKENDS:
        raise BadArgument(f"there is no backend {backend!r}; there are {' and '.join(BACKENDS)}")
    kept = folder or default_folder(units)
    finished: dict[Unit, Trace] = {}
    for unit in units:
        trace = _read(kept / f"{unit.key}.npz")
        if trace is not None:
            finished[unit] = trace
    progress(len(finished), len(units))
    waiting = [unit for unit in units if unit not in finished]
    with _runner(jobs, backend, scheduler) as run:
        for unit, trace in run(waiting):
            _write(kept, unit.key, trace)
            finished[unit] = trace
            progress(len(finished), len(units))
    if folder is None:
        shutil.rmtree(kept, ignore_errors=True)
    return finished


def default_folder(units: Sequence[Unit]) -> Path:
    """Where an interrupted run is kept if no folder is named: in the user's cache, by its settings."""
    import platformdirs

    name = hashlib.sha256("".join(unit.key for unit in units).encode()).hexdigest()[:16]
    return Path(platformdirs.user_cache_dir("odm-tui")) / "experiments" / name


def in_parallel(calls: Sequence[tuple[Callable[..., Any], tuple[Any, ...]]], jobs: int) -> list[Any]:
    """The results of some calls, in their order, over so many processes."""
    if jobs == 1 or len(calls) < 2:
        return [function(*arguments) for function, arguments in calls]
    joblib = _imported_joblib()
    with joblib.parallel_config("loky", n_jobs=jobs, inner_max_num_threads=1):
        return list(joblib.Parallel()(joblib.delayed(function)(*arguments) for function, arguments in calls))


Run = Callable[[Sequence[Unit]], Iterator[tuple[Unit, Trace]]]


def _hold(unit: Unit) -> tuple[Unit, Trace]:
    return unit, unit.run()


def _one_by_one(units: Sequence[Unit]) -> Iterator[tuple[Unit, Trace]]:
    return map(_hold, units)


@contextmanager
def _runner(jobs: int, backend: str, scheduler: str | None) -> Iterator[Run]:
    """How units are run: here, one after the other; in processes of this machine; or on a Dask cluster."""
    if scheduler is not None and backend != "dask":
        raise BadArgument("--scheduler goes with --backend dask")
    if backend == "dask":
        with _dask(scheduler):
            yield _joblib("dask", -1)
    elif jobs == 1:
        yield _one_by_one
    else:
        yield _joblib("loky", jobs)


def _joblib(backend: str, jobs: int) -> Run:
    joblib = _imported_joblib()

    def run(units: Sequence[Unit]) -> Iterator[tuple[Unit, Trace]]:
        if not units:
            return
        # One BLAS thread a process: the matrices are small, and threads that wait for each other cost more.
        options: dict[str, Any] = {"inner_max_num_threads": 1} if backend == "loky" else {}
        with joblib.parallel_config(backend, n_jobs=jobs, **options):
            work = joblib.Parallel(return_as="generator_unordered", batch_size=1)
            yield from work(joblib.delayed(_hold)(unit) for unit in units)

    return run


def _imported_joblib() -> Any:
    try:
        import joblib
    except ImportError:
        raise BadArgument("running in parallel needs joblib: pip install joblib, or --jobs 1") from None
    return joblib


@contextmanager
def _dask(scheduler: str | None) -> Iterator[None]:
    try:
        from distributed import Client  # type: ignore[import-not-found,unused-ignore]  # not installed for the checks
    except ImportError:
        raise BadArgument("--backend dask needs Dask: pip install 'dask[distributed]'") from None
    if scheduler is None:
        raise BadArgument("--backend dask needs --scheduler ADDRESS, such as tcp://127.0.0.1:8786")
    try:
        client: Any = Client(scheduler, timeout=10)  # type: ignore[no-untyped-call,unused-ignore]  # it has no types
    except (OSError, ValueError) as error:
        raise BadArgument(f"no Dask scheduler answers at {scheduler}: {error}") from error
    try:
        yield
    finally:
        client.close()


def _read(path: Path) -> Trace | None:
    """A unit's results, or None where there are none or they can't be read."""
    try:
        # From memory: numpy leaves the file open when it is not the archive that it looks like.
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as arrays:
            return unpack(dict(arrays))
    except (OSError, ValueError, TypeError, KeyError, EOFError, zipfile.BadZipFile):
        return None


def _write(folder: Path, key: str, trace: Trace) -> None:
    """Keep a unit's results, whole or not at all."""
    unfinished = folder / f"{key}.part"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with unfinished.open("wb") as file:
            np.savez(file, **pack(trace))  # type: ignore[arg-type]  # arrays by name
        unfinished.replace(folder / f"{key}.npz")
    except OSError as error:
        raise CannotWrite(f"{folder}: the results of the run can't be kept ({error.strerror})") from error
