"""Copy the logs of a state folder into a team's store, and a store into a new state folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from odm_tui.errors import BadArgument
from odm_tui.store.exchange.event_store import EventStore, copy_events
from odm_tui.store.exchange.file_store import FileStore
from odm_tui.store.exchange.postgres_store import PostgresStore
from odm_tui.store.paths import StatePaths
from odm_tui.store.team.server import TeamServer


@dataclass(frozen=True)
class FolderTransfer:
    """What was copied of one bank: ``new`` is what was not there before."""

    bank: str
    events: int
    new: int
    forgotten: int = 0
    damaged: int = 0
    notice: str = ""


def import_folder(folder: Path, server: TeamServer) -> list[FolderTransfer]:
    """Send the events of every log in a folder; nothing in the folder is changed. It can be repeated."""
    if not folder.is_dir():
        raise BadArgument(f"{folder} is not a folder. Name a state folder.")
    source = FileStore(folder)
    return [_copy(source, PostgresStore(server, tolerates_operators=True), bank) for bank in source.banks()]


def export_store(server: TeamServer, folder: Path) -> list[FolderTransfer]:
    """Write all events of a store to logs in a folder that has none of these banks yet."""
    source, target = PostgresStore(server), FileStore(folder)
    for bank in source.banks():
        paths = StatePaths.of(folder, bank)
        if paths.log.exists():
            raise BadArgument(
                f"{paths.log} exists already. Name another folder, or merge the two afterwards."
            )
    return [_copy(source, target, bank) for bank in source.banks()]


def _copy(source: EventStore, target: EventStore, bank: str) -> FolderTransfer:
    damaged = sum(1 for _ in source.problems(bank))
    events, new, forgotten = copy_events(source, target, bank)
    left = len(target.not_erased) if isinstance(target, PostgresStore) else 0
    notice = (
        f"{left} forgotten interviews were not forgotten in the store: that needs the role odm_tui_admin."
        if left
        else ""
    )
    return FolderTransfer(bank, events, new, forgotten, damaged, notice)
