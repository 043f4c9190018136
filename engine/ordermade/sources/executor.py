"""The one way of every statement to a database: an executor, which counts, times and logs what it runs."""

from __future__ import annotations

import contextlib
import logging
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from typing import TYPE_CHECKING, Any

import duckdb
from sqlglot import exp

from ordermade import sql
from ordermade.errors import OrdermadeError, SourceFault, UnfitValue
from ordermade.machine.exhaustion import exhausted
from ordermade.machine.interrupts import running

if TYPE_CHECKING:
    import pyarrow as pa

log = logging.getLogger("ordermade.sql")


class Purpose(StrEnum):
    """The purpose of a statement; reports count by it."""

    LOAD = "load"
    CATALOG = "catalog"
    CODE_LIST = "code list"
    VERSION = "version"
    RECORDS = "records"
    COVERAGE = "coverage"
    IDENTIFYING = "identifying columns"
    FREQUENCY_SET = "frequency set"
    K_CHECK = "k-check"
    WITNESS = "witness"
    ROLL_UP = "roll-up"
    RELEASE = "release"
    MEASURE = "measure"
    STORE = "store"


@dataclass(frozen=True, slots=True)
class ExecutedStatement:
    """One statement that ran: its purpose, its text, the seconds it took. Never its bound values or its answer.

    `processor_seconds`: those of this process, in all of its threads; a server's own are not in them.
    """

    purpose: Purpose
    text: str
    seconds: float
    processor_seconds: float = 0.0

    def event(self, executor: str) -> dict[str, object]:
        """What a structured log says of it: never its text, which may have a condition of a request."""
        seconds = round(self.seconds, 6)
        return {"event": "statement", "on": executor, "statement": str(self.purpose), "seconds": seconds}


_CAST = "Cast it to a wider type, or to a type that every value fits, in a dataset query."

ARRIVING = "arriving"
"""The name of a table while it is being taken."""

_PARTS = "arriving_parts"
"""The name of a table that arrives in several groups of batches, until all of it is there."""

BATCH = 131_072
"""So many rows come at a time."""

AT_ONCE = 8 * BATCH
"""So many rows of an answer are in memory at a time while they are kept."""

Parameters = Mapping[str, Any]
Listener = Callable[[ExecutedStatement], None]


def count_for(ledger: Iterable[ExecutedStatement], purposes: Iterable[Purpose]) -> int:
    """The number of statements of a ledger that ran for any of the purposes."""
    wanted = set(purposes)
    return sum(each.purpose in wanted for each in ledger)


class Executor:
    """Runs statements on one DuckDB connection and keeps the ledger of them.

    `name` says whose executor it is in messages and logs (`source`, `workspace`); `fault` is the error that a failing
    statement becomes. The database's own message is not passed on: it may quote a value.
    """

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        name: str,
        fault: type[OrdermadeError] = SourceFault,
        listener: Listener | None = None,
    ) -> None:
        self._connection = connection
        self._name = name
        self._fault = fault
        self._listener = listener
        self._memory: str | None = None
        self.ledger: list[ExecutedStatement] = []

    def rows(self, purpose: Purpose, statement: exp.Expr | str, parameters: Parameters | None = None) -> list[Any]:
        """All rows of the answer, as tuples. Raises the executor's fault."""
        text = statement if isinstance(statement, str) else sql.text(statement)
        with self._noted(purpose, text):
            cursor = self._connection.execute(text, dict(parameters) if parameters else None)
            answer: list[Any] = cursor.fetchall()
        return answer

    def read(
        self, purpose: Purpose, query: exp.Query, parameters: Parameters | None = None, rows: int = BATCH
    ) -> pa.RecordBatchReader:
        """The answer as a reader of Arrow batches, in its order, some `rows` at a time; it always has a schema.

        No other statement may run on this connection until they are all taken. Raises the executor's fault.
        """
        text = sql.text(query)
        with self._failing(purpose):
            reader = self._connection.sql(text, params=dict(parameters or {})).to_arrow_reader(rows)

        def batches() -> Iterator[pa.RecordBatch]:
            with self._noted(purpose, text, (duckdb.Error, arrow().ArrowException, OSError)):
                yield from reader

        return arrow().RecordBatchReader.from_batches(reader.schema, batches())

    def typed(self, purpose: Purpose, query: exp.Query) -> list[tuple[str, str]]:
        """The names and types of the columns of an answer, of a query that is not run. Raises the executor's fault."""
        with self._failing(purpose):
            relation = self._connection.sql(sql.text(query))
            return [(name, str(kind)) for name, kind in zip(relation.columns, relation.types, strict=True)]

    def batches(self, purpose: Purpose, query: exp.Query, rows: int) -> Iterator[pa.RecordBatch]:
        """The rows of the answer as Arrow, in its order, some `rows` at a time.

        No other statement may run on this connection until they are all taken; the seconds of the caller count, too.
        Raises the executor's fault.
        """
        # The errors that an error of DuckDB becomes in the middle of its answer, beside itself.
        failures = (duckdb.Error, arrow().ArrowException, OSError)
        text = sql.text(query)
        with self._noted(purpose, text, failures):
            yield from self._connection.sql(text).to_arrow_reader(rows)

    def take(
        self,
        purpose: Purpose,
        table: str,
        columns: pa.Table | pa.RecordBatchReader,
        query: exp.Query | None = None,
        parameters: Parameters | None = None,
    ) -> None:
        """Keeps an Arrow table, or the answer of a `query` over it as `ARRIVING`, as the temporary table `table`.

        Raises the executor's fault.
        """
        whole = sql.with_relations(sql.select("workspace/taken"), {"dataset": exp.to_table(ARRIVING)})
        self._connection.register(ARRIVING, columns)
        try:
            self.store(purpose, table, whole if query is None else query, parameters)
        finally:
            self._connection.unregister(ARRIVING)

    def take_batches(
        self,
        purpose: Purpose,
        table: str,
        answer: pa.RecordBatchReader,
        query: exp.Query | None = None,
        parameters: Parameters | None = None,
    ) -> None:
        """Keeps an answer, or that of a `query` over it as `ARRIVING`, as `take` does, with `AT_ONCE` rows in memory.

        The calling thread takes the batches: one of DuckDB's would not hear a Ctrl-C until the last has come.
        """
        groups = _grouped(answer)
        first, second = next(groups), next(groups, None)
        if second is None:
            self.take(purpose, table, first, query, parameters)
            return
        arrived = table if query is None else _PARTS
        self.take(purpose, arrived, first)
        for group in chain([second], groups):
            self._append(purpose, arrived, group)
        if query is not None:
            self.store(purpose, table, sql.with_relations(query, {ARRIVING: exp.to_table(_PARTS)}), parameters)
            self.rows(purpose, sql.dropped(_PARTS))

    def _append(self, purpose: Purpose, table: str, columns: pa.Table) -> None:
        tree = sql.template("workspace/append")
        tree.set("this", exp.to_table(table))
        tree.expression.set("expressions", [exp.Star()])
        self._connection.register(ARRIVING, columns)
        try:
            self.rows(purpose, sql.with_relations(tree, {"dataset": exp.to_table(ARRIVING)}))
        finally:
            self._connection.unregister(ARRIVING)

    def store(self, purpose: Purpose, table: str, query: exp.Query | str, parameters: Parameters | None = None) -> None:
        """Keeps the answer of `query` as the temporary table `table` of this connection."""
        text = query if isinstance(query, str) else sql.text(query)
        self.rows(purpose, sql.stored_text(table, text), parameters)

    def stream(self, purpose: Purpose, statement: exp.Expr) -> None:
        """Runs a statement that writes rows in one thread, so that they are written as they come, in their order.

        In several, all rows that one block of a table is multiplied into are collected before any of them is written.
        """
        with self.in_one_thread():
            self.rows(purpose, statement)

    def let_go(self, *tables: str) -> None:
        """Drops tables of the workspace, and gives the memory of all that is gone back to the machine.

        DuckDB keeps what it no longer needs for later statements until its limit of memory is set, to whatever figure.
        """
        for table in tables:
            self.rows(Purpose.STORE, sql.dropped(table))
        if self._memory is None:  # once: it is told in fewer digits than it has
            self._memory = str(self.rows(Purpose.STORE, sql.as_written("workspace/memory_limit"))[0][0])
        tree = sql.template("workspace/set_memory_limit")
        for literal in tree.find_all(exp.Literal):
            literal.set("this", self._memory)
        self.rows(Purpose.STORE, tree)

    @contextlib.contextmanager
    def in_one_thread(self) -> Iterator[None]:
        """Around statements that other threads would not make faster; later ones run in as many as before."""
        ((threads,),) = self.rows(Purpose.STORE, sql.as_written("workspace/threads"))
        self.rows(Purpose.STORE, _in_threads.text(1))
        try:
            yield
        finally:
            self.rows(Purpose.STORE, _in_threads.text(int(threads)))

    def count(self, purposes: Iterable[Purpose]) -> int:
        """Count the statements that ran for any of the purposes."""
        return count_for(self.ledger, purposes)

    @contextlib.contextmanager
    def _noted(
        self, purpose: Purpose, text: str, failures: tuple[type[Exception], ...] = (duckdb.Error,)
    ) -> Iterator[None]:
        """Around a statement: it goes into the ledger when it is done, its error becomes the executor's fault."""
        started, worked = time.perf_counter(), time.process_time()
        with self._failing(purpose, failures):
            yield
        done = ExecutedStatement(purpose, text, time.perf_counter() - started, time.process_time() - worked)
        self.ledger.append(done)
        log.debug("%s: %s in %.4f s: %s", self._name, purpose, done.seconds, text, extra=done.event(self._name))
        if self._listener:
            self._listener(done)

    @contextlib.contextmanager
    def _failing(self, purpose: Purpose, failures: tuple[type[Exception], ...] = (duckdb.Error,)) -> Iterator[None]:
        """Around a statement: its error becomes the executor's fault."""
        try:
            with running(self._connection):
                yield
        except (duckdb.InterruptException, RuntimeError) as error:
            if "interrupt" in str(error).lower():  # what a Ctrl-C in the middle of a statement becomes
                raise KeyboardInterrupt from None
            raise
        except failures as error:
            if str(error).startswith("INTERRUPT"):
                raise KeyboardInterrupt from None
            raise self._translated(purpose, error) from None

    def _translated(self, purpose: Purpose, error: Exception) -> OrdermadeError:
        kind = type(error).__name__
        unfit = _unfit(error)
        if unfit and issubclass(UnfitValue, self._fault):
            return UnfitValue(f"{unfit} (in the {purpose} statement)", next_step=_CAST)
        what = f"the {self._name} could not answer the {purpose} statement ({kind})"
        return self._fault(what, next_step=_advice(error))


@sql.BuiltOnce
def _in_threads(number: int) -> exp.Expr:
    tree = sql.template("workspace/set_threads")
    for literal in tree.find_all(exp.Literal):
        literal.set("this", str(number))
    return tree


def _grouped(answer: pa.RecordBatchReader) -> Iterator[pa.Table]:
    """The batches of an answer as tables of about `AT_ONCE` rows: one at least, without rows where it has none."""
    batches: list[pa.RecordBatch] = []
    rows, is_first = 0, True
    for batch in answer:
        batches.append(batch)
        rows += batch.num_rows
        if rows >= AT_ONCE:
            yield arrow().Table.from_batches(batches, answer.schema)
            batches, rows, is_first = [], 0, False
    if batches or is_first:
        yield arrow().Table.from_batches(batches, answer.schema)


def arrow() -> Any:
    """The module pyarrow, imported when it is first used."""
    import pyarrow

    return pyarrow


def arrow_type(kind: str) -> pa.DataType | None:
    """The Arrow type that values of a type of DuckDB arrive as; None where they have none."""
    types: Mapping[str, Any] = {
        "BOOLEAN": arrow().bool_(),
        "TINYINT": arrow().int8(),
        "SMALLINT": arrow().int16(),
        "INTEGER": arrow().int32(),
        "BIGINT": arrow().int64(),
        "UTINYINT": arrow().uint8(),
        "USMALLINT": arrow().uint16(),
        "UINTEGER": arrow().uint32(),
        "UBIGINT": arrow().uint64(),
        "HUGEINT": arrow().decimal128(38, 0),
        "FLOAT": arrow().float32(),
        "DOUBLE": arrow().float64(),
        "DATE": arrow().date32(),
        "TIME": arrow().time64("us"),
        "TIMESTAMP": arrow().timestamp("us"),
        "TIMESTAMP WITH TIME ZONE": arrow().timestamp("us", tz="UTC"),
        "VARCHAR": arrow().string(),
        "BLOB": arrow().binary(),
    }
    decimal = re.fullmatch(r"DECIMAL\((\d+),(\d+)\)", kind)
    if decimal:
        return arrow().decimal128(int(decimal.group(1)), int(decimal.group(2)))
    return types.get(kind)


def _unfit(error: Exception) -> str:
    """Name the value that does not fit its type, from the kind of a database error; empty where it is another error."""
    if isinstance(error, duckdb.OutOfRangeException):
        return "a calculation goes beyond the range of its type"
    if isinstance(error, duckdb.ConversionException) and "CSV" not in str(error):
        return "a value does not fit the type that it is read as"
    if isinstance(error, duckdb.InvalidInputException) and not re.search("CSV|parquet", str(error), re.IGNORECASE):
        return "a function does not take some value"
    return ""


def _advice(error: Exception) -> str:
    """Advise on a database error, from its kind and a line number at most."""
    message = str(error)
    line = re.search(r"\bLine:? (\d+)", message)
    if "max_temp_directory_size" in message:
        return (
            "The folder of spilled data is full: allow more (ORDERMADE_SPILL, for example 50GB), give the engine more "
            "memory (ORDERMADE_MEMORY), or put TMPDIR on a larger disk."
        )
    short = exhausted(error)
    if short is not None and not isinstance(error, duckdb.OutOfMemoryException):
        return f"{short.what[0].upper()}{short.what[1:]}. {short.next_step}"
    if isinstance(error, duckdb.PermissionException):
        return (
            "A view reads a file beyond its database, or needs an extension: make it a table, or register the source "
            "with --allow-external."
        )
    if isinstance(error, duckdb.OutOfMemoryException) or message.startswith("Out of Memory"):
        return "Give the engine more memory (ORDERMADE_MEMORY, for example 4GB), or free disk for what it spills."
    if "No space left" in message or "File too large" in message:
        return "The disk is full: free space, then run it again."
    if line and "CSV" in message:
        return (
            f"Line {line.group(1)} of the file does not fit the rest: mend it, or state its types in a dataset query."
        )
    if isinstance(error, duckdb.IOException | duckdb.HTTPException):
        return "Check that the files are there, readable, and not being written by another process."
    if isinstance(error, duckdb.ConversionException):
        return "A value does not fit the type it is read as: mend the data, or cast it in a dataset query."
    return "Check that the files are whole and what their endings say; ORDERMADE_LOG=debug logs the statement."
