"""Fixtures of running servers and of fresh schemas in them, for tests of every folder; `tests/conftest.py` loads them.

A test that asks for one of them is thereby marked `services`. One that comes to a server by other ways marks itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import TypeVar

import pytest

from tests.services.servers import MARIADB, POSTGRES, Kind, NoServer, Schema, Server, fresh_schema
from tests.services.skips import reason
from tests.services.throwaway import Throwaway, obtained, start_throwaway

OF_SERVERS = {"postgres", "mariadb", "postgres_schema", "mariadb_schema", "throwaway_postgres", "throwaway_mariadb"}

AnyServer = TypeVar("AnyServer", bound=Server)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark what asks for a server."""
    if OF_SERVERS.intersection(getattr(item, "fixturenames", ())):
        item.add_marker(pytest.mark.services)


def pytest_fixture_setup(fixturedef: pytest.FixtureDef[object], request: pytest.FixtureRequest) -> None:
    """Fail a test that comes to a server by `getfixturevalue` and is not marked: `make test` would start one for it."""
    of_one_test = fixturedef.argname in OF_SERVERS and fixturedef.scope == "function"
    if of_one_test and request.node.get_closest_marker("services") is None:
        pytest.fail(f"{request.node.nodeid} has the fixture {fixturedef.argname}: mark it `services`")


@contextmanager
def _else_skipped(kind: Kind, had: AbstractContextManager[AnyServer]) -> Iterator[AnyServer]:
    with ExitStack() as stack:
        try:
            server = stack.enter_context(had)
        except NoServer as none:
            pytest.skip(reason(kind, none))
        yield server


@contextmanager
def throwaway(kind: Kind, *options: str) -> Iterator[Throwaway]:
    """A server of one test, with options of its command; where it cannot be had, the test is skipped."""
    with _else_skipped(kind, start_throwaway(kind, *options)) as server:
        yield server


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A running PostgreSQL, shared: a test makes a schema of its own in it and changes nothing else."""
    with _else_skipped(POSTGRES, obtained(POSTGRES)) as server:
        yield server


@pytest.fixture(scope="session")
def mariadb() -> Iterator[Server]:
    """A running MariaDB, shared: a test makes a database of its own in it and changes nothing else."""
    with _else_skipped(MARIADB, obtained(MARIADB)) as server:
        yield server


@pytest.fixture
def postgres_schema(postgres: Server) -> Iterator[Schema]:
    """An empty schema of PostgreSQL, of this test alone."""
    with fresh_schema(postgres) as schema:
        yield schema


@pytest.fixture
def mariadb_schema(mariadb: Server) -> Iterator[Schema]:
    """An empty database of MariaDB, of this test alone."""
    with fresh_schema(mariadb) as schema:
        yield schema


@pytest.fixture(scope="session")
def throwaway_postgres() -> Iterator[Throwaway]:
    """A PostgreSQL to restart, fill, lock or exhaust; the test leaves it running."""
    with throwaway(POSTGRES) as server:
        yield server


@pytest.fixture(scope="session")
def throwaway_mariadb() -> Iterator[Throwaway]:
    """A MariaDB to restart, fill, lock or exhaust; the test leaves it running."""
    with throwaway(MARIADB) as server:
        yield server
