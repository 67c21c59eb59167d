"""Writes TOML: quoted texts, keys and numbers, and new files that never replace old ones by accident."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from pathlib import Path

from odm_tui.errors import CannotWrite
from odm_tui.text import clean_text, one_line

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


def save_new(path: Path, text: str, force: bool = False) -> None:
    """Write a new file; one that is there already is only replaced with ``force``, and then as a whole."""
    shown = one_line(str(path))
    try:
        if force and path.is_file():
            _replace(path.resolve(), text)
        else:
            _create(path, text)
    except FileExistsError:
        raise CannotWrite(
            f"{shown} exists already; choose another name, or replace it with --force"
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise CannotWrite(f"{shown} can't be written ({one_line(reason).lower()})") from None


def _create(path: Path, text: str) -> None:
    with path.open("x", encoding="utf-8", newline="\n") as file:
        try:
            file.write(text)
            file.flush()
        except OSError:  # a full disk: half a bank is worse than none
            path.unlink()
            raise


def _replace(path: Path, text: str) -> None:
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", newline="\n", dir=path.parent, prefix=".odm-tui-", delete=False
    ) as file:
        written = Path(file.name)
        try:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
            shutil.copymode(path, written)
            written.replace(path)
        except OSError:
            written.unlink()
            raise
