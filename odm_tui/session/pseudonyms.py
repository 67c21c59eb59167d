"""Pseudonyms of operators: a log shows that two interviews had the same operator, but not who it was."""

from __future__ import annotations

import getpass
import hashlib
import secrets
from pathlib import Path

from odm_tui import files
from odm_tui.errors import BadArgument, CannotWrite
from odm_tui.store.locking import Lock

_LONGEST = 64


def find_pseudonym(folder: Path, given: str | None = None) -> str:
    """Return the given pseudonym, or derive one from the user's name and a random salt in the folder."""
    if given is not None:
        name = given.strip()
        if not name or len(name) > _LONGEST or not name.isprintable():
            raise BadArgument(
                f"The operator's pseudonym {given!r} is not valid; use 1 to {_LONGEST} printable characters."
            )
        return name
    return derive_pseudonym(folder, _user())


def derive_pseudonym(folder: Path, name: str) -> str:
    """Derive the pseudonym of a name from the random salt in the folder."""
    return f"op-{hashlib.sha256(_salt(folder) + name.encode()).hexdigest()[:8]}"


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user id without a name, as in some containers
        return "unnamed"


def _salt(folder: Path) -> bytes:
    path = folder / "operators.salt"
    salt = files.read_whole(path)
    if salt is None:
        with Lock(folder / "operators.salt.lock").held():
            if files.read_whole(path) is None:
                files.write_atomically(path, secrets.token_hex(16).encode(), follow_links=False)
        salt = files.read_whole(path)
    if salt is None:
        raise CannotWrite(f"Can't write {path}: another process removed it at once. Try again.")
    return salt
