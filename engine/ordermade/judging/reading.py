"""Copy any table into the workspace of a judgement: a stream of rows, in batches."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from itertools import chain

from sqlglot import exp

from ordermade import sql
from ordermade.answering.progress import Progress
from ordermade.errors import InputError
from ordermade.measuring.dataset import Dataset
from ordermade.measuring.widening import dropped
from ordermade.sources.door import Door, Purpose, arrow
from ordermade.sources.workspace import Limits, SpillFolder, connect


@contextlib.contextmanager
def workspace(limits: Limits, progress: Progress) -> Iterator[Door]:
    """An embedded database for tables of several sources; deleted at the end."""
    with SpillFolder() as spill:
        connection = connect(None, spill, limits)
        try:
            yield Door(connection, "workspace", listener=progress.statement)
        finally:
            connection.close()


def carried(dataset: Dataset, query: exp.Query, door: Door, table: str) -> None:
    """Store the answer of a statement over an open table as `table` of the workspace, in its order.

    Raises InputError where there are no rows, SourceFault.
    """
    used = dict.fromkeys(each.name for each in query.find_all(exp.Column) if each.table == "dataset")
    stored = sql.with_relations(
        exp.select(*(sql.column(name, "dataset") for name in used)).from_("dataset"), {"dataset": dataset.relation}
    )
    filled = sql.with_relations(query, {"dataset": stored})
    batches = dataset.backend.read(Purpose.RECORDS, filled, part="dataset")
    first = next(batches, None)
    if first is None:
        raise no_rows(dataset.name)
    door.take(Purpose.RECORDS, table, arrow().RecordBatchReader.from_batches(first.schema, chain([first], batches)))


def no_rows(name: str) -> InputError:
    """The error for a table without rows."""
    return InputError("there are no rows in it", where=name, next_step="Give a table that has some.")


def keep(door: Door, table: str, query: exp.Query, parameters: Mapping[str, object] | None = None) -> None:
    """Store the answer of a statement over the workspace as a table of it."""
    door.store(Purpose.MEASURE, table, query, parameters)


def row(door: Door, query: exp.Query, parameters: Mapping[str, object] | None = None) -> dict[str, int | float]:
    """The one row of an answer, by the names of its columns; 0 for NULL."""
    found = door.rows(Purpose.MEASURE, query, parameters)[0]
    return {name: value or 0 for name, value in zip(query.named_selects, found, strict=True)}


def drop(door: Door, *tables: str) -> None:
    """Drop tables that are no longer read."""
    for table in tables:
        door.rows(Purpose.STORE, dropped(table))
