"""A release into MariaDB or MySQL, which commit every table that is made: under a private name first, then renamed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import pyarrow as pa
import pymysql
from pymysql.connections import Connection
from sqlglot import exp

from ordermade import sql
from ordermade.errors import SourceFault
from ordermade.sources.executor import Purpose
from ordermade.sources.mysql import ADVICE, MySQL
from ordermade.sources.mysql_texts import DIALECT
from ordermade.sources.server_writer import NewTable, StepwiseWriter

_NO_SUCH_TABLE = 1146
_RIGHTS = (
    "Ask for the rights to release into it (GRANT SELECT, INSERT, CREATE, ALTER, DROP ON the database), "
    "or release to a file."
)


class MySQLWriter(StepwiseWriter, MySQL):
    """A database of MariaDB or MySQL, open for a release. Its tables have private names until `publish`."""

    advice: Mapping[int, str] = {
        **ADVICE,
        1021: "The server's disk is full: free space there, then run it again. Nothing of the release is there.",
        1114: "The server's disk is full: free space there, then run it again. Nothing of the release is there.",
        1030: "Check the server's disk and its log, then run it again. Nothing of the release is there.",
        1044: _RIGHTS,
        1050: "Another table has taken the name: choose another one.",
        1142: _RIGHTS,
        1153: "A value is longer than the server takes: raise max_allowed_packet, or release to a file.",
        1290: "The server is read-only: register the primary, or release to a file.",
        1836: "The server is read-only: register the primary, or release to a file.",
    }
    types: ClassVar[Mapping[str, str]] = {
        **{each: each for each in ("BOOLEAN", "TINYINT", "SMALLINT", "BIGINT", "FLOAT", "DOUBLE", "DATE")},
        "INTEGER": "INT",
        "UTINYINT": "TINYINT UNSIGNED",
        "USMALLINT": "SMALLINT UNSIGNED",
        "UINTEGER": "INT UNSIGNED",
        "UBIGINT": "BIGINT UNSIGNED",
        "HUGEINT": "DECIMAL(38, 0)",
        "TIME": "TIME(6)",
        "TIMESTAMP": "DATETIME(6)",
        "TIMESTAMP WITH TIME ZONE": "TIMESTAMP(6)",
        "VARCHAR": "LONGTEXT",
        "BLOB": "LONGBLOB",
    }

    def set_transaction(self, session: Connection[Any]) -> None:
        """Lets every statement commit by itself."""
        session.autocommit(True)

    def hold(self, run: str) -> None:
        """Takes the lock of the run until the session ends. Raises SourceFault where another session keeps it."""
        bound = {"run": run, "wait": self.seconds_to_wait}
        ((held,),) = self.executor.plain(Purpose.RELEASE, sql.script("mysql/hold_release"), bound)
        if str(held) != "1":
            raise SourceFault(
                "the server is still at work on an interrupted release",
                where=self.where,
                next_step="Run it again later.",
            )

    def create(self, new: NewTable, columns: Sequence[exp.ColumnDef]) -> None:
        """Makes the empty table with its comment; texts are compared by their bytes there."""
        self._require_rights(new)
        properties = exp.Properties(
            expressions=[
                exp.EngineProperty(this=exp.var("InnoDB")),
                exp.CharacterSetProperty(this=exp.var("utf8mb4"), default=True),
                exp.CollateProperty(this=exp.var(self.binary)),
                exp.SchemaCommentProperty(this=exp.Literal.string(new.mark)),
            ]
        )
        defined = exp.Schema(this=new.named(new.made), expressions=list(columns))
        self.run_tree(exp.Create(this=defined, kind="TABLE", properties=properties))

    def cell(self, value: exp.Expr, kind: str) -> exp.Expr:
        """The value as a text that the server reads; bytes as they are."""
        if kind == "BLOB":
            return value
        if kind == "BOOLEAN":
            value = exp.cast(value, "TINYINT", dialect=sql.DIALECT)
        elif kind == "TIMESTAMP WITH TIME ZONE":
            value = exp.cast(value, "TIMESTAMP", dialect=sql.DIALECT)  # in UTC, as the session has it
        return exp.cast(value, "VARCHAR", dialect=sql.DIALECT)

    def fill(self, new: NewTable, cells: Iterator[pa.RecordBatch]) -> None:
        """Inserts the rows, many a statement, in one transaction."""
        session = self.connected
        for batch in cells:
            marks = exp.Tuple(expressions=[exp.var("%s")] * batch.num_columns)
            target = new.named(new.made).sql(dialect=DIALECT, identify=True).replace("%", "%%")
            insert = exp.Insert(this=exp.var(target), expression=exp.Values(expressions=[marks]))
            text = insert.sql(dialect=DIALECT)
            rows = list(zip(*(each.to_pylist() for each in batch.columns), strict=True))
            cursor = session.cursor()
            with self.executor.noted(Purpose.RELEASE, text), self.ended(cursor):
                session.begin()
                cursor.executemany(text, rows)
                session.commit()

    def set_aside(self, new: NewTable) -> None:
        """Renames the table and its predecessor in one step."""
        self._replace(new, table=new.table, gone=new.gone, made=new.made)

    def put_back(self, new: NewTable) -> None:
        """Renames both again, in one step."""
        self._replace(new, table=new.table, gone=new.made, made=new.gone)

    def create_view(self, statement: str) -> None:
        """Makes the view."""
        self.executor.plain(Purpose.RELEASE, statement)

    def _replace(self, new: NewTable, **names: str) -> None:
        named = {key: new.named(name) for key, name in names.items()}
        self.executor.plain(Purpose.RELEASE, sql.script_over("mysql/replace_table", DIALECT, named))

    def _require_rights(self, new: NewTable) -> None:
        """Raises SourceFault without the rights to drop and rename, before there is a table to be left behind."""
        self.drop(new, new.made)
        names = {"made": new.named(new.made), "table": new.named(new.gone)}
        text = sql.script_over("mysql/rename_table", DIALECT, names)
        with self.executor.noted(Purpose.RELEASE, text):
            try:
                self.fetch(text, None)
            except pymysql.Error as error:
                if not error.args or error.args[0] != _NO_SUCH_TABLE:
                    raise
