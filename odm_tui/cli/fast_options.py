"""The options of a plain start, read without typer: it takes a quarter of the time to the first question to load.

Anything out of the ordinary (help, a command, an unknown option, a wrong number) is left to typer, which has
the words for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

OPTIONS: Mapping[str, tuple[str, type]] = {
    "--bank": ("bank", str),
    "--plain": ("plain", bool),
    "--state-dir": ("state_dir", str),
    "--policy": ("policy", str),
    "--seed": ("seed", int),
    "--operator": ("operator", str),
    "--answers": ("answers", str),
    "--confirm": ("confirm", str),
    "--ask-all": ("ask_all", bool),
    "--json": ("as_json", bool),
    "--theme": ("theme", str),
    "--resume": ("resume", str),
}
"""What can be typed, the parameter it means, and its kind; a test holds it against what typer is told."""


def read_fast_options(arguments: Sequence[str]) -> dict[str, Any] | None:
    """The values of the options in these arguments; None where typer must look at them.

    >>> read_fast_options(["--bank", "led", "--seed=3", "--plain"])
    {'bank': 'led', 'seed': 3, 'plain': True}
    >>> read_fast_options(["--help"]) is None
    True
    """
    values: dict[str, Any] = {}
    left = list(arguments)
    while left:
        word, equals, value = left.pop(0).partition("=")
        if word not in OPTIONS:
            return None
        name, kind = OPTIONS[word]
        if kind is bool:
            if equals:
                return None
            values[name] = True
            continue
        if not equals:
            if not left or (left[0].startswith("-") and left[0] != "-"):
                return None
            value = left.pop(0)
        if kind is int and not (value.isascii() and value.isdecimal()):
            return None
        values[name] = kind(value)
    return values
