"""Reads the bulk of a large bank, its tables of plain numbers, many times faster than tomllib would.

A bank of 1,000 questions and 1,000 outcomes may hold a million numbers, nearly all of them in lines
such as ``ping = { line-fault = 0.2, wifi = 0.7 }``. With ``=`` for ``:`` these are JSON, which C reads.
So each such line (and each long run of lines ``wifi = 0.7``) is taken out of the text and read as JSON, a
number that the text does not hold elsewhere takes its place, and tomllib reads the short text that is
left: keys, tables, repeated names and line numbers in its messages stay as they were. Whatever is not plainly of
this form is left in the text for tomllib to judge.
"""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

_STAND_IN = "e-77777"
_RUN_KEY = "odm-tui numbers "

_TABLE_LINE = re.compile(
    r"""([ \t]*+[A-Za-z0-9_-]++[ \t]*+=[ \t]*+)(\{[A-Za-z0-9_.,{}= \t+*"-]++)([ \t\r]*+)"""
)
_NUMBER_LINE = re.compile(r"[ \t]*+[A-Za-z0-9_-]++[ \t]*+=[ \t]*+[0-9.eE+-]++[ \t\r]*+")
_LONG_LINE = 100
_LONG_RUN = 32
_KEYS = re.compile(r"(?:(?:[A-Za-z0-9_-]++|\*)\n)*+")
_BLANKS = re.compile(r"[ \t\r]{2,}+|[\t\r]")
_TEXTS = re.compile(
    r'''"""(?:[^"\\]++|\\.|"(?!""))*+(?:"""|\\?\Z)|\'\'\'(?:[^']++|'(?!\'\'))*+(?:\'\'\'|\Z)'''
    r"""|"(?:[^"\\\n]++|\\[^\n])*+"?|'[^'\n]*+'?|\#[^\n]*+""",
    re.DOTALL,
)

Tables = list[dict[str, Any]]


class _StandIn:
    """What tomllib puts where a table was taken out."""

    __slots__ = ("index",)

    def __init__(self, index: int) -> None:
        self.index = index


def remove_strings(text: str) -> str:
    """The document with every string and comment emptied, for looking at its bare structure."""
    return _TEXTS.sub('""', text)


def take_out_numbers(text: str) -> tuple[str, Tables]:
    """The document with stand-ins for its large tables of numbers, and those tables."""
    tables: Tables = []
    if _STAND_IN in text or _RUN_KEY in text:
        return text, tables
    # Text of several lines may look like anything, so nothing is taken out before the last of it ends.
    last_text = max(text.rfind('"""'), text.rfind("'''"), 0)
    head_end = text.find("\n", last_text) + 1
    kept: list[str] = []
    run: list[str] = []
    for line in text[head_end:].split("\n"):
        if _NUMBER_LINE.fullmatch(line):
            run.append(line)
            continue
        if run:
            kept.extend(_run_taken(run, tables))
            run = []
        kept.append(_line_taken(line, tables) if len(line) >= _LONG_LINE else line)
    kept.extend(_run_taken(run, tables))
    return text[:head_end] + "\n".join(kept), tables


def parse_document(text: str, tables: Tables) -> dict[str, Any] | None:
    """The whole document from both parts; None where they do not fit together (a key given twice)."""
    if not tables:
        return tomllib.loads(text)
    document = tomllib.loads(text, parse_float=_float_or_stand_in)
    return document if _put_back(document, tables) else None


def _line_taken(line: str, tables: Tables) -> str:
    found = _TABLE_LINE.fullmatch(line)
    numbers = _read(found[2]) if found else None
    if found is None or numbers is None:
        return line
    tables.append(numbers)
    return f"{found[1]}{len(tables) - 1}{_STAND_IN}{found[3]}"


def _run_taken(run: list[str], tables: Tables) -> list[str]:
    if len(run) < _LONG_RUN:
        return run
    numbers = _read("{" + ",".join(run) + "}")
    if numbers is None:
        return run
    tables.append(numbers)
    index = len(tables) - 1
    return [f'"{_RUN_KEY}{index}" = {index}{_STAND_IN}', *[""] * (len(run) - 1)]


def _read(table: str) -> dict[str, Any] | None:
    """The table, read as JSON; None where that is not certain to be what TOML would read."""
    if "  " in table or "\t" in table or "\r" in table:
        table = _BLANKS.sub(" ", table)
    for spaced, sign in ((", ", ","), (" ,", ","), (" = ", "="), ("{ ", "{"), (" }", "}")):
        table = table.replace(spaced, sign)
    starless = table.replace('"*"', "")
    # Each of these would be read as something else, or not at all: "a b = 1", "a" = 1, null = null.
    if any(sign in starless for sign in (" ", '"', "*", "null")):
        return None
    quoted = table.replace('"*"', "*").replace("{", '{"').replace(",", ',"').replace("=", '":')
    try:
        read: dict[str, Any] = json.loads(quoted, parse_constant=_refuse)
        # JSON takes a key twice, and keys that TOML would read otherwise (a.b); a lost key shows in the count.
        return read if _plain_keys(read) == table.count("=") else None
    except (ValueError, RecursionError):
        return None


def _plain_keys(read: object) -> int:
    """How many keys a table of tables has; -1 if one of them is not plain."""
    if not isinstance(read, dict) or not _KEYS.fullmatch("\n".join(read) + "\n"):
        return -1
    count = len(read)
    for value in read.values():
        if isinstance(value, dict):
            inside = _plain_keys(value)
            if inside < 0:
                return -1
            count += inside
    return count


def _refuse(word: str) -> float:
    raise ValueError(f"{word} is not TOML")


def _float_or_stand_in(number: str) -> Any:
    if number.endswith(_STAND_IN):
        return _StandIn(int(number.removesuffix(_STAND_IN)))
    return float(number)


def _put_back(document: dict[str, Any], tables: Tables) -> bool:
    """Replace the stand-ins by their tables, in place; False where a key would be there twice."""
    waiting: list[Any] = [document]
    while waiting:
        container = waiting.pop()
        if isinstance(container, list):
            waiting.extend(item for item in container if isinstance(item, dict | list))
            continue
        for key, value in list(container.items()):
            if isinstance(value, dict | list):
                waiting.append(value)
            elif not isinstance(value, _StandIn):
                continue
            elif not key.startswith(_RUN_KEY):
                container[key] = tables[value.index]
            else:
                del container[key]
                run = tables[value.index]
                if not container.keys().isdisjoint(run):
                    return False
                container.update(run)
    return True
