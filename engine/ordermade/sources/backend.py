"""The contract of a source: a base class with defaults, and a frozen dataclass of what one can do."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
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
    from ordermade.sources.frame_columns import GivenFrame
    from ordermade.sources.server_facts import ServerFacts
    from ordermade.sources.spill_folder import SpillFolder


OPTED_OUT = "opted_out"
"""The table of the workspace that lists the persons who opted out: no text that is shown has its rows."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """The capabilities of a source.

    `releases_tables`: a release can be written into it. `collates`: it may compare texts by a collation, which
    would put different texts into one class, so its texts are compared by their bytes explicitly, which it calls
    `binary`; `collated`: how, and the columns of a table or view, by its schema and name, that are such texts.
    `evaluates_rules`: it evaluates the rules of hierarchies as DuckDB does; else rows are joined on values.
    `joins_nulls`: it joins on IS NOT DISTINCT FROM as fast as on `=`; else the key that is NULL is looked up apart.
    `codes_in_workspace`: it groups rows by their own values, which the workspace codes. `schema`: of tables that are
    named without one. `names_schemas`: the table of a release may be called `schema.name`. `counts_elsewhere`: another
    process counts, while this one may do something else. `gives_frames`: its tables are frames of a program, which gets
    its releases as frames. `makes_views`: it makes views that guard the size of a class. `writes_folders`: it writes
    the rows of a release itself, as a folder of files. `fences`: it pushes no row filter into a view or query that has
    a LIMIT. `lists_tables`: a table of the workspace goes to it with the statements that read it. `signs_zeros`: its
    answers may show 0.0 as -0.0, where both are equal.
    `summed`: the aggregate of a query that sums fractions, empty for none; None where its statements are held against
    the portable subset, which has no such sums.
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
    """The columns of a table, read from the catalogue when they are first looked at. Raises SourceFault then."""

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
    """A table of a source, or a view where `is_view`, with what a statement must call it.

    `columns` may be read when they are first looked at, so that one table is found without those of all others.
    `row_security`: the server shows the role some of its rows, and nobody knows whether all. `fault`: what keeps a
    sheet of a workbook from being read as a table, which then has no columns. `look`: it raises
    SourceFault for a view that no dataset may be made of.
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
        """The table itself, its columns read. Raises its fault where it cannot be read."""
        if self.fault is not None:
            raise self.fault
        if self.look is not None:
            self.look()
        len(self.columns)
        return self


@dataclass(frozen=True, slots=True)
class PlannedStatement:
    """A statement that a query takes: whether it runs in the source or the workspace, and its text there, laid out.

    `unlisted`: tables of the workspace that go with it as lists when it is sent, and that the text names alone.
    """

    in_source: bool
    text: str
    unlisted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PushdownHint:
    """The share of a count by group that a workspace apart from its source may take over.

    `coded`: tables of the workspace that the count joins, with as many codes as keys, so that the source may group its
    rows by their own values. `rows`: the source may send rows as they are, where it expects nearly as many groups.
    """

    coded: frozenset[str] = frozenset()
    rows: bool = False


NO_HINT = PushdownHint()


class SourceExecutor(Protocol):
    """Runs statements in a source and keeps the ledger of them. Trees are DuckDB's; the source's module prints them."""

    ledger: list[ExecutedStatement]

    def rows(self, purpose: Purpose, statement: exp.Expr, parameters: Parameters | None = None) -> list[Any]:
        """All rows of the answer, as tuples: of a statement with few. Raises SourceFault."""
        ...

    def read(self, purpose: Purpose, query: exp.Query, parameters: Parameters | None = None) -> pa.RecordBatchReader:
        """The answer as a reader of Arrow batches, in its order. Raises SourceFault."""
        ...

    def count(self, purposes: Iterable[Purpose]) -> int:
        """The number of statements that ran for any of the purposes."""
        ...


@dataclass(frozen=True, slots=True)
class RowsAbout:
    """The number of `rows` of a relation; an estimate, or None, unless it `is_counted`."""

    rows: int | None
    is_counted: bool


@dataclass(frozen=True, slots=True)
class ReadFrame:
    """A frame that a query reads, and the types of Arrow that the source gives its columns back in."""

    given: GivenFrame
    schema: pa.Schema


@dataclass(frozen=True, slots=True)
class SourceQuery:
    """A query for a source, with its `parameters`.

    `part` is the alias of the subquery that the source answers, where the workspace calculates what is around it; the
    parameters are bound there then. Without it the source answers all of the query, or leaves the workspace its
    `share`.
    """

    tree: exp.Query
    parameters: Parameters | None = None
    part: str = ""
    share: PushdownHint = NO_HINT


class Backend(ABC):
    """A source that is open for reading, and the workspace, which is always an embedded DuckDB.

    Statements over the source's tables go through `read`, `keep` or `executor`, see one state of the source while it is
    open, and keep to the portable subset of SQL; the workspace calculates whatever goes beyond it. A table of the
    workspace is seen by them once it was given to `upload`. Where source and workspace are one database nothing is
    copied.
    """

    capabilities: Capabilities
    executor: SourceExecutor
    """Statements that read the source's data or catalog, with small answers."""
    workspace: Executor
    """Statements on the engine's own temporary tables."""
    connection: DuckDBPyConnection
    """The embedded database of the workspace, for the cache to copy whole tables from and to."""
    encodings: tuple[str, ...] = ()
    """The encodings that its text files were read in, each once; none where it has no text files."""
    unvouched: frozenset[str] = frozenset()
    """The names of columns that nothing shows to be names: of CSV files whose first line may be data."""
    spill: SpillFolder
    """The folder whose files the workspace may read and write; private, and gone with the source."""
    loads: tuple[str, ...] = ()
    """The statements that read its files, here or in the process that kept the rows; none where it is a database."""

    @abstractmethod
    def tables(self) -> Sequence[CatalogTable]:
        """The source's tables and views, from its catalog."""

    @abstractmethod
    def read_query(self, purpose: Purpose, query: SourceQuery) -> pa.RecordBatchReader:
        """As `read`."""

    @abstractmethod
    def keep_query(self, purpose: Purpose, table: str, query: SourceQuery) -> None:
        """As `keep`."""

    @abstractmethod
    def plan_query(self, query: SourceQuery, table: str | None) -> Sequence[PlannedStatement]:
        """As `planned`."""

    @abstractmethod
    def upload(self, table: str) -> None:
        """Makes a table of the workspace known to the source's statements, under its name. Raises SourceFault."""

    @abstractmethod
    def columns(self, relation: exp.Expr) -> Sequence[Column]:
        """The columns of a table or query of the source, as they are typed in the workspace. Reads no data."""

    @abstractmethod
    def version_statement(self, relation: exp.Expr, columns: Sequence[Column]) -> exp.Select:
        """The statement, for the source, that gives the rows of a relation and the sum of one 64-bit hash a row."""

    @abstractmethod
    def interrupt(self) -> None:
        """Ends, from another thread, the statement that runs: the thread that sent it raises KeyboardInterrupt."""

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
        """Keeps the source's answer to a query, as SourceQuery has it, as a table of the workspace.

        Raises SourceFault.
        """
        self.keep_query(purpose, table, SourceQuery(query, parameters, part, share))

    def planned(
        self, query: exp.Query, *, table: str | None = None, part: str = "", share: PushdownHint = NO_HINT
    ) -> Sequence[PlannedStatement]:
        """The statements that `read` runs, or `keep` where a `table` is named, in order. Runs none of them."""
        return self.plan_query(SourceQuery(query, None, part, share), table)

    def marks(self, schema: str, table: str) -> Sequence[str | None]:
        """The comments of the tables and views of that name: one each, None where it has none. Raises SourceFault.

        None of a source that no release can be written into.
        """
        del schema, table
        return ()

    def changed(self) -> bool:
        """True if the source was changed since it was opened, and what is read may be of no one moment.

        False where the source keeps writers out or gives a snapshot. Raises SourceFault.
        """
        return False

    @property
    def parts(self) -> tuple[FilePart, ...]:
        """The files of the source, where each may be a part of a dataset; none for others."""
        return ()

    def rows_about(self, relation: exp.Expr, version: exp.Query) -> RowsAbout:
        """The number of rows of a relation, whose version `version` gives: counted, unless an estimate is cheaper.

        Raises SourceFault.
        """
        del version
        return RowsAbout(row_count(self, relation), is_counted=True)

    def facts(self) -> ServerFacts | None:
        """The source as the role finds it, where it is a server; else None. Counts nothing. Raises SourceFault."""
        return None

    def refused(self, name: str) -> SourceFault | None:
        """The fault of a table of that name that is there and may not be read, with the right that is missing."""
        del name
        return None

    def spelling(self, column: exp.Column) -> str:
        """The type of a column of a statement by the spellings of its values, such as `UUID`; empty if it has none."""
        del column
        return ""

    def brought(self, purpose: Purpose, table: exp.Table, name: str) -> exp.Table:
        """A table of the source for statements of the workspace: itself, or its rows as the table `name`."""
        del purpose, name
        return table

    def frames(self, origin: exp.Expr) -> Sequence[ReadFrame]:
        """The frames of a program that a table or query reads, the first that it names first; none for others."""
        del origin
        return ()

    def view_statement(self, view: exp.Table, query: exp.Query, listed: Collection[str]) -> str:
        """The statement that makes a view of a query; the tables `listed` of the workspace are written into it.

        Raises InputError where the source has no such views.
        """
        del query, listed
        raise InputError("the source takes no live views", where=view.name, next_step="Use the release.")

    def close(self) -> None:
        """Closes the embedded database, and removes what was spilled."""
        if hasattr(self, "connection"):
            self.connection.close()
        self.spill.close()


class Overlaid(Backend):
    """A source whose queries a subclass answers otherwise; all else is the source's own."""

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

    @property
    def parts(self) -> tuple[FilePart, ...]:
        """The source's."""
        return self._backend.parts

    def refused(self, name: str) -> SourceFault | None:
        """The source's."""
        return self._backend.refused(name)

    def spelling(self, column: exp.Column) -> str:
        """The source's."""
        return self._backend.spelling(column)

    def brought(self, purpose: Purpose, table: exp.Table, name: str) -> exp.Table:
        """The source's."""
        return self._backend.brought(purpose, table, name)

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
    """True if the source was changed since it was opened, or where that cannot be known."""
    try:
        return backend.changed()
    except SourceFault:
        return True


_PART = re.compile(r'"((?:[^"]|"")+)"|`((?:[^`]|``)+)`|([^."`]+)')


def parts_of(name: str) -> tuple[str, str] | None:
    """The schema (empty if none is named) and the table of a name with quotes as in SQL; None where it has none."""
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


def find_table(backend: Backend, name: str) -> CatalogTable:
    """The table called `name` or `schema.name`, quoted as in SQL or not: exactly, else in any case if one is called so.

    Of tables of one name in several schemas the one in the source's own is meant. Raises UnknownName, and SourceFault
    for a sheet of a workbook that is no table, and for a table that the role may not read.
    """
    own = backend.capabilities.schema
    if (named := parts_of(name)) is not None:
        for each in sorted(backend.tables(), key=lambda each: each.schema != own):
            if each.name == named[1] and named[0] in ("", each.schema):
                return each.readable()
    tables = sorted(backend.tables(), key=lambda each: each.schema != backend.capabilities.schema)
    for each in tables:
        if name in (each.name, f"{each.schema}.{each.name}"):
            return each.readable()
    wanted = name.casefold()
    folded = [each for each in tables if wanted in (each.name.casefold(), f"{each.schema}.{each.name}".casefold())]
    if len(folded) == 1:
        return folded[0].readable()
    if (fault := backend.refused(name)) is not None:
        raise fault
    known = [each.name if each.schema == own else f"{each.schema}.{each.name}" for each in tables]
    raise UnknownName("table", name, known, next_step="`ordermade source show` lists them.")


def row_secured(backend: Backend, query: exp.Expr) -> tuple[str, ...]:
    """The tables and views of a query of which the server shows the role some rows, by name."""
    named = {(each.db, each.name) for each in query.find_all(exp.Table)}
    secured = (each for each in backend.tables() if each.row_security)
    return tuple(each.name for each in secured if (each.reference.db, each.reference.name) in named)


def columns_of(backend: Backend, relation: exp.Expr) -> tuple[Column, ...]:
    """The columns of a table or query, as the source types them. Reads no data."""
    return tuple(Column(_name(backend, each.name), each.type) for each in backend.columns(relation))


def _name(backend: Backend, name: str) -> str:
    return UnverifiedHeader(name) if name in backend.unvouched else name


def row_count(backend: Backend, relation: exp.Expr) -> int:
    """The number of rows of a table or query."""
    tree = sql.with_relations(sql.template("dataset/row_count"), {"dataset": relation})
    return int(backend.executor.rows(Purpose.CATALOG, tree)[0][0])


def qualified(backend: Backend, query: exp.Query) -> exp.Query:
    """A provider's query with every table named as the catalog has it; UnknownName for a table that is not there."""
    for node in list(query.find_all(exp.Table)):
        if not node.args.get("db") and is_named_in_with(node):
            continue
        name = f"{node.db}.{node.name}" if node.args.get("db") else node.name
        reference = find_table(backend, name).reference.copy()
        reference.set("alias", node.args.get("alias") or exp.TableAlias(this=sql.identifier(node.name)))
        node.replace(reference)
    return query


def is_named_in_with(table: exp.Table) -> bool:
    """True if a WITH around the table defines its name: in any case, and before it unless it is recursive."""
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
