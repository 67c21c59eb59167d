"""Where banks are found: in this folder, among the user's own, or with the program."""

from __future__ import annotations

import hashlib
import os
import unicodedata
from pathlib import Path
from typing import NamedTuple

from odm_tui.banks.parsing.findings import BadBank, Finding, Report
from odm_tui.text import listed, one_line, shortened, slug

FOLDER = "question_banks"
SUFFIX = ".toml"


class BankLocation(NamedTuple):
    """A bank that can be named: what it is called, its file, and where that comes from."""

    name: str
    path: Path
    source: str


def bank_folders() -> list[tuple[Path, str]]:
    """The folders that names are looked up in, the first one first, each with what to call it."""
    from platformdirs import user_config_path

    here, shipped = Path(FOLDER), _shipped()
    folders = [
        (here, "this folder"),
        (user_config_path("odm-tui", appauthor=False) / FOLDER, "your own"),
        (shipped, "odm-tui"),
    ]
    # In a checkout of the program itself, the banks in this folder are the ones that come with it.
    return folders[1:] if here.absolute() == shipped.absolute() else folders


def available_banks() -> list[BankLocation]:
    """Every bank that can be named; of two with the same name, the one that the name means."""
    found: dict[str, BankLocation] = {}
    for folder, source in bank_folders():
        try:
            paths = sorted(path for path in folder.iterdir() if path.suffix == SUFFIX and path.is_file())
        except OSError:  # no such folder, or not ours to read
            continue
        for path in paths:
            name = bank_name(path)
            found.setdefault(name, BankLocation(name, path, source))
    return sorted(found.values())


def bank_name(path: Path) -> str:
    """The name of the bank in a file: its file name without the ending, in plain letters.

    Letters that have no plain form are told apart by a few digits of a hash.

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
    """The file that a name or a path means; raises BadData where a name means none."""
    given = os.fspath(name_or_path)
    if isinstance(name_or_path, os.PathLike) or _looks_like_a_path(given):
        return Path(given)
    locations = available_banks()
    for location in locations:
        if given in (location.name, location.path.stem):
            return location.path
    shown = repr(shortened(one_line(given), 64))
    near = Report().nearest(given, [location.name for location in locations])
    message = f"there is no bank {shown}{near or ';'} {describe_available_banks()}, or give the path of a {SUFFIX} file"
    raise BadBank("", [Finding("", message)])


def describe_available_banks() -> str:
    """ "there are 'led', 'lung'", for the sentence about a bank that is not there."""
    names = [location.name for location in available_banks()]
    return f"there are {listed(names, 20)}" if names else "none are installed"


def _looks_like_a_path(given: str) -> bool:
    separators = {os.sep, os.altsep or os.sep}
    return given.endswith(SUFFIX) or any(separator in given for separator in separators)


def _shipped() -> Path:
    """The banks that come with the program: inside the installed package, or beside it in a checkout."""
    package = Path(__file__).parents[1]
    inside = package / FOLDER
    return inside if inside.is_dir() else package.parent / FOLDER
