"""Members of the demo in a database of another kind: a new table there, of the rows of the demo's DuckDB file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Column, Date, Integer, MetaData, String, Table, create_engine, insert, inspect
from sqlalchemy.exc import SQLAlchemyError
from sqlglot import exp

from ordermade import sql
from ordermade.errors import InputError, SourceFault, quoted
from ordermade.files.private import private_umask
from ordermade.sources.executor import Executor, Purpose
from ordermade.sources.kinds import kind_of
from ordermade.sources.limits import Limits
from ordermade.sources.open import expanded, kind_of_source
from ordermade.sources.server_url import parsed_url
from ordermade.sources.spill_folder import SpillFolder
from ordermade.sources.workspace import connect

_ROWS = 20_000
"""So many rows go to the database at a time."""


def drop(place: str, table: str) -> None:
    """Drops the table that `load` made. Raises SourceFault where the database does not drop it."""
    url = _url_of(place)
    engine = create_engine(url)
    try:
        with engine.begin() as connection:
            Table(table, MetaData()).drop(connection)
    except SQLAlchemyError as error:
        raise SourceFault(
            f"the demo's table {quoted(table)} cannot be dropped ({type(error).__name__})",
            where=url.render_as_string(hide_password=True),
            next_step="Drop it by hand.",
        ) from None
    finally:
        engine.dispose()


def load(place: str, database: Path, table: str, limits: Limits) -> None:
    """Makes `table` in the database at `place`, a URL or the path of a SQLite file, with the rows it has in a file.

    All of it or nothing. Raises InputError where `place` is of another kind or has a table of that name, SourceFault
    where the database does not take it.
    """
    url = _url_of(place)
    types: Mapping[str, Any] = {"VARCHAR": String(200), "UTINYINT": Integer(), "DATE": Date()}
    where = url.render_as_string(hide_password=True)
    engine = create_engine(url)
    try:
        with private_umask(), engine.begin() as connection:
            if inspect(connection).has_table(table):
                raise InputError(
                    f"there is a table {quoted(table)} already",
                    where=where,
                    next_step="Drop it, or give an empty database or schema.",
                )
            columns = _columns(database, table, limits)
            made = Table(table, MetaData(), *(Column(name, types[kind]) for name, kind in columns.items()))
            made.create(connection)
            for rows in _batches(database, table, limits):
                connection.execute(insert(made), rows)
    except SQLAlchemyError as error:
        raise SourceFault(
            f"the members cannot be loaded ({type(error).__name__})",
            where=where,
            next_step="Check the URL and the right to create tables there.",
        ) from None
    finally:
        engine.dispose()


def _url_of(place: str) -> URL:
    kind = kind_of_source(place)
    drivers: Mapping[str, str] = {"postgresql": "postgresql+psycopg", "mysql": "mysql+pymysql", "sqlite": "sqlite"}
    if kind not in drivers:
        raise InputError(
            f"the demo is loaded into PostgreSQL, MariaDB, MySQL and SQLite, and this is {kind}",
            where=place,
            next_step="Give the URL of a server, or the path of a .sqlite file.",
        )
    if kind_of(kind).is_server:
        return parsed_url(expanded(place)).set(drivername=drivers[kind])
    return URL.create(drivers[kind], database=expanded(place))


def _columns(database: Path, table: str, limits: Limits) -> dict[str, str]:
    """The columns of the table, and their types."""
    with SpillFolder() as spill, connect(database, spill, limits) as connection:
        described = sql.with_relations(sql.template("duckdb/columns"), {"dataset": exp.to_table(table)})
        return {row[0]: row[1] for row in Executor(connection, "demo").rows(Purpose.CATALOG, described)}


def _batches(database: Path, table: str, limits: Limits) -> Iterator[list[dict[str, Any]]]:
    with SpillFolder() as spill, connect(database, spill, limits) as connection:
        whole = sql.with_relations(sql.select("workspace/taken"), {"dataset": exp.to_table(table)})
        for batch in Executor(connection, "demo").batches(Purpose.LOAD, whole, _ROWS):
            yield batch.to_pylist()
