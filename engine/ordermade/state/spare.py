"""The DuckDB databases in memory that the engine's own files are attached to, each with blocks of its own.

DuckDB does not clear the rest of a block that it writes: up to some hundred bytes of it are what the memory had before.
Memory that a process has freed may have had rows of a source. Where a file of the engine is written, blocks therefore
come from memory that the database has mapped for itself, and the state and the cache never share a database: the cache
has values of quasi-identifiers, the state has none.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Literal

import duckdb

from ordermade.resources import folder

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

FileKind = Literal["state", "cache"]

_SPARE: dict[FileKind, list[DuckDBPyConnection]] = {"state": [], "cache": []}
"""Databases in memory that no block uses at the moment, by the files that were attached to them."""


def bare_connection(database: str = ":memory:") -> DuckDBPyConnection:
    """A DuckDB connection of one thread that never loads an extension by itself; it writes a file from own blocks."""
    connection = duckdb.connect(
        database,
        config={
            "threads": 1,
            "scheduler_process_partial": True,  # so that a Ctrl-C need not wait for a statement's end
            "default_block_size": 16384,  # many small tables: a new file takes kilobytes, not megabytes
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        },
    )
    if database != ":memory:":
        connection.execute(_own_blocks())
    return connection


@contextmanager
def spare_database(kind: FileKind, *, read_only: bool) -> Iterator[DuckDBPyConnection]:
    """A connection to a database in memory, this block's alone, to attach files to; they are detached in it again.

    DuckDB takes 15 ms to make a database, which is for the most part a catalogue of its functions, and 2 ms to attach
    a file to one. The next block gets this one, unless an exception has ended the block. Mapping the memory for its
    blocks takes 8 ms, once, and is left out where files are only read.
    """
    spare = _SPARE[kind]
    try:
        database = spare.pop()
    except IndexError:
        database = bare_connection()
    try:
        if not read_only:
            database.execute(_own_blocks())
        with database.cursor() as connection:
            yield connection
    except BaseException:
        database.close()
        raise
    spare.append(database)


@cache
def _own_blocks() -> str:
    # A share of the memory can be named in a database that is open, not where it is opened.
    return (folder("sql") / "own_blocks").with_suffix(".sql").read_text(encoding="utf-8")
