"""The formats of released files, alike to whom writes and measures one: DuckDB's own, and workbooks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

import duckdb
from sqlglot import exp

from ordermade import sql
from ordermade.errors import ReleaseFault
from ordermade.release import workbooks
from ordermade.release.files import ending_of, read_statement, write_statement
from ordermade.sources.executor import Executor, Purpose
from ordermade.sources.workspace import SpillFolder

if TYPE_CHECKING:
    import pandas
    import pyarrow as pa

Rows = TypeVar("Rows")


class ReleaseFormat(Protocol):
    """A format of released files."""

    def require_installed(self, where: str) -> None:
        """Raises ReleaseFault where a package that it needs is not installed."""

    def require_fits(self, executor: Executor, query: exp.Query, where: str) -> None:
        """Raises InputError where the answer of a query has what a file of this format cannot hold."""

    def write(self, executor: Executor, query: exp.Query, path: Path) -> None:
        """Writes the answer of a query as the file `path`, which exists and is empty. Raises ReleaseFault."""

    def readable(self, path: Path, folder: Path) -> Path:
        """The file that `read_statement` reads instead of a written one: itself, or one made in a private folder."""

    def typed(self, path: Path, folder: Path) -> Path:
        """The same, of the types that the file shows."""


class _Copied:
    """Parquet and CSV files, which DuckDB writes and reads where they are."""

    def __init__(self, ending: str) -> None:
        self._ending = ending

    def require_installed(self, where: str) -> None:
        """Nothing is needed."""

    def require_fits(self, executor: Executor, query: exp.Query, where: str) -> None:
        """Whatever they do not hold is refused by its type, before anything is counted."""

    def write(self, executor: Executor, query: exp.Query, path: Path) -> None:
        """Writes the answer with one COPY."""
        # Parquet spills what it collects, and has its blocks of rows from it; a text would be collected in memory.
        write = executor.rows if self._ending == ".parquet" else executor.stream
        write(Purpose.RELEASE, write_statement(query, path, self._ending))

    def readable(self, path: Path, folder: Path) -> Path:
        """The file itself."""
        del folder
        return path

    def typed(self, path: Path, folder: Path) -> Path:
        """The file itself: columns of a CSV file are texts."""
        del folder
        return path


class _Workbook:
    """`.xlsx` workbooks."""

    def require_installed(self, where: str) -> None:
        """XlsxWriter and python-calamine are needed."""
        workbooks.require_installed(where)

    def require_fits(self, executor: Executor, query: exp.Query, where: str) -> None:
        """A sheet has so many rows, a cell so many characters and digits."""
        workbooks.require_fits(executor, query, where)

    def write(self, executor: Executor, query: exp.Query, path: Path) -> None:
        """Writes one sheet."""
        workbooks.write(executor, query, path)

    def readable(self, path: Path, folder: Path) -> Path:
        """A Parquet file of its cells, as texts."""
        return workbooks.read_back(path, folder)

    def typed(self, path: Path, folder: Path) -> Path:
        """A Parquet file with a type a column."""
        return workbooks.read_typed(path, folder)


def format_of(ending: str) -> ReleaseFormat:
    """The format of released files of an ending, one of `release.files.ending_of`."""
    return _Workbook() if ending == workbooks.ENDING else _Copied(ending)


def read_frame(path: Path) -> pandas.DataFrame:
    """The release at `path`; columns of a CSV release are texts. Raises ReleaseFault if it cannot be read."""
    frame: pandas.DataFrame = _read(path, lambda answer: answer.df())
    return frame


def read_rows(path: Path) -> pa.Table:
    """The same as a table of Arrow. Raises ReleaseFault."""
    return _read(path, lambda answer: answer.to_arrow_table())


def _read(path: Path, rows: Callable[[duckdb.DuckDBPyRelation], Rows]) -> Rows:
    ending = ending_of(path)
    with SpillFolder() as spill, duckdb.connect() as connection:
        statement = sql.text(read_statement(format_of(ending).typed(path, spill.path), ending))
        try:
            return rows(connection.sql(statement))
        except duckdb.Error as error:
            raise ReleaseFault(
                f"the release cannot be read ({type(error).__name__})",
                where=str(path),
                next_step="It was moved, deleted or damaged after its release; run the request again.",
            ) from None
