"""Read a CSV file into columns of text, or raise an error that says what is wrong with it."""

from __future__ import annotations

import codecs
import csv
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from odm_tui.errors import BadData
from odm_tui.formatting import format_count
from odm_tui.text import one_line, shorten, unknown_name

MAX_BYTES = 512 * 2**20
MAX_COLUMNS = 20_000
MAX_CELLS = 30_000_000
MAX_LINE = 16 * 2**20
"""Characters in a line; a longer one is refused before it is read whole."""
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
    (codecs.BOM_UTF32_LE, "text in UTF-32", "save it as UTF-8"),
    (codecs.BOM_UTF32_BE, "text in UTF-32", "save it as UTF-8"),
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
    delimiter: str = ","
    lines: Sequence[int] = ()
    """The line of the file in which each row ends."""

    def column(self, name: str) -> list[str]:
        """Return a column by its name."""
        if name not in self.columns:
            raise bad_table(self.path, unknown_name("column", name, self.columns))
        return self.columns[name]


def bad_table(path: Path, sentence: str) -> BadData:
    """Return the error for a CSV file: its path, what is wrong, and a full stop."""
    return BadData(f"{one_line(str(path))}: {sentence}{'' if sentence.endswith(('.', '?')) else '.'}")


def read_table(path: Path, *, max_bytes: int = MAX_BYTES, min_columns: int = 1) -> TableFile:
    """Read a CSV file in UTF-8 with a header line, line by line.

    The delimiter is the one of comma, semicolon, tab and bar that is most frequent in the first line, or the one that
    a line such as ``sep=;`` above it names. Spaces around a cell, empty lines and empty columns without a name are
    ignored.
    """
    try:
        if not path.is_file():
            missing = "this is not a regular file" if path.exists() else "there is no such file"
            raise bad_table(path, f"{missing}; give a CSV file")
        if path.stat().st_size > max_bytes:
            raise bad_table(path, f"the file is over {max_bytes // 2**20} MB; use a sample of its rows")
        with path.open("rb") as file:
            _refuse_other_formats(path, file.read(_HEAD))
        with path.open(encoding="utf-8-sig", newline="") as text:
            return _parse(path, text, min_columns)
    except UnicodeDecodeError:
        raise bad_table(path, f"{_find_bad_byte(path)} is not UTF-8; save the file as UTF-8") from None
    except (OSError, ValueError) as error:
        if isinstance(error, BadData):
            raise
        reason = getattr(error, "strerror", None) or str(error)
        raise bad_table(path, f"the file can't be read ({one_line(reason).lower()})") from None


def _read_lines(path: Path, text: TextIO) -> Iterator[str]:
    """Yield the lines of a file; refuse one that is too long before it takes much memory."""
    number = 0
    while line := text.readline(MAX_LINE + 1):
        number += 1
        if len(line) > MAX_LINE:
            raise bad_table(
                path,
                f"line {number:,} has over {MAX_LINE:,} characters; check the line ends and the quotation marks",
            )
        yield line


def _find_bad_byte(path: Path) -> str:
    """Return the place of the first byte that is not UTF-8."""
    before = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError as error:
                return f"byte {before + error.start + 1} (line {number})"
            before += len(line)
    return "a byte"


def _refuse_other_formats(path: Path, head: bytes) -> None:
    """Refuse a file that is not text, or not a table, by its first bytes; name what it is and the remedy."""
    for start, what, remedy in _OTHER_FORMATS:
        if head.startswith(start):
            raise bad_table(path, f"this is {what}, not CSV; {remedy}")
    if b"\0" in head:
        raise bad_table(path, "this is not text (it has null bytes); save the table as CSV in UTF-8")


def _parse(path: Path, text: TextIO, min_columns: int) -> TableFile:
    lines = _read_lines(path, text)
    skipped, first = 0, ""
    for first in lines:
        named = _find_named_delimiter(first) if not skipped else ""
        if first.strip() and not named:
            break
        skipped += 1
    if not first.strip() or _find_named_delimiter(first):
        raise bad_table(path, "the file is empty; it needs a header line and one line per case")
    return _parse_rows(path, first, lines, skipped, min_columns)


def _parse_rows(path: Path, first: str, lines: Iterator[str], skipped: int, min_columns: int) -> TableFile:
    delimiter = max(_DELIMITERS, key=first.count)
    reader = csv.reader(_chain(first, lines), delimiter=delimiter, strict=True)
    header: list[str] = []
    columns: list[list[str]] = []
    ends = array("L")
    known: dict[str, str] = {}
    began = 0
    """The last line of the row before."""
    try:
        for cells in reader:
            line, began = reader.line_num + skipped, reader.line_num
            if not cells:
                continue
            if not header:
                header = [cell.strip() for cell in cells]
                _check_size(path, header, first, min_columns)
                columns = [[] for _ in header]
                continue
            if len(cells) != len(header) and (len(cells) < len(header) or any(cells[len(header) :])):
                raise bad_table(
                    path,
                    f"line {line} has {format_count(len(cells), 'cell')}, but the header has {len(header)}; "
                    "put quotation marks around cells with a delimiter, and leave no cell out",
                )
            ends.append(line)
            for column, cell in zip(columns, cells, strict=False):
                # Cells repeat: each text is stored once.
                text = cell.strip()
                column.append(known.setdefault(text, text))
            if len(columns[0]) * len(header) > MAX_CELLS:
                raise bad_table(path, f"the table has over {MAX_CELLS:,} cells; use a sample of its rows")
    except csv.Error as error:
        raise bad_table(
            path, _describe_csv_error(error, began + 1 + skipped, reader.line_num + skipped)
        ) from None
    if not columns or not columns[0]:
        raise bad_table(path, "there are no rows below the header; add one line per case")
    named = [(name, cells) for name, cells in zip(header, columns, strict=True) if name or any(cells)]
    _check_names(path, [name for name, _ in named])
    return TableFile(path, dict(named), delimiter, ends)


def _chain(first: str, others: Iterator[str]) -> Iterator[str]:
    yield first
    yield from others


def _find_named_delimiter(line: str) -> str:
    """Return the delimiter that a first line such as ``sep=;`` names, as spreadsheets write it; else nothing."""
    name, _, rest = line.strip().partition("=")
    return rest if name.casefold() == "sep" and rest in tuple(_DELIMITERS) else ""


def _describe_csv_error(error: csv.Error, first: int, last: int) -> str:
    """Say what is wrong with the row from the first to the last line."""
    said = str(error)
    if "unexpected end of data" in said:
        return f"line {first} opens a quotation mark that is never closed; close it, or double it if it is part of the text"
    if "field larger" in said:
        return f"line {last} has a cell of over {csv.field_size_limit():,} characters; shorten it"
    return f"line {last} is not CSV ({one_line(said)}); check its quotation marks"


def _check_size(path: Path, header: list[str], first: str, min_columns: int) -> None:
    if len(header) < min_columns:
        shown = shorten(one_line(first), 60)
        raise bad_table(
            path,
            f"there is only one column, {shown!r}; the first line must name the outcome and what was asked, "
            "with commas, semicolons, tabs or bars between them",
        )
    if len(header) > MAX_COLUMNS:
        raise bad_table(
            path, f"there are {len(header):,} columns; at most {MAX_COLUMNS:,} are possible, so take fewer"
        )


def _check_names(path: Path, header: list[str]) -> None:
    if "" in header:
        raise bad_table(
            path,
            f"column {header.index('') + 1} has no name in the first line, which must name the columns; name it, "
            "and in a spreadsheet split merged cells and remove titles above the table first",
        )
    if len(set(header)) < len(header):
        twice = next(name for name in header if header.count(name) > 1)
        raise bad_table(path, f"two columns are called {shorten(one_line(twice), 64)!r}; rename one")
