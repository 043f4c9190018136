"""The faults of the error tree for what SQLite, DuckDB and the file system say of the engine's own files."""

from __future__ import annotations

import errno
import os
import sqlite3
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ordermade.errors import StateDamaged, StateFault, StateNewer, StateOlder, quoted
from ordermade.machine.exhaustion import exhausted

if TYPE_CHECKING:
    import duckdb

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
_BY_OPTION = ("state", "cache", "ledger")
"""The files whose place an option such as `--state` names; any other is named to the command that makes it."""
_FULL_NUMBERS = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)
_FORBIDDEN_NUMBERS = (errno.EACCES, errno.EPERM, errno.EROFS)


_DAMAGED_CODES = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_FORBIDDEN_CODES = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH)


def is_damage(error: BaseException) -> bool:
    """True if the file itself is unreadable as a database."""
    if _code(error) in _DAMAGED_CODES:
        return True
    return _is_by_duckdb(error) and _says(error, _DAMAGED) and exhausted(error) is None


def _is_by_duckdb(error: BaseException) -> bool:
    loaded = sys.modules.get("duckdb")  # who raised it is loaded; who reads the state alone need not wait for it
    return loaded is not None and isinstance(error, loaded.Error)


def needs_recovery(error: sqlite3.Error) -> bool:
    """Whether the state cannot be read before what a killed process had begun is undone, which writes."""
    recovery = (sqlite3.SQLITE_READONLY_ROLLBACK, sqlite3.SQLITE_READONLY_RECOVERY, sqlite3.SQLITE_CANTOPEN)
    return getattr(error, "sqlite_errorcode", 0) in recovery


def _code(error: BaseException) -> int | None:
    """The primary code of an error of SQLite."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF if isinstance(error, sqlite3.Error) else None


_MARK = slice(8, 12)
"""Where a file of DuckDB has its mark."""


def _is_of_duckdb(path: Path) -> bool:
    """Whether a file that is no SQLite database is a DuckDB one."""
    try:
        with path.open("rb") as file:
            return file.read(_MARK.stop)[_MARK] == b"DUCK"
    except OSError:
        return False


def state_fault(error: sqlite3.Error | duckdb.Error | OSError, path: Path, what: str = "state") -> StateFault:
    """The fault to raise for an error met on the file at `path`.

    The database's own words stay out of it: they may quote values.
    """
    where = str(path)
    if _code(error) == sqlite3.SQLITE_CANTOPEN:
        error = _no_handle() or error
    if _code(error) == sqlite3.SQLITE_NOTADB and _is_of_duckdb(path):
        return StateOlder(
            "this is a state of an earlier ordermade, which kept it in a DuckDB file",
            where=where,
            next_step=f"Make a new one of it with `ordermade --state FILE state convert {path}`: the old one stays.",
        )
    another = "name another file with --state" if what in _BY_OPTION else "name another file"
    if (short := exhausted(error)) is not None and not (_says(error, _FULL) or _number(error) in _FULL_NUMBERS):
        what = f"the {what} cannot be used: {short.what}; nothing was changed"
        return StateFault(what, where=where, next_step=short.next_step)
    if is_damage(error):
        return StateDamaged(
            f"this file is not a {what} of ordermade, or it is damaged",
            where=where,
            next_step="Put back a copy made by `ordermade state backup`, or name another file with --state.",
        )
    if _is_by_duckdb(error) and _says(error, _NEWER):
        return StateNewer(
            f"the {what} was written by a newer DuckDB",
            where=where,
            next_step="Upgrade duckdb and ordermade.",
        )
    if _says(error, _FULL) or _number(error) in _FULL_NUMBERS or _code(error) == sqlite3.SQLITE_FULL:
        return StateFault(
            f"the {what} cannot be written: the disk is full or a size limit is reached; nothing was changed",
            where=where,
            next_step="Free some space and run the command again.",
        )
    if (
        _says(error, ("Is a directory",))
        or _number(error) == errno.EISDIR
        or (isinstance(error, sqlite3.Error) and path.is_dir())
    ):
        return StateFault(f"this is a folder, not a {what}", where=where, next_step="Name a file with --state.")
    if _says(error, _FORBIDDEN) or _number(error) in _FORBIDDEN_NUMBERS or _code(error) in _FORBIDDEN_CODES:
        return StateFault(
            f"the {what} may not be opened or written here: permission is missing or the folder is read-only",
            where=where,
            next_step=f"Change the permissions of the file and its folder, or {another}.",
        )
    if isinstance(error, OSError) and what not in _BY_OPTION:
        return StateFault(
            f"the {what} cannot be written here ({error.strerror or type(error).__name__})",
            where=where,
            next_step="Name a file in a folder that can be written to.",
        )
    kind = quoted(getattr(error, "sqlite_errorname", type(error).__name__))
    return StateFault(
        f"the {what} could not be used: the database stopped with {kind}",
        where=where,
        next_step="Run `ordermade state verify`.",
    )


def _no_handle() -> OSError | None:
    """Why no file at all can be opened, which SQLite says of that as of one that may not be; None where one can."""
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError as error:
        return error
    return None


def _says(error: BaseException, phrases: tuple[str, ...]) -> bool:
    text = str(error)
    return any(phrase in text for phrase in phrases)


def _number(error: BaseException) -> int | None:
    return error.errno if isinstance(error, OSError) else None
