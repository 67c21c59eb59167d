"""Reads a CSV file into columns, or says in one sentence what is wrong with it."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from pathlib import Path

from odm_tui.errors import BadData
from odm_tui.text import listed, nearest_name, one_line, shortened

MAX_BYTES = 64 * 1024 * 1024
MAX_COLUMNS = 20_000
_DELIMITERS = ",;\t|"


@dataclass(frozen=True, slots=True)
class TableFile:
    """A CSV file: its columns by name, in order, each with one text a row."""

    path: Path
    columns: dict[str, list[str]]

    @property
    def rows(self) -> int:
        return len(next(iter(self.columns.values())))

    def column(self, name: str) -> list[str]:
        """A column by name; the error proposes the one that was probably meant."""
        if name not in self.columns:
            near = nearest_name(name, self.columns)
            hint = f"did you mean {near!r}?" if near else f"there are {listed(self.columns, 12)}"
            raise bad_table(self.path, f"there is no column {shortened(one_line(name), 64)!r}; {hint}")
        return self.columns[name]


def bad_table(path: Path, sentence: str) -> BadData:
    """The error for a CSV file."""
    return BadData(f"{one_line(str(path))}: {sentence}")


def read_table(path: Path) -> TableFile:
    """The columns of a CSV file with a header line; commas, semicolons, tabs or bars between the cells."""
    try:
        if not path.is_file():
            missing = "this is not a regular file" if path.exists() else "there is no such file"
            raise bad_table(path, f"{missing}; give a CSV file")
        if path.stat().st_size > MAX_BYTES:
            raise bad_table(path, f"the file is over {MAX_BYTES // 2**20} MB; a sample of its rows is enough")
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise bad_table(path, f"byte {error.start + 1} is not UTF-8; save it as UTF-8") from None
    except (OSError, ValueError) as error:
        if isinstance(error, BadData):
            raise
        reason = getattr(error, "strerror", None) or str(error)
        raise bad_table(path, f"the file can't be read ({one_line(reason).lower()})") from None
    return TableFile(path, _columns(path, text))


def _columns(path: Path, text: str) -> dict[str, list[str]]:
    first = text.lstrip().partition("\n")[0]
    if not first:
        raise bad_table(path, "the file is empty; it needs a header line and one line a case")
    delimiter = max(_DELIMITERS, key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[list[str]] = []
    try:
        header: list[str] = []
        for cells in reader:
            if not cells:
                continue
            if not header:
                header = [cell.strip() for cell in cells]
                continue
            if len(cells) != len(header):
                raise bad_table(
                    path, f"line {reader.line_num} has {len(cells)} cells, but the header has {len(header)}"
                )
            rows.append(cells)
    except csv.Error as error:
        raise bad_table(path, f"line {reader.line_num} is not CSV ({one_line(str(error))})") from None
    _check_header(path, header)
    if not rows:
        raise bad_table(path, "there are no rows below the header")
    return {
        name: [cell.strip() for cell in cells]
        for name, cells in zip(header, zip(*rows, strict=True), strict=True)
    }


def _check_header(path: Path, header: list[str]) -> None:
    if len(header) < 2:
        raise bad_table(path, "there is only one column; the outcome and what was asked need one each")
    if len(header) > MAX_COLUMNS:
        raise bad_table(path, f"there are {len(header):,} columns; at most {MAX_COLUMNS:,} are possible")
    if "" in header:
        raise bad_table(path, f"column {header.index('') + 1} has no name in the header line")
    twice = (
        next((name for name in header if header.count(name) > 1), None)
        if len(set(header)) < len(header)
        else None
    )
    if twice is not None:
        raise bad_table(path, f"two columns are called {shortened(one_line(twice), 64)!r}; rename one")
