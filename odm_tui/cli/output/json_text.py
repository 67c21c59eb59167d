"""JSON that a terminal only ever shows: no character of it can steer one."""

from __future__ import annotations

import json
import re

_NOT_PLAIN = re.compile(r"[^\n -~]")


def format_json(value: object, indent: int | None = None) -> str:
    """The value as JSON; letters of every script stay readable, what is not printable is escaped.

    A log may come from elsewhere, and its texts hold anything. The JSON means the same either way.

    >>> print(format_json({"operator": "Étage\\x7f \\u202e"}))
    {"operator": "Étage\\u007f \\u202e"}
    """
    return _NOT_PLAIN.sub(_escape, json.dumps(value, indent=indent, ensure_ascii=False))


def _escape(found: re.Match[str]) -> str:
    character = found[0]
    if character.isprintable():
        return character
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
