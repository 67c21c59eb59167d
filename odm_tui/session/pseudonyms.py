"""Operators are pseudonyms: a log says that two interviews had the same operator, not who that was."""

from __future__ import annotations

import getpass
import hashlib
import secrets
from pathlib import Path

from odm_tui import files
from odm_tui.errors import BadArgument, BadData
from odm_tui.store.locking import Lock

_LONGEST = 64


def find_pseudonym(folder: Path, given: str | None = None) -> str:
    """The given pseudonym, or one made of the user's name and a random salt that stays in the folder."""
    if given is not None:
        name = given.strip()
        if not name or len(name) > _LONGEST or not name.isprintable():
            raise BadArgument(
                f"an operator's pseudonym is 1 to {_LONGEST} printable characters, not {given!r}"
            )
        return name
    return f"op-{hashlib.sha256(_salt(folder) + _user().encode()).hexdigest()[:8]}"


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user id without a name, as in some containers
        return "unnamed"


def _salt(folder: Path) -> bytes:
    path = folder / "operators.salt"
    try:
        return _read(path)
    except FileNotFoundError:
        with Lock(folder / "operators.salt.lock").held():
            if not path.exists():
                files.write_atomically(path, secrets.token_hex(16).encode())
        return _read(path)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise BadData(f"Can't read {path}: {error.strerror}; check its permissions.") from error
