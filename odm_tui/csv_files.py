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
MAX_CELLS = 30_000_000
_HEAD = 4096
_SAVE_AS_CSV = "open it in a spreadsheet and save the sheet as CSV (UTF-8)"
_OTHER_FORMATS = (
    (b"PK\x03\x04", "an Excel or OpenDocument file, or a ZIP archive", _SAVE_AS_CSV),
    (b"\xd0\xcf\x11\xe0", "an old Excel file", _SAVE_AS_CSV),
    (
        b"PAR1",
        "a Parquet file",
        "write it as CSV, such as with pandas.read_parquet(...).to_csv(..., index=False)",
    ),
    (
        b"ARROW1",
        "an Arrow file",
        "write it as CSV, such as with pandas.read_feather(...).to_csv(..., index=False)",
    ),
    (b"\xff\xfe", "text in UTF-16", "save it as UTF-8"),
    (b"\xfe\xff", "text in UTF-16", "save it as UTF-8"),
    (b"\x1f\x8b", "a gzip file", "unpack it with gunzip"),
    (b"SQLite format 3", "an SQLite database", "export the table as CSV"),
    (b"%PDF", "a PDF file", "export the table as CSV"),
    (b"{", "JSON", "write it as CSV, one case per line"),
    (b"[{", "JSON", "write it as CSV, one case per line"),
    (b"<", "HTML or XML", "export the table as CSV"),
)
"""What files that are no CSV begin with, what they are, and the remedy."""
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
        with path.open("rb") as file:
            head = file.read(_HEAD)
            _refuse_other_formats(path, head)
            return (head + file.read(max_bytes)).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise bad_table(path, f"byte {error.start + 1} is not UTF-8; save the file as UTF-8") from None
    except (OSError, ValueError) as error:
        if isinstance(error, BadData):
            raise
        reason = getattr(error, "strerror", None) or str(error)
        raise bad_table(path, f"the file can't be read ({one_line(reason).lower()})") from None


def _refuse_other_formats(path: Path, head: bytes) -> None:
    """Refuse a file that is not text, or not a table, by its first bytes; name what it is and the remedy."""
    for start, what, remedy in _OTHER_FORMATS:
        if head.startswith(start):
            raise bad_table(path, f"this is {what}, not CSV; {remedy}")
    if b"\0" in head:
        raise bad_table(path, "this is not text (it has null bytes); save the table as CSV in UTF-8")


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
            if len(rows) * len(header) > MAX_CELLS:
                raise bad_table(path, f"the table has over {MAX_CELLS:,} cells; use a sample of its rows")
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
        raise bad_table(
            path,
            f"column {header.index('') + 1} has no name in the header line; name it, "
            "and in a spreadsheet split merged cells first",
        )
    if len(set(header)) < len(header):
        twice = next(name for name in header if header.count(name) > 1)
        raise bad_table(path, f"two columns are called {shorten(one_line(twice), 64)!r}; rename one")
