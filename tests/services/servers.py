"""The servers that tests marked `services` run against: named by the environment, or answering where servers do.

A URL can hold a password, so nothing here prints one: `shown` is the URL without it, and messages name that.
"""

from __future__ import annotations

import os
import pwd
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit, urlunsplit

SECONDS_TO_CONNECT = 3
SECONDS_TO_DROP = 20


class NoServer(Exception):
    """There is none to be had, for this reason: tests skip."""


class SwitchedOff(NoServer):
    """The environment says `none`: nothing is looked for and nothing is started."""


class Unreachable(Exception):
    """The environment names a server that cannot be used: tests fail, for they would else run against another."""


def _connect_to_postgres(at: SplitResult) -> Any:
    try:
        import psycopg
    except ImportError:
        raise NoServer("the driver psycopg is not installed") from None

    parts: dict[str, Any] = {
        "host": at.hostname,
        "port": at.port,
        "user": at.username and unquote(at.username),
        "password": at.password and unquote(at.password),
        "dbname": unquote(at.path.lstrip("/")),
        "connect_timeout": SECONDS_TO_CONNECT,
        **dict(parse_qsl(at.query)),
    }
    return psycopg.connect(autocommit=True, **{part: value for part, value in parts.items() if value})


def _connect_to_mariadb(at: SplitResult) -> Any:
    try:
        import pymysql
    except ImportError:
        raise NoServer("the driver PyMySQL is not installed") from None

    return pymysql.connect(
        host=at.hostname or "127.0.0.1",
        port=at.port or 3306,
        user=unquote(at.username or "root"),
        password=unquote(at.password or ""),
        database=unquote(at.path.lstrip("/")) or None,
        charset="utf8mb4",
        autocommit=True,
        connect_timeout=SECONDS_TO_CONNECT,
    )


def _postgres_addresses() -> tuple[str, ...]:
    users = dict.fromkeys((pwd.getpwuid(os.geteuid()).pw_name, "postgres"))
    return tuple(f"postgresql://{user}@127.0.0.1:5432/test" for user in users)


@dataclass(frozen=True)
class Kind:
    """A kind of server: how it is named, where it is looked for, how it is spoken to."""

    name: str
    title: str
    variable: str
    """The environment variable that holds a URL, or `none`, or `none: why`."""

    schemes: tuple[str, ...]
    addresses: Callable[[], Sequence[str]] = field(repr=False)
    connect: Callable[[SplitResult], Any] = field(repr=False)
    version: str = field(repr=False)
    create_schema: str = field(repr=False)
    use_schema: str = field(repr=False)
    drop_schema: tuple[str, ...] = field(repr=False)
    """Statements that end with an error where a test has left a lock behind, and do not wait for ever."""


POSTGRES = Kind(
    name="postgres",
    title="PostgreSQL",
    variable="ORDERMADE_TEST_POSTGRES",
    schemes=("postgresql", "postgres", "postgresql+psycopg"),
    addresses=_postgres_addresses,
    connect=_connect_to_postgres,
    version="SHOW server_version",
    create_schema="CREATE SCHEMA {name}",
    use_schema="SET search_path TO {name}",
    drop_schema=(f"SET lock_timeout TO '{SECONDS_TO_DROP}s'", "DROP SCHEMA IF EXISTS {name} CASCADE"),
)
MARIADB = Kind(
    name="mariadb",
    title="MariaDB",
    variable="ORDERMADE_TEST_MARIADB",
    schemes=("mysql", "mariadb", "mysql+pymysql", "mariadb+pymysql"),
    addresses=lambda: ("mysql://root@127.0.0.1:3306/test",),
    connect=_connect_to_mariadb,
    version="SELECT VERSION()",
    create_schema="CREATE DATABASE {name} CHARACTER SET utf8mb4",
    use_schema="USE {name}",
    drop_schema=(f"SET SESSION lock_wait_timeout = {SECONDS_TO_DROP}", "DROP DATABASE IF EXISTS {name}"),
)
KINDS = (POSTGRES, MARIADB)


def shown(url: str) -> str:
    """The URL as it may be printed: without the password, and without the options, which can hold one too."""
    at = urlsplit(url)
    user, parted, place = at.netloc.rpartition("@")
    return urlunsplit((at.scheme, user.partition(":")[0] + parted + place, at.path, "", ""))


@dataclass(frozen=True, repr=False)
class Server:
    """A running server. `url` may hold a password; `str()` and `repr()` do not."""

    kind: Kind
    url: str
    throwaway: bool = False
    """Started for these tests, and theirs to break."""

    def __str__(self) -> str:
        return shown(self.url)

    def __repr__(self) -> str:
        return f"<{self.kind.title} at {self}>"

    def connect(self) -> Any:
        """A new connection of psycopg or PyMySQL, committing by itself; NoServer where the driver is missing."""
        return self.kind.connect(urlsplit(self.url))

    def run(self, sql: str, values: Sequence[Any] | None = None) -> list[tuple[Any, ...]]:
        """The rows that one statement answers, on a connection of its own; `%s` stand for the values."""
        with closing(self.connect()) as connection:
            return _rows(connection, sql, values)

    def version(self) -> str:
        """The version as the server says it, such as `15.4 (Debian 15.4-1)`."""
        return str(self.run(self.kind.version)[0][0])


def _rows(connection: Any, sql: str, values: Sequence[Any] | None = None) -> list[tuple[Any, ...]]:
    with closing(connection.cursor()) as cursor:
        cursor.execute(sql, values)
        return list(cursor.fetchall()) if cursor.description else []


@dataclass(frozen=True, repr=False)
class Schema:
    """A schema of one test: in MariaDB a database of its own, which `url` then names."""

    server: Server
    name: str

    @property
    def url(self) -> str:
        """Where a source finds it: of PostgreSQL the database it is in, of MariaDB itself. May hold a password."""
        if self.server.kind is POSTGRES:
            return self.server.url
        return urlunsplit(urlsplit(self.server.url)._replace(path=f"/{self.name}"))

    def __repr__(self) -> str:
        return f"<schema {self.name} of {self.server!r}>"

    def connect(self) -> Any:
        """A new connection that finds tables in this schema by their bare names, committing by itself."""
        connection = self.server.connect()
        _rows(connection, self.server.kind.use_schema.format(name=self.name))
        return connection

    def run(self, sql: str, values: Sequence[Any] | None = None) -> list[tuple[Any, ...]]:
        """The rows that one statement answers in this schema; `%s` stand for the values."""
        with closing(self.connect()) as connection:
            return _rows(connection, sql, values)


@contextmanager
def fresh_schema(server: Server) -> Iterator[Schema]:
    """A schema that nobody else has, dropped with all its tables at the end."""
    schema = Schema(server, f"ordermade_test_{secrets.token_hex(6)}")
    server.run(server.kind.create_schema.format(name=schema.name))
    try:
        yield schema
    finally:
        with closing(server.connect()) as connection:
            for statement in server.kind.drop_schema:
                _rows(connection, statement.format(name=schema.name))


def refusal(server: Server) -> str | None:
    """Why the server does not answer, in one line without its password; None if it does."""
    try:
        server.version()
    except NoServer:
        raise
    except Exception as error:  # noqa: BLE001 - each driver has its own errors
        return " ".join(str(error).split()) or type(error).__name__
    return None


def refuse_none(kind: Kind, environment: Mapping[str, str] = os.environ) -> None:
    """Raise SwitchedOff where the environment says `none` or `none: why` instead of a URL."""
    word, _, why = environment.get(kind.variable, "").strip().partition(":")
    if word.strip().lower() == "none":
        raise SwitchedOff(why.strip() or f"{kind.variable} is none")


def find(
    kind: Kind,
    environment: Mapping[str, str] = os.environ,
    probe: Callable[[Server], str | None] = refusal,
) -> Server:
    """The server that the environment names, else the first that answers at one of the kind's addresses.

    Raises:
        Unreachable: the one that the environment names cannot be used.
        SwitchedOff: the environment says `none`.
        NoServer: none is named and none answers.
    """
    refuse_none(kind, environment)
    if named := environment.get(kind.variable, "").strip():
        server = Server(kind, _checked(kind, named))
        if refused := probe(server):
            raise Unreachable(f"{kind.variable} names {server}, which cannot be used: {refused}")
        return server
    refused_by = {}
    for url in kind.addresses():
        server = Server(kind, url)
        refused = probe(server)
        if refused is None:
            return server
        refused_by[str(server)] = refused
    raise NoServer("; ".join(f"{address} cannot be used: {refused}" for address, refused in refused_by.items()))


def _checked(kind: Kind, url: str) -> str:
    """The URL, if it is one; a message that quoted it, or Python's own, would show a part of its password."""
    try:
        at = urlsplit(url)
        sound = at.scheme in kind.schemes and bool(at.hostname) and at.port != 0
        sound = sound and "@" not in at.path + at.query + at.fragment  # the end of a password that had a / in it
    except ValueError:
        sound = False
    if not sound:
        like = f"{kind.schemes[0]}://user:password@host:port/database"
        raise Unreachable(f"{kind.variable} is no URL like {like}; signs such as / and @ in it are written %2F and %40")
    return url
