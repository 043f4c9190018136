"""Rows that stay in Spark: statements of a release run there, and counts of classes alone come into the workspace.

A release is made by the statements of every other one. Tables that have a row a combination of released values are
views of Spark; those that have one a class are tables of the workspace, which Spark joins as it joins keys.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, cast

from sqlglot import exp

from ordermade import sql
from ordermade.errors import SourceFault
from ordermade.sources.backend import NO_SHARE, Capabilities, Share, is_named_in_with
from ordermade.sources.executor import Executor, Parameters, Purpose
from ordermade.sources.server_text import SOURCE

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from ordermade.sources.spark import Held, Spark

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
        self._held: dict[str, Held] = {}

    def rows(self, purpose: Purpose, statement: exp.Expr | str, parameters: Parameters | None = None) -> list[Any]:
        """All rows of an answer, which is small. Raises SourceFault."""
        if isinstance(statement, exp.Query) and self._is_of_spark(statement):
            query, part = _finished_apart(self._over_held(statement))
            columns = self._source.read(purpose, query, parameters, part=part).read_all().columns
            return list(zip(*(each.to_pylist() for each in columns), strict=True))
        return super().rows(purpose, statement, parameters)

    def store(self, purpose: Purpose, table: str, query: exp.Query, parameters: Parameters | None = None) -> None:
        """Keeps the answer of `query`: in Spark, or in the workspace, where it is of classes. Raises SourceFault."""
        if not self._is_of_spark(query):
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


class InSpark:
    """A Spark as the backend of a release whose rows stay there: its workspace is `RowsInSpark`."""

    def __init__(self, source: Spark, kept_there: Collection[str]) -> None:
        self._source = source
        self.workspace = RowsInSpark(source, kept_there)
        self.executor = source.executor
        self.capabilities: Capabilities = source.capabilities

    def upload(self, table: str) -> None:
        """Notes a table for the statements that name it."""
        self._source.upload(table)

    def keep(
        self,
        purpose: Purpose,
        table: str,
        query: exp.Query,
        parameters: Parameters | None = None,
        *,
        part: str = "",
        share: Share = NO_SHARE,
    ) -> None:
        """Keeps the answer to a query where its rows belong."""
        del part, share
        self.workspace.store(purpose, table, query, parameters)


def _finished_apart(query: exp.Query) -> tuple[exp.Query, str]:
    """The query, of which the workspace numbers the rows and writes texts; and the part of it that Spark answers.

    Spark numbers rows by an order alone, and writes some values otherwise.
    """
    if not any(each.find(exp.RowNumber) or isinstance(each.unalias(), exp.Cast) for each in query.selects):
        return query, ""
    inner, outside = cast(exp.Select, query.copy()), []
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
    from pyspark.sql.functions import col, explode, floor, least, lit, sequence

    of_blocks = frame.withColumn("n", col("n").cast("bigint"))
    blocks = explode(sequence(lit(0).cast("bigint"), floor((col("n") - 1) / _AT_ONCE)))
    of_blocks = of_blocks.withColumn("block", blocks)
    left = least(lit(_AT_ONCE).cast("bigint"), col("n") - col("block") * _AT_ONCE)
    return of_blocks.withColumn("repetition", explode(sequence(lit(1).cast("bigint"), left)))
