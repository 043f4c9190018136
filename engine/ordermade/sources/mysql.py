"""MariaDB and MySQL as sources: an unbuffered cursor brings rows, JSON takes keys there, one snapshot is read."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import pyarrow as pa
import pymysql
from pymysql.connections import Connection
from pymysql.converters import conversions
from pymysql.cursors import Cursor, SSCursor
from sqlalchemy import Engine, create_engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool
from sqlglot import exp

from ordermade import sql
from ordermade.errors import InputError, NoColumns, PasswordNeeded, SourceFault, UnfitValue, quoted
from ordermade.sources.backend import Column
from ordermade.sources.executor import Purpose
from ordermade.sources.mysql_texts import DIALECT, read_text
from ordermade.sources.mysql_values import as_arrow, as_json, json_type, longest_text
from ordermade.sources.mysql_views import look_in_mysql
from ordermade.sources.portable import cast_of, is_text, refused
from ordermade.sources.server import Lost, Server
from ordermade.sources.server_facts import ServerFacts, grants_writing, powers_granted, require_version, table_rights
from ordermade.sources.server_names import unread_table
from ordermade.sources.server_text import HASHES, Convert, SentStatement, ServerTable, Uploaded

_ROWS = 20_000
"""So many rows of an answer are taken at a time."""
_INTEGERS: Mapping[str, str] = {
    "tinyint": "TINYINT",
    "smallint": "SMALLINT",
    "mediumint": "INTEGER",
    "int": "INTEGER",
    "bigint": "BIGINT",
}
_AS_THEY_ARE: Mapping[str, str] = {
    "double": "DOUBLE",
    "date": "DATE",
    "datetime": "TIMESTAMP",
    "timestamp": "TIMESTAMP WITH TIME ZONE",
    **dict.fromkeys(("binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob"), "BLOB"),
}
_TEXTS = frozenset(["char", "varchar", "tinytext", "text", "mediumtext", "longtext", "enum", "set"])
_AS_TEXTS = frozenset(["uuid", "inet4", "inet6", "time"])
"""Types whose values are compared as their texts."""
_SPELT: Mapping[str, str] = {"uuid": "UUID", "char": "CHAR"}
"""Types of which a value has several spellings."""
_MAX_DIGITS = 38
_WIDEST = 65
"""The digits of MariaDB's widest numbers."""
_LOST = frozenset([2002, 2003, 2006, 2013, 1053, 1927])
_DENIED, _UNGRANTED, _STALE = 1045, 1142, 1356
ADVICE: Mapping[int, str] = {
    1040: "The server has no connection left: run this again later, or raise max_connections.",
    1044: "Check the name of the database and the right to use it.",
    _DENIED: "Check user and password: write it as ${SOME_VARIABLE} in the URL (quoted for the shell) and set that "
    "variable, or name an option file (?read_default_file=…).",
    1049: "Check the name of the database.",
    _UNGRANTED: "Ask for the right to read it: GRANT SELECT.",
    1143: "Ask for the right to read the column: GRANT SELECT.",
    1153: "The list of keys is longer than the server takes: raise max_allowed_packet, or begin at a higher level.",
    1205: "Another session locks the table: run this again, or wait longer (`ordermade --wait SECONDS …`).",
    1021: "The server's disk is full: free space there, then run it again.",
    1114: "The server's disk for temporary tables is full: free space there, then run it again.",
    1412: "The table was altered in the middle: run this again.",
    1146: "The table is not there any more: `ordermade source show` lists those that are.",
    1054: "The column is not there any more: `ordermade source show` lists those that are.",
    1203: "The user has no connection left: run this again later, or raise max_user_connections.",
    1213: "The server resolved a deadlock: run this again.",
    1226: "The user has reached a limit of the server: run this again later, or raise it.",
    1317: "The server stopped the statement: run this again.",
    _STALE: "The view reads what is not there any more, or what it has no right to read.",
    1698: "Check user and password.",
    2026: "Check the options ssl_… of the URL, and that the server has TLS.",
    1969: "The server stopped the statement: raise max_statement_time, or ask for fewer columns.",
    3024: "The server stopped the statement: raise max_execution_time, or ask for fewer columns.",
}
_OF_VALUES = frozenset(
    [1139, 1242, 1264, 1292, 1365, 1366, 1411, 1644, 1690, 1916, 1918, 3141, 3143, 3144, *range(4035, 4043)]
)
"""Errors that some value leads to: in a calculation, a cast or a function."""
_CHECK = "Check the query and the server's log; ORDERMADE_LOG=debug logs the statement."
_UNREAD = "the server's catalogue cannot be read"
_UNKNOWN = "it is not known whether tables were written to"
_TIMEOUT = "Raise read_timeout, or ask for fewer columns."


@dataclass(frozen=True, slots=True)
class _Described:
    """A column of the catalogue."""

    name: str
    type: str
    declared: str
    digits: int | None
    scale: int | None
    collation: str | None


class MySQL(Server):
    """A database of MariaDB, 10.6 or later, or MySQL, 8 or later."""

    database = "MariaDB"
    dialect = DIALECT
    scripts = "mysql"
    longest_name = 64
    advice: Mapping[int, str] = ADVICE
    """The next step, by the number of an error."""
    _engine: Engine
    _session: Connection[Any] | None = None
    binary = "utf8mb4_nopad_bin"
    """The collation that compares texts by their bytes."""
    _checksums: dict[tuple[str, str], str | None]
    _number = 0
    _loose: set[tuple[str, str]]
    """Tables of an engine without transactions, by schema and name."""

    def begin(self) -> str:
        """Connects, and begins the read-only snapshot."""
        self._engine = create_engine(
            self.url.set(drivername="mysql+pymysql"),
            poolclass=NullPool,
            connect_args={
                "charset": "utf8mb4",
                "connect_timeout": max(2, round(self.limits.wait.seconds)),
                # Values arrive as texts, which Arrow reads many at a time.
                "conv": {kind: write for kind, write in conversions.items() if not isinstance(kind, int)},
                # The driver itself would write it in Latin-1.
                **({"password": str(self.url.password).encode()} if self.url.password else {}),
            },
        )
        with self.faults("the database cannot be opened"):
            self._session = session = self._connection()
            session.rollback()
            ((schema, version, own),) = self._run(sql.script("mysql/server"), None)
            if "MariaDB" not in version:
                self.database, self.binary = "MySQL", "utf8mb4_0900_bin"
            bound = {"wait": self.seconds_to_wait, "collation": self.binary}
            for statement in sql.script("mysql/settings").split(";"):
                self._run(statement.strip(), bound)
            self.set_transaction(session)
        require_version(self.database, version, self.where)
        self._number = int(own)
        return schema or ""

    def set_transaction(self, session: Connection[Any]) -> None:
        """Begins the read-only snapshot."""
        del session
        self._run(sql.script("mysql/snapshot"), None)

    @property
    def seconds_to_wait(self) -> int:
        """The seconds to wait for a lock."""
        return max(1, round(self.limits.wait.seconds))

    def require_place(self, schema: str, table: str) -> None:
        """Raises InputError for a table of another database than the source's, or of none."""
        super().require_place(schema, table)
        own = self.capabilities.schema
        if not schema or (own and schema != own):
            raise InputError(
                f"the table is to be made in {f'the database {quoted(schema)}' if schema else 'no database'}, "
                f"and the source is {f'of {quoted(own)}' if own else 'of all databases'}",
                where=f"release.to.table: {table}",
                next_step="Name a table of the source's database, or one as database.table of a source whose URL "
                "names no database.",
            )

    def read_catalogue(self) -> tuple[ServerTable, ...]:
        """The tables and views that the role may read, of the URL's database, or of all where it names none."""
        self._loose, self._checksums = set(), {}
        found = self.executor.plain(Purpose.CATALOG, sql.script("mysql/catalog"))
        return tuple(unread_table(schema, name, is_view=is_view == "1") for schema, name, is_view in found)

    def read_columns(self, table: ServerTable) -> ServerTable:
        """The table with its columns."""
        bound = {"schema": table.schema, "table": table.name}
        rows = self.executor.plain(Purpose.CATALOG, sql.script("mysql/columns"), bound)
        described = []
        for name, kind, declared, digits, scale, collation, has_snapshot, may_read in rows:
            if has_snapshot == "0":
                self._loose.add((table.schema, table.name))
            if may_read == "1":
                each = _Described(name, kind.lower(), declared.lower(), _whole(digits), _whole(scale), collation)
                described.append(each)
        if not described:
            is_stale = not rows and table.listed.is_view
            raise NoColumns(
                f"the {table.kind} {quoted(table.name)} {'cannot' if is_stale else 'may not'} be read",
                where=self.where,
                next_step=self.advice[_STALE if is_stale else _UNGRANTED],
            )
        return self._described(table, described)

    def interrupt(self) -> None:
        """Ends the statement that runs, of the server or of the workspace."""
        super().interrupt()
        if self._session is not None:
            self._kill()

    def partitions_of(self, table: ServerTable) -> tuple[ServerTable, ...]:
        """The partitions of a table; none of one without a snapshot."""
        if (table.schema, table.name) in self._loose:
            return ()
        named = sql.table(table.name, schema=table.schema).sql(dialect=DIALECT, identify=True)
        self.executor.plain(Purpose.CATALOG, sql.script("mysql/hold").replace("{table}", named))
        bound = {"schema": table.schema, "table": table.name}
        found = self.executor.plain(Purpose.CATALOG, sql.script("mysql/partitions"), bound)
        return tuple(replace(table, partition=name) for (name,) in found)

    def about_to_read(self, tables: Iterable[tuple[str, str]]) -> None:
        """Notes the checksum of each table without a snapshot, once."""
        for each in self._loose.intersection(tables).difference(self._checksums):
            with self.kept(_UNKNOWN):
                self._checksums[each] = self._checksum(*each)

    def changed(self) -> bool:
        """Whether a table without a snapshot, of an engine such as MyISAM, was written to since it was first read."""
        with self.kept(_UNKNOWN):
            return any(self._checksum(*each) != before for each, before in self._checksums.items())

    def _checksum(self, schema: str, table: str) -> str | None:
        named = sql.table(table, schema=schema).sql(dialect=DIALECT)
        text = sql.script("mysql/checksum").replace("{table}", named)
        return cast("str | None", self.executor.plain(Purpose.VERSION, text)[0][1])

    def answer(self, sent: SentStatement) -> Iterator[pa.RecordBatch]:
        """The answer, unbuffered: rows leave the server as they are taken."""
        cursor, schema = self.connected.cursor(SSCursor), sent.schema
        with self.ended(cursor):
            cursor.execute(sent.text, dict(sent.bound) or None)
            while rows := cursor.fetchmany(_ROWS):
                arrays = [
                    as_arrow(values, field.type, name)
                    for values, field, name in zip(zip(*rows, strict=True), schema, sent.stored, strict=True)
                ]
                yield pa.RecordBatch.from_arrays(arrays, schema=schema)

    def look(self, schema: str, name: str) -> None:
        """Raises SourceFault for a view that is not stable, and a table from elsewhere."""
        look_in_mysql(self, schema, name, self.binary)

    def fetch(self, text: str, bound: Mapping[str, object] | None) -> list[tuple[Any, ...]]:
        """All rows of a statement with a small answer."""
        return self._run(text, bound)

    def facts(self) -> ServerFacts:
        """The server as the user finds it."""
        with self.kept(_UNREAD):
            version, user, zone, encoding, collation, off = self._plain("mysql/facts")[0]
            ((_, cipher),) = self._plain("mysql/tls")
            grants = [row[0] for row in self._plain("mysql/grants")]
            tables = table_rights(self._plain("mysql/rights"), ())
        is_off = off not in ("0", "OFF")
        server = f"{self.database} {version}"
        may_write, powers = grants_writing(grants), powers_granted(grants)
        return ServerFacts(
            server, user, zone, encoding, collation, cipher or None, False, is_off, may_write, powers, tables
        )

    def _plain(self, script: str) -> list[tuple[Any, ...]]:
        return self.executor.plain(Purpose.CATALOG, sql.script(script))

    def filled(self, text: str, bound: Mapping[str, object]) -> str:
        """The statement with the values of its parameters written into it."""
        with self.connected.cursor() as cursor:
            return str(cursor.mogrify(text, dict(bound)))

    def listed(self, name: str, columns: pa.Table) -> Uploaded:
        """A table as one JSON text of its rows, each once, which MariaDB then looks up by a key."""
        parameter = f"{name}_rows"
        tree = sql.foreign("mysql/listed", DIALECT)
        table = next(tree.find_all(exp.JSONTable))
        defined, values = [], []
        for number, column in enumerate(columns.schema):
            called = f"c{number}"
            kind = exp.DataType.build(json_type(column.type, longest_text(columns.column(number))), dialect=DIALECT)
            path = exp.Literal.string(f"$[{number}]")
            defined.append(exp.JSONColumnDef(this=exp.to_identifier(called), kind=kind, path=path))
            values.append(sql.named(self._of_json(exp.column(called, table="listed"), column.type), column.name))
        table.set("this", exp.Placeholder(this=parameter))
        table.set("schema", exp.JSONSchema(expressions=defined))
        tree.set("expressions", values)
        lists = [as_json(each) for each in columns.columns]
        rows = json.dumps(list(zip(*lists, strict=True)), ensure_ascii=False, separators=(",", ":"))
        return Uploaded(cast("exp.Query", tree), {parameter: rows})

    def translate(self, node: exp.Expr) -> exp.Expr:
        """Literal points in time; LIKE, whose escape character is itself in a pattern; the hash of a row."""
        if isinstance(node, exp.Translate | exp.SplitPart) or cast_of(node) == "text":
            return read_text(node, self.translate)
        if isinstance(node, exp.Like):
            pattern = node.expression
            if not isinstance(pattern, exp.Literal):
                raise refused(self.database, "LIKE with a pattern that is no text")
            pattern.replace(exp.Literal.string(pattern.name.replace("\\", "\\\\")))
        if isinstance(node, exp.Cast):
            return _cast(node, node.this.transform(self.translate))
        if isinstance(node, exp.Anonymous) and node.name.upper() == HASHES:
            return self.hashed(node.expressions)
        return node

    def hashed(self, values: Sequence[exp.Expr]) -> exp.Expr:
        """The sum of 64 bits of one MD5 a row, of its quoted texts, in which NULL is no text."""
        texts = [exp.Anonymous(this="QUOTE", expressions=[each.copy()]) for each in values]
        row = exp.Anonymous(this="CONCAT_WS", expressions=[exp.Literal.string(","), *texts])
        digest = exp.Anonymous(this="MD5", expressions=[row])
        half = exp.Anonymous(this="LEFT", expressions=[digest, exp.Literal.number(16)])
        number = exp.Anonymous(this="CONV", expressions=[half, exp.Literal.number(16), exp.Literal.number(10)])
        return exp.cast(exp.Sum(this=exp.cast(number, "DECIMAL(20)", dialect=DIALECT)), "CHAR", dialect=DIALECT)

    @contextlib.contextmanager
    def faults(self, what: str) -> Iterator[None]:
        """Around work on the server: its errors become SourceFault, with their number alone."""
        try:
            yield
        except pymysql.Error as error:
            number = error.args[0] if error.args and isinstance(error.args[0], int) else 0
            if "timed out" in str(error.args[1:]) and self._session is not None:
                self._kill()
                raise SourceFault(
                    f"{what}: no answer came within the read_timeout of the URL", where=self.where, next_step=_TIMEOUT
                ) from None
            if number in _LOST or isinstance(error, pymysql.err.InterfaceError):
                raise Lost from None
            kind = f"{type(error).__name__}, {number}" if number else type(error).__name__
            fault = PasswordNeeded if number == _DENIED else UnfitValue if number in _OF_VALUES else SourceFault
            raise fault(f"{what} ({kind})", where=self.where, next_step=self.advice.get(number, _CHECK)) from None

    def disconnect(self) -> None:
        """Ends the transaction and the connection, where there is one."""
        if self._session is not None:
            # An answer that is not read to its end would be read by a polite close.
            self._session._force_close()  # type: ignore[attr-defined]
            self._session = None

    @property
    def connected(self) -> Connection[Any]:
        """The connection. Raises SourceFault once it is closed."""
        if self._session is None:
            raise SourceFault("the source is closed", where=self.where, next_step="Open it again.")
        return self._session

    def _run(self, text: str, bound: Mapping[str, object] | None) -> list[tuple[Any, ...]]:
        cursor = self.connected.cursor()
        with self.ended(cursor):
            cursor.execute(text, dict(bound) if bound else None)
            return list(cursor.fetchall())

    @contextlib.contextmanager
    def ended(self, cursor: Cursor) -> Iterator[None]:
        """Around a statement, which the server is made to end where its answer is not read to its end."""
        try:
            yield
        except pymysql.Error:
            raise
        except BaseException:
            # Else the cursor would read what is left of the answer, which may take hours.
            self._kill()
            with contextlib.suppress(pymysql.Error):
                cursor.close()
            raise
        cursor.close()

    def _kill(self) -> None:
        """Ends the statement that runs, by another connection; where there is none to be had the server finds out."""
        with contextlib.suppress(pymysql.Error, OSError):
            other = self._connection()
            with contextlib.closing(other), other.cursor() as cursor:
                cursor.execute("KILL QUERY %s", (self._number,))

    def _connection(self) -> Connection[Any]:
        try:
            pooled = self._engine.raw_connection()
        except DBAPIError as error:
            raise error.orig or error from None
        session = pooled.driver_connection
        pooled.detach()
        if not isinstance(session, pymysql.connections.Connection):
            raise TypeError("the driver is not PyMySQL")
        return session

    def _described(self, table: ServerTable, described: Sequence[_Described]) -> ServerTable:
        columns, conversions, unusable = [], {}, {}
        for each in described:
            if each.name[0] <= " ":
                continue  # a query cannot pass it on: the server takes blanks from the beginning of such names
            kind, conversion = self._typed(each)
            columns.append(Column(each.name, kind or each.type.upper()))
            conversions[each.name] = conversion
            if kind is None:
                unusable[each.name] = f"is of the type {each.declared}, which no class can be counted by"
        return replace(
            table,
            listed=replace(table.listed, columns=tuple(columns)),
            conversions=conversions,
            unusable=unusable,
            spelt={each.name: _SPELT[each.type] for each in described if each.type in _SPELT},
            is_unread=False,
        )

    def _typed(self, column: _Described) -> tuple[str | None, Convert | None]:
        """The type of a column in the workspace, None where it has none, and its conversion."""
        if column.declared == "tinyint(1)":
            return "BOOLEAN", None
        if column.type in _INTEGERS:
            return ("U" if "unsigned" in column.declared else "") + _INTEGERS[column.type], None
        if column.type in _AS_THEY_ARE:
            return _AS_THEY_ARE[column.type], None
        if column.type == "float":
            return "FLOAT", lambda value: exp.cast(value, "DOUBLE", dialect=DIALECT)
        if column.type == "year":
            return "SMALLINT", None
        if column.type == "decimal" and (column.digits or 0) <= _MAX_DIGITS:
            return f"DECIMAL({column.digits},{column.scale})", None
        if column.type in _TEXTS:
            return "VARCHAR", None if column.collation == self.binary else self._by_bytes
        if column.type in _AS_TEXTS:
            return "VARCHAR", self._by_bytes
        return None, None

    def _by_bytes(self, value: exp.Expr) -> exp.Expr:
        characters = exp.DataType(this=exp.DType.CHARACTER_SET, kind=exp.var("utf8mb4"))
        converted = exp.Cast(this=value, to=characters)
        return exp.Collate(this=converted, expression=exp.var(self.binary))

    def _of_json(self, value: exp.Expr, kind: pa.DataType) -> exp.Expr:
        """The value that one of `as_json` stands for."""
        types = pa.types
        if types.is_string(kind) or types.is_large_string(kind):
            return self._by_bytes(value)
        return exp.Anonymous(this="UNHEX", expressions=[value]) if types.is_binary(kind) else value


def _cast(node: exp.Cast, value: exp.Expr) -> exp.Expr:
    """A literal day or moment, the text of a number or an instant, or a whole number of more bytes."""
    if cast_of(node) is None:
        literal = exp.Literal.string(value.name.removesuffix("+00:00"))
        return exp.cast(literal, "DATE" if node.to.this is exp.DType.DATE else "DATETIME(6)", dialect=DIALECT)
    if is_text(node):
        return _text_of_instant(value) if cast_of(node) == "instant" else exp.cast(value, "CHAR", dialect=DIALECT)
    return exp.cast(value, f"DECIMAL({_WIDEST})", dialect=DIALECT)


def _text_of_instant(value: exp.Expr) -> exp.Expr:
    """The text of an instant as DuckDB writes it in UTC: no zeros end the part of the second."""
    fine: exp.Expr = exp.cast(exp.cast(value.copy(), "DATETIME(6)", dialect=DIALECT), "CHAR", dialect=DIALECT)
    for each in ("0", "."):
        fine = exp.Trim(this=fine, expression=exp.Literal.string(each), position="TRAILING")
    return exp.Anonymous(this="CONCAT", expressions=[fine, exp.Literal.string("+00")])


def _whole(text: str | None) -> int | None:
    return None if text is None else int(text)
