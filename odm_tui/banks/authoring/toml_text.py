"""Format keys, strings, numbers and inline tables as TOML.

Everything that writes TOML text uses these functions. Edits of a file that a user wrote go through tomlkit,
which keeps comments and layout.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from odm_tui.text import clean_text

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def format_toml_string(text: str) -> str:
    r"""Quote a text as a TOML string on one line.

    >>> print(format_toml_string('He said "no"'))
    "He said \"no\""
    """
    escaped = clean_text(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def format_toml_cell(text: str) -> str:
    r"""Quote a text exactly as it is, whatever its characters, as a TOML string on one line.

    >>> print(format_toml_cell("class!\t\x00"))
    "class!\u0009\u0000"
    """
    escaped = "".join(
        c if c.isprintable() else f"\\U{ord(c):08x}" if ord(c) > 0xFFFF else f"\\u{ord(c):04x}"
        for c in text.replace("\\", "\\\\").replace('"', '\\"')
    )
    return f'"{escaped}"'


def format_toml_key(name: str) -> str:
    """Quote a key if TOML requires it.

    >>> format_toml_key("above_9"), format_toml_key("above_11.5")
    ('above_9', '"above_11.5"')
    """
    return name if _BARE_KEY.fullmatch(name) else format_toml_string(name)


def format_toml_number(value: float, digits: int = 6) -> str:
    """Format a number with at most this many significant digits, in its shortest form.

    >>> format_toml_number(0.25), format_toml_number(3.0), format_toml_number(1 / 3, 4), format_toml_number(1e20)
    ('0.25', '3', '0.3333', '1e+20')
    """
    return f"{value:.{digits}g}"


def format_toml_table(entries: Mapping[str, str]) -> str:
    """Format an inline table from keys and values that are TOML text already.

    >>> format_toml_table({"yes": "5", "above_11.5": "0.9"})
    '{ yes = 5, "above_11.5" = 0.9 }'
    """
    return f"{{ {', '.join(f'{format_toml_key(key)} = {value}' for key, value in entries.items())} }}"
