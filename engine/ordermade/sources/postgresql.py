"""PostgreSQL as a source: `COPY` brings rows, arrays take keys there, one REPEATABLE READ transaction reads."""

from __future__ import annotations

import contextlib
import selectors
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import psycopg
import pyarrow as pa
from psycopg import errors
from psycopg.pq import ExecStatus
from pyarrow import csv
from sqlglot import exp

from ordermade import sql
from ordermade.errors import NoColumns, SourceFault, quoted
from ordermade.sources.backend import Column, parts_of
from ordermade.sources.executor import Purpose
from ordermade.sources.portable import cast_of, compared, is_text
from ordermade.sources.postgresql_faults import ADVICE, CONNECTION, fault
from ordermade.sources.postgresql_keys import DIALECT, INFINITE_DAY, INFINITE_MOMENT, by_bytes, listed
from ordermade.sources.postgresql_views import look_in_postgresql
from ordermade.sources.server import UNMEASURED, Server
from ordermade.sources.server_facts import ServerFacts, require_version, table_rights, unreadable
from ordermade.sources.server_names import of_one_case, unread_table
from ordermade.sources.server_text import HASHES, Convert, SentStatement, ServerTable, Uploaded

if TYPE_CHECKING:
    from psycopg.pq.abc import PGconn

_BYTES = 1 << 22
"""So many bytes of an answer are parsed at a time."""
_AS_THEY_ARE: Mapping[str, str] = {
    "bool": "BOOLEAN",
    "int2": "SMALLINT",
    "int4": "INTEGER",
    "int8": "BIGINT",
    "float4": "FLOAT",
    "float8": "DOUBLE",
    "bytea": "BLOB",
    "date": "DATE",
    "time": "TIME",
    "timestamp": "TIMESTAMP",
    "timestamptz": "TIMESTAMP WITH TIME ZONE",
}
_TEXTS = frozenset(["text", "varchar"])
_AS_TEXTS = frozenset(["bpchar", "citext", "name", "char", "uuid", "inet", "cidr", "macaddr", "timetz"])
"""Types whose values are compared as their texts."""
_DOCUMENTS = frozenset(["json", "jsonb"])
_RANGES = frozenset(
    f"{each}{several}range" for each in ("int4", "int8", "num", "date", "ts", "tstz") for several in ("", "multi")
)
_ARRAYS = frozenset(f"_{each}" for each in (*_AS_THEY_ARE, *_TEXTS, *_AS_TEXTS, "numeric"))
"""Types of several values, which are compared and released as their texts, too: equal ones may have several."""
_SPELT: Mapping[str, str] = {"uuid": "UUID", "bpchar": "CHAR"}
"""Types of which a value has several spellings."""
_MAX_DIGITS = 38
_COPIED = "TABLE query"
"""The query of the COPY of the template."""
_ROWS_A_GROUP = 11
"""Fewer rows a group than these are sent as they are. The planner expects ten at least where it knows no better."""
_UNREAD = "the server's catalogue cannot be read"
_UNKNOWN = "it is not known whether tables were altered"


@dataclass(frozen=True, slots=True)
class _Described:
    """A column of the catalogue."""

    name: str
    type: str
    kind: str
    modifier: int


class PostgreSQL(Server):
    """A PostgreSQL database, 13 or later."""

    database = "PostgreSQL"
    dialect = DIALECT
    scripts = "postgres"
    longest_name = 63
    advice: Mapping[str, str] = ADVICE
    """The next step, by the beginning of SQLSTATE."""
    _session: psycopg.Connection[Any] | None = None

    def begin(self) -> str:
        """Connects, and begins the read-only snapshot."""
        url = self.url.set(drivername="postgresql+psycopg")
        # Of the URL alone: a connection of SQLAlchemy's own begins with statements that nothing here needs.
        _, wanted = url.get_dialect()().create_connect_args(url)
        wanted = {
            **wanted,
            "connect_timeout": max(2, round(self.limits.wait.seconds)),
            "application_name": "ordermade",
            "client_encoding": "UTF8",
        }
        with self.faults(CONNECTION):
            self._session = session = psycopg.connect(**wanted)
            self.set_transaction(session)
        wait = str(round(self.limits.wait.seconds * 1000))
        (schema, *_, version) = self.executor.plain(Purpose.CATALOG, sql.script("postgres/settings"), {"wait": wait})[0]
        require_version(self.database, f"{int(version) // 10_000}", self.where)
        return str(schema)

    def set_transaction(self, session: psycopg.Connection[Any]) -> None:
        """Makes the session's transactions read-only, each of one snapshot."""
        session.read_only = True
        session.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ

    def content_state(self) -> str:
        """The cluster, the role and the transactions that the snapshot sees; empty of a standby."""
        return str(self.executor.plain(Purpose.CATALOG, sql.script("postgres/content_state"))[0][0])

    def length_of(self, name: str) -> int:
        """The length of a name as the server counts it: in bytes."""
        return len(name.encode())

    def read_catalogue(self) -> tuple[ServerTable, ...]:
        """The tables and views that the role may read, in every schema but the server's own."""
        found = self.executor.plain(Purpose.CATALOG, sql.script("postgres/catalog"))
        return tuple(
            unread_table(schema, name, is_view=is_view, row_security=is_secured)
            for schema, name, is_view, is_secured in found
        )

    def read_columns(self, table: ServerTable) -> ServerTable:
        """The table with its columns."""
        bound = {"schema": table.schema, "table": table.name}
        rows = self.executor.plain(Purpose.CATALOG, sql.script("postgres/columns"), bound)
        if not rows:
            raise NoColumns(
                f"the {table.kind} {quoted(table.name)} has no column that may be read",
                where=self.where,
                next_step=self.advice["42501"],
            )
        return _described(table, [_Described(*each) for each in rows])

    def partitions_of(self, table: ServerTable) -> tuple[ServerTable, ...]:
        """The leaves of a partitioned table; none where one cannot be read by itself as it is read by the table."""
        bound = {"schema": table.schema, "table": table.name}
        found = self.executor.plain(Purpose.CATALOG, sql.script("postgres/partitions"), bound)
        if not all(is_fit for _, _, is_fit in found):
            return ()
        return tuple(replace(table, schema=schema, name=name) for schema, name, _ in found)

    def interrupt(self) -> None:
        """Ends the statement that runs, of the server or of the workspace."""
        super().interrupt()
        if self._session is not None:
            self._session.cancel()

    def answer(self, sent: SentStatement) -> Iterator[pa.RecordBatch]:
        """The answer, by COPY."""
        copied = sql.script("postgres/copy").replace(_COPIED, _arriving(sent.text, sent.columns))
        session = self.connected
        with session.cursor() as cursor, cursor.copy(copied.encode(), sent.bound or None):
            for block in _blocks(session.pgconn):
                yield from _batches(block, sent.schema)

    def look(self, schema: str, name: str) -> None:
        """Raises SourceFault for a view that is not stable, and a foreign table."""
        look_in_postgresql(self, schema, name)

    def fetch(self, text: str, bound: Mapping[str, object] | None) -> list[tuple[Any, ...]]:
        """All rows of a statement with a small answer."""
        with self.connected.cursor() as cursor:
            cursor.execute(text.encode(), bound)
            return cursor.fetchall() if cursor.description else []

    def has_few_groups(self, values: exp.Query) -> bool:
        """Whether the planner expects far fewer different rows than rows."""
        grouped = values.copy()
        grouped.set("group", exp.Group(expressions=[each.unalias() for each in values.selects]))
        groups, *steps = self.estimates(grouped)
        return groups * _ROWS_A_GROUP < max(steps, default=groups)

    def changed(self) -> bool:
        """Whether a table that was read is another than the snapshot's, which rewriting and replacing do not heed."""
        with self.kept(_UNKNOWN):
            return bool(self.executor.plain(Purpose.CATALOG, sql.script("postgres/altered"), {}))

    def facts(self) -> ServerFacts:
        """The server as the role finds it."""
        with self.kept(_UNREAD):
            found = self.executor.plain(Purpose.CATALOG, sql.script("postgres/facts"))[0]
            rows = self.executor.plain(Purpose.CATALOG, sql.script("postgres/rights"), {})
        version, user, zone, encoding, collation, tls, is_standby, is_read_only, may_create, powers = found
        tables = table_rights(rows, ((each.schema, each.name) for each in self.tables() if each.row_security))
        may_write = may_create or any(each.writable for each in tables)
        server = f"PostgreSQL {version}"
        return ServerFacts(
            server, user, zone, encoding, collation, tls, is_standby, is_read_only, may_write, tuple(powers), tables
        )

    def refused(self, name: str) -> SourceFault | None:
        """The fault of a table that is there and may not be read, with the GRANT that is missing."""
        wanted = ".".join(each for each in parts_of(name) or (name,) if each).casefold()
        with self.kept(_UNREAD):
            rows = self.executor.plain(Purpose.CATALOG, sql.script("postgres/hidden"))
        found = [row for row in rows if wanted in (row[1].casefold(), f"{row[0]}.{row[1]}".casefold())]
        if not found:
            return None
        schema, table, role, uses_schema = found[0]
        return unreadable(schema, table, role, self.where, uses_schema=uses_schema)

    def filled(self, text: str, bound: Mapping[str, object]) -> str:
        """The statement with the values of its parameters written into it."""
        return psycopg.ClientCursor(self.connected).mogrify(text.encode(), bound)

    def listed(self, name: str, columns: pa.Table) -> Uploaded:
        """A table as arrays, one a column."""
        return listed(name, columns)

    def measured(self, table: ServerTable, columns: Sequence[str]) -> ServerTable:
        """The table with the types of columns of numbers that are declared without digits, or with more than 38."""
        selected = []
        for each in columns:
            value = sql.column(each)
            scales = exp.Anonymous(this="MIN_SCALE", expressions=[value])
            selected += [exp.Max(this=scales), exp.Max(this=exp.Abs(this=value.copy()))]
        tree = exp.Select(expressions=selected, from_=exp.From(this=sql.table(table.name, schema=table.schema)))
        text = tree.sql(dialect=DIALECT, identify=True)
        (found,) = self.executor.plain_counts(Purpose.CATALOG, exp.select("*").from_(table.listed.reference), text)
        types, conversions, unusable = dict(table.types), dict(table.conversions), dict(table.unusable)
        for name, scale, largest in zip(columns, found[::2], found[1::2], strict=True):
            kind, conversions[name], reason = _decimal(scale or 0, largest if largest is not None else Decimal(0))
            if kind is None:
                unusable[name] = reason
            types[name] = kind or UNMEASURED  # a number whatever it stores: one value decides no kind
        listed = replace(table.listed, columns=tuple(Column(name, kind) for name, kind in types.items()))
        return replace(
            table,
            listed=listed,
            conversions=conversions,
            unusable=unusable,
            unmeasured=table.unmeasured - set(columns),
        )

    def translate(self, node: exp.Expr) -> exp.Expr:
        """Numbers of 8 bytes; literal points in time; LIKE without an escape character; the hash of a row."""
        if isinstance(node, exp.Literal) and not node.is_string and "e" in node.name.lower():
            # Else a number of an IN list becomes one of 4 bytes beside a column of these, or is out of their range.
            return exp.cast(node.copy(), "DOUBLE PRECISION", dialect=DIALECT)
        if isinstance(node, exp.Like) and not isinstance(node.parent, exp.Escape):
            return exp.Escape(this=node.copy(), expression=exp.Literal.string(""))
        if cast_of(node) in ("number", "", "instant"):
            value = node.this.transform(self.translate)
            is_written = is_text(node)
            cast = exp.cast(value, "TEXT" if is_written else "NUMERIC", dialect=DIALECT)
            return by_bytes(cast) if is_written else cast
        values = compared(node)
        if values and all(isinstance(each, exp.Literal) and each.is_string for each in values):
            values[0].replace(by_bytes(values[0].copy()))
        if isinstance(node, exp.Anonymous) and node.name.upper() == HASHES:
            return self.hashed(node.expressions)
        return node

    def hashed(self, values: Sequence[exp.Expr]) -> exp.Expr:
        """The sum of one 64-bit hash a row, of its text: settings of the session fix how a value is written."""
        row = exp.cast(exp.Anonymous(this="ROW", expressions=list(values)), "TEXT", dialect=DIALECT)
        hashed = exp.Anonymous(this="HASHTEXTEXTENDED", expressions=[row, exp.Literal.number(0)])
        return exp.cast(exp.Sum(this=exp.cast(hashed, "NUMERIC", dialect=DIALECT)), "TEXT", dialect=DIALECT)

    @contextlib.contextmanager
    def faults(self, what: str) -> Iterator[None]:
        """Around work on the server: its errors become SourceFault, with SQLSTATE and its name alone."""
        try:
            yield
        except psycopg.Error as error:
            raise fault(error, what, self.where, self.advice) from None

    def disconnect(self) -> None:
        """Ends the transaction and the connection, where there is one."""
        if self._session is not None:
            self._session.close()
            self._session = None

    @property
    def connected(self) -> psycopg.Connection[Any]:
        """The connection. Raises SourceFault once it is closed."""
        if self._session is None:
            raise SourceFault("the source is closed", where=self.where, next_step="Open it again.")
        return self._session


def _described(table: ServerTable, described: Sequence[_Described]) -> ServerTable:
    """A table with the columns that the catalogue describes."""
    columns, conversions, unusable, unmeasured = [], {}, {}, set()
    for each in described:
        kind, conversion = _typed(each)
        columns.append(Column(each.name, kind or each.type.upper()))
        conversions[each.name] = conversion
        if each.type == "numeric" and kind is None:
            unmeasured.add(each.name)
        elif kind is None:
            unusable[each.name] = f"is of the type {each.type}, which no class can be counted by"
    kept, ambiguous = of_one_case(columns)
    unusable |= dict.fromkeys(ambiguous, "is called like another one but for upper and lower case")
    return replace(
        table,
        listed=replace(table.listed, columns=kept),
        conversions=conversions,
        unusable=unusable,
        unmeasured=frozenset((unmeasured & {each.name for each in kept}) - ambiguous),
        spelt={each.name: _SPELT[each.type] for each in described if each.type in _SPELT},
        is_unread=False,
    )


def _decimal(scale: int, largest: Decimal) -> tuple[str | None, Convert | None, str]:
    """The type of a column of numbers with so many decimals at most, its conversion, and why it has none."""
    if not largest.is_finite():
        return None, None, "stores NaN or infinity, which no decimal number is"
    if max(0, largest.adjusted() + 1) + scale > _MAX_DIGITS:
        return None, None, f"stores numbers of more than {_MAX_DIGITS} digits"
    kind = f"({_MAX_DIGITS},{scale})"
    return f"DECIMAL{kind}", lambda value: exp.cast(value, f"NUMERIC{kind}", dialect=DIALECT), ""


def _typed(column: _Described) -> tuple[str | None, Convert | None]:
    """The type of a column in the workspace, None where it has none, and its conversion."""
    if column.type in _AS_THEY_ARE:
        return _AS_THEY_ARE[column.type], None
    if column.type == "oid":
        return "BIGINT", lambda value: exp.cast(value, "BIGINT", dialect=DIALECT)
    if column.type in _TEXTS:
        return "VARCHAR", by_bytes
    if column.type in _AS_TEXTS | _DOCUMENTS | _RANGES | _ARRAYS or column.kind == "e":
        return "VARCHAR", lambda value: by_bytes(exp.cast(value, "TEXT", dialect=DIALECT))
    if column.type == "numeric" and column.modifier >= 0:
        digits, scale = (column.modifier - 4) >> 16 & 0xFFFF, (column.modifier - 4) & 0x7FF
        if digits <= _MAX_DIGITS and scale <= digits:
            return f"DECIMAL({digits},{scale})", None
    return None, None


def _arriving(text: str, columns: Sequence[Column]) -> str:
    """The statement with the bytes of its answer as hexadecimal digits."""
    if all(each.type != "BLOB" for each in columns):
        return text
    values = [
        sql.named(_hex(sql.column(each.name)), each.name) if each.type == "BLOB" else sql.column(each.name)
        for each in columns
    ]
    outer = exp.Select(expressions=values).sql(dialect=DIALECT, identify=True)
    return f"{outer} FROM (\n{text}\n) AS answer"


def _hex(value: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this="ENCODE", expressions=[value, exp.Literal.string("hex")])


def _blocks(connection: PGconn) -> Iterator[bytearray]:
    """The rows that a COPY sends, in blocks of whole ones.

    The driver gives them one by one, and waits for each as if it were the last: that takes longer than all else here.
    """
    block, length = bytearray(), 0
    with selectors.DefaultSelector() as selector:
        selector.register(connection.socket, selectors.EVENT_READ)
        while length >= 0:
            length, row = connection.get_copy_data(1)  # 1: what has come, without waiting for more
            if length > 0:
                block += row
                if len(block) > _BYTES and _is_whole(block):
                    yield block
                    block = bytearray()
            elif length == 0:
                selector.select()
                connection.consume_input()
        while connection.is_busy():
            selector.select()
            connection.consume_input()
    # All of them are taken before an error is raised: the next statement would else find one that has not ended.
    for result in list(iter(connection.get_result, None)):
        if result.status != ExecStatus.COMMAND_OK:
            raise errors.error_from_result(result)
    if block:
        yield block


def _is_whole(block: bytearray) -> bool:
    """Whether a row ends here: outside quotes a newline ends one, within them an odd number of quotes is before it."""
    return block.endswith(b"\n") and block.count(b'"') % 2 == 0


def _batches(chunk: bytearray, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Rows of COPY's csv as Arrow: a value without quotes that is empty is NULL, with them it is a text."""
    as_sent = pa.schema([(f"c{number}", _sent(each.type)) for number, each in enumerate(schema)])

    def read(types: pa.Schema) -> pa.Table:
        return csv.read_csv(
            pa.py_buffer(chunk),
            read_options=csv.ReadOptions(column_names=types.names, block_size=len(chunk) + 1),
            parse_options=csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
            convert_options=csv.ConvertOptions(
                column_types=types,
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
                true_values=["t"],
                false_values=["f"],
            ),
        )

    try:
        table = read(as_sent)
    except pa.ArrowInvalid:
        # Arrow reads no day before the year 0, after 9999 or infinite: these are read one by one.
        table = read(pa.schema([each.with_type(_spelt(each.type)) for each in as_sent]))
    arrays = [
        _received(column.combine_chunks(), field.type) for column, field in zip(table.columns, schema, strict=True)
    ]
    yield from pa.Table.from_arrays(arrays, schema=schema).to_batches()


def _sent(kind: pa.DataType) -> pa.DataType:
    """The type that a value is read as: bytes are sent as digits."""
    return pa.string() if pa.types.is_binary(kind) else kind


def _spelt(kind: pa.DataType) -> pa.DataType:
    """The type that a value is read as where a point in time may be beyond those that Arrow reads."""
    types = pa.types
    return pa.string() if types.is_date(kind) or types.is_timestamp(kind) else kind


def _received(column: pa.Array, kind: pa.DataType) -> pa.Array:
    types = pa.types
    if column.type == kind:
        return column
    if types.is_date(kind) or types.is_timestamp(kind):
        found = {text: _point(text, kind) for text in column.unique().to_pylist() if text is not None}
        numbers = pa.int32() if types.is_date(kind) else pa.int64()
        return pa.array([found.get(text) for text in column.to_pylist()], numbers).view(kind)
    return pa.array([None if each is None else bytes.fromhex(each) for each in column.to_pylist()], kind)


def _point(text: str, kind: pa.DataType) -> int:
    """The days, or microseconds, since 1970 of a day or moment as PostgreSQL writes it."""
    is_day = pa.types.is_date(kind)
    largest = INFINITE_DAY if is_day else INFINITE_MOMENT
    if text.endswith("infinity"):
        return -largest if text.startswith("-") else largest
    date, *time = text.removesuffix(" BC").split(" ")
    year, month, day = date.split("-")
    counted = 1 - int(year) if text.endswith(" BC") else int(year)  # the year before 1 is 1 BC
    written = f"{'-' if counted < 0 else ''}{abs(counted):04}-{month}-{day}"
    if is_day:
        return int(np.datetime64(written, "D").astype(np.int64))
    return int(np.datetime64(f"{written}T{time[0].removesuffix('+00')}", "us").astype(np.int64))
