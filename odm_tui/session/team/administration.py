"""Set up a team's store, look at it, and copy folders into and out of it."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from odm_tui.errors import BadArgument, OdmError, StoreUnavailable
from odm_tui.store.exchange.file_store import find_bank_name
from odm_tui.store.exchange.transfer import FolderTransfer as FolderTransfer
from odm_tui.store.exchange.transfer import export_store, import_folder
from odm_tui.store.locking import Lock
from odm_tui.store.paths import StatePaths, state_folder, state_paths_in
from odm_tui.store.team.address import describe_address
from odm_tui.store.team.connection import connect, naming_failures
from odm_tui.store.team.ledger import opened_ledger
from odm_tui.store.team.membership import read_membership
from odm_tui.store.team.schema import newest_version, read_version, upgrade_schema
from odm_tui.store.team.server import TeamServer
from odm_tui.store.team.sync import BankSync, SyncResult

_TURN = 10.0
"""Seconds to wait while another process syncs the same folder."""


@dataclass(frozen=True)
class FolderStatus:
    """A state folder that has sent events to a bank; ``is_this`` for the one on this machine."""

    folder: str
    events: int
    last: str
    is_this: bool


@dataclass(frozen=True)
class BankStatus:
    """A bank in the store and in this folder: its head, what is missing here, and what has not been sent yet."""

    bank: str
    head: int
    known: int
    unsent: int
    folders: tuple[FolderStatus, ...]

    @property
    def lag(self) -> int:
        """How many rows of the store this folder has not taken in yet."""
        return max(0, self.head - self.known)


@dataclass(frozen=True)
class StoreStatus:
    """A team's store: its place, its version, who has an interview open, and its banks."""

    store: str
    version: int
    newest: int
    may_forget: bool
    present: tuple[str, ...]
    banks: tuple[BankStatus, ...]


def init_store(address: str, *, restored: bool = False) -> tuple[int, int]:
    """Set up a team's store in an empty database; return its version before and after.

    ``restored`` says that the database was restored from a backup: every folder then sends everything again.
    """
    with closing(connect(address)) as connection:
        versions = upgrade_schema(connection, address, create=True)
        if versions[0] == newest_version() == versions[1] and restored:
            with naming_failures(address):
                connection.execute("UPDATE odm_tui.store SET id = gen_random_uuid()")
        return versions


def upgrade_store(address: str) -> tuple[int, int]:
    """Bring the tables of a store up to date; return the version before and after."""
    with closing(connect(address)) as connection:
        versions = upgrade_schema(connection, address, create=False)
    if versions[0] == 0:
        raise BadArgument(
            f"The team's store {describe_address(address)} has not been set up; run 'odm-tui team init'."
        )
    if versions[0] > newest_version():
        raise StoreUnavailable(
            f"The team's store {describe_address(address)} has the tables of a newer odm-tui (version {versions[0]}, not "
            f"{newest_version()}); install the new odm-tui here too."
        )
    return versions


def sync_folder(address: str, state_dir: str | None = None, operator: str = "") -> dict[str, SyncResult]:
    """Sync every bank of a folder and of the store, once; return what was done, by bank.

    Wait for a moment for another process that is syncing the folder.
    """
    folder = state_folder(state_dir)
    with closing(TeamServer(address, operator)) as server:
        done = {}
        for bank, paths in find_banks(folder, server).items():
            with closing(BankSync(paths, bank, turn_patience=_TURN)) as sync:
                done[bank] = sync.run(server)
        return done


def find_banks(folder: Path, server: TeamServer | None = None) -> dict[str, StatePaths]:
    """Find the banks of a folder and of a store, and where each one's log is or will be."""
    found: dict[str, StatePaths] = {}
    for paths in state_paths_in(folder) if folder.is_dir() else ():
        membership = read_membership(paths)
        name = find_bank_name(paths) if membership is None else membership.bank
        if name is not None and StatePaths.of(folder, name) == paths:
            found[name] = paths
    for name in server.heads() if server is not None else ():
        found.setdefault(name, StatePaths.of(folder, name))
    return found


def team_status(address: str, state_dir: str | None = None) -> StoreStatus:
    """Look at a store, and at what this folder has of it; nothing is sent or taken in."""
    folder = state_folder(state_dir)
    with closing(TeamServer(address)) as server:
        heads = server.heads()
        banks = []
        for bank, paths in find_banks(folder, server).items():
            membership = read_membership(paths)
            ours = membership is not None and membership.store == server.id
            seen = tuple(
                FolderStatus(
                    one.folder,
                    one.events,
                    one.last.isoformat(timespec="seconds"),
                    membership is not None and one.folder == membership.folder,
                )
                for one in server.folders(bank)
            )
            known = membership.head if membership is not None and ours else 0
            banks.append(BankStatus(bank, heads.get(bank, 0), known, count_unsent(paths, ours), seen))
        present = tuple(sorted(server.present().values()))
        return StoreStatus(
            describe_address(address),
            read_version(server.connection),
            newest_version(),
            server.may_forget(),
            present,
            tuple(banks),
        )


def count_unsent(paths: StatePaths, has_joined: bool = True) -> int:
    """Count the events of a log that the store does not have yet."""
    if not paths.log.exists():
        return 0
    if not has_joined:
        return paths.log.read_bytes().count(b"\n")
    try:
        turn = Lock(paths.team_lock, longest_wait=2.0)
        with closing(turn), turn.held(), opened_ledger(paths) as ledger, closing(BankSync(paths, "")) as sync:
            sync.read_log(ledger)
            return ledger.count_unsent()
    except OdmError:
        return 0


def import_team(address: str, folder: Path) -> list[FolderTransfer]:
    """Send all events of a state folder to a store."""
    with closing(TeamServer(address)) as server:
        return import_folder(folder, server)


def export_team(address: str, folder: Path) -> list[FolderTransfer]:
    """Write all events of a store to a new state folder."""
    with closing(TeamServer(address)) as server:
        return export_store(server, folder)
