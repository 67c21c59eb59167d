"""Find the tests that load can disturb: those of modules that start processes, terminals, threads or servers."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

_PARTS = (
    "subprocess",
    "threading",
    "multiprocessing",
    "signal",
    "socket",
    "pty",
    r"tests\.support\.terminal\S*",
    r"tests\.support\.faults\.processes",
    r"tests\.support\.postgresql\S*",
    r"tests\.support\.web\S*",
    r"tests\.docs\.examples",
    r"odm_tui\.evaluation\.dask_cluster",
)
_IMPORT = re.compile(rf"^(?:from|import) (?:{'|'.join(_PARTS)})(?: |$)", re.MULTILINE)


@cache
def is_timed(module: Path) -> bool:
    """Whether a module of tests imports something that starts processes, terminals, threads or servers."""
    return module.suffix == ".py" and _IMPORT.search(module.read_text("utf-8")) is not None
