"""Format JSON in which no character can control a terminal."""

from __future__ import annotations

import json
import re

_NOT_PLAIN = re.compile(r"[^\n -~]")


def format_json(value: object, indent: int | None = None) -> str:
    """The value as JSON; letters of every script stay readable, and unprintable characters are escaped.

    A log may come from someone else, and its texts may contain anything. Escaping does not change the JSON value.

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
