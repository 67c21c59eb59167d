"""Format the parts of the state file: sorted keys, one entry per line, numbers in their shortest form."""

from __future__ import annotations

import json
from collections.abc import Mapping


def format_block(entries: Mapping[str, str], indent: str) -> str:
    """Format a JSON object from keys and JSON texts, sorted, one entry per line."""
    if not entries:
        return "{}"
    lines = (f"{indent}{quote(key)}: {entries[key]}" for key in sorted(entries))
    return "{\n" + ",\n".join(lines) + "\n" + indent[:-2] + "}"


def format_rounded(value: float) -> str:
    """Format a number and round away floating-point noise."""
    return format_exact(round(float(value), 9))


def format_exact(value: float) -> str:
    """Format a number with the shortest text that parses back to it.

    >>> format_exact(3.0), format_exact(0.375)
    ('3', '0.375')
    """
    return str(int(value)) if value.is_integer() else repr(value)


def quote(text: str) -> str:
    """Format a text as a JSON string."""
    return json.dumps(text, ensure_ascii=False)
