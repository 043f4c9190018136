"""Spark as a source: it counts where the data is, answers as Arrow, and takes keys as tables that are broadcast."""

from __future__ import annotations

import contextlib
import re
import secrets
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any, NoReturn, cast

import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession, functions
from pyspark.sql.pandas.types import from_arrow_type
from pyspark.sql.types import StructField, StructType
from sqlglot import exp

from ordermade import sql
from ordermade.errors import InputError, SourceFault, quoted
from ordermade.sources.backend import CatalogTable, Column, Overlaid, PlannedStatement, SourceQuery, is_named_in_with
from ordermade.sources.executor import BATCH, Executor, Parameters, Purpose
from ordermade.sources.server import Server
from ordermade.sources.server_facts import ServerFacts, TableRights
from ordermade.sources.server_names import of_one_case
from ordermade.sources.server_text import SOURCE, Convert, Printer, SentStatement, ServerTable, Uploaded
from ordermade.sources.spark_faults import fault
from ordermade.sources.spark_location import PATHS, Place, parsed
from ordermade.sources.spark_session import FAILURES, quietly, started
from ordermade.sources.spark_text import DATABASE, DIALECT, hashed, translated, typed

_BROADCAST = 64 * 2**20
"""Bytes: a larger table of the workspace is joined as Spark chooses."""
_UNKNOWN = "it is not known whether tables were written to"

Listing = tuple[tuple[str, int, int], ...]
"""The files of a table: the address, size and time of change of each."""


@dataclass(frozen=True, slots=True)
class SparkRows:
    """What Spark keeps: how statements name it, the types of its columns in the workspace, and its rows as a frame."""

    reference: exp.Table
    types: Mapping[str, str]
    frame: DataFrame


class Spark(Server):
    """A Spark, local, standalone or behind Connect: tables of its catalogue, and Parquet files at paths.

    It gives no snapshot. The files of each table that is read are noted before, and compared again by `changed`; of a
    table without files, such as one that is read by JDBC, the version is.
    """

    database = DATABASE
    dialect = DIALECT
    scripts = "spark"
    longest_name = 255
    guards_views = False
    place: Place
    _session: SparkSession | None = None

    def locate(self, location: str) -> str:
        """Notes where Spark is; the location as messages have it."""
        self.place = parsed(location)
        self._held: dict[tuple[str, str], ServerTable] = {}
        self._noted: dict[tuple[str, str], Listing | tuple[int, int] | None] = {}
        return self.place.shown

    def begin(self) -> str:
        """Starts Spark where the process has none, and returns the schema of names without one."""
        what = "Spark cannot be started" if not self.place.is_connect else "Spark does not answer"
        try:
            self._session = session = started(self.place)
        except (SourceFault, InputError):
            raise
        except Exception as error:
            if not isinstance(error, (*FAILURES, OSError, RuntimeError, ValueError)):
                raise
            raise fault(error, what, self.where) from None
        with self.faults("the catalogue cannot be read"):
            if self.place.catalog:
                session.catalog.setCurrentCatalog(self.place.catalog)
            if self.place.schema:
                session.catalog.setCurrentDatabase(self.place.schema)
            own = session.catalog.currentDatabase()
        return PATHS if self.place.paths and not self.place.schema else own

    def _begin(self) -> None:
        super()._begin()
        self.capabilities = replace(
            self.capabilities,
            lists_tables=False,
            fences=False,  # its LIMIT is of 32 bits, less than some datasets have
            joins_nulls=True,
            releases_tables=self.writable and self.keeps_tables,
            writes_folders=not self.place.is_connect,
            signs_zeros=False,  # its GROUP BY makes -0.0 0.0
        )

    @property
    def keeps_tables(self) -> bool:
        """Whether a table that is made stays when the session ends: not in Spark's own catalogue in memory."""
        if self.place.catalog and self.place.catalog != "spark_catalog":
            return True
        return bool(self.connected.conf.get("spark.sql.catalogImplementation", "in-memory") != "in-memory")

    def read_catalogue(self) -> tuple[ServerTable, ...]:
        """The tables of the location's paths, then those of the schema that it names, or of every schema."""
        with self.faults("the catalogue cannot be read"):
            catalog = self.connected.catalog
            schemas = [self.place.schema] if self.place.schema else [each.name for each in catalog.listDatabases()]
            listed = [
                (schema, each.name, each.tableType == "VIEW")
                for schema in schemas
                for each in catalog.listTables(_quoted(schema))
                if not each.isTemporary
            ]
        return (*self._of_paths(), *(self._of_catalogue(*each) for each in listed))

    def about_to_read(self, tables: Iterable[tuple[str, str]]) -> None:
        """Notes the files of each table, or its version where it has none, once."""
        for each in tables:
            if each not in self._tables or each in self._noted:
                continue
            self._noted[each] = None  # the version of a table without files is read by a statement like any other
            self._noted[each] = self._state(self._tables[each])

    def changed(self) -> bool:
        """Whether the files of a table that was read are others by now, or its rows where it has no files."""
        for each, before in self._noted.items():
            table = self._tables[each]
            if table.name not in self.place.paths:
                with self.faults(_UNKNOWN):
                    self.connected.catalog.refreshTable(_named(table))
            if before != self._state(table):
                return True
        return False

    def has_few_groups(self, values: exp.Query) -> bool:
        """Always, as far as the workspace is concerned: no statement collects the rows of a table to count them."""
        del values
        return True

    def estimates(self, query: exp.Query) -> list[int]:
        """None: Spark plans without having counted."""
        del query
        return []

    def answer(self, sent: SentStatement) -> Iterator[pa.RecordBatch]:
        """The answer of one job, as Arrow."""
        found = self.run(sent.text)
        arrays = [column.cast(field.type) for column, field in zip(found.columns, sent.schema, strict=True)]
        yield from pa.Table.from_arrays(arrays, schema=sent.schema).to_batches(BATCH)

    def run(self, text: str) -> pa.Table:
        """The answer of a statement. Spark ends its job where Python does not wait for it."""
        session, tag = self.connected, f"ordermade-{secrets.token_hex(8)}"
        session.addTag(tag)
        try:
            with quietly():
                return session.sql(text).toArrow()
        except BaseException as error:
            if not isinstance(error, FAILURES):
                with contextlib.suppress(*FAILURES):
                    session.interruptTag(tag)
            raise
        finally:
            with contextlib.suppress(*FAILURES):
                session.removeTag(tag)

    def fetch(self, text: str, bound: Mapping[str, object] | None) -> list[tuple[Any, ...]]:
        """All rows of a statement with a small answer."""
        del bound
        found = self.run(text)
        return list(zip(*(each.to_pylist() for each in found.columns), strict=True))

    def filled(self, text: str, bound: Mapping[str, object]) -> str:
        """The statement itself, which binds nothing."""
        del bound
        return text

    def listed(self, name: str, columns: pa.Table) -> Uploaded:
        """A table as a private temporary view, which joins broadcast."""
        view = f"ordermade_{name}_{secrets.token_hex(4)}"
        with self.faults("the source could not take a table of the engine's own"), quietly():
            frame = self.frame(columns)
            if columns.nbytes <= _BROADCAST:
                frame = functions.broadcast(frame)
            frame.createOrReplaceTempView(view)
        selected = [sql.column(each) for each in columns.column_names]
        return Uploaded(exp.Select(expressions=selected, from_=exp.From(this=sql.table(view))), {})

    def keep_view(self, purpose: Purpose, name: str, query: exp.Query, *, on_disk: bool) -> SparkRows:
        """Keeps the answer to a query in Spark, as a private view that later statements may read. Raises SourceFault.

        Nothing is calculated before it is wanted; `on_disk`: then once, for every statement.
        """
        printed, columns = self.prepared(query)
        self.about_to_read([(each.db, each.name) for each in query.find_all(exp.Table)])
        view = f"ordermade_{name}_{secrets.token_hex(4)}"
        with self.executor.noted(purpose, printed.text), quietly():
            frame = self.connected.sql(printed.text)
            if on_disk:
                frame = frame.persist(StorageLevel.DISK_ONLY)
            frame.createOrReplaceTempView(view)
        reference = sql.table(name, schema=view, catalog=SOURCE)
        listed = CatalogTable(name, view, columns, reference, is_view=True)
        table = ServerTable(listed, "", view, {each.name: None for each in columns}, {})
        self._held[view, name] = table
        self._mirror_table(table)
        return SparkRows(reference, table.types, frame)

    @property
    def printer(self) -> Printer:
        """Prints trees as statements of Spark, over the views that it keeps, too."""
        known = super().printer
        return replace(known, tables={**known.tables, **self._held})

    def counting(self) -> Executor:
        """What counts the rows of a release where they are: Spark."""
        return RowsInSpark(self)

    def frame(self, columns: pa.Table) -> DataFrame:
        """An Arrow table as a frame of Spark's, in the types that it has."""
        table = _in_known_types(columns)
        kinds = [(each.name, from_arrow_type(each.type, prefer_timestamp_ntz=True)) for each in table.schema]
        schema = StructType([StructField(name, kind) for name, kind in kinds])
        with quietly():
            return self.connected.createDataFrame(table, schema=schema)

    def translate(self, node: exp.Expr) -> exp.Expr:
        """A node as Spark calculates it as DuckDB does."""
        return translated(node)

    def hashed(self, values: Sequence[exp.Expr]) -> exp.Expr:
        """The sum of one 64-bit hash a row."""
        return hashed(values)

    @contextlib.contextmanager
    def faults(self, what: str) -> Iterator[None]:
        """Around work in Spark: its errors become SourceFault, with the condition that they name alone."""
        try:
            yield
        except Exception as error:
            if not isinstance(error, FAILURES):
                raise
            raise fault(error, what, self.where) from None

    def facts(self) -> ServerFacts:
        """Spark as the session finds it."""
        session = self.connected
        with self.faults("Spark does not say what it is"):
            version = session.version
        tables = tuple(
            TableRights(
                schema=each.schema,
                name=each.listed.name,
                columns=len(each.listed.columns),
                readable=len(each.listed.columns),
                writable=False,
                about=None,
                row_security=False,
                snapshot=True,
            )
            for each in self._tables.values()
        )
        keeps = self.keeps_tables
        return ServerFacts(
            server=f"Spark {version}",
            user=self.place.shown,
            time_zone="UTC",
            encoding="UTF-8",
            collation="UTF8_BINARY",
            tls=None,
            standby=False,
            read_only=not keeps,
            may_write=keeps,
            powers=(),
            tables=tables,
        )

    def marks(self, schema: str, table: str) -> list[str | None]:
        """The comments of the tables and views of that name. Raises InputError for a name that Spark has none for."""
        self.require_place(schema, table)
        with self.faults("the comment of a table cannot be read"):
            catalog = self.connected.catalog
            return [
                None if each.tableType == "VIEW" else each.description
                for each in catalog.listTables(_quoted(schema))
                if not each.isTemporary and each.name.casefold() == table.casefold()
            ]

    def disconnect(self) -> None:
        """Lets go of the session; the process's Spark goes on, for the next one."""
        if self._session is not None and self.place.is_connect:
            with contextlib.suppress(*FAILURES):
                self._session.stop()
        self._session = None

    @property
    def connected(self) -> SparkSession:
        """The session. Raises SourceFault once it is closed."""
        if self._session is None:
            raise SourceFault("the source is closed", where=self.where, next_step="Open it again.")
        return self._session

    def _of_paths(self) -> list[ServerTable]:
        """A table for each path, called as the last part of it without its ending."""
        found: list[ServerTable] = []
        for path in self.place.paths:
            name = _name_of(path)
            if any(each.listed.name == name for each in found):
                raise InputError(
                    f"two paths would be called {quoted(name)}", where=self.where, next_step="Rename one of them."
                )
            with self.faults(f"the Parquet files of {quoted(name)} cannot be read"):
                fields = _fields(self.connected.read.parquet(path))
            found.append(_described(PATHS, path, name, fields, is_view=False))
        return found

    def _of_catalogue(self, schema: str, name: str, is_view: bool) -> ServerTable:
        try:
            with self.faults(f"the table {quoted(name)} cannot be read"):
                fields = _fields(self.connected.table(f"{_quoted(schema)}.{_quoted(name)}"))
        except SourceFault as fault:
            broken = CatalogTable(
                name, schema, (), sql.table(name, schema=schema, catalog=SOURCE), is_view, fault=fault
            )
            return ServerTable(broken, schema, name, {}, {})
        return _described(schema, name, name, fields, is_view=is_view)

    def _state(self, table: ServerTable) -> Listing | tuple[int, int]:
        """The files of a table; where it has none, its rows and the sum of their hashes."""
        with self.faults(_UNKNOWN):
            session, is_path = self.connected, table.name in self.place.paths
            frame = session.read.parquet(table.name) if is_path else session.table(_named(table))
            files = frame.inputFiles()
            if files:
                return self._listing(frame, files)
        statement = self.version_statement(table.listed.reference, table.listed.columns)
        ((rows, hashes),) = self.executor.rows(Purpose.VERSION, statement)
        return int(rows), int(hashes)

    def _listing(self, frame: DataFrame, files: Sequence[str]) -> Listing:
        if self.place.is_connect:
            fields = [f"_metadata.{each}" for each in ("file_path", "file_size", "file_modification_time")]
            taken = frame.select(*(functions.col(each) for each in fields)).distinct().toArrow()
            rows = zip(*(each.to_pylist() for each in taken.columns), strict=True)
            return tuple(sorted((str(path), int(size), int(at.timestamp() * 1e6)) for path, size, at in rows))
        context = self.connected.sparkContext
        java, conf = context._jvm, context._jsc.hadoopConfiguration()
        if java is None:
            raise SourceFault(_UNKNOWN, where=self.where, next_step="Run it again.")
        found = []
        for each in files:
            path = java.org.apache.hadoop.fs.Path(java.java.net.URI(each))
            status = path.getFileSystem(conf).getFileStatus(path)
            found.append((each, int(status.getLen()), int(status.getModificationTime())))
        return tuple(sorted(found))


def _fields(frame: DataFrame) -> list[tuple[str, str]]:
    """The names and types of the columns of a frame."""
    return [(each.name, each.dataType.simpleString()) for each in frame.schema.fields]


def _described(schema: str, name: str, shown: str, fields: Sequence[tuple[str, str]], *, is_view: bool) -> ServerTable:
    columns: list[Column] = []
    conversions: dict[str, Convert | None] = {}
    unusable: dict[str, str] = {}
    for called, kind in fields:
        found, conversion = typed(kind)
        columns.append(Column(called, found or kind.upper()))
        conversions[called] = conversion
        if found is None:
            unusable[called] = f"is of the type {kind.partition('<')[0]}, which no class can be counted by"
    kept, ambiguous = of_one_case(columns)
    unusable |= dict.fromkeys(ambiguous, "is called like another one but for upper and lower case")
    reference = sql.table(name, schema=schema, catalog=SOURCE)
    listed = CatalogTable(shown, schema, kept, reference, is_view)
    return ServerTable(listed, schema, name, conversions, unusable)


def _name_of(path: str) -> str:
    """The name of the table at a path: its last part, without an ending, or the folder of a glob."""
    parts = [each for each in PurePosixPath(path.partition("://")[2] or path).parts if not re.search(r"[*?{\[]", each)]
    name = parts[-1] if parts else "data"
    return re.sub(r"\.(parquet|pq)$", "", name.strip("/"), flags=re.IGNORECASE) or "data"


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _named(table: ServerTable) -> str:
    """A table as Spark's catalogue is given its name."""
    return f"{_quoted(table.schema)}.{_quoted(table.name)}"


def _in_known_types(columns: pa.Table) -> pa.Table:
    """A table without whole numbers of no sign, which Spark has not."""
    types = pa.types
    wider = {
        types.is_uint8: pa.int16(),
        types.is_uint16: pa.int32(),
        types.is_uint32: pa.int64(),
        types.is_uint64: pa.decimal128(20, 0),
    }
    fields = []
    for field in columns.schema:
        kind = next((to for is_it, to in wider.items() if is_it(field.type)), field.type)
        fields.append(field.with_type(kind))
    return columns.cast(pa.schema(fields))


_COUNTED = "counted"
"""The subquery that Spark answers, of a statement whose rows the workspace numbers."""


_AT_ONCE = 4096
"""Repetitions of a row that are made at a time."""


class RowsInSpark(Executor):
    """The workspace of a release whose rows stay in Spark.

    Tables called as one of `kept_there` are views of Spark. A statement that reads one, or a table of the source, runs
    there; every other runs in the workspace.
    """

    def __init__(self, source: Spark, kept_there: Collection[str] = ()) -> None:
        super().__init__(source.connection, "workspace")
        self.ledger = source.workspace.ledger
        self._source = source
        self._kept_there = frozenset(kept_there)
        self._held: dict[str, SparkRows] = {}

    def rows(self, purpose: Purpose, statement: exp.Expr | str, parameters: Parameters | None = None) -> list[Any]:
        """All rows of an answer, which is small. Raises SourceFault."""
        if isinstance(statement, exp.Query) and self._is_of_spark(statement):
            query, part = _finished_apart(self._over_held(statement))
            columns = self._source.read(purpose, query, parameters, part=part).read_all().columns
            return list(zip(*(each.to_pylist() for each in columns), strict=True))
        return super().rows(purpose, statement, parameters)

    def store(self, purpose: Purpose, table: str, query: exp.Query | str, parameters: Parameters | None = None) -> None:
        """Keeps the answer of `query`: in Spark, or in the workspace, where it is of classes. Raises SourceFault.

        A text is of tables of the workspace alone.
        """
        if isinstance(query, str) or not self._is_of_spark(query):
            super().store(purpose, table, query, parameters)
        elif table in self._kept_there:
            # The first of them is counted once, and read by every later statement.
            over = self._over_held(query)
            self._held[table] = self._source.keep_view(purpose, table, over, on_disk=not self._held)
        else:
            query, part = _finished_apart(self._over_held(query))
            self._source.keep(purpose, table, query, part=part)
        if table not in self._kept_there:
            self._source.upload(table)  # an earlier table of the name is not it

    def read(
        self, purpose: Purpose, query: exp.Query, parameters: Parameters | None = None, rows: int = 0
    ) -> pa.RecordBatchReader:
        """Refuses rows of Spark, which would come one by one."""
        if self._is_of_spark(query):
            self._refuse()
        return super().read(purpose, query, parameters, rows) if rows else super().read(purpose, query, parameters)

    def stream(self, purpose: Purpose, statement: exp.Expr) -> None:
        """Refuses rows of Spark, likewise."""
        if self._is_of_spark(statement):
            self._refuse()
        super().stream(purpose, statement)

    def write(self, table: str, columns: Mapping[str, str], folder: Path) -> None:
        """Writes a table, each row as often as its `n` says, as Parquet files in a new folder. Raises SourceFault.

        `columns`: the name of each column in the release, by its name in the table.
        """
        with self._source.executor.noted(Purpose.RELEASE, f"{table} AS parquet.`{folder}`"):
            rows = _repeated(self._held[table].frame)
            named = rows.select(*(rows[inner].alias(name) for inner, name in columns.items()))
            named.write.parquet(folder.as_uri(), mode="error")

    def let_go_of_all(self) -> None:
        """Gives the disk of what Spark has kept back to it."""
        for each in self._held.values():
            with self._source.faults("Spark does not let go of a table"):
                each.frame.unpersist()
        self._held.clear()

    def _is_of_spark(self, statement: exp.Expr) -> bool:
        tables = statement.find_all(exp.Table)
        return any(each.catalog == SOURCE or (not each.db and each.name in self._held) for each in tables)

    def _over_held(self, query: exp.Query) -> exp.Query:
        """The query as Spark runs it: over its views, and tables of the workspace that are noted for it."""
        found = sql.with_relations(query.copy(), {name: each.reference for name, each in self._held.items()})
        for each in found.find_all(exp.Table):
            if not each.db and not is_named_in_with(each) and self._source.uploaded(each.name) is None:
                self._source.upload(each.name)
        self._drop_casts(found)
        return found

    def _drop_casts(self, query: exp.Query) -> None:
        """Leaves out casts of columns of Spark's views to the types that they have."""
        views = {each.reference.db: each for each in self._held.values()}
        seen = {each.alias_or_name: views[each.db].types for each in query.find_all(exp.Table) if each.db in views}
        for each in list(query.find_all(exp.Cast)):
            value = each.this
            known = seen.get(value.table, {}).get(value.name) if isinstance(value, exp.Column) else None
            if known is not None and exp.DataType.build(known, dialect=sql.DIALECT) == each.to:
                each.replace(value)

    def _refuse(self) -> NoReturn:
        raise SourceFault(
            "the rows of this release stay in Spark", where=self._source.where, next_step="Release to a file."
        )


class InSpark(Overlaid):
    """A Spark as the backend of a release whose rows stay there: its workspace is `RowsInSpark`."""

    def __init__(self, source: Spark, kept_there: Collection[str]) -> None:
        super().__init__(source)
        self.workspace: RowsInSpark = RowsInSpark(source, kept_there)

    def read_query(self, purpose: Purpose, query: SourceQuery) -> pa.RecordBatchReader:
        """The answer to a query, unless it has rows of Spark."""
        return self.workspace.read(purpose, query.tree, query.parameters)

    def keep_query(self, purpose: Purpose, table: str, query: SourceQuery) -> None:
        """Keeps the answer to a query where its rows belong."""
        self.workspace.store(purpose, table, query.tree, query.parameters)

    def plan_query(self, query: SourceQuery, table: str | None) -> Sequence[PlannedStatement]:
        """The source's."""
        return self._backend.plan_query(query, table)


def _finished_apart(query: exp.Query) -> tuple[exp.Query, str]:
    """The query, of which the workspace numbers the rows and writes texts; and the part of it that Spark answers.

    Spark numbers rows by an order alone, and writes some values otherwise.
    """
    if not any(each.find(exp.RowNumber) or isinstance(each.unalias(), exp.Cast) for each in query.selects):
        return query, ""
    inner, outside = cast("exp.Select", query.copy()), []
    for each in list(inner.expressions):
        there = sql.column(each.alias_or_name, _COUNTED)
        value = each.unalias()
        if each.find(exp.RowNumber):
            outside.append(each.copy())
            each.pop()
        elif isinstance(value, exp.Cast):
            outside.append(sql.named(exp.Cast(this=there, to=value.to.copy()), each.alias_or_name))
            value.replace(value.this)
        else:
            outside.append(there)
    return exp.Select(expressions=outside).from_(inner.subquery(_COUNTED, copy=False)), _COUNTED


def _repeated(frame: DataFrame) -> DataFrame:
    """The rows of a frame, each as often as its `n` says, in blocks: one array of all repetitions might not fit."""
    col, lit = functions.col, functions.lit
    of_blocks = frame.withColumn("n", col("n").cast("bigint"))
    blocks = functions.explode(functions.sequence(lit(0).cast("bigint"), functions.floor((col("n") - 1) / _AT_ONCE)))
    of_blocks = of_blocks.withColumn("block", blocks)
    left = functions.least(lit(_AT_ONCE).cast("bigint"), col("n") - col("block") * _AT_ONCE)
    return of_blocks.withColumn("repetition", functions.explode(functions.sequence(lit(1).cast("bigint"), left)))
