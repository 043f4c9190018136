"""Sources that are files of one kind, read as one table."""

from __future__ import annotations

import glob
import hashlib
import importlib
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, cast

import duckdb
from sqlglot import exp

from ordermade import sql
from ordermade.errors import SourceFault
from ordermade.files.file_reading import FileReading
from ordermade.files.private import new_private_file
from ordermade.sources.backend import Capabilities, CatalogTable
from ordermade.sources.csv_format import CsvRead
from ordermade.sources.duckdb_file import InDuckDB
from ordermade.sources.executor import Executor, Listener
from ordermade.sources.file_parts import FilePart, fingerprint
from ordermade.sources.kinds import SourceKind
from ordermade.sources.limits import Limits, Twins
from ordermade.sources.parquet_format import parquet_query

_QUIET = 2_000_000_000
"""Nanoseconds: a file changed less long ago may change again without another time of change."""


class Files(InDuckDB):
    """Files of a kind that are read as one table, named after the file (or `data` for a glob).

    `twins`: those of files that are parsed, by the `place` that the source is registered with.

    Such files are parsed once, when opened, into a Parquet file beside what is spilled: every statement of a request
    then sees the same rows, and none needs them all in memory.
    """

    def __init__(
        self,
        pattern: str,
        kind: SourceKind,
        *,
        reading: FileReading,
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
        self._reading = reading
        self.line_called = "" if kind.parser is None else "line"
        self._opened_at = time.time_ns()
        self._opened = fingerprint(self.paths)
        try:
            self.open_duckdb(None, limits, listener, reads=self.paths)
            self._table = self._read(reading)
        except SourceFault as fault:
            self.close()
            where = fault.where or str(self.paths[0])
            raise SourceFault(fault.what, where=where, next_step=fault.next_step) from None
        except BaseException:
            self.close()
            raise

    def _read(self, reading: FileReading) -> CatalogTable:
        name = self.paths[0].stem if self._is_one_file else "data"
        reference = sql.table(name, schema="main", catalog="memory")
        parser = self._kind.parser
        rows = parquet_query(self.paths) if parser is None else self._parsed(format_of(parser), reading)
        table, load = self.viewed(reference, name, "main", rows)
        self.loads = (*self.loads, load)
        return table

    def _parsed(self, parser: FileFormat, reading: FileReading) -> exp.Query:
        """The rows of files, from a Parquet file of this source's own: their twin, where one is kept."""
        loaded = self.spill.path / "table.parquet"
        os.close(new_private_file(loaded))
        key = None if self._twins is None else self._key(parser, reading)
        note = None if self._twins is None or key is None else self._twins.twin(self._place, key, loaded)
        if note is not None:
            read = CsvRead.of_note(note)
        else:
            read = parser.read_once(self.executor, self.paths, reading, self.spill.path, loaded)
            if self._twins is not None and key is not None and self._is_still(key, parser, reading):
                self._twins.keep_twin(self._place, key, read.note(), loaded)
        self.encodings, self.unvouched, self.loads = read.encodings, read.unvouched, (read.load,)
        self.unnamed = read.unnamed
        return parquet_query([loaded]).select(*(sql.column(each) for each in read.columns), append=False)

    def _key(self, parser: FileFormat, reading: FileReading) -> str | None:
        """The bytes of the files and the way they are read, in one text; None where they cannot be read."""
        try:
            contents = [(path.suffix, _sha256(path)) for path in self.paths]
        except OSError:  # reading them says why
            return None
        return repr((parser.RULE, duckdb.__version__, reading, contents))

    def _is_still(self, key: str, parser: FileFormat, reading: FileReading) -> bool:
        """Whether the files are the ones that the key was made of, so that what was read between is of them."""
        is_quiet = all(self._opened_at - changed > _QUIET for _, _, changed, _, _ in self._opened)
        return not self.changed() and (is_quiet or self._key(parser, reading) == key)

    @property
    def parts(self) -> tuple[FilePart, ...]:
        """Each file that is read where it is, as it was when opened; none of files that are parsed."""
        if self._kind.parser is not None:
            return ()
        return tuple(FilePart(Path(path), (size, at), (dev, inode)) for path, size, at, dev, inode in self._opened)

    def lines_by_form(self, table: CatalogTable, column: str, form: str, *, of_form: bool, most: int) -> Sequence[int]:
        """The lines of the one file that was parsed; none of several files, or of files that are not."""
        if self._kind.parser is None or len(self.paths) > 1:
            return ()
        records = self.records_by_form(table, column, form, of_form=of_form, most=most)
        return format_of(self._kind.parser).lines_of_records(self.paths[0], self._reading, records)

    def tables(self) -> tuple[CatalogTable, ...]:
        """The one table."""
        return (self._table,)

    def changed(self) -> bool:
        """True if a file's size or time of change is no longer what it was when opened."""
        return fingerprint(self.paths) != self._opened


class FileFormat(Protocol):
    """A module that reads files of a kind once, into one Parquet file; `RULE` is the version of its rules."""

    RULE: int

    def read_once(
        self, executor: Executor, paths: Sequence[Path], reading: FileReading, spill: Path, loaded: Path
    ) -> CsvRead:
        """Write the files as the Parquet file `loaded`. Raises SourceFault, with the line that does not fit."""

    def lines_of_records(self, path: Path, reading: FileReading, records: Sequence[int]) -> Sequence[int]:
        """The lines of a file, from 1, at which these of its records begin, which are counted from 1."""


def format_of(parser: str) -> FileFormat:
    """The module of `sources/` that is the parser of a kind of files."""
    return cast("FileFormat", importlib.import_module(f"ordermade.sources.{parser}"))


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
