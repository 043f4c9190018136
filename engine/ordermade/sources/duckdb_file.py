"""Sources that DuckDB reads on the connection of the workspace, where nothing is copied; a DuckDB database file."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from sqlglot import exp

from ordermade import sql
from ordermade.errors import SourceFault, quoted
from ordermade.sources.backend import (
    NO_SHARE,
    Capabilities,
    Column,
    PlannedStatement,
    Share,
    SourceTable,
    UnreadColumns,
)
from ordermade.sources.duckdb_catalogue import catalogue_of
from ordermade.sources.duckdb_sums import UNPLANNED, as_empty, inexact_sum
from ordermade.sources.duckdb_views import COLLATED, Views
from ordermade.sources.executor import Executor, Listener, Parameters, Purpose
from ordermade.sources.limits import Limits
from ordermade.sources.spill_folder import SpillFolder
from ordermade.sources.workspace import connect

if TYPE_CHECKING:
    import pyarrow as pa
    from duckdb import DuckDBPyConnection

_SEVERAL_FOR_ONE = re.compile(r"\]$|STRUCT|MAP|UNION|INTERVAL|VARIANT")
"""Types of which HASH takes different values for one."""


class InDuckDB(ABC):
    """The three calls of `Backend` on one DuckDB connection: what the source answers is in the workspace already."""

    connection: DuckDBPyConnection
    executor: Executor
    workspace: Executor

    @abstractmethod
    def tables(self) -> Sequence[SourceTable]:
        """The source's tables and views."""

    def read(
        self, purpose: Purpose, query: exp.Query, parameters: Parameters | None = None, *, part: str = ""
    ) -> pa.RecordBatchReader:
        """The answer of a query, as Arrow batches in its order."""
        del part
        return self.executor.read(purpose, query, parameters)

    def upload(self, table: str) -> None:
        """Nothing is left to do: statements of the source see the tables of the workspace."""
        del table

    def keep(
        self,
        purpose: Purpose,
        table: str,
        query: exp.Query,
        parameters: Parameters | None = None,
        *,
        part: str = "",
        share: Share = NO_SHARE,
    ) -> None:
        """Keeps the answer of a query, whose parts DuckDB runs as one statement."""
        del part, share
        self.executor.store(purpose, table, query, parameters)

    def planned(
        self, query: exp.Query, *, table: str | None = None, part: str = "", share: Share = NO_SHARE
    ) -> tuple[PlannedStatement, ...]:
        """The one statement."""
        del part, share
        tree: exp.Expr = query if table is None else sql.stored(table, query)
        return (PlannedStatement(True, sql.text(tree, pretty=True)),)

    def columns(self, relation: exp.Expr) -> tuple[Column, ...]:
        """The columns of a table or query."""
        return described(self.executor, relation)

    def summed(self, query: exp.Query) -> str:
        """The aggregate of a query that sums fractions; empty for none, and where it has another fault."""
        named = {each.name for each in query.find_all(exp.Table)}
        read = [each for each in self.tables() if each.reference.name in named]
        try:
            found = inexact_sum(self.executor, sql.text(as_empty(query, read)))
        except SourceFault:  # has its name where the query's columns are read
            return ""
        return "" if found == UNPLANNED else found

    def interrupt(self) -> None:
        """Ends the statement that runs."""
        self.connection.interrupt()

    def version_statement(self, relation: exp.Expr, columns: Sequence[Column]) -> exp.Select:
        """The statement that gives the rows of a relation and the sum of one hash a row over its columns."""
        tree = sql.with_relations(sql.select("dataset/version"), {"dataset": relation})
        hashed = next(node for node in tree.find_all(exp.Func) if node.find(exp.Column) and node.name.upper() == "HASH")
        hashed.set("expressions", [_hashable(each) for each in columns])
        return tree


def described(executor: Executor, relation: exp.Expr) -> tuple[Column, ...]:
    """The columns of a table or query, with the types that DuckDB gives them. Reads no data."""
    tree = sql.with_relations(sql.template("duckdb/columns"), {"dataset": relation})
    return tuple(Column(row[0], row[1]) for row in executor.rows(Purpose.CATALOG, tree))


def marks_of(executor: Executor, schema: str, table: str) -> list[str | None]:
    """The comments of the tables and views of that name in a DuckDB database, in any case of letters."""
    found = [row for row in executor.rows(Purpose.CATALOG, sql.template("duckdb/release_marks")) if row[0] == schema]
    return [comment for _, name, comment in found if name.casefold() == table.casefold()]


def _hashable(column: Column) -> exp.Expr:
    """The column, as text where HASH takes different values for one: nested types and intervals."""
    value = sql.column(column.name, "dataset")
    return exp.cast(value, "VARCHAR", dialect=sql.DIALECT) if _SEVERAL_FOR_ONE.search(column.type) else value


class DuckDBFile(InDuckDB):
    """A DuckDB file. While it is open no other process can write it, so what is measured stays what is released."""

    def __init__(
        self,
        path: Path,
        *,
        writable: bool,
        limits: Limits,
        listener: Listener | None = None,
        allow_external: bool = False,
    ) -> None:
        if not path.is_file():
            raise SourceFault(
                "there is no such file",
                where=str(path),
                next_step="Check the path, or register the source again.",
            )
        self.path = path
        self._allow_external = allow_external
        self.encodings: tuple[str, ...] = ()
        self.unvouched: frozenset[str] = frozenset()
        self.loads: tuple[str, ...] = ()
        self.spill = SpillFolder()
        try:
            self.connection = connect(path, self.spill, limits, allow_external=allow_external)
        except BaseException:
            self.spill.close()
            raise
        self.executor = Executor(self.connection, "source", listener=listener)
        self.workspace = Executor(self.connection, "workspace", listener=listener)
        try:
            self._catalogue = catalogue_of(path, self.executor)
        except BaseException:
            self.close()
            raise
        found = self._catalogue.collated
        collated = (COLLATED, lambda schema, name: self._views.require_stable(schema, name)) if found else None
        self.capabilities = Capabilities(
            releases_tables=writable, collates=bool(found), collated=collated, summed=self.summed
        )

    def tables(self) -> tuple[SourceTable, ...]:
        """Every table and view of the database: read once, as none is added while it is open."""
        return self._tables

    @cached_property
    def _views(self) -> Views:
        found = self._catalogue
        return Views(self.executor, found.views, found.tables, self._allow_external, found.collated)

    @cached_property
    def _tables(self) -> tuple[SourceTable, ...]:
        database = self._catalogue.database
        return tuple(
            self._unread(sql.table(name, schema=schema, catalog=database), self._views, is_view=is_view)
            for schema, name, is_view in self._catalogue.names
        )

    def _unread(self, reference: exp.Table, views: Views, *, is_view: bool) -> SourceTable:
        """The table or view, whose columns are read when they are first looked at."""

        def read() -> tuple[Column, ...]:
            views.require_stable(reference.db, reference.name)
            try:
                return described(self.executor, reference)
            except SourceFault as fault:
                what = f"the {'view' if is_view else 'table'} {quoted(reference.name)} cannot be read"
                raise SourceFault(f"{what}: {fault.what}", where=str(self.path), next_step=fault.next_step) from None

        return SourceTable(reference.name, reference.db, UnreadColumns(read), reference, is_view)

    def marks(self, schema: str, table: str) -> list[str | None]:
        """The comments of the tables and views of that name, in any case of letters."""
        return marks_of(self.executor, schema, table)

    def changed(self) -> bool:
        """Never: an open DuckDB file admits no writer."""
        return False

    def close(self) -> None:
        """Closes the database and removes what was spilled."""
        self.connection.close()
        self.spill.close()
