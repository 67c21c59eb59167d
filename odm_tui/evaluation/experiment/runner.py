"""Run the units of an experiment, and continue a run that was interrupted.

Units that can be simulated in step run in batches. Each finished unit is stored as a file in the run's folder. A run
that is started again with the same settings reads these files. After the last unit, a folder that the user did not
name is removed.
"""

from __future__ import annotations

import hashlib
import io
import math
import shutil
import zipfile
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np

from odm_tui.errors import BadArgument, CannotWrite
from odm_tui.evaluation.experiment.batch.units import batch_key, can_batch, run_together
from odm_tui.evaluation.experiment.plan import Unit, pack, unpack
from odm_tui.evaluation.experiment.simulation import Trace
from odm_tui.evaluation.parallel import ParallelBackend, run_each
from odm_tui.files import write_atomically
from odm_tui.text import unknown_name

Progress = Callable[[int, int], None]
"""Called with the number of finished units and the number of all units."""

MAX_BATCH = 40
"""The most units in a batch; more is hardly faster, and an interruption loses the batch that is running."""


def run_units(
    units: Sequence[Unit],
    *,
    folder: Path | None = None,
    jobs: int = 1,
    backend: str = ParallelBackend.PROCESSES,
    scheduler: str | None = None,
    progress: Progress = lambda done, of: None,
) -> dict[Unit, Trace]:
    """Return the traces of all units: read those that are in ``folder``, run the others and store them there."""
    if backend not in list(ParallelBackend):
        raise BadArgument(unknown_name("backend", backend, list(ParallelBackend)))
    store = folder or default_folder(units)
    finished: dict[Unit, Trace] = {}
    for unit in units:
        trace = _read(store / f"{unit.key}.npz")
        if trace is not None:
            finished[unit] = trace
    progress(len(finished), len(units))
    left = [unit for unit in units if unit not in finished]
    batches = make_batches(left, jobs)
    results = run_each(_run_batch, batches, jobs=jobs, backend=ParallelBackend(backend), scheduler=scheduler)
    with closing(results):
        for batch in results:
            for unit, trace in batch:
                _write(store, unit.key, trace)
                finished[unit] = trace
                progress(len(finished), len(units))
    if folder is None:
        shutil.rmtree(store, ignore_errors=True)
    return {unit: finished[unit] for unit in units}


def make_batches(units: Sequence[Unit], jobs: int) -> list[list[Unit]]:
    """Group units that can be simulated in step into batches for this many processes; leave the others alone."""
    groups: dict[Unit, list[Unit]] = {}
    for unit in units:
        groups.setdefault(batch_key(unit) or unit, []).append(unit)
    batches = []
    for group in groups.values():
        size = min(MAX_BATCH, math.ceil(len(group) / max(jobs, 1))) if can_batch(group[0]) else 1
        batches += [group[start : start + size] for start in range(0, len(group), size)]
    return batches


def default_folder(units: Sequence[Unit]) -> Path:
    """Return the folder of a run without a named one: in the user's cache, by the run's settings."""
    import platformdirs

    name = hashlib.sha256("".join(unit.key for unit in units).encode()).hexdigest()[:16]
    return Path(platformdirs.user_cache_dir("odm-tui")) / "experiments" / name


def _run_batch(batch: Sequence[Unit]) -> list[tuple[Unit, Trace]]:
    """Run a batch in step, or each of its units if their settings forbid that."""
    if batch_key(batch[0]) is None:
        return [(unit, unit.run()) for unit in batch]
    return list(run_together(batch))


def _read(path: Path) -> Trace | None:
    """Return a unit's results, or None if there are none or they can't be read."""
    try:
        # From memory: numpy leaves the file open when it is not the archive that it looks like.
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as arrays:
            return unpack(dict(arrays))
    except (OSError, ValueError, TypeError, KeyError, EOFError, zipfile.BadZipFile):
        return None


def _write(folder: Path, key: str, trace: Trace) -> None:
    """Store a unit's results, complete or not at all."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotWrite(f"Can't make the folder {folder}: {error.strerror}. Choose another one.") from error
    archive = io.BytesIO()
    np.savez(archive, **pack(trace))  # type: ignore[arg-type]  # arrays by name
    write_atomically(folder / f"{key}.npz", archive.getvalue(), durable=False)
