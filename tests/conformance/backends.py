"""The same table in every kind of source. A new backend is one more function and one more line in BACKENDS."""

from __future__ import annotations

import contextlib
import csv
import hashlib
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus

import duckdb
import pytest

from ordermade.counting.dataset import Dataset, relation
from ordermade.files.file_reading import FileReading
from ordermade.sources.backend import Backend, CatalogTable, columns_of
from ordermade.sources.limits import Limits
from ordermade.sources.open import open_source
from tests.services.servers import POSTGRES, Schema
from tests.spark.started import location_of
from tests.workbooks import write_workbook

Row = tuple[Any, ...]


@dataclass(frozen=True)
class Table:
    """What a source is to hold: a name, columns with their types, rows. No empty texts: CSV reads them as NULL."""

    name: str
    columns: Mapping[str, str]
    rows: Sequence[Row]

    def changed(self, **fields: Any) -> Table:
        return replace(self, **fields)


@dataclass(frozen=True)
class Made:
    """Where a table was put: what `source add` takes, and every file that belongs to it."""

    location: str
    kind: str
    files: tuple[Path, ...]
    schema: Schema | None = None

    def fingerprint(self) -> dict[str, Any]:
        """The content and time of change of every file beside and of the source; of a server its tables and rows."""
        if self.schema is not None:
            return content(self.schema)
        folder = self.files[0].parent
        return {
            path.name: (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns)
            for path in folder.iterdir()
        }


def name(text: str) -> str:
    """A quoted SQL identifier."""
    return '"' + text.replace('"', '""') + '"'


def _create(connection: duckdb.DuckDBPyConnection, table: Table, called: str) -> None:
    columns = ", ".join(f"{name(column)} {kind}" for column, kind in table.columns.items())
    connection.execute(f"CREATE TABLE {name(called)} ({columns})")
    if table.rows:
        places = "(" + ", ".join("?" * len(table.columns)) + ")"
        every_cell = [cell for row in table.rows for cell in row]
        connection.execute(f"INSERT INTO {name(called)} VALUES {', '.join([places] * len(table.rows))}", every_cell)


def _in_two(table: Table) -> list[Table]:
    half = len(table.rows) // 2
    return [table.changed(rows=table.rows[:half]), table.changed(rows=table.rows[half:])]


def _write_csv(path: Path, table: Table) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(table.columns)
        writer.writerows(["" if cell is None else _csv_text(cell) for cell in row] for row in table.rows)
    return path


def _csv_text(cell: Any) -> str:
    return str(cell).lower() if isinstance(cell, bool) else str(cell)


def _write_parquet(path: Path, table: Table) -> Path:
    with duckdb.connect() as connection:
        _create(connection, table, "t")
        connection.execute("COPY t TO '" + str(path).replace("'", "''") + "' (FORMAT parquet)")
    return path


def _duckdb(folder: Path, table: Table) -> Made:
    path = folder / "source.duckdb"
    with duckdb.connect(str(path)) as connection:
        _create(connection, table, table.name)
    return Made(str(path), "duckdb", (path,))


def _sqlite(folder: Path, table: Table) -> Made:
    path = folder / "source.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        columns = ", ".join(f"{name(column)} {kind}" for column, kind in table.columns.items())
        connection.execute(f"CREATE TABLE {name(table.name)} ({columns})")
        places = ", ".join("?" * len(table.columns))
        rows = [[_sqlite_value(cell) for cell in row] for row in table.rows]
        connection.executemany(f"INSERT INTO {name(table.name)} VALUES ({places})", rows)
    return Made(str(path), "sqlite", (path,))


def _sqlite_value(cell: Any) -> Any:
    if isinstance(cell, Decimal):
        return float(cell)
    if isinstance(cell, datetime):
        return cell.isoformat(" ")
    return cell.isoformat() if isinstance(cell, date) else cell


def _one_csv(folder: Path, table: Table) -> Made:
    path = _write_csv(folder / f"{table.name}.csv", table)
    return Made(str(path), "csv", (path,))


def _several_csv(folder: Path, table: Table) -> Made:
    files = [_write_csv(folder / f"part-{i}.csv", part) for i, part in enumerate(_in_two(table))]
    return Made(str(folder / "part-*.csv"), "csv", tuple(files))


def _one_parquet(folder: Path, table: Table) -> Made:
    path = _write_parquet(folder / f"{table.name}.parquet", table)
    return Made(str(path), "parquet", (path,))


def _several_parquet(folder: Path, table: Table) -> Made:
    files = [_write_parquet(folder / f"part-{i}.parquet", part) for i, part in enumerate(_in_two(table))]
    return Made(str(folder / "part-*.parquet"), "parquet", tuple(files))


def _workbook(folder: Path, table: Table) -> Made:
    path = write_workbook(folder / "source.xlsx", {table.name: [tuple(table.columns), *table.rows]})
    return Made(str(path), "workbook", (path,))


def content(schema: Schema) -> dict[str, Any]:
    """The tables, views and other objects of a schema, and the rows of each table."""
    named = "SELECT table_name FROM information_schema.tables WHERE table_schema = %s ORDER BY table_name"
    tables = [row[0] for row in schema.run(named, (schema.name,))]
    quote = '"' if schema.server.kind.name == POSTGRES.name else "`"
    return {
        table: Counter(map(repr, schema.run(f"SELECT * FROM {quote}{table.replace(quote, quote * 2)}{quote}")))
        for table in tables
    }


def in_postgresql(schema: Schema, table: Table, types: Mapping[str, str] | None = None) -> Made:
    """The table in a schema of PostgreSQL."""
    known = {"DOUBLE": "DOUBLE PRECISION", "FLOAT": "REAL", **(types or {})}
    defined = ", ".join(f"{name(column)} {known.get(kind, kind)}" for column, kind in table.columns.items())
    schema.run(f"CREATE TABLE {name(table.name)} ({defined})")
    _insert(schema, name(table.name), table)
    options = quote_plus(f"-csearch_path={schema.name}")
    return Made(f"{schema.server.url}?options={options}", "postgresql", (), schema)


def in_mariadb(schema: Schema, table: Table, types: Mapping[str, str] | None = None) -> Made:
    """The table in a database of MariaDB."""

    def called(text: str) -> str:
        return "`" + text.replace("`", "``") + "`"

    known = {"VARCHAR": "LONGTEXT", "TIMESTAMP": "DATETIME(6)", "TIMESTAMPTZ": "TIMESTAMP(6)", **(types or {})}
    defined = ", ".join(f"{called(column)} {known.get(kind, kind)}" for column, kind in table.columns.items())
    schema.run(f"CREATE TABLE {called(table.name)} ({defined})")
    _insert(schema, called(table.name), table, "SET time_zone = '+00:00'")
    return Made(schema.url, "mysql", (), schema)


def _insert(schema: Schema, called: str, table: Table, before: str = "") -> None:
    places = "(" + ", ".join(["%s"] * len(table.columns)) + ")"
    with contextlib.closing(schema.connect()) as connection, connection.cursor() as cursor:
        if before:
            cursor.execute(before)
        cursor.executemany(f"INSERT INTO {called.replace('%', '%%')} VALUES {places}", list(table.rows))


def _spark(folder: Path, table: Table) -> Made:
    path = _write_parquet(folder / f"{table.name}.parquet", table)
    return Made(location_of(path), "spark", (path,))


SERVERS: dict[str, Callable[[Schema, Table], Made]] = {"postgresql": in_postgresql, "mariadb": in_mariadb}
"""The servers, by what a test of one is called; each needs a schema of its own."""
CLUSTERS: dict[str, Callable[[Path, Table], Made]] = {"spark": _spark}
"""Engines that read files where they lie, by what a test of one is called; each needs programs that may be missing."""
BACKENDS: dict[str, Callable[[Path, Table], Made]] = {
    "duckdb": _duckdb,
    "apart": _duckdb,
    "sqlite": _sqlite,
    "csv": _one_csv,
    "csv-glob": _several_csv,
    "parquet": _one_parquet,
    "parquet-glob": _several_parquet,
    "workbook": _workbook,
}


def in_turn(names: str, cases: Mapping[str, Sequence[Any]], first: str = "duckdb") -> pytest.MarkDecorator:
    """Every case in one kind of source and, from five cases on, every kind of source; the whole product if asked for.

    The kinds take turns from `first` on. Cases are the values of `names`, by what a case is called.
    """
    kinds = [*BACKENDS, *SERVERS]
    turns = {called: kinds[(place + kinds.index(first)) % len(kinds)] for place, called in enumerate(cases)}
    return pytest.mark.parametrize(
        f"make, {names}",
        [
            pytest.param(kind, *values, id=f"{kind}-{called}", marks=_marks(kind, is_its_turn=turns[called] == kind))
            for called, values in cases.items()
            for kind in (*kinds, *CLUSTERS)
        ],
        indirect=["make"],
    )


def _marks(kind: str, *, is_its_turn: bool) -> list[pytest.MarkDecorator]:
    if kind in SERVERS:
        return [pytest.mark.services]
    if kind in CLUSTERS:
        return [pytest.mark.spark]
    return [] if is_its_turn else [pytest.mark.whole]


@contextmanager
def opened(made: Made, *writes: Path) -> Iterator[Backend]:
    """The source, open for reading; its workspace writes into the folders `writes`."""
    limits = Limits(memory="256MB", threads=1, writes=writes)
    backend = open_source(made.location, made.kind, writable=False, reading=FileReading(), limits=limits)
    try:
        yield backend
    finally:
        backend.close()


def the_table(backend: Backend) -> CatalogTable:
    """The one table of the source, or of its own schema where a server has others."""
    (table,) = (each for each in backend.tables() if each.schema == backend.capabilities.schema)
    return table


def dataset(backend: Backend) -> Dataset:
    """The one table of the source as a dataset."""
    table = the_table(backend)
    rows = relation(table.reference, None)
    return Dataset(table.name, backend, rows, columns_of(backend, rows))
