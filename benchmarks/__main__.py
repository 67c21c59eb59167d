"""Run all benchmarks, or some by name: ``python -m benchmarks engine store``."""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys
from collections.abc import Iterable
from pathlib import Path

from odm_tui.text import unknown_name

# One thread: the figures are for one core, and the rivals use one thread too.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")


def _find_modules(wanted: Iterable[str]) -> list[str]:
    here = [str(Path(__file__).parent)]
    found = [m.name for m in pkgutil.iter_modules(here) if m.name.startswith("bench_")]
    names = {f"bench_{name}" for name in wanted}
    unknown = names - set(found)
    if unknown:
        known = [name.removeprefix("bench_") for name in found]
        wrong = (name.removeprefix("bench_") for name in sorted(unknown))
        raise SystemExit("\n".join(unknown_name("benchmark", name, known) for name in wrong))
    return [name for name in found if not names or name in names]


def main() -> None:
    """Print one table per module, each row as soon as it is measured."""
    for name in _find_modules(sys.argv[1:]):
        module = importlib.import_module(f"benchmarks.{name}")
        print(f"\n{(module.__doc__ or name).splitlines()[0]}")
        for row in module.rows():
            target = f"  ({row.target})" if row.target else ""
            print(f"  {row.name:<78} {row.measured:>11,.4g} {row.unit}{target}", flush=True)


main()
