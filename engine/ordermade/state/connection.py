"""A connection to the state, a SQLite database: how it is opened, what its columns hold, one transaction."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol, TypeVar
from urllib.parse import quote

from ordermade.errors import StateFault
from ordermade.files.resources import statement
from ordermade.state.bounds import StoredBounds

LEAST_VERSION = (3, 35)
"""The first SQLite that gives the rows a statement has written."""

IN_MEMORY = "file::memory:"
"""The address of a new database in memory."""

_BUSY_SECONDS = 0.1
"""Seconds for which SQLite waits by itself; longer waits are ours, which report and can be interrupted."""


@dataclass(slots=True)
class Seals:
    """The seals of the rows that a transaction `by` somebody writes, each the last one, until noted at its end.

    `visit`: the id of the visit of the portal that it is of; None: of none. `found`: by table, owner and part of the
    key; None is the seal of a row that is erased.
    """

    by: str | None = None
    visit: str | None = None
    found: dict[tuple[str, int, str], int | None] = field(default_factory=dict)


class StateConnection(sqlite3.Connection):
    """A connection to a state.

    `bounds`: of the user that the service acts for; None: of none. `seals`: of the rows that the transaction under way
    writes; None where none is that seals. `accepted`: the users and roles of the credentials that the transaction under
    way accepted, which reads and therefore finds them the same to its end; None: each is looked up anew.
    """

    bounds: StoredBounds | None = None
    seals: Seals | None = None
    accepted: dict[str, tuple[str, frozenset[str]]] | None = None


def connect(address: str) -> StateConnection:
    """A connection to the SQLite database at an address, `IN_MEMORY` or one of `file_address`; makes no file.

    Nothing of a file is read yet. Columns are given as they are declared: TIMESTAMP as a time in UTC, BOOLEAN,
    LIST_TEXT as a list, HUGE_TEXT as a whole number. Raises sqlite3.Error, StateFault where Python has an older SQLite.
    """
    if sqlite3.sqlite_version_info < LEAST_VERSION:
        raise StateFault(
            f"the SQLite of this Python is {sqlite3.sqlite_version}, and {'.'.join(map(str, LEAST_VERSION))} is needed",
            next_step="Use another Python: those of python.org, uv and conda bring a newer one.",
        )
    connection = sqlite3.connect(
        address,
        uri=True,
        timeout=_BUSY_SECONDS,
        isolation_level=None,  # transactions begin where `transaction` says so
        detect_types=sqlite3.PARSE_DECLTYPES | sqlite3.PARSE_COLNAMES,
        factory=StateConnection,
        check_same_thread=False,  # an engine may be used by one thread after another
    )
    try:
        connection.create_function("SHA256", 1, _sha256, deterministic=True)
        for each in _statements(statement("state/settings")):
            connection.execute(each)
    except BaseException:
        connection.close()
        raise
    return connection


def file_address(path: Path, *, read_only: bool) -> str:
    """The address by which SQLite opens a file that is there, and makes none."""
    return f"file:{quote(str(path.absolute()))}?mode={'ro' if read_only else 'rw'}"


def run_script(connection: sqlite3.Connection, text: str) -> None:
    """Runs the statements of a script, within the transaction under way."""
    for each in _statements(text):
        connection.execute(each)


@cache
def _statements(script: str) -> tuple[str, ...]:
    found, begun = [], ""
    for piece in re.split(r"(?<=;)", script):
        begun += piece
        if sqlite3.complete_statement(begun):
            found.append(begun.strip())
            begun = ""
    return (*found, begun.strip()) if begun.strip() else tuple(found)


Done = TypeVar("Done")


class Locking(Protocol):
    """Tries a step until no other process has the state locked."""

    def __call__(self, step: Callable[[], Done], /) -> Done:
        """What the step gives."""


def _at_once(step: Callable[[], Done]) -> Done:
    return step()


@contextmanager
def transaction(connection: sqlite3.Connection, until_free: Locking = _at_once) -> Iterator[None]:
    """One transaction that writes: committed at the end of the block, rolled back on any exception or interrupt.

    `until_free`: tries its begin and its end, which wait for other processes.
    """

    def begin() -> None:
        connection.execute(statement("state/begin_writing"))

    until_free(begin)
    try:
        yield
        until_free(connection.commit)
    except BaseException:
        connection.rollback()
        raise


@contextmanager
def snapshot(
    connection: StateConnection, first: Callable[[StateConnection], object], until_free: Locking = _at_once
) -> Iterator[None]:
    """One transaction that reads: all of it sees the state as it is at its start, and it changes nothing.

    `first`: reads, which locks the state. `until_free`: tries the begin, which waits for a process that commits. Raises
    sqlite3.ProgrammingError where the block wrote.
    """

    def begin() -> None:
        connection.execute(statement("state/begin_reading"))
        try:
            first(connection)
        except BaseException:
            connection.rollback()
            raise

    until_free(begin)
    before = connection.total_changes
    try:
        yield
        if connection.total_changes != before:
            raise sqlite3.ProgrammingError("what reads the state wrote to it")
    finally:
        connection.rollback()


def bindable(value: Any) -> Any:
    """A value as SQLite stores it: a time in UTC as text, a list as JSON, a whole number beyond 64 bits in digits."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, datetime):
        return f"{value if value.tzinfo is None else value.astimezone(UTC).replace(tzinfo=None):%Y-%m-%d %H:%M:%S.%f}"
    if isinstance(value, list | tuple):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return str(value)
    return value


def _sha256(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _time(stored: bytes) -> datetime:
    return datetime.fromisoformat(stored.decode()).replace(tzinfo=UTC)


sqlite3.register_converter("TIMESTAMP", _time)
sqlite3.register_converter("BOOLEAN", lambda stored: stored != b"0")
sqlite3.register_converter("LIST_TEXT", json.loads)
sqlite3.register_converter("HUGE_TEXT", int)
