"""Connections to the engine's own DuckDB files, and the statements of `sql/state` and `sql/cache` run on them.

A connection waits for a locked file, keeps it private, and raises errors of the error tree. Values are bound. Names of
registered things and the audit are here, too, as every table of the state needs them.
"""

from __future__ import annotations

import errno
import getpass
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import duckdb

from ordermade import waiting
from ordermade.errors import (
    InputError,
    StateDamaged,
    StateFault,
    StateLocked,
    StateMissing,
    StateNewer,
    UnknownName,
    quoted,
)
from ordermade.private_files import FILE_MODE, FOLDER_MODE, give_name, own_folder, private_umask
from ordermade.resources import folder
from ordermade.state.records import AuditEntry
from ordermade.waiting import Notice, Wait

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


_DAMAGED = (
    "not a valid DuckDB database file",
    "Corrupt database file",
    "Could not read enough bytes",
    "Failed to load metadata",
    "Failure while replaying WAL",
    "deserialize",
)
_NEWER = ("database file with version number", "was created with a newer", "storage version")
_FULL = ("No space left", "File too large", "Disk quota exceeded", "Could not write all bytes")
_FORBIDDEN = ("Permission denied", "Read-only file system", "Operation not permitted")
_BY_OPTION = ("state", "cache")
"""The files whose place an option such as `--state` names; any other is named to the command that makes it."""
_FULL_NUMBERS = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)
_FORBIDDEN_NUMBERS = (errno.EACCES, errno.EPERM, errno.EROFS)


def is_damage(error: BaseException) -> bool:
    """True if the file itself is unreadable as a database."""
    return isinstance(error, duckdb.Error) and _says(error, _DAMAGED)


def state_fault(error: duckdb.Error | OSError, path: Path, what: str = "state") -> StateFault:
    """The fault to raise for an error met on the file at `path`.

    DuckDB's own words stay out of it: they may quote values.
    """
    where = str(path)
    another = "name another file with --state" if what in _BY_OPTION else "name another file"
    if is_damage(error):
        return StateDamaged(
            f"this file is not a {what} of ordermade, or it is damaged",
            where=where,
            next_step="Put back a copy made by `ordermade state backup`, or name another file with --state.",
        )
    if isinstance(error, duckdb.Error) and _says(error, _NEWER):
        return StateNewer(
            f"the {what} was written by a newer DuckDB",
            where=where,
            next_step="Upgrade duckdb and ordermade.",
        )
    if _says(error, _FULL) or _number(error) in _FULL_NUMBERS:
        return StateFault(
            f"the {what} cannot be written: the disk is full or a size limit is reached; nothing was changed",
            where=where,
            next_step="Free some space and run the command again.",
        )
    if _says(error, _FORBIDDEN) or _number(error) in _FORBIDDEN_NUMBERS:
        return StateFault(
            f"the {what} may not be opened or written here: permission is missing or the folder is read-only",
            where=where,
            next_step=f"Change the permissions of the file and its folder, or {another}.",
        )
    if _says(error, ("Is a directory",)) or _number(error) == errno.EISDIR:
        return StateFault(f"this is a folder, not a {what}", where=where, next_step="Name a file with --state.")
    if isinstance(error, OSError) and what not in _BY_OPTION:
        return StateFault(
            f"the {what} cannot be written here ({error.strerror or type(error).__name__})",
            where=where,
            next_step="Name a file in a folder that can be written to.",
        )
    kind = quoted(type(error).__name__)
    return StateFault(
        f"the {what} could not be used: the database stopped with {kind}",
        where=where,
        next_step="Run `ordermade state verify`.",
    )


def _says(error: BaseException, phrases: tuple[str, ...]) -> bool:
    text = str(error)
    return any(phrase in text for phrase in phrases)


def _number(error: BaseException) -> int | None:
    return error.errno if isinstance(error, OSError) else None


Opened = TypeVar("Opened")


def when_free(
    open_file: Callable[[], Opened], path: Path, *, what: str, wait_seconds: float, notice: Notice | None
) -> Opened:
    """Return the result of `open_file`, retried while the file at `path` is held, for `wait_seconds` at most.

    Raises StateLocked at the end of the wait; any other error of `open_file` at once. See `ordermade.waiting`.
    """

    def still_held() -> StateLocked:
        return StateLocked(
            f"the {what} was held by another process for {wait_seconds:g} seconds",
            where=str(path),
            next_step="Wait until the other ordermade command has ended, then run this one again.",
        )

    return waiting.when_free(open_file, path, what=what, wait=Wait(wait_seconds, notice), still_held=still_held)


WORKSHOP = ".ordermade-"
"""The prefix of the private folders that files are made in before they get their names."""


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


_SPARE: list[DuckDBPyConnection] = []
"""Databases in memory that no block uses at the moment."""


@contextmanager
def spare_database() -> Iterator[DuckDBPyConnection]:
    """A connection to a database in memory, this block's alone, to attach files to; they are detached in it again.

    DuckDB takes 15 ms to make a database, which is for the most part a catalogue of its functions, and 2 ms to attach
    a file to one. The next block gets this one, unless an exception has ended the block.
    """
    try:
        database = _SPARE.pop()
    except IndexError:
        database = bare_connection()
    try:
        with database.cursor() as connection:
            yield connection
    except BaseException:
        database.close()
        raise
    _SPARE.append(database)


@contextmanager
def opened(path: Path, *, read_only: bool, wait_seconds: float, notice: Notice | None) -> Iterator[DuckDBPyConnection]:
    """The state file at `path`, open for as long as the block runs; errors of DuckDB become StateFault.

    Raises StateMissing if there is no file (none is made), StateLocked after the wait, StateDamaged,
    StateFault.
    """
    require(path)
    attach = "state/attach_state" if read_only else "state/attach_state_to_write"
    is_done = False
    try:
        # The write-ahead log, which is made when something is written, is as private as the file.
        with nullcontext() if read_only else private_umask(), spare_database() as database:
            when_free(
                lambda: run(database, attach, path=str(path)),
                path,
                what="state",
                wait_seconds=wait_seconds,
                notice=notice,
            )
            with database.cursor() as connection:
                run(connection, "state/use_state")
                yield connection
            is_done = True
            run(database, "state/detach_state")
    except duckdb.Error as error:
        # A full disk may leave in the log what is committed: the next to open the file takes it in.
        if not is_done:
            raise state_fault(error, path) from error


def require(path: Path) -> None:
    """Raise StateMissing unless there is a file at `path`, StateFault if that cannot be known."""
    refuse_backslash(path)
    try:
        exists = path.exists()
    except OSError as error:
        raise state_fault(error, path) from error
    if not exists:
        from ordermade.state.location import not_found_above

        raise StateMissing(
            f"there is no state here{not_found_above(path)}",
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


Row = tuple[Any, ...]


@cache
def statement(name: str) -> str:
    """The text of `sql/<name>.sql`, for statements that have nothing to replace."""
    return (folder("sql") / f"{name}.sql").read_text(encoding="utf-8")


def rows(connection: DuckDBPyConnection, name: str, /, **values: object) -> list[Row]:
    """The rows that `sql/<name>.sql` gives with these values; its times are in UTC and say so."""
    found = connection.execute(statement(name), values or None).fetchall()
    return [tuple(_in_utc(value) for value in row) for row in found]


def run(connection: DuckDBPyConnection, name: str, /, **values: object) -> None:
    """Run `sql/<name>.sql` with these values, for what it does."""
    connection.execute(statement(name), values or None)


def new_id(connection: DuckDBPyConnection, name: str, /, **values: object) -> int:
    """Run an INSERT … RETURNING id and give the number of the new row."""
    return int(rows(connection, name, **values)[0][0])


def utc_now() -> datetime:
    """The time in UTC, without a zone, as the state stores it."""
    return datetime.now(UTC).replace(tzinfo=None)


def without_zone(time: datetime) -> datetime:
    """A time with a zone as the state and the cache store it: in UTC, without one."""
    return time.astimezone(UTC).replace(tzinfo=None)


def _in_utc(value: Any) -> Any:
    return value.replace(tzinfo=UTC) if isinstance(value, datetime) and value.tzinfo is None else value


LONGEST_NAME = 200


class Named(Protocol):
    """Anything with a name."""

    @property
    def name(self) -> str:
        """The name it is known by."""


Found = TypeVar("Found", bound=Named)


def checked_name(kind: str, name: str) -> str:
    """`name` itself. Raises InputError if it is empty, too long, padded, or does not print."""
    if not name or name != name.strip() or not name.isprintable() or len(name) > LONGEST_NAME:
        raise InputError(
            f"{quoted(name)} cannot be the name of a {kind}",
            next_step=f"Use up to {LONGEST_NAME} printable characters with no space at either end.",
        )
    return name


def find(kind: str, name: str, among: Iterable[Found]) -> Found:
    """The one of that exact name. Raises UnknownName, which names the nearest."""
    known = {each.name: each for each in among}
    if name not in known:
        raise UnknownName(kind, name, known, next_step="" if known else f"Add one with `ordermade {kind} add`.")
    return known[name]


def require_free(kind: str, name: str, among: Iterable[Named]) -> None:
    """Raise InputError if something of that name is registered already."""
    if any(each.name == name for each in among):
        raise InputError(
            f"there is already a {kind} {quoted(name)}",
            next_step=f"Choose another name, or run `ordermade {kind} remove` first.",
        )


def add_audit_entry(
    connection: DuckDBPyConnection,
    action: str,
    subject: str,
    detail: str | None = None,
    data: Mapping[str, Any] | None = None,
    by: str | None = None,
) -> None:
    """Add an entry: `action` as the command is called (`source add`), `subject` what it was done to.

    `data`: the rows that were written, kept as canonical JSON. `by`: the acting user; None: the one at the shell.
    """
    run(
        connection,
        "state/audit_insert",
        happened_at=utc_now(),
        actor=actor() if by is None else by,
        action=action,
        subject=subject,
        detail=detail,
        data=None if data is None else json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False),
    )


def audit_entries(connection: DuckDBPyConnection, entries: int = 100) -> tuple[AuditEntry, ...]:
    """The latest entries, the latest first."""
    return tuple(AuditEntry(*row) for row in rows(connection, "state/audit", entries=entries))


def actor() -> str:
    """The name of the user on the operating system, or `unknown` where there is none (some containers)."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "unknown"
