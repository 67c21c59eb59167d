"""Set up a team's store and bring it up to date, with the numbered migrations of this package."""

from __future__ import annotations

import contextlib
import re
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from odm_tui.errors import OdmError, StoreUnavailable
from odm_tui.store.team.address import describe_address
from odm_tui.store.team.connection import naming_failures

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[tuple[Any, ...]]

_LOCK = 0x6F646D5F747569
"""The advisory lock of whoever changes the schema."""
_OLDEST_SERVER = 130000


@cache
def read_migrations() -> tuple[str, ...]:
    """Read the migrations in order; the first one makes version 1."""
    folder = resources.files("odm_tui.store.team") / "migrations"
    found = sorted(entry.name for entry in folder.iterdir() if re.fullmatch(r"\d{4}_\w+\.sql", entry.name))
    assert [int(name[:4]) for name in found] == list(range(1, len(found) + 1))
    return tuple((folder / name).read_text(encoding="utf-8") for name in found)


def newest_version() -> int:
    """The version of the tables that this odm-tui uses."""
    return len(read_migrations())


def read_version(connection: Connection) -> int:
    """Read the version of the tables; 0 if the store has not been set up."""
    exists = connection.execute("SELECT to_regclass('odm_tui.store') IS NOT NULL").fetchone()
    if not exists or not exists[0]:
        return 0
    found = connection.execute("SELECT version FROM odm_tui.store").fetchone()
    return int(found[0]) if found else 0


def check_version(connection: Connection, address: str) -> None:
    """Raise StoreUnavailable if the tables have another version than this odm-tui uses."""
    with naming_failures(address):
        version = read_version(connection)
    where = f"The team's store {describe_address(address)}"
    if version == 0:
        raise StoreUnavailable(f"{where} has not been set up; run 'odm-tui team init'.")
    if version < newest_version():
        raise StoreUnavailable(
            f"{where} has the tables of an older odm-tui (version {version}, not {newest_version()}); "
            "its owner brings them up to date with 'odm-tui team upgrade'."
        )
    if version > newest_version():
        raise StoreUnavailable(
            f"{where} has the tables of a newer odm-tui (version {version}, not {newest_version()}); "
            "install the new odm-tui here too."
        )


def upgrade_schema(
    connection: Connection, address: str, *, create: bool, upto: int | None = None
) -> tuple[int, int]:
    """Apply the migrations that the store lacks, all or none; return the version before and after.

    Without ``create``, a store that has not been set up is refused.
    """
    wanted = newest_version() if upto is None else upto
    with naming_failures(address):
        if connection.info.server_version < _OLDEST_SERVER:
            raise OdmError(
                f"PostgreSQL {connection.info.server_version // 10000} is too old for a team's store; use 13 or newer."
            )
        before = read_version(connection)
        if before >= wanted or (before == 0 and not create):
            return before, before
        # Before the transaction, which then sees what those have done who held the lock before.
        connection.execute("SELECT pg_advisory_lock(%s)", (_LOCK,))
        try:
            with connection.transaction():
                before = read_version(connection)
                for number, migration in enumerate(read_migrations()[before:wanted], before + 1):
                    connection.execute(migration.encode())
                    connection.execute(
                        "INSERT INTO odm_tui.store (version) VALUES (%s) "
                        "ON CONFLICT (is_only) DO UPDATE SET version = excluded.version",
                        (number,),
                    )
        finally:
            with contextlib.suppress(Exception):  # it also ends with the connection
                connection.execute("SELECT pg_advisory_unlock(%s)", (_LOCK,))
        return before, max(before, wanted)
