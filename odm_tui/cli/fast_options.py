"""Read the options of an interview without typer, whose import takes a quarter of the start-up time.

Everything else (help, a command, an unknown option, an invalid number) is left to typer, which also prints the errors.
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
    "--case": ("case", str),
    "--store": ("store", str),
    "--explore": ("explore", str),
    "--target-cost": ("target_cost", float),
}
"""The name, field and type of each option; a test compares it with the typer app."""


def read_fast_options(arguments: Sequence[str]) -> dict[str, Any] | None:
    """The values of the options in these arguments; None if typer must parse them.

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
        try:
            values[name] = kind(value)
        except ValueError:
            return None
    return values
