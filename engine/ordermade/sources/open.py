"""From a registered source to an open one."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from ordermade.errors import InputError, SourceFault
from ordermade.files.file_reading import FileReading
from ordermade.files.workbook_endings import OLD_ENDINGS
from ordermade.sources import duckdb_file
from ordermade.sources.backend import Backend
from ordermade.sources.duckdb_file import DuckDBFile
from ordermade.sources.executor import Listener
from ordermade.sources.files import Files
from ordermade.sources.kinds import BY_ENDING, BY_SCHEME, FILES, kind_of
from ordermade.sources.limits import Limits, Twins
from ordermade.sources.server_url import LOCAL, missing
from ordermade.sources.workbook import Workbook

if TYPE_CHECKING:
    from ordermade.sources.server import Server
    from ordermade.sources.server_writer import ServerWriter

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


def expanded(location: str) -> str:
    """`location` with every `${NAME}` replaced from the environment. Raises SourceFault if a variable is not set.

    In the user, password and options of a URL any sign of a value stands for itself.
    """
    scheme, found, rest = location.partition("://")
    if LOCAL.match(location):
        place, mark, options = location.partition("?")
        return "".join([_filled(place, location, str), mark, _filled(options, location, _quoted)])
    if not found or scheme.lower() not in BY_SCHEME:
        return _filled(location, location, str)
    place, mark, options = rest.partition("?")
    user, at, place = place.rpartition("@")
    parts = [_filled(user, location, _quoted), at, _filled(place, location, str), mark]
    return "".join([scheme, found, *parts, _filled(options, location, _quoted)])


def _quoted(value: str) -> str:
    return quote(value, safe="")


def _filled(text: str, location: str, written: Callable[[str], str]) -> str:
    def value(match: re.Match[str]) -> str:
        name = match.group(1)
        if name not in os.environ:
            raise SourceFault(
                f"the environment variable {name} is not set",
                where=location,
                next_step=f"Set {name}, then run it again.",
            )
        return written(os.environ[name])

    return _VARIABLE.sub(value, text)


def kind_of_source(location: str) -> str:
    """The kind of a URL by its scheme, of a path by its ending, and of `.db` by the first bytes of the file.

    Raises InputError for anything else.
    """
    if LOCAL.match(location):
        return "spark"
    address = re.match(r"([a-z][a-z0-9+.-]*)://", location, flags=re.IGNORECASE)
    if address:
        server = BY_SCHEME.get(address.group(1).lower())
        if server is None:
            raise InputError(
                "this kind of address is not supported",
                where=f"{address.group(1)}://…",
                next_step="Give the URL of a PostgreSQL, MariaDB or MySQL database, one of Spark, or the path of a "
                f"{FILES} file.",
            )
        return server.name
    path = Path(location)
    endings = [ending.lower() for ending in path.suffixes]
    if endings and endings[-1] == ".gz" and ".csv" in endings:
        return "csv"
    kind = BY_ENDING.get(endings[-1] if endings else "")
    if endings and endings[-1] in OLD_ENDINGS:
        raise InputError(
            f"{endings[-1]} workbooks are not read: nothing in them shows which cells hold errors",
            where=location,
            next_step="Save it as .xlsx.",
        )
    if kind is None:
        known = ", ".join(BY_ENDING)
        raise InputError(
            "the ending of the path does not say what it is",
            where=location,
            next_step=f"Known endings: {known}.",
        )
    return "sqlite" if endings[-1] == ".db" and _begins_as_sqlite(location) else kind.name


def _begins_as_sqlite(location: str) -> bool:
    from ordermade.sources.sqlite_file import MAGIC

    try:
        with Path(expanded(location)).expanduser().open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False  # opening it says what is wrong


def _speaking_to(kind: str) -> tuple[type[Server], type[ServerWriter]]:
    """What reads a kind of server, and what writes into it. Raises SourceFault where a package for it is missing."""
    driver = kind_of(kind).driver
    if driver is None:
        raise ValueError(f"{kind} is no kind of server")
    try:
        if kind == "postgresql":
            from ordermade.sources import postgresql, postgresql_writer

            return postgresql.PostgreSQL, postgresql_writer.PostgreSQLWriter
        if kind == "mysql":
            from ordermade.sources import mysql, mysql_writer

            return mysql.MySQL, mysql_writer.MySQLWriter
        from ordermade.sources import spark, spark_writer
    except ImportError as error:
        package = "SQLAlchemy" if error.name == "sqlalchemy" else driver
        raise missing(package, f"{kind}://") from None
    return spark.Spark, spark_writer.SparkWriter


def open_source(
    location: str,
    kind: str,
    *,
    writable: bool,
    reading: FileReading,
    limits: Limits,
    listener: Listener | None = None,
    twins: Twins | None = None,
    allow_external: bool = False,
) -> Backend:
    """The source at `location`, open for reading; `reading` is how its files are read. Raises SourceFault.

    `twins`: those of CSV files, read instead of files that did not change. `allow_external`: views and foreign tables
    may read beyond the source.
    """
    known = kind_of(kind)
    if known.gives_frames:
        from ordermade.sources.frames import Frames

        if limits.frames is None:
            raise SourceFault("the frames of the request are gone", next_step="Give them with `data=` again.")
        return Frames(limits.frames, limits=limits, listener=listener)
    path = expanded(location)
    if kind == "duckdb":
        return DuckDBFile(
            Path(path), writable=writable, limits=limits, listener=listener, allow_external=allow_external
        )
    if known.is_server:
        reader, _ = _speaking_to(kind)
        return reader(
            path, writable=writable, limits=limits, listener=listener, allow_external=allow_external, place=location
        )
    if kind == "sqlite":
        from ordermade.sources.sqlite_file import SQLiteFile

        return SQLiteFile(Path(path), limits=limits, listener=listener)
    if kind == "workbook":
        return Workbook(path, reading=reading, limits=limits, listener=listener)
    return Files(path, known, reading=reading, limits=limits, listener=listener, twins=twins, place=location)


def open_writer(location: str, kind: str, *, limits: Limits) -> ServerWriter:
    """The server at `location`, on a connection of its own that writes a release. Raises SourceFault."""
    _, writer = _speaking_to(kind)
    return writer(expanded(location), limits=limits)


def create_view(location: str, kind: str, statement: str, *, limits: Limits) -> None:
    """Runs the statement that makes a view in the source at `location`, on a connection of its own.

    Raises SourceFault, ReleaseFault, Lost.
    """
    if not kind_of(kind).is_server:
        duckdb_file.create_view(Path(expanded(location)), statement, limits)
        return
    writer = open_writer(location, kind, limits=limits)
    try:
        writer.create_view(statement)
    finally:
        writer.close()
