"""Writes TOML: quoted texts, keys and numbers."""

from __future__ import annotations

import re

from odm_tui.text import clean_text

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def quoted(text: str) -> str:
    r"""A text as a TOML string on one line.

    >>> print(quoted('He said "no"'))
    "He said \"no\""
    """
    escaped = clean_text(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def key(name: str) -> str:
    """A key, with quotes where it needs them.

    >>> key("above_9"), key("above_11.5")
    ('above_9', '"above_11.5"')
    """
    return name if _BARE_KEY.fullmatch(name) else quoted(name)


def number(value: float, digits: int = 6) -> str:
    """A number with at most so many digits, in the shortest form that TOML knows.

    >>> number(0.25), number(3.0), number(1 / 3, 4), number(1e20)
    ('0.25', '3', '0.3333', '1e+20')
    """
    return f"{value:.{digits}g}"
