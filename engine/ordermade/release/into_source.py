"""A release into a writable DuckDB source: staged privately, written in one transaction, measured before commit."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import duckdb
from sqlglot import exp

from ordermade import sql
from ordermade.errors import InputError, ReleaseFault, SourceChanged
from ordermade.measuring.dataset import Version
from ordermade.release.files import read_statement
from ordermade.release.measure import Expected, Reading, check_measured, measured
from ordermade.sources.door import Door, Purpose
from ordermade.sources.workspace import in_utc


@dataclass(frozen=True, slots=True)
class IntoTable:
    """What is written where: a staged Parquet file into `table` of the database file `database`.

    An earlier release of that name, which its comment marks as the engine's own, is dropped first. `reading` says how
    the table is measured, `version_statement` and `version` what the dataset must still be.
    """

    database: Path
    table: str
    staged: Path
    reading: Reading
    version_statement: exp.Select
    version: Version


def write_table(plan: IntoTable, expected: Expected, memory: str) -> str:
    """Writes the table; returns its qualified name.

    Raises SourceChanged if the dataset is another by now, InputError if the table is there already, ReleaseFault if the
    source cannot be written or the table does not measure as it must; then the source is as it was.
    """
    target = sql.table(plan.table, schema="main")
    with _writing(plan.database, memory, plan.staged.parent) as connection:
        door = Door(connection, "source", fault=ReleaseFault)
        _check_version(plan, door)
        _make_room(plan, door, target)
        door.rows(Purpose.RELEASE, _create(plan, target))
        mark = sql.template("mark_release_table")
        mark.set("this", target.copy())
        door.rows(Purpose.RELEASE, mark)
        check_measured(measured(door, target, plan.reading), expected, where=f"table {plan.table}")
    return f"main.{plan.table}"


def _create(plan: IntoTable, target: exp.Table) -> exp.Expr:
    tree = sql.template("release_table")
    tree.set("this", target.copy())
    tree.set("expression", read_statement(plan.staged, ".parquet"))
    return tree


def _check_version(plan: IntoTable, door: Door) -> None:
    rows, hash_sum = door.rows(Purpose.VERSION, plan.version_statement)[0]
    if (int(rows), int(hash_sum)) != (plan.version.rows, plan.version.hash_sum):
        raise SourceChanged(
            "the dataset changed before its release could be written", next_step="Run the request again."
        )


def _make_room(plan: IntoTable, door: Door, target: exp.Table) -> None:
    """Drops an earlier release of that name. Raises InputError for a table that is not marked as one."""
    found = [row for row in door.rows(Purpose.CATALOG, sql.template("release_marks")) if row[0] == "main"]
    marks = [comment for _, name, comment in found if name.casefold() == plan.table.casefold()]
    if not marks:
        return
    if marks != [sql.template("mark_release_table").args["expression"].this]:
        raise InputError(
            "the source has a table of that name that is not a release of ordermade",
            where=f"release.to.table: {plan.table}",
            next_step="Choose another name.",
        )
    drop = sql.template("drop_release_table")
    drop.set("tables", [target.copy()])
    door.rows(Purpose.RELEASE, drop)


@contextlib.contextmanager
def _writing(database: Path, memory: str, private: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """One transaction on the source, opened for writing: committed at the end, rolled back on any error."""
    try:
        connection = in_utc(
            duckdb.connect(str(database), config={"memory_limit": memory, "temp_directory": str(private)})
        )
    except duckdb.Error as error:
        raise ReleaseFault(
            f"the source cannot be opened for writing ({type(error).__name__})",
            where=str(database),
            next_step="Close other processes that use it, and check that the file is writable.",
        ) from None
    try:
        connection.begin()
        try:
            yield connection
        except BaseException:
            connection.rollback()
            raise
        connection.commit()
    except duckdb.Error as error:
        raise ReleaseFault(
            f"the release could not be written into the source ({type(error).__name__})",
            where=str(database),
            next_step="Check free disk space; the source is as it was.",
        ) from None
    finally:
        connection.close()
