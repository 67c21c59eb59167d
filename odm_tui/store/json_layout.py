"""How the state file is laid out: sorted keys, one line an entry, every number in its shortest form."""

from __future__ import annotations

import json
from collections.abc import Mapping


def format_block(entries: Mapping[str, str], indent: str) -> str:
    """A JSON object of these texts of values, sorted, one line each."""
    if not entries:
        return "{}"
    lines = (f"{indent}{quote(key)}: {entries[key]}" for key in sorted(entries))
    return "{\n" + ",\n".join(lines) + "\n" + indent[:-2] + "}"


def format_rounded(value: float) -> str:
    """The shortest text of a number, without the dust of binary fractions."""
    return format_exact(round(float(value), 9))


def format_exact(value: float) -> str:
    """The shortest text that gives this very number back.

    >>> format_exact(3.0), format_exact(0.375)
    ('3', '0.375')
    """
    return str(int(value)) if value.is_integer() else repr(value)


def quote(text: str) -> str:
    """A text as JSON."""
    return json.dumps(text, ensure_ascii=False)
