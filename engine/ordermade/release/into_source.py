"""A release into a writable DuckDB source: staged privately, written in one transaction, measured before commit."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb
from sqlglot import exp

from ordermade import sql
from ordermade.counting.dataset import Version, Versioning
from ordermade.errors import InputError, ReleaseFault, SourceChanged
from ordermade.files.private import private_umask
from ordermade.release.files import read_statement
from ordermade.release.measure import ExpectedRelease, ReadingPlan, check_measured, measured
from ordermade.sources.backend import SourceExecutor
from ordermade.sources.duckdb_file import marks_of
from ordermade.sources.executor import Executor, Purpose
from ordermade.sources.limits import Limits
from ordermade.sources.workspace import closed, in_utc, when_free

MARK = "release of ordermade"
"""The prefix of a released table's comment; the name of the run that wrote it follows."""
SCHEMA = "main"
"""The schema of a released table in a DuckDB file."""
INSTEAD = "Choose another name, or write `release: {replace: true}`."
"""The next step where the name of a release is taken."""


@dataclass(frozen=True, slots=True)
class IntoTable:
    """The target of a release in a database: a staged Parquet file into `table` of the database file `database`.

    Its comment is MARK and the name of the `run`. An earlier release of that name, which such a comment marks as the
    engine's own, is dropped first where it `replaces`. `reading` says how the table is measured, `versioning`
    and `version` what the dataset must still be. `allow_external`: its views may read other files.
    """

    database: Path
    table: str
    staged: Path
    reading: ReadingPlan
    versioning: Versioning
    version: Version
    run: str
    replaces: bool
    allow_external: bool = False

    @property
    def mark(self) -> str:
        """The comment of the table."""
        return f"{MARK} {self.run}"


@contextlib.contextmanager
def table_written(plan: IntoTable, expected: ExpectedRelease, limits: Limits) -> Iterator[Callable[[], None]]:
    """Writes and measures the table, once no other process has the source open; what is given commits it.

    Nothing stays without that.

    Raises SourceChanged if the dataset is another by now, InputError if the table is there already, ReleaseFault if the
    source cannot be written or the table does not measure as it must; then the source is as it was.
    """
    target = sql.table(plan.table, schema=SCHEMA)
    with _writing(plan.database, limits, plan.staged.parent) as connection:
        if not plan.allow_external:
            closed(connection, [plan.staged.parent])
        executor = Executor(connection, "source", fault=ReleaseFault)
        check_version(executor, plan.versioning, plan.version)
        _make_room(plan, executor, target)
        executor.rows(Purpose.RELEASE, _create(plan, target))
        mark = sql.with_literal(sql.template("release/table/mark"), MARK, exp.Literal.string(plan.mark))
        mark.set("this", target.copy())
        executor.rows(Purpose.RELEASE, mark)
        check_measured(measured(executor, target, plan.reading), expected, where=f"table {plan.table}")
        yield lambda: _commit(connection, plan.database)


def is_committed(database: Path, table: str, mark: str) -> bool:
    """True if the database has a table of that name with that comment. Raises ReleaseFault where it cannot be read."""
    try:
        with duckdb.connect(str(database), read_only=True) as connection:
            executor = Executor(connection, "source", fault=ReleaseFault)
            return mark in marks_of(executor, SCHEMA, table)
    except duckdb.Error as error:
        raise ReleaseFault(
            f"the source of an interrupted release cannot be opened ({type(error).__name__})",
            where=str(database),
            next_step="Close other processes that use it; the next command looks again.",
        ) from None


def is_own(mark: str | None) -> bool:
    """True if the comment of a table marks it as a release of the engine."""
    return mark is not None and (mark == MARK or mark.startswith(f"{MARK} "))


def _create(plan: IntoTable, target: exp.Table) -> exp.Expr:
    tree = sql.template("release/table/create")
    tree.set("this", target.copy())
    tree.set("expression", read_statement(plan.staged, ".parquet"))
    return tree


def check_version(executor: SourceExecutor, versioning: Versioning, version: Version) -> None:
    """Raises SourceChanged where the dataset is not of that version, by the statements that give one."""
    if versioning.content(executor) != (version.rows, version.hash_sum):
        raise SourceChanged(
            "the dataset changed before its release could be written", next_step="Run the request again."
        )


def refuse_taken(marks: Sequence[str | None], table: str, *, replaces: bool, instead: str) -> None:
    """Raises InputError where a release may not take the place of the tables of that name, whose comments are `marks`.

    `instead`: what else can be done where the table is an earlier release and the new one does not replace it.
    """
    where = f"release.to.table: {table}"
    if not all(is_own(mark) for mark in marks):
        raise InputError(
            "the source has a table of that name that is not a release of ordermade",
            where=where,
            next_step="Choose another name.",
        )
    if marks and not replaces:
        raise InputError("the source has a release of that name already", where=where, next_step=instead)


def _make_room(plan: IntoTable, executor: Executor, target: exp.Table) -> None:
    """Drops an earlier release of that name. Raises InputError for a table that may not be replaced."""
    marks = marks_of(executor, SCHEMA, plan.table)
    refuse_taken(marks, plan.table, replaces=plan.replaces, instead=INSTEAD)
    if not marks:
        return
    drop = sql.template("release/table/drop")
    drop.set("tables", [target.copy()])
    executor.rows(Purpose.RELEASE, drop)


@contextlib.contextmanager
def _writing(database: Path, limits: Limits, private: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """One transaction on the source, opened for writing: rolled back at the end, unless it was committed."""
    config: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": limits.memory,
        "temp_directory": str(private),
    }
    try:
        connection = in_utc(
            when_free(lambda: duckdb.connect(str(database), config=config), database, limits.wait, ReleaseFault)
        )
    except duckdb.Error as error:
        raise ReleaseFault(
            f"the source cannot be opened for writing ({type(error).__name__})",
            where=str(database),
            next_step="Close other processes that use it, and check that the file is writable.",
        ) from None
    # The write-ahead log, which holds the release until the database has taken it in, is its owner's alone.
    with private_umask(), connection:
        try:
            connection.begin()
            yield connection
        except duckdb.Error as error:
            raise _not_written(database, error) from None


def _commit(connection: duckdb.DuckDBPyConnection, database: Path) -> None:
    try:
        connection.commit()
        connection.close()
    except duckdb.Error as error:
        raise _not_written(database, error) from None


def _not_written(database: Path, error: duckdb.Error) -> ReleaseFault:
    return ReleaseFault(
        f"the release could not be written into the source ({type(error).__name__})",
        where=str(database),
        next_step="Check free disk space; the source is as it was.",
    )
