"""Read a bank file and parse its TOML; refuse a file that can't be parsed, with one finding.

No file takes longer than about two seconds: the size is checked before reading, and the time that tomllib would
need is estimated before parsing.
"""

from __future__ import annotations

import os
import re
import stat
import tomllib
from pathlib import Path
from typing import Any, NoReturn

from odm_tui.banks.parsing import number_tables
from odm_tui.banks.parsing.findings import BadBank, Finding
from odm_tui.text import one_line, shorten

MAX_BYTES = 16 * 1024 * 1024
_MAX_PIECES = 1_000_000
_MAX_LINES = 500_000
_MAX_NUMBERS = 1_100_000
"""Enough for 1,000 questions and 1,000 outcomes with one probability for each pair."""
_MAX_PARSED_TWICE = 1_000_000
"""Characters. A smaller file is parsed again to find the line of a duplicate key."""
_MAX_TEXT = 8 * 1024 * 1024
_MAX_EFFORT = 1_400_000
"""The time that tomllib may need, in about microseconds (the weights below were measured on a slow core)."""
_EFFORT = (("=", 5), (",", 5), ("[", 6), (".", 1), ("\n", 1))
_DOTTED = re.compile(r'(?:\.[ \t]*+(?:[A-Za-z0-9_-]++|"")[ \t]*+){16}')
_SEPARATORS = str.maketrans(dict.fromkeys("\"'=,[]{}#", " "))
_LONGEST_WORD = 1_000
_DECIMAL_COMMA = re.compile(r"=[ \t]*([+-]?\d+),(\d+)(?!\d)")
_LIST_HEADER = re.compile(r"[ \t]*\[+[ \t]*(questions|outcomes)[ \t]*\]")
_PERCENT = re.compile(r"=[ \t]*(\d+(?:\.\d+)?)[ \t]*%")
_CAPITAL_FLAG = re.compile(r"=[ \t]*(?:True|False|TRUE|FALSE)\b")
_OPEN_BRACE = re.compile(r"=[ \t]*\{[^{}]*$")
_YAML = re.compile(r"[ \t]*[A-Za-z_][A-Za-z0-9_-]*:(?:[ \t]|$)")
_WHERE = re.compile(r"^(.*) \(at (?:line (\d+), column (\d+)|end of document)\)$", re.DOTALL)

_REMEDIES = (
    ("Cannot overwrite a value", "the same key appears twice; remove one"),
    ("Cannot declare", "the same table appears twice; remove one"),
    (
        "Cannot mutate immutable",
        "a table in braces can't be extended later; write all its keys inside the braces",
    ),
    ("Invalid value", "this is not a TOML value; put a text in quotes"),
    (
        "Expected '=' after a key",
        "a key must be followed by =; put a key with spaces or special characters in quotes",
    ),
    ("Invalid statement", "this line is not TOML; write `key = value`, `[table]` or `# comment`"),
    ("Unclosed array", "a list is not closed; add a ] or a comma"),
    ("Unclosed inline table", "a table in braces is not closed; add a } or a comma"),
    ("Unterminated string", "a text is not closed; add the closing quote"),
    (
        "Illegal character '\\n'",
        "a text is not closed on its line; add the closing quote, or use three quotes",
    ),
    (
        "Invalid initial character for a key part",
        "a key is expected here; put a key with special characters in quotes",
    ),
    (
        "Expected newline or end of document",
        "there is more text after the value; start a new line or add a #",
    ),
)

_FOLDER = "this is a folder. Give the .toml file of a bank."


def read_document(path: Path) -> tuple[dict[str, Any], str]:
    """Return the parsed document and its text; raise BadBank with one finding if there is none."""
    text = _decoded(path, _bytes(path))
    return _document(path, text), text


def parse_text(path: Path, text: str) -> dict[str, Any]:
    """Return the document in a text; raise BadBank with one finding, for this path, if it can't be parsed."""
    if len(text.encode("utf-8")) > MAX_BYTES:
        _refuse(path, f"it would be larger than {MAX_BYTES // 2**20} MB, the limit for a bank.")
    return _document(path, text)


def _refuse(path: Path, message: str, line: int | None = None) -> NoReturn:
    raise BadBank(path, [Finding("", message, line=line)]) from None


def _bytes(path: Path) -> bytes:
    try:
        # Without O_NONBLOCK, opening a pipe that has no writer would block.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except FileNotFoundError:
        _refuse(
            path, "the file does not exist. Check the path; `odm-tui banks` lists the banks that have a name."
        )
    except IsADirectoryError:
        _refuse(path, _FOLDER)
    except (OSError, ValueError) as error:
        _refuse(path, f"the file can't be opened ({_reason(error)}). Check the path and your permissions.")
    try:
        mode = os.fstat(handle).st_mode
        if stat.S_ISDIR(mode):
            _refuse(path, _FOLDER)
        if not stat.S_ISREG(mode):
            _refuse(path, "this is not a regular file. Give the .toml file of a bank.")
        with os.fdopen(handle, "rb", closefd=False) as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        _refuse(path, f"the file can't be read ({_reason(error)}). Check the disk, or use a copy.")
    finally:
        os.close(handle)
    if len(content) > MAX_BYTES:
        _refuse(
            path,
            f"the file is larger than {MAX_BYTES // 2**20} MB, the limit for a bank. Make the bank smaller.",
        )
    return content


def _reason(error: Exception) -> str:
    return one_line(getattr(error, "strerror", None) or str(error)).lower()


def _decoded(path: Path, content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        byte = content[error.start]
        _refuse(path, f"byte 0x{byte:02X} is not UTF-8. Save the file as UTF-8.", line)


def _document(path: Path, text: str) -> dict[str, Any]:
    pieces = text.count('"') + text.count("'") + text.count("#")
    if pieces > _MAX_PIECES or text.count("\n") > _MAX_LINES or text.count("=") > _MAX_NUMBERS:
        _refuse(
            path, "the file has more numbers, texts or lines than a bank may have. Make the bank smaller."
        )
    short, tables = number_tables.take_out_numbers(text)
    _check_effort(path, short)
    try:
        document = number_tables.parse_document(short, tables)
        if document is None and len(text) < _MAX_PARSED_TWICE:
            return tomllib.loads(text)  # raises an error with the line of the duplicate key
    except tomllib.TOMLDecodeError as error:
        _syntax_error(path, error, short)
    except RecursionError:
        _refuse(path, "lists or tables are nested too deeply. A bank needs four levels at most.")
    except ValueError as error:
        _refuse(path, f"not valid TOML: {shorten(one_line(str(error)), 200)}. Correct this value.")
    if document is None:
        _refuse(path, "a key appears twice in a table of numbers. Remove one.")
    return document


def _check_effort(path: Path, text: str) -> None:
    """Refuse a text that tomllib would take too long to parse (it is quadratic in the parts of a dotted key)."""
    too_much = "the file has more values than a bank may have. Split the bank, or leave some out."
    if len(text) > _MAX_TEXT:
        _refuse(path, too_much)
    bare = number_tables.remove_strings(text)
    effort = sum(weight * bare.count(sign) for sign, weight in _EFFORT) + text.count("\\") + len(text) // 10
    if effort > _MAX_EFFORT:
        _refuse(path, too_much)
    if _DOTTED.search(bare):
        _refuse(path, "a key has more than 16 parts with dots between them. A bank needs three at most.")
    if max(map(len, bare.translate(_SEPARATORS).split()), default=0) > _LONGEST_WORD:
        _refuse(path, "a word or number outside quotes has over 1,000 characters. Put a text in quotes.")


def _syntax_error(path: Path, error: tomllib.TOMLDecodeError, text: str = "") -> NoReturn:
    found = _WHERE.match(str(error))
    problem, line, column = found.groups() if found else (str(error), None, None)
    shown = shorten(one_line(problem), 120)
    remedy = next((remedy for start, remedy in _REMEDIES if problem.startswith(start)), shown)
    if line is not None:
        wrong = "".join(text.splitlines()[int(line) - 1 : int(line)])
        remedy = _find_remedy(text, wrong) or remedy
    if line is None:
        _refuse(path, f"not valid TOML at the end of the file: {remedy}.")
    _refuse(path, f"not valid TOML at column {column}: {remedy}.", int(line))


def _find_remedy(text: str, wrong: str) -> str:
    """Return the remedy for a mistake that many make, by the text and its wrong line; empty if it is another one."""
    if header := _LIST_HEADER.match(wrong):
        return f"write [[{header[1]}]] with two pairs of brackets, once for each"
    if comma := _DECIMAL_COMMA.search(wrong):
        return f"a number has a point, not a comma: write {comma[1]}.{comma[2]}"
    if percent := _PERCENT.search(wrong):
        return f"write {float(percent[1]) / 100:g} for {percent[1]} %"
    if any(quote in wrong for quote in "“”„‟"):
        return 'write straight quotes, "…", instead of “ and ”'
    if _CAPITAL_FLAG.search(wrong):
        return "write true or false in lower case"
    if _OPEN_BRACE.search(wrong):
        return "a table in braces must be on one line, without a comma at its end"
    if text.lstrip().startswith("{"):
        return "this looks like JSON; a bank is TOML, see docs/banks.md"
    return "this looks like YAML; write `key = value`" if _YAML.match(wrong) else ""
