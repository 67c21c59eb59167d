"""Read a CSV file into columns of text, or raise an error that says what is wrong with it."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from pathlib import Path

from odm_tui.errors import BadData
from odm_tui.formatting import format_count
from odm_tui.text import one_line, shorten, unknown_name

MAX_BYTES = 512 * 2**20
MAX_COLUMNS = 20_000
_DELIMITERS = ",;\t|"


@dataclass(frozen=True, slots=True)
class TableFile:
    """A CSV file: its columns by name, in order, each with one text per row."""

    path: Path
    columns: dict[str, list[str]]

    def column(self, name: str) -> list[str]:
        """Return a column by its name."""
        if name not in self.columns:
            raise bad_table(self.path, unknown_name("column", name, self.columns))
        return self.columns[name]


def bad_table(path: Path, sentence: str) -> BadData:
    """Return the error for a CSV file: its path, what is wrong, and a full stop."""
    return BadData(f"{one_line(str(path))}: {sentence}{'' if sentence.endswith(('.', '?')) else '.'}")


def read_table(path: Path, *, max_bytes: int = MAX_BYTES, min_columns: int = 1) -> TableFile:
    """Read a CSV file in UTF-8 with a header line.

    The delimiter is the one of comma, semicolon, tab and bar that is most frequent in the first line.
    Spaces around a cell and empty lines are ignored.
    """
    return TableFile(path, _parse_columns(path, _read_text(path, max_bytes), min_columns))


def _read_text(path: Path, max_bytes: int) -> str:
    try:
        if not path.is_file():
            missing = "this is not a regular file" if path.exists() else "there is no such file"
            raise bad_table(path, f"{missing}; give a CSV file")
        if path.stat().st_size > max_bytes:
            raise bad_table(path, f"the file is over {max_bytes // 2**20} MB; use a sample of its rows")
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise bad_table(path, f"byte {error.start + 1} is not UTF-8; save the file as UTF-8") from None
    except (OSError, ValueError) as error:
        if isinstance(error, BadData):
            raise
        reason = getattr(error, "strerror", None) or str(error)
        raise bad_table(path, f"the file can't be read ({one_line(reason).lower()})") from None


def _parse_columns(path: Path, text: str, min_columns: int) -> dict[str, list[str]]:
    first = text.lstrip().partition("\n")[0]
    if not first:
        raise bad_table(path, "the file is empty; it needs a header line and one line per case")
    delimiter = max(_DELIMITERS, key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    header: list[str] = []
    rows: list[list[str]] = []
    try:
        for cells in reader:
            if not cells:
                continue
            if not header:
                header = [cell.strip() for cell in cells]
                _check_header(path, header, min_columns)
                continue
            if len(cells) != len(header):
                raise bad_table(
                    path,
                    f"line {reader.line_num} has {format_count(len(cells), 'cell')}, but the header has {len(header)}",
                )
            rows.append(cells)
    except csv.Error as error:
        raise bad_table(path, f"line {reader.line_num} is not CSV ({one_line(str(error))})") from None
    if not rows:
        raise bad_table(path, "there are no rows below the header; add one line per case")
    return {
        name: [cell.strip() for cell in cells]
        for name, cells in zip(header, zip(*rows, strict=True), strict=True)
    }


def _check_header(path: Path, header: list[str], min_columns: int) -> None:
    if len(header) < min_columns:
        raise bad_table(path, "there is only one column; the outcome and what was asked need one each")
    if len(header) > MAX_COLUMNS:
        raise bad_table(path, f"there are {len(header):,} columns; at most {MAX_COLUMNS:,} are possible")
    if "" in header:
        raise bad_table(path, f"column {header.index('') + 1} has no name in the header line; name it")
    if len(set(header)) < len(header):
        twice = next(name for name in header if header.count(name) > 1)
        raise bad_table(path, f"two columns are called {shorten(one_line(twice), 64)!r}; rename one")
