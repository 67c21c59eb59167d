"""Run every benchmark, or those that are named: ``python -m benchmarks engine store``."""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys
from collections.abc import Iterable
from pathlib import Path

# One thread: the figures are for one core, and the rivals are single-threaded too.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")


def _modules(wanted: Iterable[str]) -> list[str]:
    here = [str(Path(__file__).parent)]
    found = [m.name for m in pkgutil.iter_modules(here) if m.name.startswith("bench_")]
    names = {f"bench_{name}" for name in wanted}
    unknown = names - set(found)
    if unknown:
        there = ", ".join(name.removeprefix("bench_") for name in found)
        raise SystemExit(f"no benchmark {', '.join(sorted(unknown))}; there are {there}")
    return [name for name in found if not names or name in names]


def main() -> None:
    """Print one table a module, each row as soon as it is measured."""
    for name in _modules(sys.argv[1:]):
        module = importlib.import_module(f"benchmarks.{name}")
        print(f"\n{(module.__doc__ or name).splitlines()[0]}")
        for row in module.rows():
            label, measured, unit, target = (
                (row.name, row.measured, row.unit, row.target) if hasattr(row, "name") else row
            )
            wanted = f"  ({target})" if target else ""
            print(f"  {label:<78} {measured:>11,.4g} {unit}{wanted}", flush=True)


main()
