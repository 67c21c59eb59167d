"""Save a new bank without replacing another file by accident."""

from __future__ import annotations

import contextlib
import json
import secrets
from pathlib import Path

from odm_tui.errors import CannotWrite
from odm_tui.files import write_atomically, write_new
from odm_tui.text import one_line, slug


def save_bank(path: Path, text: str, force: bool = False) -> None:
    """Write a bank to a new file; replace an existing file only with ``force``, and then as a whole."""
    data = text.encode("utf-8")
    try:
        if force and path.is_file():
            write_atomically(path, data)
        else:
            write_new(path, data)
    except CannotWrite as error:
        # The message of odm_tui.files is about the state folder; only its reason applies here.
        raise _cannot_save(path, error.__cause__) from None
    except ValueError as error:  # a null character in the path
        raise _cannot_save(path, error) from None


def save_schema(folder: Path) -> None:
    """Write the schema beside a new bank, where its first line names it; an editor works without it, too."""
    from odm_tui.banks.schema import SCHEMA_FILE, SCHEMA_ID, bank_schema

    path = folder / SCHEMA_FILE
    text = json.dumps(bank_schema(), indent=1).encode("utf-8") + b"\n"
    with contextlib.suppress(CannotWrite, OSError):
        if not path.exists():
            write_new(path, text)
        elif path.is_file() and path.stat().st_size < 2**20 and SCHEMA_ID.encode() in path.read_bytes():
            write_atomically(path, text)  # an earlier version's schema


def make_bank_id(path: Path) -> str:
    """Return a new id for the bank in this file: its name, and digits that no other bank has."""
    return f"{slug(path.stem, 48) or 'bank'}-{secrets.token_hex(4)}"


def _cannot_save(path: Path, cause: BaseException | None) -> CannotWrite:
    shown = one_line(str(path))
    if path.is_dir():
        return CannotWrite(f"{shown} is a folder. Name a file.")
    if isinstance(cause, FileExistsError):
        return CannotWrite(f"{shown} already exists. Choose another name, or replace it with --force.")
    reason = getattr(cause, "strerror", None) or str(cause)
    return CannotWrite(
        f"Can't write {shown}: {one_line(reason).lower()}. Choose an existing folder with write access and free space."
    )
