"""Connect to a team's store, and say in one plain sentence why something failed."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from odm_tui.errors import BadArgument, OdmError, StoreUnavailable
from odm_tui.store.team.address import describe_address, describe_operator, hide_secrets

if TYPE_CHECKING:
    import psycopg

CONNECT_SECONDS = 5
STATEMENT_SECONDS = 60
ANSWER_SECONDS = 75.0
"""After this time without an answer the connection is given up: the server is stopped, or the network is gone."""

_SENTENCES = {
    "28P01": "refused the login: the password is wrong",
    "28000": "refused the login: check the user's name and the server's pg_hba.conf",
    "3D000": "has no such database; create it with 'createdb'",
    "25006": "is read-only",
    "53100": "is full: its disk has no space left",
    "53200": "is out of memory",
    "53300": "has too many connections",
    "57014": "answers too slowly",
    "55P03": "answers too slowly: another process holds a lock",
    "42501": "does not allow this to your user; grant it the role odm_tui_operator (or odm_tui_admin, to forget)",
    "3F000": "has not been set up; run 'odm-tui team init'",
    "42P01": "has not been set up; run 'odm-tui team init'",
    "42883": "has another version of the tables than this odm-tui; run 'odm-tui team upgrade'",
    "57P01": "is being shut down",
    "57P02": "has crashed and is starting again",
    "57P03": "is starting",
}


def connect(address: str, operator: str = "") -> psycopg.Connection[tuple[Any, ...]]:
    """Connect to a team's store; raise StoreUnavailable with one sentence if that fails."""
    driver = require_psycopg()
    with naming_failures(address):
        try:
            connection: psycopg.Connection[tuple[Any, ...]] = driver.connect(
                address,
                autocommit=True,
                connect_timeout=CONNECT_SECONDS,
                application_name=describe_operator(operator),
                prepare_threshold=None,  # a pooler may hand each statement to another session
                tcp_user_timeout=int(ANSWER_SECONDS * 1000),
            )
        except driver.ProgrammingError:  # its message quotes the address, and with it perhaps the password
            raise BadArgument(
                "The store's address can't be read. Write it as postgresql://USER@HOST/DATABASE, and write special "
                "characters of a password as %40 for @, %2F for /, %3A for :, %25 for %."
            ) from None
        connection.execute(
            f"SET statement_timeout = '{STATEMENT_SECONDS}s'; SET lock_timeout = '{STATEMENT_SECONDS}s'; "
            "SET search_path = pg_catalog, pg_temp; SET default_transaction_isolation = 'read committed'; "
            "SET client_encoding = 'UTF8'"
        )
    return connection


def require_psycopg() -> Any:
    """Import psycopg; raise BadArgument with the remedy if it is not installed."""
    try:
        import psycopg
    except ImportError as error:
        raise BadArgument(
            "A team's store needs the package psycopg. Install it with: pip install 'odm-tui[teams]'."
        ) from error
    return psycopg


@contextlib.contextmanager
def naming_failures(address: str) -> Iterator[None]:
    """Turn an error of psycopg inside the ``with`` block into StoreUnavailable."""
    driver = require_psycopg()
    try:
        yield
    except driver.Error as error:
        raise StoreUnavailable(describe_failure(error, address), error.sqlstate or "") from None
    except UnicodeEncodeError:
        raise BadArgument("The store's address holds characters that can't be encoded.") from None


def describe_failure(error: psycopg.Error, address: str) -> str:
    """Say in one sentence why a statement or a connection failed; the password is never part of it."""
    text = str(error)
    reason = _SENTENCES.get(error.sqlstate or "") or _guess_reason(text)
    if reason is None:
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        detail = hide_secrets(lines[-1] if lines else type(error).__name__, address)
        detail = "".join(letter if letter.isprintable() else "?" for letter in detail)[:200].rstrip(".")
        reason = f"can't be used ({detail})" if error.sqlstate else f"can't be reached ({detail})"
    return hide_secrets(f"The team's store {describe_address(address)} {reason}.", address)


def _guess_reason(text: str) -> str | None:
    """Recognise failures of a connection attempt, which carry no code."""
    for words, code in (
        ("password authentication failed", "28P01"),
        ("no password supplied", "28P01"),
        ("no pg_hba.conf entry", "28000"),
        ("too many clients", "53300"),
        ("remaining connection slots", "53300"),
        ("is starting up", "57P03"),
        ("is shutting down", "57P01"),
    ):
        if words in text:
            return _SENTENCES[code]
    if 'database "' in text and "does not exist" in text:
        return _SENTENCES["3D000"]
    if 'role "' in text and "does not exist" in text:
        return "does not know this user"
    return None


class AnswerWatch:
    """End a connection that does not answer in time: a stopped server never does, and no timeout of its own helps."""

    def __init__(self, connection: psycopg.Connection[Any], seconds: float = ANSWER_SECONDS) -> None:
        self._connection, self._seconds = connection, seconds
        self._ended = threading.Event()
        self.since: float | None = None
        """When the question began that is not answered yet, on the monotonic clock."""
        threading.Thread(target=self._watch, daemon=True).start()

    @contextlib.contextmanager
    def asking(self) -> Iterator[None]:
        """Watch a question and its answer."""
        self.since = time.monotonic()
        try:
            yield
        finally:
            self.since = None

    def close(self) -> None:
        """Watch no longer."""
        self._ended.set()

    def _watch(self) -> None:
        while not self._ended.wait(min(1.0, self._seconds / 4)):
            since = self.since
            if since is not None and time.monotonic() - since > self._seconds:
                _shut_down(self._connection)


def _shut_down(connection: psycopg.Connection[Any]) -> None:
    with contextlib.suppress(OSError, OdmError, Exception):
        found = socket.socket(fileno=os.dup(connection.fileno()))
        with contextlib.suppress(OSError):
            found.shutdown(socket.SHUT_RDWR)
        found.close()
