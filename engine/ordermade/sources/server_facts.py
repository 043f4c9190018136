"""A server as a role finds it: what it is, which tables may be read, and whether they may be written to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from sqlglot import exp

from ordermade import sql
from ordermade.errors import SourceFault, quoted


@dataclass(frozen=True, slots=True)
class TableRights:
    """A table of a server, and the rights of the role."""

    schema: str
    """Its schema."""
    name: str
    """Its name."""
    columns: int
    """The number of its columns."""
    readable: int
    """The columns that the role may read."""
    writable: bool
    """Whether the role may write it."""
    about: int | None
    """The server's estimate of its rows."""
    row_security: bool
    """Whether the role sees some of its rows alone."""
    snapshot: bool
    """Whether its rows stay as they are while they are read."""


@dataclass(frozen=True, slots=True)
class ServerFacts:
    """A server as the role finds it."""

    server: str
    """The product and its version."""
    user: str
    """The role."""
    time_zone: str
    """The time zone of the session."""
    encoding: str
    """The encoding of the database."""
    collation: str
    """The collation of the database."""
    tls: str | None
    """The version or cipher of TLS; null where the connection is not encrypted."""
    standby: bool
    """Whether it is a replica that takes no writes."""
    read_only: bool
    """Whether writes are off for the role or the server."""
    may_write: bool
    """Whether the role has rights to write at all."""
    powers: tuple[str, ...]
    """What the role may do in the whole server, as its grants or attributes have it: no request needs any."""
    tables: tuple[TableRights, ...]
    """The tables, with the rights of the role."""

    @property
    def writing_possible(self) -> bool:
        """Whether the role could change what is stored; ORDERMADE does so for releases into a writable source alone."""
        return self.may_write and not self.standby and not self.read_only


LEAST_VERSIONS = {"PostgreSQL": (13,), "MariaDB": (10, 6), "MySQL": (8,)}


def require_version(database: str, version: str, where: str) -> None:
    """Raises SourceFault for a server that is older than the engine is tested with."""
    found = tuple(int(each) for each in re.findall(r"\d+", version)[:2])
    least = LEAST_VERSIONS[database]
    if found[: len(least)] < least:
        raise SourceFault(
            f"{database} {'.'.join(map(str, found))} is too old",
            where=where,
            next_step=f"Use {database} {'.'.join(map(str, least))} or later.",
        )


def unreadable(schema: str, table: str, role: str, where: str, *, uses_schema: bool) -> SourceFault:
    """The fault of a table of PostgreSQL that the role may not read: with the statements that its owner runs."""
    grants = reading_grants("PostgreSQL", role, [(schema, table)])
    return SourceFault(
        f"the role {quoted(role)} may not read the table {quoted(f'{schema}.{table}')}",
        where=where,
        next_step=f"Its owner gives the right: {' '.join(grants[1:] if uses_schema else grants)}",
    )


def reading_grants(database: str, role: str, tables: Iterable[tuple[str, str]]) -> list[str]:
    """The statements that let a role read tables, by schema and name, and no more: for their owner to run."""
    if database == "PostgreSQL":
        to, dialect = sql.identifier(role).sql(dialect="postgres"), "postgres"
    else:
        user, _, host = role.rpartition("@")
        to, dialect = "@".join(exp.Literal.string(each).sql(dialect="mysql") for each in (user, host)), "mysql"
    found = []
    for schema, of_schema in groupby(sorted(set(tables)), key=lambda each: each[0]):
        if database == "PostgreSQL":
            found.append(f"GRANT USAGE ON SCHEMA {sql.identifier(schema).sql(dialect=dialect)} TO {to};")
        for _, table in of_schema:
            found.append(f"GRANT SELECT ON {sql.table(table, schema=schema).sql(dialect=dialect)} TO {to};")
    return found


def table_rights(rows: Iterable[Sequence[Any]], secured: Iterable[tuple[str, str]]) -> tuple[TableRights, ...]:
    """The tables of `rights`; `secured` are those with row-level security, by schema and name."""
    of_role = set(secured)
    return tuple(
        TableRights(
            schema=schema,
            name=name,
            columns=int(columns),
            readable=int(readable),
            writable=bool(int(writable)),
            about=None if about is None else int(about),
            row_security=(schema, name) in of_role,
            snapshot=bool(int(snapshot)),
        )
        for schema, name, columns, readable, writable, about, snapshot in rows
    )


_GRANT = re.compile(r"GRANT (.+?) ON ")
_WRITES = re.compile(r"\b(ALL PRIVILEGES|INSERT|UPDATE|DELETE|CREATE|DROP|ALTER|INDEX|SUPER)\b")


def powers_granted(grants: Iterable[str]) -> tuple[str, ...]:
    """What grants of MariaDB or MySQL let the user do in the whole server, but reading."""
    everywhere = (_GRANT.match(each) for each in grants if " ON *.* " in each)
    listed = {right.strip() for each in everywhere if each is not None for right in each.group(1).split(",")}
    return tuple(sorted(listed - {"USAGE", "SELECT"}))


def grants_writing(grants: Iterable[str]) -> bool:
    """Whether one of the grants of MariaDB or MySQL lets the user write."""
    found = (_GRANT.match(each) for each in grants)
    return any(each is not None and _WRITES.search(each.group(1)) for each in found)
