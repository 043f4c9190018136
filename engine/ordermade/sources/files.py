"""Sources that are Parquet or CSV files, one table a source."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from pathlib import Path

from sqlglot import exp

from ordermade import sql
from ordermade.errors import SourceFault
from ordermade.sources import csv_format
from ordermade.sources.backend import Capabilities, SourceTable, columns_of
from ordermade.sources.csv_format import CsvReading
from ordermade.sources.door import Door, Listener, Purpose
from ordermade.sources.duckdb_file import InDuckDB
from ordermade.sources.workspace import Limits, SpillFolder, connect

Fingerprint = tuple[tuple[str, int, int, int], ...]


class Files(InDuckDB):
    """Parquet or CSV files that are read as one table, named after the file (or `data` for a glob).

    CSV files are parsed once, when opened: every statement of a request then sees the same rows.
    """

    def __init__(
        self,
        pattern: str,
        kind: str,
        *,
        reading: CsvReading,
        limits: Limits,
        listener: Listener | None = None,
    ) -> None:
        self.paths = matching(pattern)
        self._is_one_file = Path(pattern).is_file()
        self.capabilities = Capabilities(releases_tables=False, collates=False)
        self.encodings: tuple[str, ...] = ()
        self.unvouched: frozenset[str] = frozenset()
        self._opened = _fingerprint(self.paths)
        self._spill = SpillFolder()
        try:
            self.connection = connect(None, self._spill, limits)
            self.door = Door(self.connection, "source", listener=listener)
            self.workspace = Door(self.connection, "workspace", listener=listener)
            self._table = self._read(kind, reading)
        except SourceFault as fault:
            self.close()
            where = fault.where or str(self.paths[0])
            raise SourceFault(fault.what, where=where, next_step=fault.next_step) from None
        except BaseException:
            self.close()
            raise

    def _read(self, kind: str, reading: CsvReading) -> SourceTable:
        name = self.paths[0].stem if self._is_one_file else "data"
        reference = sql.table(name, schema="main", catalog="memory")
        if kind == "csv":
            read = csv_format.read_once(self.door, self.paths, reading, self._spill.path, reference)
            self.encodings, self.unvouched = read.encodings, read.unvouched
        else:
            view = sql.template("file_view")
            view.set("this", reference.copy())
            view.set("expression", _parquet(self.paths))
            self.door.rows(Purpose.LOAD, view)
        return SourceTable(name, "main", columns_of(self, reference), reference)

    def tables(self) -> tuple[SourceTable, ...]:
        """The one table."""
        return (self._table,)

    def marks(self, schema: str, table: str) -> tuple[str | None, ...]:
        """None: data files hold no release as a table."""
        del schema, table
        return ()

    def changed(self) -> bool:
        """True if a file's size or time of change is no longer what it was when opened."""
        return _fingerprint(self.paths) != self._opened

    def close(self) -> None:
        """Lets go of the files and removes what was spilled."""
        if hasattr(self, "connection"):
            self.connection.close()
        self._spill.close()


def matching(pattern: str) -> tuple[Path, ...]:
    """The files a path or glob names, sorted. Raises SourceFault if there are none."""
    exact = Path(pattern)
    found = [exact] if exact.is_file() else _globbed(pattern)
    files = tuple(path for path in found if path.is_file())
    if not files:
        what = "this is a folder" if exact.is_dir() else "there is no such file"
        raise SourceFault(what, where=pattern, next_step="Give the path of a file, or a glob such as 'data/*.parquet'.")
    return files


def _globbed(pattern: str) -> list[Path]:
    return sorted(Path(each) for each in glob.glob(pattern, recursive=True))  # noqa: PTH207 Path.glob takes no absolute pattern


def _fingerprint(paths: Sequence[Path]) -> Fingerprint:
    try:
        return tuple((str(path), path.stat().st_size, path.stat().st_mtime_ns, path.stat().st_ino) for path in paths)
    except OSError:
        return ()


def _parquet(paths: Sequence[Path]) -> exp.Query:
    listed = exp.Array(expressions=[csv_format.literal_path(path) for path in paths])
    return sql.with_literal(sql.select("parquet_files"), "stand_in.parquet", listed)
