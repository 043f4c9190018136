"""A state opened by hand, past the engine: to read it, and to edit it as no command does."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from ordermade.state.audit import chained
from ordermade.state.connection import StateConnection
from ordermade.state.seals import NO_HASH, audit_chain


@contextmanager
def by_hand(path: Path | str) -> Iterator[StateConnection]:
    """A connection to the state at `path`: every statement is lasting, and no reference is looked after."""
    with closing(
        sqlite3.connect(path, isolation_level=None, factory=StateConnection, detect_types=sqlite3.PARSE_DECLTYPES)
    ) as connection:
        yield connection


def tables_of(connection: sqlite3.Connection) -> list[str]:
    """The names of every table, in order."""
    found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1")
    return [name for (name,) in found]


def every_row(connection: sqlite3.Connection) -> list[str]:
    """The rows of every table, each table as one text."""
    return [repr(connection.execute(f"SELECT * FROM {table}").fetchall()) for table in tables_of(connection)]


def chain_anew(connection: StateConnection) -> None:
    """Gives every entry of the audit the hash that follows from those before it."""
    before = NO_HASH
    for entry in list(audit_chain(connection)):
        before = chained(before, entry)
        connection.execute("UPDATE audit SET hash = ? WHERE id = ?", [before, entry.id])
        connection.execute("UPDATE audit_head SET number = ?, hash = ?", [entry.id, before])
