"""A source that is a database server: counted there in one read-only snapshot, with a workspace apart.

A server's own module gives its connection, its catalogue, its types and its way of sending rows; the rest is here.
"""

from __future__ import annotations

import contextlib
import json
import re
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from sqlglot import exp

from ordermade import sql
from ordermade.errors import InputError, PasswordNeeded, SourceChanged, SourceFault, UnfitValue, quoted
from ordermade.sources.backend import OPTED_OUT, Capabilities, CatalogTable, Column, RowEstimate, UnreadColumns
from ordermade.sources.executor import Executor, Listener, Parameters, Purpose, arrow, arrow_type
from ordermade.sources.limits import Limits
from ordermade.sources.portable import DatabaseFunctions
from ordermade.sources.remote_source import ApartExecutor, RemoteSource, arriving
from ordermade.sources.repeated_counts import RepeatedCounts
from ordermade.sources.server_facts import ServerFacts
from ordermade.sources.server_names import distinct_references, stored_names
from ordermade.sources.server_text import (
    HASHES,
    SOURCE,
    PrintedStatement,
    Printer,
    SentStatement,
    ServerTable,
    Uploaded,
)
from ordermade.sources.server_url import parsed_url, shown
from ordermade.sources.spill_folder import SpillFolder
from ordermade.sources.workspace import connect

if TYPE_CHECKING:
    import pyarrow as pa

_ESTIMATES = re.compile(r'"(?:Plan Rows|rows|rows_examined_per_scan)": (\d+)')
_UNREAD = "the server's catalogue cannot be read"
UNUSABLE = "BLOB"
UNMEASURED = "DECIMAL(38,0)"
"""The type of a column of numbers that may have any digits, where no statement may use it for those that it stores."""
"""The type in the mirror of a column that no statement may use."""


Read = TypeVar("Read")


class Lost(Exception):
    """The connection was lost, or there was none."""


MOST_PARTITIONS = 256
"""A table with more partitions is read whole: each costs a statement."""
_PARTITION = "\x1f"
"""Stands before the number of a partition in the name by which statements refer to it; in no name of a table."""


class Server(RemoteSource):
    """A database server. What is written beside it does not change what is read: all of it is of one moment.

    A table that is looked at has a mirror without rows in the workspace, by which DuckDB says how an answer is typed.
    """

    database: str
    """The server's name, in messages."""
    dialect: str
    """The name of its SQL in sqlglot."""
    scripts: str
    """The folder of its own SQL files."""
    longest_name: int
    """So long may the name of a table or column be."""
    executor: ServerExecutor
    row_hashes = HASHES
    guards_views = True
    """Whether a view keeps its rows from a reader's own functions until it has guarded them."""

    def __init__(
        self,
        location: str,
        *,
        writable: bool = False,
        limits: Limits,
        listener: Listener | None = None,
        allow_external: bool = False,
        place: str = "",
    ) -> None:
        self.writable = writable
        self.allow_external = allow_external
        self.where = self.locate(location)
        self._place = place or location
        self._counts: RepeatedCounts | None = None
        self._repeated: set[Purpose] = set()
        self.limits = limits
        self._uploaded: dict[str, Uploaded | None] = {}
        self._tables: dict[tuple[str, str], ServerTable] = {}
        self._shown: dict[tuple[str, str], CatalogTable] = {}
        self._mirrored: set[tuple[str, str]] = set()
        self._was_read = False
        self.executor = ServerExecutor(self, listener)
        self.spill = SpillFolder()
        try:
            with ThreadPoolExecutor(1) as meanwhile:  # both wait, or calculate, as long as the other
                connecting = meanwhile.submit(connect, None, self.spill, limits)
                self._begin()
            self.connection = connecting.result()
            self.workspace = Executor(self.connection, "workspace", listener=listener)
            self.connection.execute(sql.text(sql.template("sqlite/mirror")))
        except BaseException:
            self.close()
            raise

    def locate(self, location: str) -> str:
        """Notes where the server is; the location as messages have it. Raises SourceFault where it is none."""
        self.url = parsed_url(location)
        return shown(self.url)

    @abstractmethod
    def begin(self) -> str:
        """Connects, begins the read-only snapshot, and returns the schema of names without one. Raises Lost."""

    @abstractmethod
    def read_catalogue(self) -> tuple[ServerTable, ...]:
        """The tables and views that the role may read; their columns may be left unread."""

    def read_columns(self, table: ServerTable) -> ServerTable:
        """An unread table with its columns, by its name alone. Raises NoColumns where there are none."""
        return table

    @abstractmethod
    def answer(self, sent: SentStatement) -> Iterator[pa.RecordBatch]:
        """The answer to a statement, in its order."""

    @abstractmethod
    def fetch(self, text: str, bound: Mapping[str, object] | None) -> list[tuple[Any, ...]]:
        """All rows of a statement with a small answer."""

    @abstractmethod
    def filled(self, text: str, bound: Mapping[str, object]) -> str:
        """A statement with the values of its parameters written into it, as the driver quotes them."""

    @abstractmethod
    def listed(self, name: str, columns: pa.Table) -> Uploaded:
        """A table of the workspace as a query that lists its rows, its values bound."""

    @abstractmethod
    def translate(self, node: exp.Expr) -> exp.Expr:
        """A node as the dialect's printer needs it."""

    @abstractmethod
    def hashed(self, values: Sequence[exp.Expr]) -> exp.Expr:
        """The sum of one 64-bit hash a row, of its values."""

    @abstractmethod
    def faults(self, what: str) -> contextlib.AbstractContextManager[None]:
        """Around work on the server: its errors become Lost or SourceFault, which says their kind alone."""

    @abstractmethod
    def facts(self) -> ServerFacts:
        """The server as the role finds it. Counts nothing. Raises SourceFault."""

    @abstractmethod
    def disconnect(self) -> None:
        """Ends the transaction and the connection, where there is one."""

    def content_state(self) -> str:
        """A text that no other content of what the snapshot sees has; empty where the server proves no such thing."""
        return ""

    def vouched(self, state: str) -> None:
        """From here on counts of the content that a provider's query vouches for are repeated."""
        self._counts = self._counts_of(state, is_of_snapshot=False)

    def repeated_counts(self, statement: exp.Expr) -> RepeatedCounts | None:
        """The counts of the content that a statement reads, where it is provably of one state; None where it is not.

        A table with row security, and a view of one, shows rows by the role's settings: its snapshot proves nothing.
        """
        if self._counts is None:
            state = self._once_more("it is not known whether the source changed", self.content_state)
            self._counts = self._counts_of(state, is_of_snapshot=True)
        if not self._counts.state or (self._counts.is_of_snapshot and self._is_secured(statement)):
            return None
        return self._counts

    def _counts_of(self, state: str, *, is_of_snapshot: bool) -> RepeatedCounts:
        twins = self.limits.twins() if state else None
        return RepeatedCounts(twins, self._place, state, Path(self.spill.path), is_of_snapshot)

    def _is_secured(self, statement: exp.Expr) -> bool:
        tables = (self._looked_at(each) for each in statement.find_all(exp.Table))
        return any(each is not None and each.listed.row_security for each in tables)

    def repeat(
        self, counts: RepeatedCounts, purpose: Purpose, text: str, bound: Mapping[str, object]
    ) -> list[tuple[Any, ...]] | None:
        """The rows that a statement gave before, which count as read: a snapshot begun later may see others."""
        found = counts.find(text, bound)
        if found is not None:
            self._was_read = True
            self._repeated.add(purpose)
        return found

    def repeated(self, purpose: Purpose) -> bool:
        """Whether a count for this purpose was repeated, as the source is provably what it was when it gave it."""
        return purpose in self._repeated

    def gave(self, table: exp.Table, statement: Callable[[], exp.Query]) -> bool:
        """Whether it did; False for a table with columns that are typed by their values, which would be read."""
        if self._read_at((table.db, table.name)).unmeasured:
            return False
        tree = statement()
        counts = self.repeated_counts(tree)
        if counts is None:
            return False
        printed, _ = self.prepared(tree)
        return counts.find(printed.text, printed.bound) is not None

    def note_counts(self, counts: RepeatedCounts, text: str, bound: Mapping[str, object], rows: Sequence[Any]) -> None:
        """Notes what a statement gave, unless it was given in a snapshot that was begun meanwhile."""
        if self._counts is counts:
            counts.note(text, bound, rows)

    def partitions(self, table: exp.Table) -> tuple[exp.Table, ...]:
        """The partitions that are read in the place of a table, with its columns and their types.

        None of a table with row security, whose partitions have rules of their own, and of one with very many.
        """
        root = self._looked_at(table)
        if root is None or root.listed.row_security or root.listed.is_view:
            return ()
        with self.kept(_UNREAD):
            found = self.partitions_of(root)
        if not found or len(found) > MOST_PARTITIONS:
            return ()
        self._was_read = True  # a snapshot begun later may see others
        references = []
        for number, each in enumerate(found):
            reference = table.copy()
            reference.set("this", sql.identifier(f"{table.name}{_PARTITION}{number}"))
            at = (reference.db, reference.name)
            self._tables[at] = replace(each, listed=replace(root.listed, reference=reference))
            references.append(reference)
        return tuple(references)

    def partitions_of(self, table: ServerTable) -> Sequence[ServerTable]:
        """The partitions of a table, each as the table that is read; none where it is read whole."""
        del table
        return ()

    def keep_counts(self) -> None:
        """Keeps the counts of this snapshot for later requests, once its tables were seen to be unchanged."""
        if self._counts is not None:
            self._counts.keep()

    def about_to_read(self, tables: Iterable[tuple[str, str]]) -> None:
        """Before a statement that reads these, by schema and name: nothing to do where one snapshot has them all."""

    def measured(self, table: ServerTable, columns: Sequence[str]) -> ServerTable:
        """The table with the types of columns that follow from the values that they store, which are read."""
        del columns
        return table

    @property
    def printer(self) -> Printer:
        """Prints trees as the server's statements."""
        return Printer(self.database, self.dialect, self._tables, self.uploaded, self.translate)

    def tables(self) -> tuple[CatalogTable, ...]:
        """Every table and view that the role may read; the columns of each are read when they are looked at."""
        return tuple(self._shown.values())

    def look(self, schema: str, name: str) -> None:
        """Raises SourceFault for a table or view that no dataset may be made of."""

    def marks(self, schema: str, table: str) -> list[str | None]:
        """The comments of the tables and views of exactly that name. Raises InputError for a name it cannot have."""
        self.require_place(schema, table)
        bound = {"schema": schema, "table": table}
        with self.kept("the comment of a table cannot be read"):
            found = self.executor.plain(Purpose.CATALOG, sql.script(f"{self.scripts}/release_marks"), bound)
        return [comment for (comment,) in found]

    def require_place(self, schema: str, table: str) -> None:
        """Raises InputError where the server can have no table of that name in that schema."""
        del schema
        self.require_name(table)

    def require_name(self, name: str) -> None:
        """Raises InputError for a name that is longer than the server's names, which it would cut."""
        if self.length_of(name) > self.longest_name:
            raise InputError(
                f"the name {quoted(name)} is longer than {self.longest_name}, the longest of {self.database}",
                where="release.to.table",
                next_step="Choose a shorter name.",
            )

    def length_of(self, name: str) -> int:
        """The length of a name as the server counts it: in characters."""
        return len(name)

    def upload(self, table: str) -> None:
        """Notes a table for the statements that name it, which list its rows: nothing is written to the server."""
        self._uploaded[table] = None

    def receive(self, table: str, columns: pa.RecordBatchReader) -> None:
        """Keeps the rows of a table that a statement is about to list."""
        self._uploaded[table] = self.listed(table, columns.read_all())

    def lists(self, table: str) -> bool:
        """Whether the text of a statement has the rows of this table of the workspace: those who opted out never."""
        return table in self._uploaded and table != OPTED_OUT

    def uploaded(self, table: str) -> Uploaded | None:
        """A noted table as its rows are listed; None for any other."""
        if table in self._uploaded and self._uploaded[table] is None:
            super().upload(table)
        return self._uploaded.get(table)

    def columns(self, relation: exp.Expr) -> tuple[Column, ...]:
        """The columns of a table or query, as DuckDB types them over the mirror. Raises SourceFault."""
        query = relation if isinstance(relation, exp.Query) else exp.select("*").from_(relation.copy())
        self._ready(query)
        self.printer.text(query, is_run=False)
        return self._columns_of(query)

    def spelling(self, column: exp.Column) -> str:
        """The type of a column of a statement by the spellings of its values, such as `UUID`; empty if it has none."""

        def types(table: exp.Table) -> Mapping[str, str] | None:
            found = self._looked_at(table)
            return None if found is None else {**found.types, **found.spelt}

        return DatabaseFunctions(self.database, HASHES, types).type_of(column)

    def prepared(self, statement: exp.Expr) -> tuple[PrintedStatement, tuple[Column, ...]]:
        """A statement that is about to run, as the server gets it, and the columns of its answer.

        Raises SourceFault.
        """
        self._ready(statement)
        return self.printer.text(statement), self._columns_of(statement)

    def _columns_of(self, statement: exp.Expr) -> tuple[Column, ...]:
        """The columns of the answer to a statement over tables that are measured."""
        return self.typed(cast("exp.Query", statement.copy()))

    def estimated_rows(self, relation: exp.Expr, version: exp.Query) -> RowEstimate:
        """The most rows that a step of the server's plan of the version has, by its estimate; None where it has none.

        Nothing is read. Raises SourceFault.
        """
        del relation
        return RowEstimate(max(self.estimates(version), default=None), is_counted=False)

    def view_statement(self, view: exp.Table, query: exp.Query, listed: Collection[str]) -> str:
        """The statement that makes a view, in the server's dialect."""
        for each in listed:
            self.upload(each)
        parts = {"view": view, "query": exp.var(self.text(query, pretty=True))}
        return sql.script_over(f"{self.scripts}/create_view", self.dialect, parts)

    def estimates(self, query: exp.Query) -> list[int]:
        """The rows of each step of the server's plan of a query, by its estimate, the last step first."""
        self._ready(query)
        printed = self.printer.text(query)
        # Where nothing is bound, no % of the text is a parameter's.
        planned = sql.script(f"{self.scripts}/plan").replace("{statement}", printed.text)
        with self.kept("the server cannot plan the statement"):
            plan = self.executor.plain(Purpose.CATALOG, planned, printed.bound or None)[0][0]
        text = plan if isinstance(plan, str) else json.dumps(plan)
        return [int(each) for each in _ESTIMATES.findall(text)]

    def text(self, query: exp.Expr, *, pretty: bool = False) -> str:
        """The statement as the server gets it, with the tables of the workspace that it lists written into it.

        Persons who opted out stay parameters. Raises SourceFault for one that it would not answer as DuckDB does.
        """
        self._ready(query)
        printed = self.printer.text(query, pretty=pretty)
        listed = self._uploaded.get(OPTED_OUT)
        hidden = printed.bound.keys() & (listed.bound.keys() if listed is not None else ())
        text = printed.text
        for each in hidden:
            text = text.replace(f"%({each})s", f"%%({each})s")
        listed_rows = {name: value for name, value in printed.bound.items() if name not in hidden}
        return self.filled(text, listed_rows) if printed.bound else text

    def close(self) -> None:
        """Ends the transaction and closes the workspace, and removes what was spilled."""
        self.disconnect()
        super().close()

    def resumed(self, what: str, ask: Callable[[], Iterator[pa.RecordBatch]]) -> Iterator[pa.RecordBatch]:
        """The answer, once more on a new connection where the first is lost before anything was read of the source.

        Raises SourceFault, and SourceChanged where the catalogue is another by then.
        """
        is_second = False
        while True:
            try:
                with self.faults(what):
                    for batch in ask():
                        self._was_read = True
                        yield batch
            except Lost:
                if self._was_read or is_second:
                    raise self.lost(what) from None
                is_second = True
                self._begin_again()
            else:
                self._was_read = True
                return

    def _once_more(self, what: str, read: Callable[[], Read]) -> Read:
        """What is read of the server, once more on a new connection where nothing was read of the source before.

        Raises SourceFault, and SourceChanged where the catalogue is another by then.
        """
        try:
            return read()
        except Lost:
            if self._was_read:
                raise self.lost(what) from None
        self._begin_again()
        with self.kept(what):
            return read()

    @contextlib.contextmanager
    def kept(self, what: str) -> Iterator[None]:
        """Around statements that need the snapshot, after which a lost connection is an error."""
        try:
            yield
        except Lost:
            raise self.lost(what) from None

    def lost(self, what: str) -> SourceFault:
        """The error of a request whose connection was lost in the middle."""
        return SourceFault(
            f"{what}: the connection to the server was lost",
            where=self.where,
            next_step="Run it again: nothing was kept of this request.",
        )

    def _connected_once_more(self) -> tuple[str, dict[tuple[str, str], ServerTable]]:
        """The schema of names without one and the catalogue of a new connection, made again once where it is lost."""
        try:
            return self._connected_anew()
        except Lost:
            pass
        try:
            return self._connected_anew()
        except Lost:
            raise SourceFault(
                f"{self.database} does not answer",
                where=self.where,
                next_step="Check host, port and that the server runs.",
            ) from None

    def _connected_anew(self) -> tuple[str, dict[tuple[str, str], ServerTable]]:
        """The schema of names without one and the catalogue of a new connection. Raises Lost."""
        self.disconnect()
        return self._let_in(), distinct_references(self.read_catalogue())

    def _let_in(self) -> str:
        """As `begin`, with a password that is asked for where the server wants one and the URL has none."""
        try:
            return self.begin()
        except PasswordNeeded:
            ask = self.limits.ask_password
            if ask is None or self.url.password:
                raise
        self.disconnect()
        self.url = self.url.set(password=ask(self.where))
        return self.begin()

    def _begin_again(self) -> None:
        """Connects anew, for the statements that were made with the catalogue of before. Raises SourceChanged."""
        read = {at: each.listed for at, each in self._tables.items() if not each.is_unread}
        self._counts = None
        _, tables = self._connected_once_more()
        with self.kept(_UNREAD):
            again = {at: self._read(tables[at]) for at in read if at in tables}
        if read != {at: each.listed for at, each in again.items()}:
            raise SourceChanged(
                "the connection was lost, and tables were altered until it was made again",
                where=self.where,
                next_step="Run it again.",
            )
        self._take({**tables, **again})

    def _begin(self) -> None:
        """Connects; once more where the connection is lost before anything was read."""
        schema, tables = self._connected_once_more()
        self._take(tables)
        self.capabilities = Capabilities(
            releases_tables=self.writable,
            collates=False,
            evaluates_rules=False,
            joins_nulls=False,
            codes_in_workspace=True,
            schema=schema,
            names_schemas=True,
            counts_elsewhere=True,
            lists_tables=True,
            signs_zeros=False,
            makes_views=self.guards_views,
        )

    def _take(self, tables: Mapping[tuple[str, str], ServerTable]) -> None:
        self._tables, self._shown = {}, {}
        for at, each in tables.items():
            self._keep(at, each)

    def _keep(self, at: tuple[str, str], table: ServerTable) -> None:
        """Keeps what is known by now of the table with the reference of that schema and name."""
        self._tables[at], listed = table, table.listed
        columns = UnreadColumns(partial(self._columns_at, at)) if table.is_unread else listed.columns
        self._shown[at] = replace(listed, columns=columns, look=partial(self.look, table.schema, table.name))

    def _columns_at(self, at: tuple[str, str]) -> tuple[Column, ...]:
        return tuple(self._read_at(at).listed.columns)

    def _read_at(self, at: tuple[str, str]) -> ServerTable:
        """A table with its columns. Raises SourceFault, SourceChanged."""
        if self._tables[at].is_unread:
            self._keep(at, self._once_more(_UNREAD, lambda: self._read(self._tables[at])))
        return self._tables[at]

    def _read(self, table: ServerTable) -> ServerTable:
        return self.read_columns(table) if table.is_unread else table

    def _looked_at(self, node: exp.Table) -> ServerTable | None:
        """The table of the source that a node of a statement names, its columns read; None for any other."""
        at = (node.db, node.name)
        return self._read_at(at) if node.catalog == SOURCE and at in self._tables else None

    def _ready(self, query: exp.Expr) -> None:
        """Reads and mirrors what a statement names, and types the columns that the catalogue does not."""
        named = {each.name.casefold() for each in query.find_all(exp.Column)}
        for node in query.find_all(exp.Table):
            table, at = self._looked_at(node), (node.db, node.name)
            if table is None:
                continue
            if at not in self._mirrored:
                self._mirror_table(table)
            around = node.find_ancestor(exp.Select)
            whole = around is None or any(each.is_star for each in around.expressions)
            used = [each for each in sorted(table.unmeasured) if whole or each.casefold() in named]
            if used:
                self._keep(at, self.measured(table, used))
                self._mirror_table(self._tables[at])

    def _mirror_table(self, table: ServerTable) -> None:
        reference = table.listed.reference
        schema = exp.Table(db=sql.identifier(reference.db), catalog=sql.identifier(SOURCE))
        self.connection.execute(sql.text(exp.Create(this=schema, kind="SCHEMA", exists=True)))
        defined = [
            exp.ColumnDef(
                this=sql.identifier(column.name), kind=exp.DataType.build(_mirrored(table, column), dialect="duckdb")
            )
            for column in table.listed.columns
        ]
        mirror = exp.Schema(this=reference.copy(), expressions=defined)
        self.connection.execute(sql.text(exp.Create(this=mirror, kind="TABLE", replace=True)))
        self._mirrored.add((reference.db, reference.name))


def _mirrored(table: ServerTable, column: Column) -> str:
    is_unusable = column.name in {*table.unusable, *table.unmeasured} and column.type != UNMEASURED
    return UNUSABLE if is_unusable else column.type


def _unanswered(purpose: Purpose) -> str:
    return f"the source could not answer the {purpose} statement"


class ServerExecutor(ApartExecutor):
    """Runs statements on a server's connection and keeps the ledger of them."""

    def __init__(self, source: Server, listener: Listener | None) -> None:
        super().__init__(listener)
        self._source = source

    def rows(self, purpose: Purpose, statement: exp.Expr, parameters: Parameters | None = None) -> list[Any]:
        """All rows of the answer: those of before, where the source is provably unchanged. Raises SourceFault."""
        counts = self._source.repeated_counts(statement)
        if counts is None:
            return super().rows(purpose, statement, parameters)
        printed, _ = self._source.prepared(statement)
        bound = {**printed.bound, **(parameters or {})}
        found = self._source.repeat(counts, purpose, printed.text, bound)
        if found is None:
            found = super().rows(purpose, statement, parameters)
            self._source.note_counts(counts, printed.text, bound, found)
        return found

    def plain_counts(self, purpose: Purpose, statement: exp.Expr, text: str) -> list[Any]:
        """As `plain`, of a `text` that counts what a statement over the same tables reads."""
        counts = self._source.repeated_counts(statement)
        found = None if counts is None else self._source.repeat(counts, purpose, text, {})
        if found is None:
            found = self.plain(purpose, text)
            if counts is not None:
                self._source.note_counts(counts, text, {}, found)
        return found

    def read(self, purpose: Purpose, statement: exp.Expr, parameters: Parameters | None = None) -> pa.RecordBatchReader:
        """The answer as a reader of Arrow batches, in its order. Raises SourceFault."""
        printed, columns = self._source.prepared(statement)
        schema = arrow().schema([(each.name, _arrow_type(each.type)) for each in columns])
        bound = {**printed.bound, **(parameters or {})}
        stored = stored_names(statement, [each.name for each in columns])
        self._source.about_to_read([(each.db, each.name) for each in statement.find_all(exp.Table)])

        def batches() -> Iterator[pa.RecordBatch]:
            with self.noted(purpose, printed.text):
                sent = SentStatement(printed.text, bound, columns, schema, stored)
                answered = partial(self._source.answer, sent)
                yield from self._source.resumed(_unanswered(purpose), answered)

        return arriving(schema, batches())

    def plain(self, purpose: Purpose, text: str, bound: Mapping[str, object] | None = None) -> list[tuple[Any, ...]]:
        """All rows of a statement of a server's own module, as its driver gives them. Raises SourceFault."""
        with self.noted(purpose, text):
            return self._source.fetch(text, bound)

    @contextlib.contextmanager
    def failing(self, purpose: Purpose) -> Iterator[None]:
        """Around a statement: its error becomes SourceFault."""
        with self._source.faults(_unanswered(purpose)):
            try:
                yield
            except (arrow().ArrowException, OverflowError):
                raise UnfitValue(
                    f"a value does not fit the type that it is read as (in the {purpose} statement)",
                    next_step="Check what the dataset query calculates, and what its columns store.",
                ) from None


def _arrow_type(kind: str) -> pa.DataType:
    """The Arrow type of a type of DuckDB. Raises SourceFault for one that no server gives."""
    found = arrow_type(kind)
    if found is None:
        raise SourceFault(f"servers give no answers of the type {kind}", next_step="Leave the column out.")
    return found
