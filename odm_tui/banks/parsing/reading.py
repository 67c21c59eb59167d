"""From a file to the TOML document in it, or to one plain sentence that says why not.

Every file is answered for within about two seconds: its size is limited before it is read, and the
work that parsing would be is estimated before it is parsed.
"""

from __future__ import annotations

import os
import re
import stat
import tomllib
from pathlib import Path
from typing import Any, NoReturn

from odm_tui.banks.locations import describe_available_banks
from odm_tui.banks.parsing import number_tables
from odm_tui.banks.parsing.findings import BadBank, Finding
from odm_tui.text import one_line, shortened

MAX_BYTES = 16 * 1024 * 1024
_MAX_PIECES = 1_000_000
_MAX_LINES = 500_000
_MAX_NUMBERS = 1_100_000
"""Enough for 1,000 questions and 1,000 outcomes with everything said about each pair."""
_QUICKLY_READ_AGAIN = 1_000_000
_MAX_TEXT = 8 * 1024 * 1024
_MAX_EFFORT = 1_400_000
"""About the microseconds that tomllib may need, by the weights below (measured on one slow core)."""
_EFFORT = (("=", 5), (",", 5), ("[", 6), (".", 1), ("\n", 1))
_DOTTED = re.compile(r'(?:\.[ \t]*+(?:[A-Za-z0-9_-]++|"")[ \t]*+){16}')
_SEPARATORS = str.maketrans(dict.fromkeys("\"'=,[]{}#", " "))
_LONGEST_WORD = 1_000
_WHERE = re.compile(r"^(.*) \(at (?:line (\d+), column (\d+)|end of document)\)$", re.DOTALL)

_REMEDIES = (
    ("Cannot overwrite a value", "the same key is given twice; keep one of them"),
    ("Cannot declare", "the same table is declared twice; keep one of them"),
    ("Cannot mutate immutable", "a table in braces must be written whole, in one place"),
    ("Invalid value", "there is no value that TOML knows here; put a text in quotes"),
    ("Expected '=' after a key", "a key must be followed by =; put a key with blanks or signs in quotes"),
    ("Invalid statement", "a line must be `key = value`, `[table]` or `# comment`"),
    ("Unclosed array", "a list is not closed; a ] or a comma is missing"),
    ("Unclosed inline table", "a table in braces is not closed; a } or a comma is missing"),
    ("Unterminated string", "a text is not closed; its end quote is missing"),
    ("Illegal character '\\n'", "a text ends at the end of its line; close its quote, or use three quotes"),
    (
        "Invalid initial character for a key part",
        "a key must come here; put one with special signs in quotes",
    ),
    ("Expected newline or end of document", "there is something left over after the value"),
)


def read_document(path: Path) -> tuple[dict[str, Any], str]:
    """The parsed document and its text; raises BadBank with one sentence where there is none."""
    text = _decoded(path, _bytes(path))
    return _document(path, text), text


def _refuse(path: Path, sentence: str, line: int | None = None) -> NoReturn:
    raise BadBank(path, [Finding("", sentence, line=line)]) from None


def _bytes(path: Path) -> bytes:
    try:
        # Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except FileNotFoundError:
        _refuse(path, f"there is no such file; by name {describe_available_banks()}")
    except IsADirectoryError:
        _refuse(path, "this is a folder; give the .toml file of a bank")
    except (OSError, ValueError) as error:
        _refuse(path, f"the file can't be opened ({_reason(error)})")
    try:
        mode = os.fstat(handle).st_mode
        if stat.S_ISDIR(mode):
            _refuse(path, "this is a folder; give the .toml file of a bank")
        if not stat.S_ISREG(mode):
            _refuse(path, "this is not a regular file; give the .toml file of a bank")
        with os.fdopen(handle, "rb", closefd=False) as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        _refuse(path, f"the file can't be read ({_reason(error)})")
    finally:
        os.close(handle)
    if len(content) > MAX_BYTES:
        _refuse(path, f"the file is over {MAX_BYTES // 2**20} MB, which is more than a bank may have")
    return content


def _reason(error: Exception) -> str:
    return one_line(getattr(error, "strerror", None) or str(error)).lower()


def _decoded(path: Path, content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        byte = content[error.start]
        _refuse(path, f"byte 0x{byte:02X} is not UTF-8; save the file with the encoding UTF-8", line)


def _document(path: Path, text: str) -> dict[str, Any]:
    pieces = text.count('"') + text.count("'") + text.count("#")
    if pieces > _MAX_PIECES or text.count("\n") > _MAX_LINES or text.count("=") > _MAX_NUMBERS:
        _refuse(path, "the file has more numbers, texts and lines than a bank may have")
    short, tables = number_tables.take_out_numbers(text)
    _check_effort(path, short)
    try:
        document = number_tables.parse_document(short, tables)
        if document is None and len(text) < _QUICKLY_READ_AGAIN:
            return tomllib.loads(text)  # to name the line of the key that is there twice
    except tomllib.TOMLDecodeError as error:
        _syntax_error(path, error)
    except RecursionError:
        _refuse(path, "lists or tables are nested too deeply; a bank needs four levels at most")
    except ValueError as error:
        _refuse(path, f"the file is not valid TOML: {shortened(one_line(str(error)), 200)}")
    if document is None:
        _refuse(path, "a key is given twice in one table of numbers; keep one of them")
    return document


def _check_effort(path: Path, text: str) -> None:
    """Refuse what tomllib would take long to parse, or for ever (it is quadratic in the parts of a key)."""
    too_much = "the file holds more values than a bank may have; split it or leave some out"
    if len(text) > _MAX_TEXT:
        _refuse(path, too_much)
    bare = number_tables.remove_strings(text)
    effort = sum(weight * bare.count(sign) for sign, weight in _EFFORT) + text.count("\\") + len(text) // 10
    if effort > _MAX_EFFORT:
        _refuse(path, too_much)
    if _DOTTED.search(bare):
        _refuse(path, "a key has more than 16 parts with dots between them; a bank needs three at most")
    if max(map(len, bare.translate(_SEPARATORS).split()), default=0) > _LONGEST_WORD:
        _refuse(path, "a word or number outside quotes has over 1,000 characters; put a text in quotes")


def _syntax_error(path: Path, error: tomllib.TOMLDecodeError) -> NoReturn:
    found = _WHERE.match(str(error))
    problem, line, column = found.groups() if found else (str(error), None, None)
    said = shortened(one_line(problem), 120)
    remedy = next((remedy for start, remedy in _REMEDIES if problem.startswith(start)), said)
    if line is None:
        _refuse(path, f"not valid TOML at the end of the file: {remedy}")
    _refuse(path, f"not valid TOML at column {column}: {remedy}", int(line))
