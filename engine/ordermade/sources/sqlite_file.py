"""A source that is a SQLite database file: counted in SQLite, read-only, in one transaction, with a workspace apart."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from ordermade import sql
from ordermade.errors import SourceFault, UnfitValue, quoted
from ordermade.sources.backend import OPTED_OUT, Capabilities, CatalogTable, Column, UnreadColumns
from ordermade.sources.duckdb_file import existing
from ordermade.sources.executor import BATCH, Executor, Listener, Parameters, Purpose, arrow, arrow_type
from ordermade.sources.limits import Limits
from ordermade.sources.remote_source import ApartExecutor, RemoteSource, arriving
from ordermade.sources.spill_folder import SpillFolder
from ordermade.sources.sqlite_functions import Hashes, make_known
from ordermade.sources.sqlite_text import DIALECT, HASHES, READERS, giving, printed
from ordermade.sources.sqlite_views import COLLATED, require_stable_views
from ordermade.sources.workspace import connect

if TYPE_CHECKING:
    import pyarrow as pa

MAGIC = b"SQLite format 3\x00"
"""The first bytes of every SQLite database."""
SOURCE = "source"
"""The name that the database is attached under in SQLite, and its mirror in the workspace."""
MIXED = "MIXED"
"""The type of a column that holds values of several kinds, which no statement may use."""
_TYPE_OF_MIXED = "BLOB"
_GIVEN = frozenset(
    ["BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "HUGEINT", "DOUBLE"]
) | {"DATE", "TIMESTAMP", "VARCHAR", "BLOB"}
"""The types of DuckDB that SQLite gives answers of."""
_POINTS = {"DATE": "DATE", "DATETIME": "TIMESTAMP", "TIMESTAMP": "TIMESTAMP"}
"""The types of columns of texts that are days and moments, by what they were declared."""
_AS_IT_IS = "+0 days"
"""Makes SQLite normalise a day, so that 30 February is written as 1 March."""
_ADVICE = {
    sqlite3.SQLITE_NOTADB: "Check the path: this is not a SQLite database, or it is encrypted.",
    sqlite3.SQLITE_CORRUPT: "The file is damaged: take a whole copy; `PRAGMA integrity_check` in sqlite3 says where.",
    sqlite3.SQLITE_BUSY: "Another process writes it: run this again, or wait longer (`ordermade --wait SECONDS …`).",
    sqlite3.SQLITE_LOCKED: "Another process writes it: run this again, or wait longer (`ordermade --wait SECONDS …`).",
    sqlite3.SQLITE_FULL: "The disk for temporary files is full: free space, then run it again.",
    sqlite3.SQLITE_READONLY: "A writer left it unfinished: open it once with sqlite3, which mends it, or take a copy.",
    sqlite3.SQLITE_CANTOPEN: "Check that the file can be read; in WAL mode its folder has to be writable, too.",
}
_CHECK = "Check the path and the query; ORDERMADE_LOG=debug logs the statement."


@dataclass(frozen=True, slots=True)
class _Stored:
    """The types of the values that a column stores."""

    integers: int | None
    reals: int | None
    texts: int | None
    blobs: int | None
    large: int | None
    booleans: int | None
    written_in_one_way: int | None


class SQLiteExecutor(ApartExecutor):
    """Runs statements on one SQLite connection and keeps the ledger of them."""

    def __init__(
        self, connection: sqlite3.Connection, source: SQLiteFile, where: str, listener: Listener | None
    ) -> None:
        super().__init__(listener)
        self._connection = connection
        self._source = source
        self._where = where

    def read(self, purpose: Purpose, statement: exp.Expr, parameters: Parameters | None = None) -> pa.RecordBatchReader:
        """The answer as a reader of Arrow batches, in its order. Raises SourceFault."""
        schema = arrow().schema([(each.name, _arrow_type(each.type)) for each in self._source.columns(statement)])
        text = self._source.text(statement)

        def batches() -> Iterator[pa.RecordBatch]:
            with self.noted(purpose, text):
                cursor = self._connection.execute(text, dict(parameters or {}))
                while rows := cursor.fetchmany(BATCH):
                    yield _as_batch(rows, schema, purpose)

        return arriving(schema, batches())

    def plain(self, purpose: Purpose, text: str) -> list[Any]:
        """All rows of a statement of this module, as SQLite gives them. Raises SourceFault."""
        with self.noted(purpose, text):
            return self._connection.execute(text).fetchall()

    def failing(self, purpose: Purpose) -> contextlib.AbstractContextManager[None]:
        """Around a statement: its error becomes SourceFault."""
        return faults(self._where, f"the source could not answer the {purpose} statement")


class SQLiteFile(RemoteSource):
    """A SQLite database. A writer beside it does not change what is read: all of it is of the moment it was opened.

    Its tables have a mirror without rows in the workspace, by which DuckDB says how an answer is typed.
    """

    executor: SQLiteExecutor
    row_hashes = HASHES

    def __init__(self, path: Path, *, limits: Limits, listener: Listener | None = None) -> None:
        self.path = existing(path)
        self.spill = SpillFolder()
        self._tables: tuple[CatalogTable, ...] = ()
        self._received: dict[str, tuple[exp.Expr, ...]] = {}
        self._sqlite: sqlite3.Connection | None = None
        try:
            self.connection = connect(None, self.spill, limits)
            self.workspace = Executor(self.connection, "workspace", listener=listener)
            self.connection.execute(sql.text(sql.template("sqlite/mirror")))
            self._sqlite = _opened(path, limits)
            self.executor = SQLiteExecutor(self._sqlite, self, str(path), listener)
            collates = self._read_tables()
        except BaseException:
            self.close()
            raise
        self.capabilities = Capabilities(
            releases_tables=False,
            collates=collates,
            collated=(COLLATED, lambda _, name: self._looked_at(name)),
            evaluates_rules=False,
            codes_in_workspace=True,
            lists_tables=True,
            signs_zeros=False,
        )

    def tables(self) -> tuple[CatalogTable, ...]:
        """Every table and view of the database, with the types of what their columns store."""
        return self._tables

    def receive(self, table: str, columns: pa.RecordBatchReader) -> None:
        """Copies a table into a temporary one of the connection, with an index on its first column."""
        create = sql.template("sqlite/received")
        create.this.set("this", exp.to_table(table))
        create.this.set("expressions", [_declared(field) for field in columns.schema])
        insert = sql.template("sqlite/receive")
        insert.set("this", exp.to_table(table))
        places = [exp.Placeholder() for _ in columns.schema]
        insert.expression.set("expressions", [exp.Tuple(expressions=places)])
        index = sql.template("sqlite/received_key")
        index.this.set("this", exp.to_identifier(f"{table}_key"))
        index.this.set("table", exp.to_table(table))
        ordered = index.this.args["params"].args["columns"][0]
        ordered.replace(exp.to_identifier(columns.schema.names[0], quoted=True))
        drop = sql.template("workspace/drop")
        for node in list(drop.find_all(exp.Table)):
            node.replace(sql.table(table, schema="temp"))  # else a table of the source that is called so is meant
        connection = self._connected
        with faults(str(self.path), "the source could not take a table of the engine's own"):
            connection.execute("PRAGMA query_only = 0")
            try:
                for each in (drop, create):
                    connection.execute(each.sql(dialect=DIALECT))
                statement = insert.sql(dialect=DIALECT)
                self._received[table] = (drop, create, insert, index)
                for batch in columns:
                    lists = [_as_sqlite(column) for column in batch.columns]
                    connection.executemany(statement, zip(*lists, strict=True))
                connection.execute(index.sql(dialect=DIALECT))
            finally:
                connection.execute("PRAGMA query_only = 1")

    def columns(self, relation: exp.Expr) -> tuple[Column, ...]:
        """The columns of a table or query, as DuckDB types them over the mirror. Raises SourceFault."""
        query = relation.copy() if isinstance(relation, exp.Query) else exp.select("*").from_(relation.copy())
        self._refuse_mixed(query)
        self.text(query)
        return self.typed(query)

    def column_names(self, table: CatalogTable) -> list[str]:
        """The names as they were declared: their types are those of the values that they store."""
        return [name for name, _ in self._declared(table.name)]

    def lists(self, table: str) -> bool:
        """Whether statements that give SQLite this table of the workspace are laid out: those who opted out never."""
        return table in self._received and table != OPTED_OUT

    def text(self, query: exp.Expr, *, pretty: bool = False) -> str:
        """The statement as SQLite gets it, laid out after those that give it the tables of the workspace it reads.

        Persons who opted out are not among them. Raises SourceFault for one that it would not answer as DuckDB does.
        """
        tables = self._read_by(query)
        types = {name: {each.name: each.type for each in table.columns} for name, table in tables.items()}
        text = printed(query, SOURCE, types, pretty=pretty)
        if not pretty:
            return text
        given = sorted(each for each in {each.name for each in query.find_all(exp.Table)} if self.lists(each))
        return "\n".join(
            [*(each for table in given for each in giving(self._connected, table, self._received[table])), text]
        )

    def interrupt(self) -> None:
        """Ends the statement that runs, of SQLite or of the workspace."""
        super().interrupt()
        self._connected.interrupt()

    def close(self) -> None:
        """Closes the database and the workspace, and removes what was spilled."""
        if self._sqlite is not None:
            self._sqlite.close()
        super().close()

    @property
    def _connected(self) -> sqlite3.Connection:
        if self._sqlite is None:
            raise SourceFault("the source is closed", where=str(self.path), next_step="Open it again.")
        return self._sqlite

    def _read_tables(self) -> bool:
        """Lists the tables and views, whose columns are read later; whether any compares texts by a collation."""
        listed = sql.with_relations(
            sql.select("sqlite/tables"), {"sqlite_master": sql.table("sqlite_master", schema=SOURCE)}
        )
        found = self.executor.plain(Purpose.CATALOG, listed.sql(dialect=DIALECT))
        self._views = {str(name): str(text or "") for name, kind, text in found if kind == "view"}
        self._stored = {str(name): str(text or "") for name, kind, text in found if kind != "view"}
        self._tables = tuple(
            CatalogTable(
                name,
                "main",
                UnreadColumns(partial(self._mirrored_columns, name, kind)),
                sql.table(name, schema=SOURCE),
                kind == "view",
            )
            for name, kind, _ in found
        )
        return any("COLLATE" in (text or "").upper() for *_, text in found)

    def _mirrored_columns(self, name: str, kind: str) -> tuple[Column, ...]:
        """Reads the columns of a table or view, and makes its mirror. Raises SourceFault, which names it."""
        if name in self._views:
            self._looked_at(name)
        try:
            columns = self._columns_of(name)
        except SourceFault as fault:
            what = f"the {kind} {quoted(name)} cannot be read: {fault.what}"
            kind_of_fault = UnfitValue if isinstance(fault, UnfitValue) else SourceFault
            raise kind_of_fault(what, where=fault.where, next_step=fault.next_step) from None
        defined = [
            exp.ColumnDef(
                this=sql.identifier(each.name), kind=exp.DataType.build(_mirrored(each.type), dialect="duckdb")
            )
            for each in columns
        ]
        mirror = exp.Schema(this=sql.table(name, schema=SOURCE), expressions=defined)
        self.connection.execute(sql.text(exp.Create(this=mirror, kind="TABLE")))
        return columns

    def _looked_at(self, name: str) -> Collection[str]:
        """The columns of a table or view that are texts which may be equal and differ. Raises SourceFault."""
        return require_stable_views(self._views, self._stored, name, self._declared)

    def _read_by(self, query: exp.Expr) -> dict[str, CatalogTable]:
        """The tables and views that a statement reads, by name; their columns are read, and mirrored."""
        named = {each.name for each in query.find_all(exp.Table) if each.db == SOURCE}
        return {each.name: each.readable() for each in self._tables if each.name in named}

    def _declared(self, table: str) -> list[tuple[str, str]]:
        """The columns of a table with the types they were declared with, none where they were computed."""
        info = sql.template("sqlite/declared")
        for each in list(info.find_all(exp.Placeholder, exp.Parameter)):
            each.replace(exp.Literal.string(table))
        declared = dict(self.executor.plain(Purpose.CATALOG, info.sql(dialect=DIALECT)))
        whole = exp.select("*").from_(sql.table(table, schema=SOURCE)).limit(0)
        with faults(str(self.path), f"the columns of {quoted(table)} cannot be read"):
            described = self._connected.execute(whole.sql(dialect=DIALECT)).description
        return [(each[0], (declared.get(each[0]) or "").upper()) for each in described]

    def _columns_of(self, table: str) -> tuple[Column, ...]:
        """The columns of a table, typed by one pass where they store what they were declared for, else by one each."""
        declared = self._declared(table)
        plain = {name: plainly for name, kind in declared if (plainly := _plainly(kind))}
        unusual: dict[str, int | None] = {}
        if plain:
            tree = sql.select("sqlite/unusual")
            (fragment,) = tree.expressions
            found = []
            for name, (storage, _) in plain.items():
                filled = sql.with_expressions(fragment.copy(), {"dataset.qi": sql.column(name, "dataset")})
                found.append(sql.named(sql.with_literal(filled, "text", exp.Literal.string(storage)), name))
            tree.set("expressions", found)
            tree = sql.with_relations(tree, {"dataset": sql.table(table, schema=SOURCE)})
            (row,) = self.executor.plain(Purpose.CATALOG, tree.sql(dialect=DIALECT))
            unusual = dict(zip(plain, row, strict=True))
        return tuple(
            self._column(table, name, kind) if unusual.get(name, 1) else Column(name, plain[name][1])
            for name, kind in declared
        )

    def _column(self, table: str, name: str, declared: str) -> Column:
        column = sql.column(name, "dataset")
        written: exp.Expr = exp.Null()
        if declared in _POINTS:
            function = "DATE" if declared == "DATE" else "DATETIME"
            written = exp.Anonymous(this=function, expressions=[column.copy(), exp.Literal.string(_AS_IT_IS)])
        tree = sql.with_expressions(
            sql.select("sqlite/stored"), {"dataset.qi": column, "dataset.id": column, "dataset.code": written}
        )
        tree = sql.with_relations(tree, {"dataset": sql.table(table, schema=SOURCE)})
        (found,) = self.executor.plain(Purpose.CATALOG, tree.sql(dialect=DIALECT))
        return Column(name, type_of(declared, _Stored(*found)))

    def _refuse_mixed(self, query: exp.Expr) -> None:
        """Raises SourceFault where a statement uses a column that holds values of several kinds."""
        tables = self._read_by(query)
        for node in query.find_all(exp.Table):
            table = tables.get(node.name) if node.db == SOURCE else None
            mixed = [] if table is None else [each.name for each in table.columns if each.type == MIXED]
            used = {each.name.casefold() for each in query.find_all(exp.Column)}
            around = node.find_ancestor(exp.Select)
            whole = around is not None and around.is_star
            for name in mixed:
                if whole or name.casefold() in used:
                    raise SourceFault(
                        f"the column {quoted(name)} of {quoted(node.name)} holds values of several kinds, such as "
                        "numbers and texts",
                        where=str(self.path),
                        next_step="Store one kind in it, or register a dataset query that leaves the column out.",
                    )


def type_of(declared: str, stored: _Stored) -> str:
    """DuckDB's type for a column, by what it was declared (in capitals) and stores; `MIXED` if of several kinds."""
    if stored.blobs and (stored.integers or stored.reals or stored.texts):
        return MIXED
    if stored.texts and (stored.integers or stored.reals):
        return MIXED
    if stored.integers and stored.reals:
        return MIXED if stored.large else "DOUBLE"
    if stored.blobs:
        return "BLOB"
    if stored.texts:
        return _POINTS.get(declared, "VARCHAR") if stored.written_in_one_way else "VARCHAR"
    if stored.reals:
        return "DOUBLE"
    if stored.integers:
        if "BOOL" in declared and stored.booleans:
            return "BOOLEAN"
        return "DOUBLE" if _has_fractions(declared) and not stored.large else "BIGINT"
    return _empty(declared)


def _plainly(declared: str) -> tuple[str, str] | None:
    """The name of a column's declared kind in SQLite, and its type, where the declaration says it; else None."""
    if "BOOL" in declared or "DATE" in declared or "TIME" in declared:
        return None
    if "INT" in declared:
        return ("integer", "BIGINT")
    if any(part in declared for part in ("CHAR", "CLOB", "TEXT")):
        return ("text", "VARCHAR")
    return ("real", "DOUBLE") if any(part in declared for part in ("REAL", "FLOA", "DOUB")) else None


def _has_fractions(declared: str) -> bool:
    """Whether a column of numbers was declared for fractions, though all that it stores are whole."""
    digits = declared.partition("(")[2].rstrip(")").split(",")
    return declared.startswith(("DEC", "NUM")) and len(digits) == 2 and digits[1].strip() != "0"


def _empty(declared: str) -> str:
    """The type of a column that stores nothing."""
    for part, kind in (
        ("BOOL", "BOOLEAN"), ("DATETIME", "TIMESTAMP"), ("TIMESTAMP", "TIMESTAMP"), ("DATE", "DATE"), ("INT", "BIGINT"),
        ("CHAR", "VARCHAR"), ("CLOB", "VARCHAR"), ("TEXT", "VARCHAR"), ("REAL", "DOUBLE"), ("FLOA", "DOUBLE"),
        ("DOUB", "DOUBLE"), ("DEC", "DOUBLE"), ("NUM", "DOUBLE"),
    ):  # fmt: skip
        if part in declared:
            return kind
    return "VARCHAR"


def _mirrored(kind: str) -> str:
    return _TYPE_OF_MIXED if kind == MIXED else kind


def _opened(path: Path, limits: Limits) -> sqlite3.Connection:
    """A connection with the database attached read-only, in the transaction whose snapshot everything sees."""
    location = f"{path.absolute().as_uri()}?mode=ro"
    with faults(str(path), "the database cannot be opened"):
        connection = sqlite3.connect(
            ":memory:", uri=True, isolation_level=None, check_same_thread=False, timeout=limits.wait.seconds
        )
        try:
            attach = exp.Attach(this=exp.alias_(exp.Literal.string(location), SOURCE))
            connection.execute(attach.sql(dialect=DIALECT))
            connection.execute("PRAGMA case_sensitive_like = 1")
            make_known(connection, {name: (1, function) for name, function in READERS.values()})
            connection.create_aggregate(HASHES, -1, Hashes)  # type: ignore[arg-type]
            # A callback now and then lets a Ctrl-C reach Python in the middle of a statement.
            connection.set_progress_handler(lambda: 0, 1_000_000)
            connection.execute("BEGIN")
            connection.execute("PRAGMA query_only = 1")
        except BaseException:
            connection.close()
            raise
    return connection


@contextlib.contextmanager
def faults(where: str, what: str) -> Iterator[None]:
    """Around work in SQLite: its errors become SourceFault, which says their kind, and no message of theirs."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code == sqlite3.SQLITE_INTERRUPT:
            raise KeyboardInterrupt from None
        kind = getattr(error, "sqlite_errorname", type(error).__name__)
        # A statement that was read fails so for what a function makes of some value.
        fault = UnfitValue if code in (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_TOOBIG) else SourceFault
        raise fault(f"{what} ({kind})", where=where, next_step=_ADVICE.get(code, _CHECK)) from None


def _arrow_type(kind: str) -> pa.DataType:
    """The Arrow type of a type of DuckDB. Raises SourceFault for one that SQLite does not give."""
    found = arrow_type(kind) if kind in _GIVEN else None
    if found is None:
        raise SourceFault(f"SQLite gives no answers of the type {kind}", next_step="Leave the column out.")
    return found


def _as_batch(rows: Sequence[Sequence[Any]], schema: pa.Schema, purpose: Purpose) -> pa.RecordBatch:
    """Rows of SQLite as Arrow. Raises UnfitValue, which quotes none, for a value that is not of its column's type."""
    try:
        arrays = [_as_arrow(column, field.type) for column, field in zip(zip(*rows, strict=True), schema, strict=True)]
        return arrow().RecordBatch.from_arrays(arrays, schema=schema)
    except (arrow().ArrowException, OverflowError, TypeError, ValueError):
        raise UnfitValue(
            f"a value does not fit the type that it is read as (in the {purpose} statement)",
            next_step="Check what the dataset query calculates: numbers beyond 64 bits become fractions in SQLite.",
        ) from None


def _as_arrow(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    """Values of SQLite as Arrow."""
    types = arrow().types
    if types.is_date(kind) or types.is_timestamp(kind):
        return arrow().array(values, arrow().string()).cast(kind)
    if types.is_boolean(kind) or types.is_integer(kind) or types.is_decimal(kind):
        return arrow().array(values, arrow().int64()).cast(kind)
    return arrow().array(values, kind)


def _as_sqlite(column: pa.Array) -> list[Any]:
    """Values of Arrow as SQLite stores them: days and moments as texts, truth as 0 and 1."""
    types = arrow().types
    if types.is_timestamp(column.type):
        return [None if each is None else each.isoformat(" ") for each in column.to_pylist()]
    if types.is_date(column.type):
        return [None if each is None else each.isoformat() for each in column.to_pylist()]
    if types.is_boolean(column.type):
        return column.cast(arrow().int8()).to_pylist()  # type: ignore[no-any-return]
    if types.is_decimal(column.type):
        return [None if each is None else int(each) for each in column.to_pylist()]
    return column.to_pylist()  # type: ignore[no-any-return]


def _declared(field: pa.Field) -> exp.ColumnDef:
    """A column of a temporary table, declared for what it stores."""
    types = arrow().types
    kind = "TEXT"
    if types.is_integer(field.type) or types.is_boolean(field.type) or types.is_decimal(field.type):
        kind = "BIGINT"
    elif types.is_floating(field.type):
        kind = "DOUBLE"
    return exp.ColumnDef(
        this=exp.to_identifier(field.name, quoted=True), kind=exp.DataType.build(kind, dialect="duckdb")
    )
