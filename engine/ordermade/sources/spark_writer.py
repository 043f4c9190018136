"""A release into Spark: a table of its catalogue under a private name, written by Spark's jobs, renamed at the end.

Spark has no locks and no transactions over tables. Between the two renames that replace a release, nobody has its name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from sqlglot import exp

from ordermade.errors import InputError, SourceFault
from ordermade.sources.executor import AT_ONCE, Purpose, arrow
from ordermade.sources.server_writer import NewTable, StepwiseWriter
from ordermade.sources.spark import Spark
from ordermade.sources.spark_location import PATHS
from ordermade.sources.spark_text import DIALECT

if TYPE_CHECKING:
    import pyarrow as pa


class SparkWriter(StepwiseWriter, Spark):
    """A Spark open for a release. Its tables have private names until `publish`."""

    types: ClassVar[Mapping[str, str]] = {
        **{each: each for each in ("BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "FLOAT", "DOUBLE", "DATE")},
        "UTINYINT": "SMALLINT",
        "USMALLINT": "INT",
        "UINTEGER": "BIGINT",
        "UBIGINT": "DECIMAL(20, 0)",
        "HUGEINT": "DECIMAL(38, 0)",
        "TIMESTAMP": "TIMESTAMP_NTZ",
        "TIMESTAMP WITH TIME ZONE": "TIMESTAMP",
        "VARCHAR": "STRING",
        "BLOB": "BINARY",
    }

    def hold(self, run: str) -> None:
        """Refuses a catalogue that forgets its tables; there is no lock to take."""
        del run
        if not self.keeps_tables:
            raise SourceFault(
                "the catalogue of this Spark is in memory, and a table of it would be gone with the session",
                where=self.where,
                next_step="Name a catalogue that stays (spark.sql.catalogImplementation=hive, or catalog=), "
                "or release to a file.",
            )

    def require_place(self, schema: str, table: str) -> None:
        """Raises InputError where the table would be a path."""
        super().require_place(schema, table)
        if schema == PATHS:
            raise InputError(
                "a table of the release needs a schema of Spark's catalogue",
                where=f"release.to.table: {table}",
                next_step="Write schema.table, such as default.released.",
            )

    def create(self, new: NewTable, columns: Sequence[exp.ColumnDef]) -> None:
        """Makes the empty Parquet table with its comment."""
        properties = exp.Properties(
            expressions=[
                exp.FileFormatProperty(this=exp.var("PARQUET")),
                exp.SchemaCommentProperty(this=exp.Literal.string(new.mark)),
            ]
        )
        defined = exp.Schema(this=new.named(new.made), expressions=list(columns))
        self.run_tree(exp.Create(this=defined, kind="TABLE", properties=properties))

    def cell(self, value: exp.Expr, kind: str) -> exp.Expr:
        """The value itself, which Arrow takes there."""
        del kind
        return value

    def fill(self, new: NewTable, cells: Iterator[pa.RecordBatch]) -> None:
        """Inserts the rows, a job for each group of batches."""
        target = new.named(new.made).sql(dialect=DIALECT, identify=True)
        for table in _grouped(cells):
            with self.executor.noted(Purpose.RELEASE, target):
                self.frame(table).coalesce(1).write.insertInto(target)

    def set_aside(self, new: NewTable) -> None:
        """Renames the predecessor away."""
        self.rename(new, new.table, new.gone)

    def put_back(self, new: NewTable) -> None:
        """Gives the predecessor its name again."""
        self.rename(new, new.gone, new.table)

    def take_place(self, new: NewTable) -> None:
        """Renames the table."""
        self.rename(new, new.made, new.table)

    def create_view(self, statement: str) -> None:
        """Refuses a view: nothing of Spark keeps a reader's functions from rows that it leaves out."""
        del statement
        raise InputError("a view of Spark does not guard its rows", where=self.where, next_step="Release to a table.")


def _grouped(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.Table]:
    """The batches as tables of about `AT_ONCE` rows."""
    group: list[pa.RecordBatch] = []
    for batch in batches:
        group.append(batch)
        if sum(each.num_rows for each in group) >= AT_ONCE:
            yield arrow().Table.from_batches(group)
            group = []
    if group:
        yield arrow().Table.from_batches(group)
