"""Opening DuckDB files of the engine: waited for, private, with nothing loaded from outside."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from ordermade.errors import StateFault, StateMissing
from ordermade.private_files import FILE_MODE, FOLDER_MODE, give_name, own_folder, private_umask
from ordermade.state.faults import state_fault
from ordermade.state.waiting import when_free
from ordermade.waiting import Notice

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

WORKSHOP = ".ordermade-"
"""The prefix of the private folders that files are made in before they get their names."""


def bare_connection(database: str = ":memory:", *, read_only: bool = False) -> DuckDBPyConnection:
    """A DuckDB connection of one thread that never loads an extension by itself."""
    return duckdb.connect(
        database,
        read_only=read_only,
        config={
            "threads": 1,
            "scheduler_process_partial": True,  # so that a Ctrl-C need not wait for a statement's end
            "default_block_size": 16384,  # many small tables: a new file takes kilobytes, not megabytes
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        },
    )


@contextmanager
def opened(path: Path, *, read_only: bool, wait_seconds: float, notice: Notice | None) -> Iterator[DuckDBPyConnection]:
    """The state file at `path`, open for as long as the block runs; errors of DuckDB become StateFault.

    Raises StateMissing if there is no file (none is made), StateLocked after the wait, StateDamaged,
    StateFault.
    """
    require(path)
    try:
        connection = when_free(
            lambda: bare_connection(str(path), read_only=read_only),
            path,
            what="state",
            wait_seconds=wait_seconds,
            notice=notice,
        )
        # The write-ahead log, which is made when something is written, is as private as the file.
        with nullcontext() if read_only else private_umask(), connection:
            yield connection
    except duckdb.Error as error:
        raise state_fault(error, path) from error


def require(path: Path) -> None:
    """Raise StateMissing unless there is a file at `path`, StateFault if that cannot be known."""
    refuse_backslash(path)
    try:
        exists = path.exists()
    except OSError as error:
        raise state_fault(error, path) from error
    if not exists:
        raise StateMissing(
            "there is no state here",
            where=str(path),
            next_step="Make one with `ordermade init`, or name it with --state or ORDERMADE_STATE.",
        )


def refuse_backslash(path: Path) -> None:
    """Raise StateFault for a path with a backslash: DuckDB reads it as `/` and would open another file."""
    if os.sep != "\\" and "\\" in str(path):
        raise StateFault(
            "a path with a backslash cannot be used", where=str(path), next_step="Choose a path without one."
        )


def make_folder(folder: Path) -> None:
    """Make the folder of a state if it is missing, for its owner alone."""
    folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)


@contextmanager
def alone_beside(path: Path) -> Iterator[Path]:
    """Like `beside`, for a process that holds the lock of `path`: takes away what a killed one left there."""
    workshop = path.with_name(f".{path.name}.new")
    discard_left_beside(path)
    workshop.mkdir(mode=FOLDER_MODE)
    try:
        with private_umask():
            yield workshop / path.name
    finally:
        shutil.rmtree(workshop)


def discard_left_beside(path: Path) -> None:
    """Remove the folder that `alone_beside` made, if its process was killed. The lock of `path` must be held."""
    workshop = path.with_name(f".{path.name}.new")
    if workshop.exists():
        shutil.rmtree(workshop)


@contextmanager
def beside(path: Path) -> Iterator[Path]:
    """A path in a private folder beside `path`, for a file to be put in place; gone after the block.

    Such folders that killed processes left there are removed first.
    """
    with own_folder(path.parent, WORKSHOP) as workshop, private_umask():
        yield workshop / path.name


def put_in_place(made: Path, path: Path) -> bool:
    """Give the finished file `made` its name, mode 0600, unless there is such a file; whether it was given."""
    made.chmod(FILE_MODE)
    try:
        give_name(made, path, replace=False)
    except FileExistsError:
        return False
    return True


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
