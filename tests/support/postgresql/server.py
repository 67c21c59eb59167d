"""Start, stop and restart a private PostgreSQL server without TCP, in a temporary folder."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg

from odm_tui.store.team.connection import connect
from odm_tui.store.team.schema import upgrade_schema

_HBA = """local all postgres,owner,ann,ben,other trust
local all all scram-sha-256
"""
_SETTINGS = {
    "listen_addresses": "''",
    "fsync": "off",
    "full_page_writes": "off",
    "max_connections": "60",
    "shared_buffers": "32MB",
    "autovacuum": "off",
    "logging_collector": "off",
}
TEMPLATE = "odm_tui_template"


def find_programs() -> Path | None:
    """The folder with the server's programs; None if PostgreSQL is not installed."""
    on_path = shutil.which("initdb")
    folders = sorted(
        Path("/usr/lib/postgresql").glob("*/bin"), key=lambda f: int(f.parent.name), reverse=True
    )
    for folder in ([Path(on_path).parent] if on_path else []) + folders:
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    return None


def _find_memory() -> Path | None:
    """A folder in memory with room for many databases, where tests are fastest; containers often have a small one."""
    memory = Path("/dev/shm")
    roomy = memory.is_dir() and os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 4 << 30
    return memory if roomy else None


class PostgresServer:
    """A server of its own: users owner (owns the stores), ann and ben (operators), other (nothing), postgres."""

    def __init__(self, programs: Path, **settings: str) -> None:
        self.programs = programs
        where = None if "fsync" in settings else _find_memory()
        self.folder = Path(tempfile.mkdtemp(prefix="odm-pg-", dir=where))
        self._as: dict[str, Any] = {}
        if os.geteuid() == 0:  # the server's programs refuse root
            self._as = {"user": "postgres", "group": "postgres", "extra_groups": []}
            shutil.chown(self.folder, "postgres", "postgres")
        self._run(
            "initdb", "-D", "data", "-U", "postgres", "--no-sync", "-A", "trust", "-E", "UTF8", "--locale=C"
        )
        (self.data / "pg_hba.conf").write_text(_HBA)
        with (self.data / "postgresql.conf").open("a") as conf:
            conf.writelines(f"{name} = {value}\n" for name, value in {**_SETTINGS, **settings}.items())
            conf.write(f"unix_socket_directories = '{self.folder}'\n")
        self._numbers = itertools.count(1)
        self.start()
        with connect(self.address("postgres")) as connection:
            for user in ("owner", "ann", "ben", "other"):
                connection.execute(
                    f"CREATE ROLE {user} LOGIN {'CREATEROLE' if user == 'owner' else ''}".encode()
                )
            connection.execute(f"CREATE DATABASE {TEMPLATE} OWNER owner".encode())
        address = self.address(TEMPLATE, "owner")
        with connect(address) as connection:
            upgrade_schema(connection, address, create=True)
            connection.execute(b"GRANT odm_tui_operator TO ann, ben")

    @property
    def data(self) -> Path:
        """The folder of the server's files."""
        return self.folder / "data"

    def address(self, database: str, user: str = "postgres", password: str = "") -> str:
        """The address of a database."""
        login = f"{quote(user, safe='')}{':' + quote(password, safe='') if password else ''}"
        return f"postgresql://{login}@/{quote(database, safe='')}?host={quote(str(self.folder), safe='')}"

    def make_database(self, *, empty: bool = False) -> str:
        """Create a database with a team's store, or an empty one, and return its name."""
        name = f"team_{next(self._numbers)}"
        template = "template1" if empty else TEMPLATE
        with connect(self.address("postgres")) as connection:
            connection.execute(f"CREATE DATABASE {name} OWNER owner TEMPLATE {template}".encode())
        if not empty:
            self.execute(name, "UPDATE odm_tui.store SET id = gen_random_uuid()")
        return name

    def execute(self, database: str, statement: str, user: str = "postgres") -> list[tuple[Any, ...]]:
        """Run a statement and return its rows."""
        with psycopg.connect(self.address(database, user), autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def start(self) -> None:
        """Start the server and return once it answers."""
        self._run("pg_ctl", "-D", "data", "-w", "-t", "60", "-l", "log", "start")

    def stop(self, mode: str = "fast") -> None:
        """Stop the server; ``immediate`` is like a crash."""
        self._run("pg_ctl", "-D", "data", "-w", "-t", "60", "-m", mode, "stop")

    def restart(self, mode: str = "fast") -> None:
        """Stop the server and start it again."""
        self.stop(mode)
        self.start()

    def processes(self) -> list[int]:
        """The main process of the server and all its children."""
        main = int((self.data / "postmaster.pid").read_text().split()[0])
        children = Path(f"/proc/{main}/task/{main}/children").read_text().split()
        return [main, *map(int, children)]

    def signal_all(self, number: signal.Signals) -> None:
        """Send a signal to every process of the server: SIGSTOP freezes it, SIGCONT lets it go on."""
        for process in self.processes():
            with suppress(ProcessLookupError):  # a child that has ended since
                os.kill(process, number)

    def remove(self) -> None:
        """Stop the server and remove its files."""
        if (self.data / "postmaster.pid").exists():
            self.signal_all(signal.SIGCONT)
            self.stop("immediate")
        shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, program: str, *arguments: str) -> None:
        done = subprocess.run(
            [str(self.programs / program), *arguments],
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "LC_ALL": "C"},
            text=True,
            check=False,
            **self._as,
        )
        if done.returncode:
            log = self.folder / "log"
            raise RuntimeError(f"{program}: {done.stderr}\n{log.read_text() if log.exists() else ''}")
