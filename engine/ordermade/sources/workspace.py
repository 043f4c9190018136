"""The embedded DuckDB in which frequency sets are added up: in memory, with a bounded share of it."""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

import duckdb

from ordermade import sql
from ordermade.errors import InputError, SourceFault
from ordermade.processes import process_is_alive

DEFAULT_MEMORY = "1GB"
_PREFIX = "ordermade-"


@dataclass(frozen=True, slots=True)
class Limits:
    """What the embedded database may use: memory as DuckDB reads it (`1GB`), and threads (None: every core)."""

    memory: str = field(default_factory=lambda: os.environ.get("ORDERMADE_MEMORY", DEFAULT_MEMORY))
    threads: int | None = None


class SpillFolder:
    """A private folder (mode 0700) for what does not fit in memory; it holds personal data, so it goes when closed.

    Folders that a killed process left behind are removed by the next one.
    """

    def __init__(self) -> None:
        root = Path(tempfile.gettempdir())
        _remove_left_behind(root)
        self.path = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=root))

    def close(self) -> None:
        """Removes the folder and all that is in it."""
        shutil.rmtree(self.path, ignore_errors=True)

    def __enter__(self) -> SpillFolder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def connect(database: Path | None, spill: SpillFolder, limits: Limits) -> duckdb.DuckDBPyConnection:
    """A DuckDB connection: in memory, or on a database file opened read-only. Raises SourceFault or InputError."""
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
        connection = duckdb.connect(
            str(database) if database else ":memory:", read_only=database is not None, config=config
        )
        return in_utc(connection)
    except duckdb.ParserException:
        raise InputError(
            f"the memory limit '{limits.memory}' is not understood",
            where="ORDERMADE_MEMORY",
            next_step="Write a figure with a unit, for example 2GB.",
        ) from None
    except duckdb.Error as error:
        raise _cannot_open(database, error) from None


def in_utc(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """The connection, writing instants in UTC: the same text on every machine."""
    connection.execute(sql.text(sql.template("time_zone")))
    return connection


def _cannot_open(database: Path | None, error: duckdb.Error) -> SourceFault:
    where = str(database) if database else "the workspace"
    message = str(error)
    if "lock" in message.lower():
        return SourceFault(
            "another process has this database open for writing",
            where=where,
            next_step="Close that process, or point the source at a copy.",
        )
    if "not a valid DuckDB database" in message or "Serialization" in type(error).__name__:
        return SourceFault("this is not a DuckDB database", where=where, next_step="Check the path of the source.")
    return SourceFault(
        f"the database cannot be opened ({type(error).__name__})",
        where=where,
        next_step="Check that it is a readable DuckDB file of this version or an older one.",
    )


def _remove_left_behind(root: Path) -> None:
    for folder in root.glob(f"{_PREFIX}*-*"):
        owner = folder.name.removeprefix(_PREFIX).split("-", 1)[0]
        if owner.isdigit() and not process_is_alive(int(owner)):
            shutil.rmtree(folder, ignore_errors=True)
