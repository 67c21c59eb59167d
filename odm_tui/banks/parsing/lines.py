"""Find the line of the bank file that each finding is about."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from odm_tui.banks.parsing.findings import Finding

_HEADER = re.compile(r"[ \t]*(\[{1,2})[ \t]*([A-Za-z0-9_-]+)(?:[ \t]*\.[ \t]*([A-Za-z0-9_-]+))?")
_ITEM = re.compile(r"(outcomes|questions)\[(\d+)\](?:\.([A-Za-z0-9_-]+))?")
_VARIANT = re.compile(r"outcomes\[(\d+)\]\.variants\[(\d+)\](?:\.([A-Za-z0-9_-]+))?(?:\.([A-Za-z0-9_-]+))?")
_ENTRY = re.compile(r"([A-Za-z0-9_-]+)(?:\.([A-Za-z0-9_-]+))?")


@dataclass(frozen=True, slots=True)
class _Header:
    line: int
    brackets: str
    name: str
    part: str
    """What follows the first dot: the ``variants`` of ``[[outcomes.variants]]``."""


def add_line_numbers(findings: Sequence[Finding], document: Mapping[str, Any], text: str) -> list[Finding]:
    """Return the findings in the order of the file, each with its line number if that is certain.

    tomllib does not report positions, so this searches the text for the headers and keys of a usual layout.
    """
    lines = text.split("\n")
    found = ((i, _HEADER.match(line)) for i, line in enumerate(lines) if "[" in line[:20])
    headers = [
        _Header(i, header[1], header[2], header[3] or "")
        for i, header in found
        if header and header[2] in document
    ]
    placed = [replace(finding, line=_line(finding.path, document, headers, lines)) for finding in findings]
    return sorted(placed, key=lambda finding: finding.line or 0)


def _line(path: str, document: Mapping[str, Any], headers: list[_Header], lines: list[str]) -> int | None:
    if item := _ITEM.match(path):
        name, index, key = item[1], int(item[2]), item[3]
        places = [i for i, h in enumerate(headers) if (h.brackets, h.name, h.part) == ("[[", name, "")]
        # If the numbers differ, some items have another layout, or a text looks like a header.
        if len(places) != len(document.get(name, ())) or index >= len(places):
            return None
        if variant := _VARIANT.match(path):
            return _variant_line(variant, places, document, headers, lines)
        return _within(places[index], key, headers, lines)
    entry = _ENTRY.match(path)
    if entry is None:
        return None
    top_end = headers[0].line if headers else len(lines)
    line = _key_line(entry[1], 0, top_end, lines)
    if line is not None:
        return line + 1
    named = [i for i, h in enumerate(headers) if h.name == entry[1] and not h.part]
    place = next((i for i in named if headers[i].brackets == "["), named[0] if named else None)
    return None if place is None else _within(place, entry[2], headers, lines)


def _variant_line(
    variant: re.Match[str],
    places: list[int],
    document: Mapping[str, Any],
    headers: list[_Header],
    lines: list[str],
) -> int | None:
    """Return the line of a variant's key, or of its header; None if variants are written in another layout."""
    outcome, index, key, question = int(variant[1]), int(variant[2]), variant[3], variant[4]
    end = places[outcome + 1] if outcome + 1 < len(places) else len(headers)
    own = [i for i in range(places[outcome] + 1, end) if headers[i].name == "outcomes"]
    variants = [i for i in own if (headers[i].brackets, headers[i].part) == ("[[", "variants")]
    named = document["outcomes"][outcome].get("variants")
    if not isinstance(named, list) or len(variants) != len(named) or index >= len(variants):
        return None
    # [outcomes.variants.expected] is a table of its own, below the variant's header.
    below = [i for i in own if i > variants[index] and headers[i].brackets == "["]
    tables = [i for i in below if index + 1 >= len(variants) or i < variants[index + 1]]
    if question and tables:
        return _within(tables[0], question, headers, lines)
    return _within(variants[index], key, headers, lines)


def _within(place: int, key: str | None, headers: list[_Header], lines: list[str]) -> int:
    """Return the line of a key below a header, or of the header itself; the first line is 1."""
    start = headers[place].line
    end = headers[place + 1].line if place + 1 < len(headers) else len(lines)
    line = _key_line(key, start + 1, end, lines) if key else None
    return (start if line is None else line) + 1


def _key_line(key: str, start: int, end: int, lines: list[str]) -> int | None:
    for number in range(start, end):
        written = lines[number][:200].partition("=")[0].partition(".")[0].strip(" \t\"'")
        if written == key and "=" in lines[number]:
            return number
    return None
