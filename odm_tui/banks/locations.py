"""Find banks by name: in the current folder, in the user's config folder, or among the shipped ones."""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from pathlib import Path
from typing import NamedTuple

from odm_tui.banks.parsing.findings import BadBank, Finding
from odm_tui.text import slug, unknown_name

FOLDER = "question_banks"
SUFFIX = ".toml"
SHARED_LOG_REMEDY = "if one is a copy, give it an id of its own."
_HEAD = 16_384
"""The bytes of a bank file that are searched for its id."""
_ID_LINE = re.compile(r"""^[ \t]*id[ \t]*=[ \t]*["']([A-Za-z0-9_.-]{1,64})["']""", re.MULTILINE)


class BankLocation(NamedTuple):
    """A bank that has a name: the name, its file, and where the file comes from."""

    name: str
    path: Path
    source: str


def bank_folders() -> list[tuple[Path, str]]:
    """Return the folders to look names up in, in order, each with a label."""
    from platformdirs import user_config_path

    here, shipped = Path(FOLDER), _shipped()
    folders = [
        (here, "this folder"),
        (user_config_path("odm-tui", appauthor=False) / FOLDER, "your own"),
        (shipped, "odm-tui"),
    ]
    # In a checkout of odm-tui, the banks in the current folder are the shipped ones.
    return folders[1:] if here.absolute() == shipped.absolute() else folders


def available_banks() -> list[BankLocation]:
    """Return every bank that has a name; of two with the same name, the first in the order of the folders."""
    found: dict[str, BankLocation] = {}
    for folder, source in bank_folders():
        for path in _bank_files(folder):
            name = bank_name(path)
            found.setdefault(name, BankLocation(name, path, source))
    return sorted(found.values())


def bank_name(path: Path) -> str:
    """Return the name of the bank in a file: its file name without the suffix, in ASCII letters.

    If some letters have no ASCII form, a few digits of a hash keep different file names apart.

    >>> bank_name(Path("Réseau.toml")), bank_name(Path("网络.toml")), bank_name(Path("手机.toml"))
    ('reseau', 'bank-97b31b5d', 'bank-2e07333c')
    """
    plain = slug(path.stem) or "bank"
    lost = any(
        letter.isalnum() and not letter.isascii() for letter in unicodedata.normalize("NFKD", path.stem)
    )
    if not lost:
        return plain
    digits = hashlib.sha256(path.stem.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{plain[:48].rstrip('-')}-{digits}"


def find_bank(name_or_path: str | os.PathLike[str]) -> Path:
    """Return the file for a name or a path; raise BadBank for an unknown name."""
    given = os.fspath(name_or_path)
    if isinstance(name_or_path, os.PathLike) or _looks_like_a_path(given):
        return Path(given)
    locations = available_banks()
    for location in locations:
        if given in (location.name, location.path.stem):
            return location.path
    for location in locations:
        if given == read_bank_id(location.path):
            return location.path
    names = [location.name for location in locations]
    see = f"`odm-tui banks`, or give the path of a {SUFFIX} file"
    raise BadBank("", [Finding("", unknown_name("bank", given, names, see))])


def read_bank_id(path: Path) -> str:
    """Return the id in the first lines of a bank file; empty if it has none there."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD).decode("utf-8", "replace")
    except OSError:
        return ""
    found = _ID_LINE.search(head.partition("\n[")[0])
    return found[1] if found else ""


def read_log_name(path: Path) -> str:
    """Return the name under which the interviews with a bank file are kept: its id, or its name if it has none."""
    return read_bank_id(path) or bank_name(path)


def find_shared_log(path: Path) -> Path | None:
    """Return another bank file in the same folder whose interviews go to the same log; None if there is none."""
    own = read_log_name(path)
    others = (other for other in _bank_files(path.parent) if other.name != path.name)
    return next((other for other in others if read_log_name(other) == own), None)


def describe_shared_log() -> str:
    """Return a sentence about two listed banks that keep their interviews in one log; empty if there are none."""
    first: dict[str, str] = {}
    for location in available_banks():
        log = read_log_name(location.path)
        if log in first:
            return (
                f"The banks {first[log]!r} and {location.name!r} share one log, {log!r}: {SHARED_LOG_REMEDY}"
            )
        first[log] = location.name
    return ""


def _bank_files(folder: Path) -> list[Path]:
    """Return the bank files in a folder, sorted; none if it can't be read."""
    try:
        return sorted(path for path in folder.iterdir() if path.suffix == SUFFIX and path.is_file())
    except OSError:  # no such folder, or no permission to read it
        return []


def _looks_like_a_path(given: str) -> bool:
    separators = {os.sep, os.altsep or os.sep}
    return given.endswith(SUFFIX) or any(separator in given for separator in separators)


def _shipped() -> Path:
    """Return the folder of the shipped banks: inside the installed package, or beside it in a checkout."""
    package = Path(__file__).parents[1]
    inside = package / FOLDER
    return inside if inside.is_dir() else package.parent / FOLDER
