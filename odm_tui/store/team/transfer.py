"""Copy the logs of a state folder into a team's store, and a store into a new state folder."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from odm_tui.errors import BadArgument, BadData, StoreUnavailable
from odm_tui.store.events import Event, Forgotten, Started
from odm_tui.store.locking import Lock
from odm_tui.store.log import read_lines
from odm_tui.store.log_codec import decode_event, encode_body
from odm_tui.store.log_writer import Log
from odm_tui.store.paths import StatePaths, state_paths_in
from odm_tui.store.team.membership import read_membership
from odm_tui.store.team.server import TeamServer
from odm_tui.store.team.sync import decode_row

_BATCH = 500
_FORBIDDEN = "42501"
Progress = Callable[[str, int], None]


@dataclass(frozen=True)
class FolderTransfer:
    """What was copied of one bank: ``new`` is what was not there before."""

    bank: str
    events: int
    new: int
    forgotten: int = 0
    damaged: int = 0
    notice: str = ""


def find_bank_name(paths: StatePaths) -> str | None:
    """The name of a log's bank in a store: the one that it was synced with, else the one of its first interview."""
    membership = read_membership(paths)
    if membership is not None:
        return membership.bank
    for line in read_lines(paths.log):
        if b'"event":"started"' in line.data[:40]:
            try:
                _, event = decode_event(line.data, "")
            except BadData:
                continue
            if isinstance(event, Started):
                return event.bank
    return None


def import_folder(
    folder: Path, server: TeamServer, progress: Progress = lambda bank, events: None
) -> list[FolderTransfer]:
    """Send the events of every log in a folder; nothing in the folder is changed. It can be repeated."""
    if not folder.is_dir():
        raise BadArgument(f"{folder} is not a folder. Name a state folder.")
    done = []
    for paths in state_paths_in(folder):
        bank = find_bank_name(paths)
        if bank is not None:
            done.append(_import_log(paths, bank, server, progress))
    return done


def _import_log(paths: StatePaths, bank: str, server: TeamServer, progress: Progress) -> FolderTransfer:
    sender, before = secrets.token_hex(8), server.heads().get(bank, 0)
    events = damaged = 0
    tombstones: list[str] = []
    batch: list[tuple[str, bytes]] = []
    for line in read_lines(paths.log):
        try:
            _, event = decode_event(line.data, "")
        except BadData:
            damaged += 1
            continue
        if isinstance(event, Forgotten):
            tombstones.append(event.interview)
            continue
        batch.append((event.interview, encode_body(event)))
        events += 1
        if len(batch) >= _BATCH:
            server.push(bank, sender, batch)
            batch = []
            progress(bank, events)
    if batch:
        server.push(bank, sender, batch)
    new = server.heads().get(bank, 0) - before
    notice = ""
    if tombstones:
        try:
            server.forget(bank, tombstones)
        except StoreUnavailable as error:
            if error.code != _FORBIDDEN:
                raise
            notice = (
                f"{len(tombstones)} forgotten interviews were not forgotten in the store: that needs the role "
                "odm_tui_admin."
            )
    return FolderTransfer(bank, events, new, len(tombstones), damaged, notice)


def export_store(
    server: TeamServer, folder: Path, progress: Progress = lambda bank, events: None
) -> list[FolderTransfer]:
    """Write all events of a store to logs in a folder that has none of these banks yet."""
    banks = list(server.heads())
    for bank in banks:
        paths = StatePaths.of(folder, bank)
        if paths.log.exists():
            raise BadArgument(
                f"{paths.log} exists already. Name another folder, or merge the two afterwards."
            )
    return [_export_bank(server, StatePaths.of(folder, bank), bank, progress) for bank in banks]


def _export_bank(server: TeamServer, paths: StatePaths, bank: str, progress: Progress) -> FolderTransfer:
    log, lock = Log(paths), Lock(paths.lock)
    events = damaged = forgotten = 0
    batch: list[Event] = []
    try:
        with lock.held():
            for row in server.stream(bank):
                event = Forgotten(interview=row.interview) if row.body is None else decode_row(row, bank)
                if event is None:
                    damaged += 1
                    continue
                batch.append(event)
                forgotten += row.body is None
                events += row.body is not None
                if len(batch) >= _BATCH:
                    log.append(batch)
                    batch = []
                    progress(bank, events)
            if batch:
                log.append(batch)
    finally:
        log.close()
        lock.close()
    return FolderTransfer(bank, events, events, forgotten, damaged)
