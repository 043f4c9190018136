"""Sources that are Parquet or CSV files, one table a source."""

from __future__ import annotations

import glob
import hashlib
import os
import time
from pathlib import Path

import duckdb
from sqlglot import exp

from ordermade import sql
from ordermade.errors import SourceFault
from ordermade.files.private import new_private_file
from ordermade.sources import csv_format
from ordermade.sources.backend import Capabilities, CatalogTable
from ordermade.sources.csv_format import CsvRead, CsvReading
from ordermade.sources.duckdb_file import InDuckDB
from ordermade.sources.executor import Listener
from ordermade.sources.file_parts import FilePart, fingerprint
from ordermade.sources.limits import Limits, Twins

_QUIET = 2_000_000_000
"""Nanoseconds: a file changed less long ago may change again without another time of change."""


class Files(InDuckDB):
    """Parquet or CSV files that are read as one table, named after the file (or `data` for a glob).

    `twins`: those of CSV files, by the `place` that the source is registered with.

    CSV files are parsed once, when opened, into a Parquet file beside what is spilled: every statement of a request
    then sees the same rows, and none needs them all in memory.
    """

    def __init__(
        self,
        pattern: str,
        kind: str,
        *,
        reading: CsvReading,
        limits: Limits,
        listener: Listener | None = None,
        twins: Twins | None = None,
        place: str = "",
    ) -> None:
        self._twins = twins
        self._place = place
        self.paths = matching(pattern)
        self._is_one_file = Path(pattern).is_file()
        self.capabilities = Capabilities(releases_tables=False, collates=False, summed=self.summed)
        self._kind = kind
        self._opened_at = time.time_ns()
        self._opened = fingerprint(self.paths)
        try:
            self.open_duckdb(None, limits, listener, reads=self.paths)
            self._table = self._read(kind, reading)
        except SourceFault as fault:
            self.close()
            where = fault.where or str(self.paths[0])
            raise SourceFault(fault.what, where=where, next_step=fault.next_step) from None
        except BaseException:
            self.close()
            raise

    def _read(self, kind: str, reading: CsvReading) -> CatalogTable:
        name = self.paths[0].stem if self._is_one_file else "data"
        reference = sql.table(name, schema="main", catalog="memory")
        rows = self._read_csv(reading) if kind == "csv" else csv_format.parquet(self.paths)
        table, load = self.viewed(reference, name, "main", rows)
        self.loads = (*self.loads, load)
        return table

    def _read_csv(self, reading: CsvReading) -> exp.Query:
        """The rows of the CSV files, from a Parquet file of this source's own: their twin, where one is kept."""
        loaded = self.spill.path / "table.parquet"
        os.close(new_private_file(loaded))
        key = None if self._twins is None else self._key(reading)
        note = None if self._twins is None or key is None else self._twins.twin(self._place, key, loaded)
        if note is not None:
            read = CsvRead.of_note(note)
        else:
            read = csv_format.read_once(self.executor, self.paths, reading, self.spill.path, loaded)
            if self._twins is not None and key is not None and self._is_still(key, reading):
                self._twins.keep_twin(self._place, key, read.note(), loaded)
        self.encodings, self.unvouched, self.loads = read.encodings, read.unvouched, (read.load,)
        return csv_format.parquet([loaded]).select(*(sql.column(each) for each in read.columns), append=False)

    def _key(self, reading: CsvReading) -> str | None:
        """The bytes of the files and the way they are read, in one text; None where they cannot be read."""
        try:
            contents = [(path.suffix, _sha256(path)) for path in self.paths]
        except OSError:  # reading them says why
            return None
        return repr((csv_format.RULE, duckdb.__version__, reading, contents))

    def _is_still(self, key: str, reading: CsvReading) -> bool:
        """Whether the files are the ones that the key was made of, so that what was read between is of them."""
        is_quiet = all(self._opened_at - changed > _QUIET for _, _, changed, _, _ in self._opened)
        return not self.changed() and (is_quiet or self._key(reading) == key)

    @property
    def parts(self) -> tuple[FilePart, ...]:
        """Each Parquet file as a part of its own, as it was when opened; none of CSV files."""
        if self._kind == "csv":
            return ()
        return tuple(FilePart(Path(path), (size, at), (dev, inode)) for path, size, at, dev, inode in self._opened)

    def tables(self) -> tuple[CatalogTable, ...]:
        """The one table."""
        return (self._table,)

    def changed(self) -> bool:
        """True if a file's size or time of change is no longer what it was when opened."""
        return fingerprint(self.paths) != self._opened


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


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
