"""Tables from CSV files: columns by name, each as numbers or as text."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from odm_tui.errors import BadData

MOST_BYTES = 512 * 2**20


@dataclass(frozen=True, eq=False)
class Table:
    """The columns of a CSV file, numbers where every cell is one, text otherwise."""

    path: Path
    columns: Mapping[str, npt.NDArray[np.float64] | npt.NDArray[np.str_]]

    def numbers(self, name: str) -> npt.NDArray[np.float64]:
        """A column that must hold numbers."""
        column = self.column(name)
        if column.dtype.kind != "f":
            raise BadData(f"{self.path}: the column {name!r} holds text where numbers are needed")
        return column.astype(np.float64)

    def column(self, name: str) -> npt.NDArray[np.float64] | npt.NDArray[np.str_]:
        """A column by its name."""
        if name not in self.columns:
            raise BadData(f"{self.path}: there is no column {name!r}; there are {', '.join(self.columns)}")
        return self.columns[name]


def read_table(path: Path) -> Table:
    """The table in a CSV file with a header line; the delimiter is a comma or a semicolon."""
    try:
        stamp = path.stat()
    except OSError as error:
        raise BadData(f"{path}: {error.strerror or error}; name a CSV file that can be read") from error
    if stamp.st_size > MOST_BYTES:
        raise BadData(f"{path}: larger than {MOST_BYTES // 2**20} MB; split it")
    return _read(path, stamp.st_mtime_ns)


@lru_cache(maxsize=16)
def _read(path: Path, changed: int) -> Table:
    try:
        with path.open(newline="", encoding="utf-8-sig") as lines:
            head = lines.readline()
            delimiter = ";" if head.count(";") > head.count(",") else ","
            header = [name.strip() for name in next(csv.reader([head], delimiter=delimiter), [])]
            rows = [row for row in csv.reader(lines, delimiter=delimiter) if row]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadData(f"{path}: not a CSV file in UTF-8 ({error})") from error
    if not header or len(set(header)) != len(header) or "" in header:
        raise BadData(f"{path}: the first line must name every column, each differently")
    if not rows:
        raise BadData(f"{path}: there is no line below the header")
    for number, row in enumerate(rows, start=2):
        if len(row) != len(header):
            raise BadData(f"{path}: line {number} has {len(row)} cells where the header has {len(header)}")
    return Table(
        path, {name: _column(cells) for name, cells in zip(header, zip(*rows, strict=True), strict=True)}
    )


def _column(cells: tuple[str, ...]) -> npt.NDArray[np.float64] | npt.NDArray[np.str_]:
    try:
        numbers = np.array(cells, dtype=np.float64)
    except ValueError:
        return np.array([cell.strip() for cell in cells])
    return numbers if np.isfinite(numbers).all() else np.array([cell.strip() for cell in cells])
