"""The embedded DuckDB in which frequency sets are added up: bounded memory, waited for."""

from __future__ import annotations

import contextlib
import glob
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

import duckdb
from sqlglot import exp

from ordermade import sql
from ordermade.errors import InputError, OrdermadeError, SourceFault
from ordermade.progress import waiting
from ordermade.progress.waiting import Wait
from ordermade.sources.limits import Limits
from ordermade.sources.spill_folder import SpillFolder

Opened = TypeVar("Opened")

_LONGEST_PAUSE = 0.05
"""Seconds. Readers come and go, and a database may be free for a moment only."""


def when_free(open_database: Callable[[], Opened], path: Path, wait: Wait, fault: type[OrdermadeError]) -> Opened:
    """Return the result of `open_database`, retried while another process is in the way, as long as `wait` says.

    Raises `fault` at the end of the wait; any other error of `open_database` at once.
    """

    def still_held() -> OrdermadeError:
        return fault(
            f"the source was held by another process for {wait.seconds:g} seconds",
            where=str(path),
            next_step="Close that process and run this again, wait longer (`ordermade --wait SECONDS …`), "
            "or point the source at a copy.",
        )

    return waiting.when_free(
        open_database, path, what="source", wait=wait, still_held=still_held, longest_pause=_LONGEST_PAUSE
    )


class Interrupt:
    """Ends the work of another thread on its connections, as a Ctrl-C ends that of the main one."""

    def __init__(self) -> None:
        self._connections: list[duckdb.DuckDBPyConnection] = []
        self._is_over = False

    def covers(self, connection: duckdb.DuckDBPyConnection) -> None:
        """A connection that is about to be used. Raises KeyboardInterrupt where the work is no longer wanted."""
        self._connections.append(connection)
        if self._is_over:
            raise KeyboardInterrupt

    def now(self) -> None:
        """Ends whatever the connections do, and what they are about to do."""
        self._is_over = True
        for each in self._connections:
            with contextlib.suppress(duckdb.ConnectionException):  # it is closed
                each.interrupt()


def connect(
    database: Path | None,
    spill: SpillFolder,
    limits: Limits,
    *,
    reads: Iterable[Path] = (),
    allow_external: bool = False,
) -> duckdb.DuckDBPyConnection:
    """A DuckDB connection: in memory, or on a database file opened read-only, waited for while another process writes.

    Its statements, and the views that they read, reach no file but those of `spill`, of the folders that the limits
    let it write to, and `reads`; with `allow_external` any. Raises SourceFault or InputError.
    """
    config: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": limits.memory,
        "temp_directory": str(spill.path),
        "autoinstall_known_extensions": False,
        "allow_community_extensions": False,
        "preserve_insertion_order": True,
        "python_enable_replacements": False,
        # Without it a Ctrl-C waits for every running task to reach its end, which may take minutes.
        "scheduler_process_partial": True,
    }
    if limits.threads:
        config["threads"] = limits.threads
    try:
        if database is None:
            connection = duckdb.connect(":memory:", config=config)
        else:
            connection = when_free(
                lambda: duckdb.connect(str(database), read_only=True, config=config),
                database,
                limits.wait,
                SourceFault,
            )
        connection = _capped(in_utc(connection), limits)
        return connection if allow_external else closed(connection, [spill.path, *limits.writes], reads)
    except duckdb.ParserException:
        raise InputError(
            f"the memory limit '{limits.memory}' is not understood",
            where="ORDERMADE_MEMORY",
            next_step="Write a figure with a unit, for example 2GB.",
        ) from None
    except duckdb.Error as error:
        raise _cannot_open(database, error) from None


def _capped(connection: duckdb.DuckDBPyConnection, limits: Limits) -> duckdb.DuckDBPyConnection:
    """The connection, with its cap on what it spills: given when it is opened, DuckDB takes it for no cap."""
    if limits.spill is None:
        return connection
    tree = sql.template("workspace/set_spill_limit")
    for literal in tree.find_all(exp.Literal):
        literal.set("this", limits.spill)
    try:
        connection.execute(sql.text(tree))
    except duckdb.Error:
        connection.close()
        raise InputError(
            f"the limit of spilled data '{limits.spill}' is not understood",
            where="ORDERMADE_SPILL",
            next_step="Write a figure with a unit, for example 50GB.",
        ) from None
    return connection


def closed(
    connection: duckdb.DuckDBPyConnection, folders: Iterable[Path], files: Iterable[Path] = ()
) -> duckdb.DuckDBPyConnection:
    """The connection, closed for good to every file but those of the folders and these files (of which one may be one).

    A view of a database may name any file of the machine. These settings are taken once the database is open: DuckDB
    refuses some of them in its configuration.
    """
    listed = tuple(files)
    inside = _named([*folders, *(each for each in listed if each.is_dir())])
    connection.execute(sql.as_written("workspace/allowed_directories"), {"folders": inside})
    connection.execute(sql.as_written("workspace/allowed_paths"), {"files": _named(listed)})
    for each in ("workspace/allowed_configs", "workspace/external_access", "workspace/lock_configuration"):
        connection.execute(sql.script(each))
    return connection


def _named(paths: Iterable[Path]) -> list[str]:
    """The paths as they are, and as patterns, which statements read by."""
    return list(dict.fromkeys(name for each in paths for name in (str(each), glob.escape(str(each)))))


def in_utc(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """The connection, writing instants in UTC: the same text on every machine."""
    connection.execute(sql.script("workspace/time_zone"))
    return connection


def _cannot_open(database: Path | None, error: duckdb.Error) -> SourceFault:
    where = str(database) if database else "the workspace"
    message = str(error)
    if "not a valid DuckDB database" in message or "Serialization" in type(error).__name__:
        return SourceFault("this is not a DuckDB database", where=where, next_step="Check the path of the source.")
    return SourceFault(
        f"the database cannot be opened ({type(error).__name__})",
        where=where,
        next_step="Check that it is a readable DuckDB file of this version or an older one.",
    )
