"""A release into PostgreSQL: one transaction, from the new table to its name; rows go there by COPY."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import psycopg
import pyarrow as pa
from pyarrow import csv
from sqlglot import exp

from ordermade import sql
from ordermade.sources.executor import Purpose
from ordermade.sources.postgresql import PostgreSQL
from ordermade.sources.postgresql_faults import ADVICE
from ordermade.sources.postgresql_keys import DIALECT
from ordermade.sources.server_writer import NewTable, ServerWriter


class PostgreSQLWriter(ServerWriter, PostgreSQL):
    """A PostgreSQL database, open for one transaction that writes. Without `publish` nothing of it stays."""

    commits_every_step = False
    advice: Mapping[str, str] = {
        **ADVICE,
        "25006": "The server is read-only, as a standby is: register the primary, or release to a file.",
        "2BP01": "A view uses the earlier release: drop the view first, or choose another name.",
        "3F000": "There is no such schema: make it, or name another one.",
        "42501": "Ask for the right to make tables there (GRANT CREATE ON SCHEMA …) and, to replace a release, "
        "to be a member of its owner; or release to a file.",
        "42P07": "Another table has taken the name: choose another one.",
        "53100": "The server's disk is full: free space there, then run it again. Nothing of the release is there.",
    }
    types: ClassVar[Mapping[str, str]] = {
        **{each: each for each in ("BOOLEAN", "SMALLINT", "INTEGER", "BIGINT", "DATE", "TIME", "TIMESTAMP")},
        "TINYINT": "SMALLINT",
        "UTINYINT": "SMALLINT",
        "USMALLINT": "INTEGER",
        "UINTEGER": "BIGINT",
        "UBIGINT": "DECIMAL(20, 0)",
        "HUGEINT": "DECIMAL(38, 0)",
        "FLOAT": "REAL",
        "DOUBLE": "DOUBLE PRECISION",
        "TIMESTAMP WITH TIME ZONE": "TIMESTAMPTZ",
        "VARCHAR": "TEXT",
        "BLOB": "BYTEA",
    }

    def set_transaction(self, session: psycopg.Connection[Any]) -> None:
        """Makes the transaction one that writes, and whose statements see what others have committed."""
        session.read_only = False
        session.isolation_level = psycopg.IsolationLevel.READ_COMMITTED

    def hold(self, run: str) -> None:
        """Takes the lock of the run until the transaction ends."""
        self.executor.plain(Purpose.RELEASE, sql.script("postgres/hold_release"), {"run": run})

    def create(self, new: NewTable, columns: Sequence[exp.ColumnDef]) -> None:
        """Makes the empty table with its comment."""
        target = new.named(new.made)
        made = exp.Create(this=exp.Schema(this=target.copy(), expressions=list(columns)), kind="TABLE")
        self._run(made)
        mark = sql.template("release/table/mark")
        mark.set("this", target)
        mark.set("expression", exp.Literal.string(new.mark))
        self._run(mark)

    def cell(self, value: exp.Expr, kind: str) -> exp.Expr:
        """The value as a text that PostgreSQL reads."""
        if kind == "BLOB":
            return exp.DPipe(this=exp.Literal.string("\\x"), expression=exp.Anonymous(this="HEX", expressions=[value]))
        return exp.cast(value, "VARCHAR", dialect=sql.DIALECT)

    def fill(self, new: NewTable, cells: Iterator[pa.RecordBatch]) -> None:
        """Copies the rows, as CSV in which every text is quoted and NULL is nothing."""
        text = sql.script_over("postgres/copy_release", DIALECT, {"table": new.named(new.made)})
        options = csv.WriteOptions(include_header=False, quoting_style="all_valid")
        copied = self.connected.cursor()
        with self.executor.noted(Purpose.RELEASE, text), copied as cursor, cursor.copy(text.encode()) as copy:
            for batch in cells:
                sink = pa.BufferOutputStream()
                csv.write_csv(batch, sink, options)
                copy.write(sink.getvalue().to_pybytes())

    def prepare(self, new: NewTable) -> None:
        """Gives the table its name, with owner and grants of the one that had it, which is dropped."""
        if new.earlier is not None:
            self._rename(new, new.table, new.gone)
            if not self.is_earlier(new):
                raise self.taken(new)
            names = {"schema": new.schema, "earlier": new.gone, "later": new.made}
            for (statement,) in self.executor.plain(Purpose.CATALOG, sql.script("postgres/carried_rights"), names):
                self.executor.plain(Purpose.RELEASE, statement)
            drop = sql.template("release/table/drop")
            drop.set("tables", [new.named(new.gone)])
            self._run(drop)
        self._rename(new, new.made, new.table)

    def publish(self, new: NewTable) -> bool:
        """Commits."""
        del new
        with self.faults("the release could not be committed"):
            self.connected.commit()
        return True

    def create_view(self, statement: str) -> None:
        """Makes the view and commits it."""
        self.executor.plain(Purpose.RELEASE, statement)
        with self.faults("the view could not be committed"):
            self.connected.commit()

    def put_away(self, new: NewTable) -> None:
        """Nothing is left to drop: the server has rolled the transaction back."""

    def _rename(self, new: NewTable, name: str, to: str) -> None:
        names = {"table": new.named(name), "name": sql.identifier(to)}
        self.executor.plain(Purpose.RELEASE, sql.script_over("postgres/rename_table", DIALECT, names))

    def _run(self, statement: exp.Expr) -> None:
        self.executor.plain(Purpose.RELEASE, statement.sql(dialect=DIALECT, identify=True, comments=False))
