"""The change log of a database: the script by which its provider makes it, and the version query over it.

Triggers fill it, on every table that a dataset reads. What no trigger sees is in the version, too, or leaves it NULL.
"""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from sqlglot import exp

from ordermade import sql
from ordermade.errors import InputError, quoted
from ordermade.records.cards import HasSummary
from ordermade.sources.executor import Purpose

if TYPE_CHECKING:
    from ordermade.sources.backend import Backend, CatalogTable
    from ordermade.sources.server import Server

WHERE = "dataset change-log"
"""What messages call the place."""
OF_CHANGE_LOG = (
    "Run the script of `ordermade dataset change-log` again, whose last statement says what is missing. MariaDB gives "
    "no version for 2 seconds after a definition was changed."
)
"""What is done where a change log gives no version."""
_LONGEST_DATASET = 40
_SCHEMA = "ordermade"
"""The schema of the log in PostgreSQL. In MariaDB names begin with it, in the database of the tables."""
_LOG = "ordermade_changes"
_PIECES: Mapping[str, tuple[str, ...]] = MappingProxyType({"postgres": ("read_by", "reason")})
"""The sections that stand in other ones, by the folder of a server's own SQL."""
_WRITES = ("insert", "update", "delete")
_MARIADB = (10, 6)
"""The oldest MariaDB whose TRUNCATE gives a table another number, as transactions of DDL are atomic."""


@dataclass(frozen=True, slots=True, repr=False)
class ChangeLog(HasSummary):
    """The change log of a dataset: what its provider runs in the database, and what the engine asks of it."""

    dataset: str
    """The name of the dataset."""
    script: str
    """The SQL that makes the log, its triggers and the version: the provider runs it in the database."""
    version_query: str
    """The version query that reads it."""


def change_log_of(backend: Backend, dataset: str, tables: Sequence[tuple[str, str]]) -> ChangeLog:
    """The change log of a dataset over these tables and views of an open source, by schema and name.

    Raises InputError for another source than PostgreSQL and MariaDB, for tables of several databases of MariaDB, and
    for a table or view of which triggers do not show every change, by name and with the reason; SourceFault.
    """
    server, written = _written_for(backend)
    reader, version = _rows(server, "reader")[0]
    for schema, table in tables:
        for name, reason in _rows(server, "unfit", {"schema": schema, "table": table}):
            step = "Leave it out of the dataset, or let each request hash its rows."
            raise InputError(
                f"no trigger shows every change of {quoted(name)}: it {reason}", where=WHERE, next_step=step
            )
    return written(server, _Wanted(dataset, tuple(tables), str(reader), str(version)))


def version_query(backend: Backend, dataset: str, tables: Sequence[tuple[str, str]]) -> str:
    """The version query of a dataset whose change log is there. Raises InputError as `change_log_of`."""
    server, _ = _written_for(backend)
    return _query(server, dataset, _schema_of(server, tables))


def is_version_view(backend: Backend, table: CatalogTable) -> bool:
    """Whether a table of a source is the view of versions that the script of a change log made.

    It reads the server's catalogue, which no view of a dataset may.
    """
    if not table.is_view or getattr(backend, "scripts", "") not in _SCRIPTS:
        return False
    return (
        table.name.startswith("version_") if table.schema == _SCHEMA else table.name.startswith(f"{_SCHEMA}_version_")
    )


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The dataset of a script, the tables and views that it names, the role that reads, and the server's version."""

    dataset: str
    tables: tuple[tuple[str, str], ...]
    reader: str
    version: str


def _rows(server: Server, section: str, bound: Mapping[str, object] | None = None) -> list[tuple[str, str]]:
    """The rows of a question to the server's catalogue. Raises SourceFault."""
    text = sql.script(f"{server.scripts}_change_log/{section}")
    for piece, written in _pieces(server).items():
        text = text.replace(f"{{{piece}}}", written)
    with server.kept("the server's catalogue cannot be read"):
        return [(str(first), str(second)) for first, second in server.executor.plain(Purpose.CATALOG, text, bound)]


def _pieces(server: Server) -> Mapping[str, str]:
    """The pieces that several sections of a server's own SQL have, by their sections."""
    return {each: sql.script(f"{server.scripts}_change_log/{each}") for each in _PIECES.get(server.scripts, ())}


def _view_name(dataset: str) -> str:
    """A name that needs no quotes, the same for no two datasets of a state."""
    if re.fullmatch(r"[a-z][a-z0-9_]*", dataset) and len(dataset) <= _LONGEST_DATASET:
        return f"version_{dataset}"
    return f"version_of_{hashlib.sha256(dataset.encode()).hexdigest()[:16]}"


def _command(dataset: str) -> str:
    return f"ordermade dataset change-log {shlex.quote(dataset)} --use"


def _schema_of(server: Server, tables: Sequence[tuple[str, str]]) -> str:
    """The schema of the view. Raises InputError for tables of several databases of MariaDB."""
    if server.scripts == "postgres":
        return _SCHEMA
    schemas = {schema for schema, _ in tables}
    if len(schemas) > 1:
        raise InputError(
            "the tables of the dataset are in several databases",
            where=WHERE,
            next_step="A change log of MariaDB is of one database: make a dataset of the tables of one.",
        )
    return schemas.pop()


def _query(server: Server, dataset: str, schema: str) -> str:
    """The version query, in the dialect of dataset queries."""
    name = _view_name(dataset) if schema == _SCHEMA else f"{_SCHEMA}_{_view_name(dataset)}"
    plain = re.fullmatch(r"[a-z][a-z0-9_]*", schema)
    view = f"{schema if plain else sql.quoted(schema)}.{name}"
    lines = sql.printed(f"{server.scripts}_change_log/query", {"view": view}).splitlines()
    return "\n".join(line for line in lines if not line.startswith("--"))


def _identifier(server: Server, *names: str) -> str:
    return ".".join(sql.identifier(name).sql(dialect=server.dialect) for name in names)


def _text(server: Server, value: str) -> str:
    return exp.Literal.string(value).sql(dialect=server.dialect)


def _joined(sections: Sequence[str]) -> str:
    return "".join(f"{each.rstrip()};\n\n" for each in sections).rstrip() + "\n"


def _for_postgresql(server: Server, wanted: _Wanted) -> ChangeLog:
    dataset = _text(server, wanted.dataset)
    roots = [f"({dataset}, {_text(server, schema)}, {_text(server, name)})" for schema, name in wanted.tables]
    parts = {
        "dataset": dataset,
        "roots": ",\n  ".join(roots),
        "view": f"{_SCHEMA}.{_view_name(wanted.dataset)}",
        "reader": _identifier(server, wanted.reader),
        "command": _command(wanted.dataset),
        **_pieces(server),
    }
    sections = ("log", "reads", "watch", "dataset", "version", "follow", "then")
    script = _joined([sql.printed(f"postgres_change_log/{each}", parts) for each in sections])
    return ChangeLog(wanted.dataset, script, _query(server, wanted.dataset, _SCHEMA))


def _for_mariadb(server: Server, wanted: _Wanted) -> ChangeLog:
    numbers = re.match(r"(\d+)\.(\d+)", wanted.version)
    if "mariadb" not in wanted.version.lower() or numbers is None or tuple(map(int, numbers.groups())) < _MARIADB:
        raise InputError(
            "the server does not show what no trigger sees",
            where=WHERE,
            next_step="A change log needs MariaDB 10.6 or later, or PostgreSQL: let each request hash the rows here.",
        )
    schema = _schema_of(server, wanted.tables)
    log = _identifier(server, schema, _LOG)
    names = [f"{_LOG}_{write}" for write in ("update", "delete")]
    guards = {f"log_{write}": _identifier(server, schema, f"{_LOG}_{write}") for write in ("update", "delete")}
    sections = [sql.printed("mysql_change_log/log", {"log": log, **guards})]
    facts, relations = [_facts(server, schema, _LOG, names)], []
    for _, table in wanted.tables:
        number = hashlib.sha256(table.encode()).hexdigest()[:12]
        relations.append(str(int(number, 16)))
        triggers = {f"table_{write}": f"{_SCHEMA}_{number}_{write}" for write in _WRITES}
        parts = {each: _identifier(server, schema, name) for each, name in triggers.items()}
        parts |= {"table": _identifier(server, schema, table), "log": log, "relation": relations[-1]}
        sections.append(sql.printed("mysql_change_log/table", parts))
        facts.append(_facts(server, schema, table, list(triggers.values())))
    view = _identifier(server, schema, f"{_SCHEMA}_{_view_name(wanted.dataset)}")
    user, _, host = wanted.reader.rpartition("@")
    parts = {
        "dataset": _text(server, wanted.dataset),
        "version": view,
        "view": view,
        "log": log,
        "relations": ", ".join(relations),
        "facts": ",\n    ".join(facts),
        "reader": f"{_text(server, user)}@{_text(server, host)}",
        "command": _command(wanted.dataset),
    }
    sections += [sql.printed(f"mysql_change_log/{each}", parts) for each in ("version", "then")]
    return ChangeLog(wanted.dataset, _joined(sections), _query(server, wanted.dataset, schema))


def _facts(server: Server, schema: str, table: str, triggers: Sequence[str]) -> str:
    """What no trigger sees of one table, as terms of a CONCAT."""
    parts = {
        "at": _text(server, f" {table} "),
        "table": _identifier(server, schema, table),
        "schema": _text(server, schema),
        "name": _text(server, table),
        "triggers": str(len(triggers)),
        "trigger_names": ", ".join(_text(server, each) for each in triggers),
    }
    lines = sql.printed("mysql_change_log/facts", parts).splitlines()
    return "\n".join(line for line in lines if not line.startswith("--"))


_SCRIPTS: Mapping[str, Callable[[Server, _Wanted], ChangeLog]] = MappingProxyType(
    {"postgres": _for_postgresql, "mysql": _for_mariadb}
)
"""How a script is written, by the folder of a server's own SQL."""


def _written_for(backend: Backend) -> tuple[Server, Callable[[Server, _Wanted], ChangeLog]]:
    """The source as a server that can have a change log, and how its script is written. Raises InputError."""
    written = _SCRIPTS.get(getattr(backend, "scripts", ""))
    if written is None:
        raise InputError(
            "a change log is made in PostgreSQL or MariaDB, and the dataset is of another source",
            where=WHERE,
            next_step="Register it with --version-query, or let each request hash its rows.",
        )
    server: Server = backend  # type: ignore[assignment]
    return server, written
