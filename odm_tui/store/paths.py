"""Find the state folder and the names of a bank's files in it."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from odm_tui.errors import BadArgument

ENVIRONMENT = "ODM_TUI_STATE_DIR"
_LONGEST_NAME = 60
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d|operators)")


def state_folder(given: str | os.PathLike[str] | None = None) -> Path:
    """Find the state folder: the given one, else ODM_TUI_STATE_DIR, else ./state if it exists, else the user data folder."""
    for choice in (given, os.environ.get(ENVIRONMENT)):
        if choice:
            folder = Path(choice).expanduser()
            if folder.exists() and not folder.is_dir():
                raise BadArgument(f"{folder} is a file, not a folder; name a folder with --state-dir.")
            return folder
    here = Path("state")
    if here.is_dir():
        return here.resolve()
    import platformdirs

    return Path(platformdirs.user_data_dir("odm-tui", appauthor=False))


def file_stem(name: str) -> str:
    """Turn a bank's name into a safe file name; add a hash if any character had to be changed.

    >>> file_stem("home-network")
    'home-network'
    >>> file_stem("../Étage 2")
    'tage-2-69f3bf00'
    """
    slug = re.sub(r"[^a-z0-9_-]+", "-", name.lower()).strip("-")[:_LONGEST_NAME]
    if slug == name and slug and not _RESERVED.fullmatch(slug):
        return slug
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{slug or 'bank'}-{digest}"


@dataclass(frozen=True)
class StatePaths:
    """The files of one bank in one state folder."""

    folder: Path
    stem: str

    @classmethod
    def of(cls, folder: Path, bank: str) -> StatePaths:
        """Return the paths for the bank with this name."""
        return cls(folder, file_stem(bank))

    @cached_property
    def log(self) -> Path:
        """The log: every event of every interview."""
        return self.folder / f"{self.stem}.log.jsonl"

    @cached_property
    def torn(self) -> Path:
        """Unfinished last lines that a crash left in the log."""
        return self.folder / f"{self.stem}.log.torn"

    @cached_property
    def state(self) -> Path:
        """The state that was computed from the log."""
        return self.folder / f"{self.stem}.json"

    @cached_property
    def position(self) -> Path:
        """How much of the log the state covers."""
        return self.folder / f"{self.stem}.position.json"

    @cached_property
    def end(self) -> Path:
        """Where the log ended when it was last written."""
        return self.folder / f"{self.stem}.end.json"

    @cached_property
    def index(self) -> Path:
        """The index of the interviews in the log."""
        return self.folder / f"{self.stem}.index.sqlite"

    @cached_property
    def lock(self) -> Path:
        """The side file that writers lock."""
        return self.folder / f"{self.stem}.json.lock"

    @cached_property
    def team(self) -> Path:
        """Which team's store the log belongs to, and how much of it the log has."""
        return self.folder / f"{self.stem}.team.json"

    @cached_property
    def ledger(self) -> Path:
        """The index of the log for the sync with a team's store."""
        return self.folder / f"{self.stem}.team.sqlite"

    @cached_property
    def team_lock(self) -> Path:
        """The side file that the process locks that syncs with a team's store."""
        return self.folder / f"{self.stem}.team.lock"

    def names(self) -> list[str]:
        """The names of the files that are written."""
        return [
            path.name
            for path in (self.state, self.position, self.log, self.torn, self.end, self.index, self.team)
        ]


def state_paths_in(folder: Path) -> list[StatePaths]:
    """Find the banks that have a log in a folder, sorted by file name."""
    suffix = ".log.jsonl"
    return [StatePaths(folder, path.name[: -len(suffix)]) for path in sorted(folder.glob(f"*{suffix}"))]
