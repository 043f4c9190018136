"""Sources that DuckDB reads on the connection of the workspace, where nothing is copied; a DuckDB database file."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
from sqlglot import exp

from ordermade import sql
from ordermade.errors import ReleaseFault, SourceFault, quoted
from ordermade.sources.backend import (
    Backend,
    Capabilities,
    CatalogTable,
    Column,
    PlannedStatement,
    SourceQuery,
    UnreadColumns,
    columns_of,
)
from ordermade.sources.duckdb_catalogue import catalogue_of
from ordermade.sources.duckdb_sums import UNPLANNED, as_empty, inexact_sum
from ordermade.sources.duckdb_views import COLLATED, Views
from ordermade.sources.executor import Executor, Listener, Purpose
from ordermade.sources.limits import Limits
from ordermade.sources.spill_folder import SpillFolder
from ordermade.sources.workspace import connect, in_utc, when_free

if TYPE_CHECKING:
    import pyarrow as pa

_SEVERAL_FOR_ONE = re.compile(r"\]$|STRUCT|MAP|UNION|INTERVAL|VARIANT")
"""Types of which HASH takes different values for one."""


class InDuckDB(Backend):
    """A source on one DuckDB connection with the workspace: what it answers is in the workspace already."""

    executor: Executor

    def open_duckdb(
        self,
        database: Path | None,
        limits: Limits,
        listener: Listener | None,
        *,
        reads: Iterable[Path] = (),
        allow_external: bool = False,
    ) -> None:
        """Opens the connection of source and workspace, with a folder to spill to. Raises SourceFault, InputError."""
        self.spill = SpillFolder()
        try:
            self.connection = connect(database, self.spill, limits, reads=reads, allow_external=allow_external)
        except BaseException:
            self.spill.close()
            raise
        self.executor = Executor(self.connection, "source", listener=listener)
        self.workspace = Executor(self.connection, "workspace", listener=listener)

    def viewed(self, reference: exp.Table, name: str, schema: str, rows: exp.Query) -> tuple[CatalogTable, str]:
        """A new view of rows, as a table of the source; and the statement that made it."""
        view = sql.template("files/view")
        view.set("this", reference.copy())
        view.set("expression", rows)
        self.executor.rows(Purpose.LOAD, view)
        return CatalogTable(name, schema, columns_of(self, reference), reference), sql.text(view)

    def records_by_form(self, table: CatalogTable, column: str, form: str, *, of_form: bool, most: int) -> list[int]:
        """The records of a file that was loaded, from 1, as `lines_by_form` gives its lines."""
        tree = sql.with_columns(sql.select("files/records_by_form"), {"dataset.qi": column})
        tree = sql.with_relations(tree, {"dataset": table.reference})
        parameters = {"form": form, "of_form": of_form, "most": most}
        return [int(record) for (record,) in self.executor.rows(Purpose.CATALOG, tree, parameters)]

    def read_query(self, purpose: Purpose, query: SourceQuery) -> pa.RecordBatchReader:
        """The answer of a query, whose parts DuckDB runs as one statement."""
        return self.executor.read(purpose, query.tree, query.parameters)

    def upload(self, table: str) -> None:
        """Nothing is left to do: statements of the source see the tables of the workspace."""
        del table

    def keep_query(self, purpose: Purpose, table: str, query: SourceQuery) -> None:
        """Keeps the answer of a query, whose parts DuckDB runs as one statement."""
        self.executor.store(purpose, table, query.tree, query.parameters)

    def plan_query(self, query: SourceQuery, table: str | None) -> tuple[PlannedStatement, ...]:
        """The one statement."""
        tree: exp.Expr = query.tree if table is None else sql.stored(table, query.tree)
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

    def view_statement(self, view: exp.Table, query: exp.Query, listed: Collection[str]) -> str:
        """The statement that makes a view, with the rows of the tables of the workspace as literals."""
        values = {each: _values(self.workspace, each) for each in listed}
        whole = query.transform(lambda node: _in_place(node, values))
        return sql.text(exp.Create(this=view, kind="VIEW", expression=whole), pretty=True)

    def version_statement(self, relation: exp.Expr, columns: Sequence[Column]) -> exp.Select:
        """The statement that gives the rows of a relation and the sum of one hash a row over its columns."""
        tree = sql.with_relations(sql.select("dataset/version"), {"dataset": relation})
        hashed = next(node for node in tree.find_all(exp.Func) if node.find(exp.Column) and node.name.upper() == "HASH")
        hashed.set("expressions", [_hashable(each) for each in columns])
        return tree


def existing(path: Path) -> Path:
    """The path of a database file. Raises SourceFault where there is none."""
    if not path.is_file():
        raise SourceFault(
            "there is no such file",
            where=str(path),
            next_step="Check the path, or register the source again.",
        )
    return path


def described(executor: Executor, relation: exp.Expr) -> tuple[Column, ...]:
    """The columns of a table or query, with the types that DuckDB gives them. Reads no data."""
    tree = sql.with_relations(sql.template("duckdb/columns"), {"dataset": relation})
    return tuple(Column(row[0], row[1]) for row in executor.rows(Purpose.CATALOG, tree))


def create_view(path: Path, statement: str, limits: Limits) -> None:
    """Runs the statement that makes a view in a database file, once no process has it open.

    Raises ReleaseFault, SourceFault.
    """
    opened = when_free(lambda: duckdb.connect(str(path)), path, limits.wait, ReleaseFault)
    with contextlib.closing(in_utc(opened)) as connection:
        Executor(connection, "source").rows(Purpose.RELEASE, statement)


def _values(workspace: Executor, name: str) -> exp.Expr:
    """The rows of a table of the workspace as a query of literals."""
    columns = described(workspace, exp.to_table(name))
    rows = workspace.rows(
        Purpose.STORE, sql.with_relations(sql.select("workspace/taken"), {"dataset": exp.to_table(name)})
    )
    tuples = [
        exp.Tuple(expressions=[_literal(value, each.type) for value, each in zip(row, columns, strict=True)])
        for row in rows
    ]
    alias = exp.TableAlias(this=exp.to_identifier(name), columns=[sql.identifier(each.name) for each in columns])
    return exp.Values(expressions=tuples, alias=alias)


def _literal(value: object, kind: str) -> exp.Expr:
    if value is None:
        return exp.Null()
    text = exp.Literal.string(str(value))
    return text if kind == "VARCHAR" else exp.cast(text, kind, dialect=sql.DIALECT)


def _in_place(node: exp.Expr, values: Mapping[str, exp.Expr]) -> exp.Expr:
    return values[node.name].copy() if isinstance(node, exp.Table) and node.name in values and not node.db else node


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
        self.path = existing(path)
        self._allow_external = allow_external
        self.open_duckdb(path, limits, listener, allow_external=allow_external)
        try:
            self._catalogue = catalogue_of(path, self.executor)
        except BaseException:
            self.close()
            raise
        found = self._catalogue.collated
        collated = (COLLATED, lambda schema, name: self._views.require_stable(schema, name)) if found else None
        self.capabilities = Capabilities(
            releases_tables=writable, collates=bool(found), collated=collated, summed=self.summed, makes_views=True
        )

    def tables(self) -> tuple[CatalogTable, ...]:
        """Every table and view of the database: read once, as none is added while it is open."""
        return self._tables

    @cached_property
    def _views(self) -> Views:
        found = self._catalogue
        return Views(self.executor, found.views, found.tables, self._allow_external, found.collated)

    @cached_property
    def _tables(self) -> tuple[CatalogTable, ...]:
        database = self._catalogue.database
        return tuple(
            self._unread(sql.table(name, schema=schema, catalog=database), self._views, is_view=is_view)
            for schema, name, is_view in self._catalogue.names
        )

    def _unread(self, reference: exp.Table, views: Views, *, is_view: bool) -> CatalogTable:
        """The table or view, whose columns are read when they are first looked at."""

        def read() -> tuple[Column, ...]:
            views.require_stable(reference.db, reference.name)
            try:
                return described(self.executor, reference)
            except SourceFault as fault:
                what = f"the {'view' if is_view else 'table'} {quoted(reference.name)} cannot be read"
                raise SourceFault(f"{what}: {fault.what}", where=str(self.path), next_step=fault.next_step) from None

        return CatalogTable(reference.name, reference.db, UnreadColumns(read), reference, is_view)

    def marks(self, schema: str, table: str) -> list[str | None]:
        """The comments of the tables and views of that name, in any case of letters."""
        return marks_of(self.executor, schema, table)
