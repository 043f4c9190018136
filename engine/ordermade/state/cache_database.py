"""Connections to the cache, a DuckDB file, and the statements of `sql/cache.sql` run on them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import duckdb

from ordermade.files.resources import statement

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Row = tuple[Any, ...]

_SPARE: list[DuckDBPyConnection] = []
"""Databases in memory that no block uses at the moment."""


def bare_connection(database: str = ":memory:") -> DuckDBPyConnection:
    """A DuckDB connection of one thread that never loads an extension by itself."""
    return duckdb.connect(
        database,
        config={
            "threads": 1,
            "scheduler_process_partial": True,  # so that a Ctrl-C need not wait for a statement's end
            "default_block_size": 16384,  # many small tables: a new file takes kilobytes, not megabytes
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        },
    )


@contextmanager
def spare_database() -> Iterator[DuckDBPyConnection]:
    """A connection to a database in memory, this block's alone, to attach files to; they are detached in it again.

    DuckDB takes 15 ms to make a database, which is for the most part a catalogue of its functions, and 2 ms to attach
    a file to one. The next block gets this one, unless an exception has ended the block.
    """
    database = _SPARE.pop() if _SPARE else bare_connection()
    try:
        with database.cursor() as connection:
            yield connection
    except BaseException:
        database.close()
        raise
    _SPARE.append(database)


@contextmanager
def transaction(connection: DuckDBPyConnection) -> Iterator[None]:
    """One transaction: committed at the end of the block, rolled back on any exception or interrupt."""
    connection.begin()
    try:
        yield
        connection.commit()
    except BaseException:
        _roll_back(connection)
        raise


def _roll_back(connection: DuckDBPyConnection) -> None:
    try:
        connection.rollback()
    except duckdb.TransactionException:
        # A commit that failed has ended the transaction already: there is nothing left to roll back, and the
        # error that matters is on its way up.
        return


def rows(connection: DuckDBPyConnection, name: str, /, **values: object) -> list[Row]:
    """The rows that the statement `name` gives with these values; its times are in UTC and say so."""
    return [tuple(_in_utc(value) for value in row) for row in _executed(connection, name, values)]


def run(connection: DuckDBPyConnection, name: str, /, **values: object) -> None:
    """Run the statement `name` with these values, for what it does."""
    _executed(connection, name, values)


_PARSED: dict[str, duckdb.Statement] = {}
"""The statements that this process ran, parsed: for a small table that is half of what a statement takes."""


def _executed(connection: DuckDBPyConnection, name: str, values: Mapping[str, object]) -> list[Row]:
    if name not in _PARSED:
        (_PARSED[name],) = connection.extract_statements(statement(name))
    return connection.execute(_PARSED[name], values or None).fetchall()


def _in_utc(value: Any) -> Any:
    return value.replace(tzinfo=UTC) if isinstance(value, datetime) and value.tzinfo is None else value
