"""Read CSV files for computation: each column as an array of numbers or of texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from odm_tui.csv_files import bad_table, read_table
from odm_tui.text import unknown_name

Column = npt.NDArray[np.float64] | npt.NDArray[np.str_]


@dataclass(frozen=True, eq=False)
class DataTable:
    """The columns of a CSV file: numbers where every cell is a finite number, otherwise text."""

    path: Path
    columns: Mapping[str, Column]

    def column(self, name: str) -> Column:
        """Return a column by its name."""
        if name not in self.columns:
            raise bad_table(self.path, unknown_name("column", name, self.columns))
        return self.columns[name]

    def numbers(self, name: str) -> npt.NDArray[np.float64]:
        """Return a column that must hold numbers."""
        column = self.column(name)
        if column.dtype.kind != "f":
            raise bad_table(self.path, f"the column {name!r} holds text; it must hold numbers only")
        return column.astype(np.float64)


def read_data_table(path: Path) -> DataTable:
    """Read a CSV file; a file that was read before and has not changed since comes from a cache."""
    try:
        changed = path.stat().st_mtime_ns
    except OSError:
        changed = 0  # the reader says what is wrong
    return _read(path, changed)


@lru_cache(maxsize=16)
def _read(path: Path, changed: int) -> DataTable:
    table = read_table(path)
    return DataTable(path, {name: _convert(cells) for name, cells in table.columns.items()})


def _convert(cells: Sequence[str]) -> Column:
    try:
        numbers = np.array(cells, dtype=np.float64)
    except ValueError:
        return np.array(cells)
    return numbers if np.isfinite(numbers).all() else np.array(cells)
