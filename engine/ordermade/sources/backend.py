"""The contract of a source: the base class `Backend` with defaults, and `Capabilities`."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol, overload

from sqlglot import exp

from ordermade import sql
from ordermade.errors import InputError, SourceFault, UnknownName, UnverifiedHeader
from ordermade.sources.executor import ExecutedStatement, Executor, Parameters, Purpose

if TYPE_CHECKING:
    import pyarrow as pa
    from duckdb import DuckDBPyConnection

    from ordermade.sources.collated import Collated
    from ordermade.sources.file_parts import FilePart
    from ordermade.sources.frame_columns import CallerFrame
    from ordermade.sources.server_facts import ServerFacts
    from ordermade.sources.spill_folder import SpillFolder


OPTED_OUT = "opted_out"
"""The table of the workspace that lists the persons who opted out. No printed statement shows its rows."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """The capabilities of a source.

    `releases_tables`: a release can be written into it. `collates`: it may compare texts by a collation, which would
    put different texts into one class; statements then compare bytes. `binary`: its name for that comparison.
    `collated`: how it is written, and the columns of a table or view, by schema and name, that need it.
    `evaluates_rules`: it evaluates the rules of hierarchies as DuckDB does; else rows are joined on values.
    `joins_nulls`: it joins on IS NOT DISTINCT FROM as fast as on `=`; else NULL is looked up in a join of its own.
    `codes_in_workspace`: it groups rows by their own values, and the workspace codes them. `schema`: the schema of
    tables that are named without one. `names_schemas`: the table of a release may be called `schema.name`.
    `counts_elsewhere`: another process counts, so this one is free meanwhile. `gives_frames`: its tables are frames of
    a program, and its releases are returned as frames. `makes_views`: it makes views that guard the size of a class.
    `writes_folders`: it writes the rows of a release itself, as a folder of files. `fences`: it pushes no row filter
    into a view or query that has a LIMIT. `lists_tables`: the rows of a table of the workspace are written into the
    statements that read it. `signs_zeros`: its answers may show 0.0 as -0.0. `summed`: the aggregate of a query that
    sums fractions, empty for none; None for a source whose statements keep to the portable subset, without such sums.
    """

    releases_tables: bool
    collates: bool
    evaluates_rules: bool = True
    binary: str = "binary"
    joins_nulls: bool = True
    codes_in_workspace: bool = False
    schema: str = "main"
    names_schemas: bool = False
    counts_elsewhere: bool = False
    gives_frames: bool = False
    makes_views: bool = False
    writes_folders: bool = False
    fences: bool = True
    lists_tables: bool = False
    signs_zeros: bool = True
    collated: tuple[Collated, Callable[[str, str], Collection[str]]] | None = None
    summed: Callable[[exp.Query], str] | None = None

    def place_of(self, name: str) -> tuple[str, str]:
        """The schema and the table that the name of a released table stands for."""
        schema, _, table = name.partition(".")
        return (schema, table) if self.names_schemas and schema and table else (self.schema, name)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    name: str
    """Its name, as the database has it."""
    type: str
    """Its SQL type."""


class UnreadColumns(Sequence[Column]):
    """The columns of a table, read from the catalogue on first use, which may raise SourceFault."""

    def __init__(self, read: Callable[[], tuple[Column, ...]]) -> None:
        self._columns = cache(read)

    def __len__(self) -> int:
        return len(self._columns())

    @overload
    def __getitem__(self, place: int) -> Column: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Column, ...]: ...

    def __getitem__(self, place: int | slice) -> Column | tuple[Column, ...]:
        return self._columns()[place]


@dataclass(frozen=True, slots=True)
class CatalogTable:
    """A table or view of a source; statements call it by `reference`.

    `columns` may be read on first use, so that finding one table does not read the columns of all. `row_security`: the
    server may hide some of its rows from the role. `fault`: why a sheet of a workbook is no table; it then has no
    columns. `look`: raises SourceFault for a view that no dataset may be made of.
    """

    name: str
    schema: str
    columns: Sequence[Column]
    reference: exp.Table
    is_view: bool = False
    row_security: bool = False
    fault: SourceFault | None = None
    look: Callable[[], None] | None = field(default=None, compare=False)

    def readable(self) -> CatalogTable:
        """The table, its columns read. Raises SourceFault if it cannot be read."""
        if self.fault is not None:
            raise self.fault
        if self.look is not None:
            self.look()
        len(self.columns)
        return self


@dataclass(frozen=True, slots=True)
class PlannedStatement:
    """A statement that a query takes: its formatted text, and whether the source or the workspace runs it.

    `unlisted`: tables of the workspace whose rows are sent with it; the text has their names only.
    """

    in_source: bool
    text: str
    unlisted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PushdownHint:
    """The work of a GROUP BY that a source may leave to a workspace in another database.

    `coded`: joined tables of the workspace with as many codes as keys, so that the source may group by the values
    themselves. `rows`: the source may send its rows ungrouped if it expects nearly as many groups.
    """

    coded: frozenset[str] = frozenset()
    rows: bool = False


NO_HINT = PushdownHint()


class SourceExecutor(Protocol):
    """Runs statements in a source and records them in the ledger. Statements are trees in DuckDB's dialect."""

    ledger: list[ExecutedStatement]

    def rows(self, purpose: Purpose, statement: exp.Expr, parameters: Parameters | None = None) -> list[Any]:
        """All rows of a small answer, as tuples. Raises SourceFault."""
        ...

    def read(self, purpose: Purpose, query: exp.Query, parameters: Parameters | None = None) -> pa.RecordBatchReader:
        """The answer as a reader of Arrow batches, in its order. Raises SourceFault."""
        ...

    def count(self, purposes: Iterable[Purpose]) -> int:
        """The number of statements that ran for any of the purposes."""
        ...


@dataclass(frozen=True, slots=True)
class RowEstimate:
    """The number of rows of a relation: counted if `is_counted`, else an estimate, or None if there is none."""

    rows: int | None
    is_counted: bool


@dataclass(frozen=True, slots=True)
class ReadFrame:
    """A frame that a query reads, and the Arrow types in which its columns are returned."""

    given: CallerFrame
    schema: pa.Schema


@dataclass(frozen=True, slots=True)
class SourceQuery:
    """A query for a source, with its `parameters`.

    `part`: the alias of the subquery that the source answers, parameters included; the workspace calculates the rest.
    Empty: the source answers the whole query, but for the `share` that it leaves to the workspace.
    """

    tree: exp.Query
    parameters: Parameters | None = None
    part: str = ""
    share: PushdownHint = NO_HINT


class Backend(ABC):
    """A source that is open for reading, and the workspace, which is always an embedded DuckDB.

    Statements over the source's tables go through `read`, `keep` or `executor`, see one state of the source while it is
    open, and keep to the portable subset of SQL; the workspace calculates what goes beyond it. They can read a table of
    the workspace after `upload` of it. Nothing is copied if source and workspace are one database.
    """

    capabilities: Capabilities
    executor: SourceExecutor
    """Runs statements with small answers on the source's data or catalog."""
    workspace: Executor
    """Runs statements on the engine's own temporary tables."""
    connection: DuckDBPyConnection
    """The embedded database of the workspace; the cache copies whole tables from and to it."""
    encodings: tuple[str, ...] = ()
    """The encodings in which its text files were read, each once."""
    unvouched: frozenset[str] = frozenset()
    """The columns whose names may be data: those of CSV files with an unclear first line."""
    unnamed: tuple[str, ...] = ()
    """The columns of files that have no name and are left out, by their places in words."""
    line_called: str = ""
    """What a line of its files is called: a line, or a row of a sheet; empty for other sources."""
    spill: SpillFolder
    """The private folder whose files the workspace may read and write; it is removed with the source."""
    loads: tuple[str, ...] = ()
    """The statements that read its files, in this process or an earlier one; none for a database."""

    @abstractmethod
    def tables(self) -> Sequence[CatalogTable]:
        """The source's tables and views, from its catalog."""

    @abstractmethod
    def read_query(self, purpose: Purpose, query: SourceQuery) -> pa.RecordBatchReader:
        """The answer to `read`: Arrow batches, in order. Raises SourceFault."""

    @abstractmethod
    def keep_query(self, purpose: Purpose, table: str, query: SourceQuery) -> None:
        """Store the answer as a table of the workspace, for `keep`. Raises SourceFault."""

    @abstractmethod
    def plan_query(self, query: SourceQuery, table: str | None) -> Sequence[PlannedStatement]:
        """The statements of `read_query`, or of `keep_query` into `table`, in order. Runs none of them."""

    @abstractmethod
    def upload(self, table: str) -> None:
        """Let the source's statements read a table of the workspace by its name. Raises SourceFault."""

    @abstractmethod
    def columns(self, relation: exp.Expr) -> Sequence[Column]:
        """The columns of a table or query of the source, with their types in the workspace. Reads no data."""

    @abstractmethod
    def version_statement(self, relation: exp.Expr, columns: Sequence[Column]) -> exp.Select:
        """The statement, for the source, that counts the rows of a relation and sums one 64-bit hash per row."""

    @abstractmethod
    def interrupt(self) -> None:
        """End the running statement, from another thread; the thread that sent it raises KeyboardInterrupt."""

    def read(
        self, purpose: Purpose, query: exp.Query, parameters: Parameters | None = None, *, part: str = ""
    ) -> pa.RecordBatchReader:
        """The source's answer to a query, as Arrow batches in its order; `part` as for `keep`. Raises SourceFault."""
        return self.read_query(purpose, SourceQuery(query, parameters, part))

    def keep(
        self,
        purpose: Purpose,
        table: str,
        query: exp.Query,
        parameters: Parameters | None = None,
        *,
        part: str = "",
        share: PushdownHint = NO_HINT,
    ) -> None:
        """Store the source's answer to a query (`part`, `share`: those of SourceQuery) as a table of the workspace.

        Raises SourceFault.
        """
        self.keep_query(purpose, table, SourceQuery(query, parameters, part, share))

    def planned(
        self, query: exp.Query, *, table: str | None = None, part: str = "", share: PushdownHint = NO_HINT
    ) -> Sequence[PlannedStatement]:
        """The statements that `read` runs, or `keep` if a `table` is named, in order. Runs none of them."""
        return self.plan_query(SourceQuery(query, None, part, share), table)

    def marks(self, schema: str, table: str) -> Sequence[str | None]:
        """The comments of the tables and views of that name, None for one without a comment. Raises SourceFault.

        Empty for a source that no release can be written into.
        """
        del schema, table
        return ()

    def changed(self) -> bool:
        """Whether the source changed since it was opened, so that its answers may be of several moments.

        False for a source that locks writers out or reads from a snapshot. Raises SourceFault.
        """
        return False

    def vouched(self, state: str) -> None:
        """Notes the state of the content for which a provider's query vouches: nothing to do where counts are cheap."""
        del state

    def keep_counts(self) -> None:  # noqa: B027 - most sources prove nothing
        """Keeps the counts of a state that is proved for later requests: nothing to do where none is."""

    def repeated(self, purpose: Purpose) -> bool:
        """Whether a count for this purpose was repeated, as the source is provably what it was when it gave it."""
        del purpose
        return False

    def gave(self, table: exp.Table, statement: Callable[[], exp.Query]) -> bool:
        """Whether the answer to a statement over a table was given before and is, by a proof, the same now.

        No row is read to find that out. Raises SourceFault.
        """
        del table, statement
        return False

    @property
    def parts(self) -> tuple[FilePart, ...]:
        """The files of the source if each may be a part of a dataset; else none."""
        return ()

    def partitions(self, table: exp.Table) -> Sequence[exp.Table]:
        """The partitions of a table that are read in its place, each by its reference: their rows are its rows.

        None of a table that has none, and of one that is read whole. Raises SourceFault.
        """
        del table
        return ()

    def estimated_rows(self, relation: exp.Expr, version: exp.Query) -> RowEstimate:
        """The number of rows of a relation, counted unless an estimate is cheaper. `version`: its version statement.

        Raises SourceFault.
        """
        del version
        return RowEstimate(row_count(self, relation), is_counted=True)

    def facts(self) -> ServerFacts | None:
        """The facts of a server as far as the role sees them; None for other sources. Counts nothing.

        Raises SourceFault.
        """
        return None

    def refused(self, name: str) -> SourceFault | None:
        """The fault if a table of that name exists but the role lacks a right to read it; else None."""
        del name
        return None

    def lines_by_form(self, table: CatalogTable, column: str, form: str, *, of_form: bool, most: int) -> Sequence[int]:
        """The lines of its file, from 1 and in order, whose text in a column is of a form, or is of none: the first.

        `form`: a regular expression that a whole text fits. None for a source without lines.
        """
        del table, column, form, of_form, most
        return ()

    def column_names(self, table: CatalogTable) -> Sequence[str]:
        """The names of the columns of a listed table, from the catalog alone: no row is read. Raises SourceFault."""
        return [each.name for each in table.columns]

    def spelling(self, column: exp.Column) -> str:
        """The type that the spellings of a column's values show, such as `UUID`; empty if they show none."""
        del column
        return ""

    def workspace_table(self, purpose: Purpose, table: exp.Table, name: str) -> exp.Table:
        """A table of the source that statements of the workspace can read: itself, or a copy called `name`."""
        del purpose, name
        return table

    def frames(self, origin: exp.Expr) -> Sequence[ReadFrame]:
        """The frames of a program that a table or query reads, in the order it names them; none for other sources."""
        del origin
        return ()

    def view_statement(self, view: exp.Table, query: exp.Query, listed: Collection[str]) -> str:
        """The statement that makes a view of a query; the rows of the workspace tables `listed` are written into it.

        Raises InputError if the source has no such views.
        """
        del query, listed
        raise InputError("the source takes no live views", where=view.name, next_step="Use the release.")

    def close(self) -> None:
        """Close the embedded database and remove the spill folder."""
        if hasattr(self, "connection"):
            self.connection.close()
        self.spill.close()


class Overlaid(Backend):
    """A source whose queries a subclass answers; all else is delegated to the wrapped source."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self.capabilities = backend.capabilities
        self.executor = backend.executor
        self.workspace = backend.workspace
        self.connection = backend.connection
        self.encodings = backend.encodings
        self.unvouched = backend.unvouched
        self.loads = backend.loads
        self.spill = backend.spill

    def tables(self) -> Sequence[CatalogTable]:
        """The source's."""
        return self._backend.tables()

    def upload(self, table: str) -> None:
        """Makes the table known to the source."""
        self._backend.upload(table)

    def columns(self, relation: exp.Expr) -> Sequence[Column]:
        """The source's."""
        return self._backend.columns(relation)

    def version_statement(self, relation: exp.Expr, columns: Sequence[Column]) -> exp.Select:
        """The source's."""
        return self._backend.version_statement(relation, columns)

    def interrupt(self) -> None:
        """The source's."""
        self._backend.interrupt()

    def marks(self, schema: str, table: str) -> Sequence[str | None]:
        """The source's."""
        return self._backend.marks(schema, table)

    def changed(self) -> bool:
        """The source's."""
        return self._backend.changed()

    def vouched(self, state: str) -> None:
        """The source's."""
        self._backend.vouched(state)

    def keep_counts(self) -> None:
        """The source's."""
        self._backend.keep_counts()

    def repeated(self, purpose: Purpose) -> bool:
        """Whether the source's was."""
        return self._backend.repeated(purpose)

    def gave(self, table: exp.Table, statement: Callable[[], exp.Query]) -> bool:
        """Whether the source did."""
        return self._backend.gave(table, statement)

    @property
    def parts(self) -> tuple[FilePart, ...]:
        """The source's."""
        return self._backend.parts

    def partitions(self, table: exp.Table) -> Sequence[exp.Table]:
        """The source's."""
        return self._backend.partitions(table)

    def refused(self, name: str) -> SourceFault | None:
        """The source's."""
        return self._backend.refused(name)

    def lines_by_form(self, table: CatalogTable, column: str, form: str, *, of_form: bool, most: int) -> Sequence[int]:
        """The lines of its file, from 1 and in order, whose text in a column is of a form, or is of none: the first.

        `form`: a regular expression that a whole text fits. None for a source without lines.
        """
        del table, column, form, of_form, most
        return ()

    def column_names(self, table: CatalogTable) -> Sequence[str]:
        """The source's."""
        return self._backend.column_names(table)

    def spelling(self, column: exp.Column) -> str:
        """The source's."""
        return self._backend.spelling(column)

    def workspace_table(self, purpose: Purpose, table: exp.Table, name: str) -> exp.Table:
        """The source's."""
        return self._backend.workspace_table(purpose, table, name)

    def frames(self, origin: exp.Expr) -> Sequence[ReadFrame]:
        """The source's."""
        return self._backend.frames(origin)

    def view_statement(self, view: exp.Table, query: exp.Query, listed: Collection[str]) -> str:
        """The source's."""
        return self._backend.view_statement(view, query, listed)

    def close(self) -> None:
        """The source's."""
        self._backend.close()


def may_have_changed(backend: Backend) -> bool:
    """Whether the source changed since it was opened; True if that cannot be found out."""
    try:
        return backend.changed()
    except SourceFault:
        return True


_PART = re.compile(r'"((?:[^"]|"")+)"|`((?:[^`]|``)+)`|([^."`]+)')


def parts_of(name: str) -> tuple[str, str] | None:
    """The schema (empty if none is named) and the table of a name quoted as in SQL; None for a name without quotes."""
    if not {'"', "`"} & set(name):
        return None
    parts, place = [], 0
    while found := _PART.match(name, place):
        quoted_name, ticked, plain = found.groups()
        parts.append(plain or (quoted_name or "").replace('""', '"') or ticked.replace("``", "`"))
        place = found.end()
        if place == len(name):
            break
        if name[place] != ".":
            return None
        place += 1
    return ("", parts[0]) if len(parts) == 1 else (parts[0], parts[1]) if len(parts) == 2 else None


def find_table(backend: Backend, name: str, unlooked: Callable[[CatalogTable], bool] | None = None) -> CatalogTable:
    """The table called `name` or `schema.name`, its columns read; what is `unlooked` is not looked into.

    Raises as `listed_table`, and SourceFault for a sheet of a workbook that is no table.
    """
    table = listed_table(backend, name)
    is_looked_into = unlooked is None or not unlooked(table)
    return (table if is_looked_into else replace(table, look=None)).readable()


def listed_table(backend: Backend, name: str) -> CatalogTable:
    """The table called `name` or `schema.name`, quoted as in SQL or not, as the catalog lists it.

    Exact spelling comes first, then any case if only one table fits; among schemas the source's own comes first. Raises
    UnknownName, and SourceFault for a table that the role may not read.
    """
    own = backend.capabilities.schema
    tables = sorted(backend.tables(), key=lambda each: each.schema != own)
    if (named := parts_of(name)) is not None:
        for each in tables:
            if each.name == named[1] and named[0] in ("", each.schema):
                return each
    for each in tables:
        if name in (each.name, f"{each.schema}.{each.name}"):
            return each
    wanted = name.casefold()
    folded = [each for each in tables if wanted in (each.name.casefold(), f"{each.schema}.{each.name}".casefold())]
    if len(folded) == 1:
        return folded[0]
    if (fault := backend.refused(name)) is not None:
        raise fault
    known = [each.name if each.schema == own else f"{each.schema}.{each.name}" for each in tables]
    raise UnknownName("table", name, known, next_step="`ordermade source show` lists them.")


def row_secured(backend: Backend, query: exp.Expr) -> tuple[str, ...]:
    """The names of the tables and views of a query that have row security, so that rows may be hidden from the role."""
    named = {(each.db, each.name) for each in query.find_all(exp.Table)}
    secured = (each for each in backend.tables() if each.row_security)
    return tuple(each.name for each in secured if (each.reference.db, each.reference.name) in named)


def columns_of(backend: Backend, relation: exp.Expr) -> tuple[Column, ...]:
    """The columns of a table or query; a name that may be data is an `UnverifiedHeader`. Reads no data."""
    return tuple(Column(_name(backend, each.name), each.type) for each in backend.columns(relation))


def _name(backend: Backend, name: str) -> str:
    return UnverifiedHeader(name) if name in backend.unvouched else name


def row_count(backend: Backend, relation: exp.Expr) -> int:
    """The number of rows of a table or query."""
    tree = sql.with_relations(sql.template("dataset/row_count"), {"dataset": relation})
    return int(backend.executor.rows(Purpose.CATALOG, tree)[0][0])


def qualified(backend: Backend, query: exp.Query, unlooked: Callable[[CatalogTable], bool] | None = None) -> exp.Query:
    """A provider's query with every table called by its reference in the catalog. Changes the tree in place.

    A view that is `unlooked` may be made of anything. Raises UnknownName for a table that does not exist.
    """
    for node in list(query.find_all(exp.Table)):
        if not node.args.get("db") and is_named_in_with(node):
            continue
        name = f"{node.db}.{node.name}" if node.args.get("db") else node.name
        reference = find_table(backend, name, unlooked).reference.copy()
        reference.set("alias", node.args.get("alias") or exp.TableAlias(this=sql.identifier(node.name)))
        node.replace(reference)
    return query


def is_named_in_with(table: exp.Table) -> bool:
    """Whether an enclosing WITH defines the table's name, in any case; unless it is recursive, before the table."""
    name, inside, around = table.name.casefold(), None, table.parent
    while around is not None:
        if isinstance(around, exp.CTE):
            inside = around
        defined = around.args.get("with_")
        if isinstance(defined, exp.With):
            ctes = defined.expressions
            at = next((place for place, each in enumerate(ctes) if each is inside), len(ctes))
            seen = ctes if defined.args.get("recursive") else ctes[:at]
            if any(each.alias.casefold() == name for each in seen):
                return True
        around = around.parent
    return False
