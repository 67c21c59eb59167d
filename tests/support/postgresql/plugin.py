"""The fixtures of tests that need a real PostgreSQL server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.postgresql.server import PostgresServer, find_programs


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL server of this test run; without PostgreSQL the test is skipped, which continuous integration forbids."""
    programs = find_programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed: on Debian, apt-get install postgresql")
    server = PostgresServer(programs)
    yield server
    server.remove()


@pytest.fixture
def store(postgres: PostgresServer) -> str:
    """The name of a new database with a team's store."""
    return postgres.make_database()
