"""Parse the tables of plain numbers in a large bank many times faster than tomllib does.

A bank of 1,000 questions and 1,000 outcomes may have a million numbers, nearly all of them in lines such as
``ping = { line-fault = 0.2, wifi = 0.7 }``. With ``:`` for ``=`` such a line is JSON, which is parsed in C. So each
such line (and each long run of lines ``wifi = 0.7``) is taken out of the text and parsed as JSON. A placeholder,
a number that does not occur elsewhere in the text, takes its place, and tomllib parses the short text that is left.
Keys, tables, duplicate names and the line numbers of errors stay as they were. Any line that does not clearly have
this form stays in the text for tomllib.
"""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

_PLACEHOLDER = "e-77777"
_RUN_KEY = "odm-tui numbers "

_TABLE_LINE = re.compile(
    r"""([ \t]*+[A-Za-z0-9_-]++[ \t]*+=[ \t]*+)(\{[][A-Za-z0-9_.,{}= \t+*"-]++)([ \t\r]*+)"""
)
_NUMBER_LINE = re.compile(r"[ \t]*+[A-Za-z0-9_-]++[ \t]*+=[ \t]*+[0-9.eE+-]++[ \t\r]*+")
_LONG_LINE = 100
_LONG_RUN = 32
_LIST = re.compile(r"\[[0-9, ]*+\]")
_KEYS = re.compile(r"(?:(?:[A-Za-z0-9_-]++|\*)\n)*+")
_BLANKS = re.compile(r"[ \t\r]{2,}+|[\t\r]")
_TEXTS = re.compile(
    r'''"""(?:[^"\\]++|\\.|"(?!""))*+(?:"""|\\?\Z)|\'\'\'(?:[^']++|'(?!\'\'))*+(?:\'\'\'|\Z)'''
    r"""|"(?:[^"\\\n]++|\\[^\n])*+"?|'[^'\n]*+'?|\#[^\n]*+""",
    re.DOTALL,
)

Tables = list[dict[str, Any]]


class _Placeholder:
    """The value at the place of a table that was taken out."""

    __slots__ = ("index",)

    def __init__(self, index: int) -> None:
        self.index = index


def remove_strings(text: str) -> str:
    """Return the document with every string and comment emptied, so that only its structure is left."""
    return _TEXTS.sub('""', text)


def take_out_numbers(text: str) -> tuple[str, Tables]:
    """Return the document with placeholders for its large tables of numbers, and those tables."""
    tables: Tables = []
    if _PLACEHOLDER in text or _RUN_KEY in text:
        return text, tables
    # A text of several lines may look like a table, so nothing is taken out before the last one ends.
    last_text = max(text.rfind('"""'), text.rfind("'''"), 0)
    head_end = text.find("\n", last_text) + 1
    lines: list[str] = []
    run: list[str] = []
    for line in text[head_end:].split("\n"):
        if _NUMBER_LINE.fullmatch(line):
            run.append(line)
            continue
        if run:
            lines.extend(_take_run(run, tables))
            run = []
        lines.append(_take_line(line, tables) if len(line) >= _LONG_LINE else line)
    lines.extend(_take_run(run, tables))
    return text[:head_end] + "\n".join(lines), tables


def parse_document(text: str, tables: Tables) -> dict[str, Any] | None:
    """Parse the document and put its tables of numbers back; None if a key would appear twice."""
    if not tables:
        return tomllib.loads(text)
    document = tomllib.loads(text, parse_float=_float_or_placeholder)
    return document if _put_back(document, tables) else None


def _take_line(line: str, tables: Tables) -> str:
    found = _TABLE_LINE.fullmatch(line)
    numbers = _parse_table(found[2]) if found else None
    if found is None or numbers is None:
        return line
    tables.append(numbers)
    return f"{found[1]}{len(tables) - 1}{_PLACEHOLDER}{found[3]}"


def _take_run(run: list[str], tables: Tables) -> list[str]:
    if len(run) < _LONG_RUN:
        return run
    numbers = _parse_table("{" + ",".join(run) + "}")
    if numbers is None:
        return run
    tables.append(numbers)
    index = len(tables) - 1
    return [f'"{_RUN_KEY}{index}" = {index}{_PLACEHOLDER}', *[""] * (len(run) - 1)]


def _parse_table(table: str) -> dict[str, Any] | None:
    """Parse a table as JSON; None unless TOML would certainly give the same."""
    lists: list[str] = []
    if "[" in table:
        lists = _LIST.findall(table)
        # A list of counts is the same in JSON; "@" holds its place while the keys around it are quoted.
        table = _LIST.sub("@", table)
        if "[" in table or "]" in table:
            return None
    if "  " in table or "\t" in table or "\r" in table:
        table = _BLANKS.sub(" ", table)
    for spaced, sign in ((", ", ","), (" ,", ","), (" = ", "="), ("{ ", "{"), (" }", "}")):
        table = table.replace(spaced, sign)
    starless = table.replace('"*"', "")
    # JSON would parse each of these differently, or not at all: "a b = 1", "a" = 1, null = null.
    if any(sign in starless for sign in (" ", '"', "*", "null")):
        return None
    quoted = table.replace('"*"', "*").replace("{", '{"').replace(",", ',"').replace("=", '":')
    if lists:
        pieces = quoted.split("@")
        quoted = "".join(piece + numbers for piece, numbers in zip(pieces, [*lists, ""], strict=True))
    try:
        read: dict[str, Any] = json.loads(quoted, parse_constant=_refuse)
        # JSON allows duplicate keys, and keys that mean something else in TOML (a.b); the count shows both.
        return read if _count_plain_keys(read) == table.count("=") else None
    except (ValueError, RecursionError):
        return None


def _count_plain_keys(read: object) -> int:
    """Count the keys of a table of tables; -1 if one of them is not plain."""
    if not isinstance(read, dict) or not _KEYS.fullmatch("\n".join(read) + "\n"):
        return -1
    count = len(read)
    for value in read.values():
        if isinstance(value, dict):
            inside = _count_plain_keys(value)
            if inside < 0:
                return -1
            count += inside
    return count


def _refuse(word: str) -> float:
    raise ValueError(f"{word} is not TOML")


def _float_or_placeholder(number: str) -> Any:
    if number.endswith(_PLACEHOLDER):
        return _Placeholder(int(number.removesuffix(_PLACEHOLDER)))
    return float(number)


def _put_back(document: dict[str, Any], tables: Tables) -> bool:
    """Replace the placeholders by their tables, in place; False if a key would appear twice."""
    containers: list[Any] = [document]
    while containers:
        container = containers.pop()
        if isinstance(container, list):
            containers.extend(item for item in container if isinstance(item, dict | list))
            continue
        for key, value in list(container.items()):
            if isinstance(value, dict | list):
                containers.append(value)
            elif not isinstance(value, _Placeholder):
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
