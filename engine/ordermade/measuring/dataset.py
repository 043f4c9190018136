"""A dataset that is open: a relation of a source, the row filter in it, and its version."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from ordermade import sql
from ordermade.sources.backend import Backend, Column
from ordermade.sources.door import Purpose


@dataclass(frozen=True, slots=True)
class Version:
    """The content that a dataset had: its rows, the sum of one 64-bit hash per row, and a hash of names and types."""

    rows: int
    hash_sum: int
    columns_hash: str


@dataclass(frozen=True, slots=True)
class Dataset:
    """A relation of an open source, as a query, and its columns. `name` is how messages call it.

    `entity` is the column that identifies persons, where one may have several rows; None if a row is a person. No
    count below `least_k` is shown; 0 where all are.
    """

    name: str
    backend: Backend
    relation: exp.Query
    columns: tuple[Column, ...]
    entity: str | None = None
    least_k: int = 0

    def type_of(self, column: str) -> str:
        """The SQL type of a column, as the catalog names it."""
        return next(each.type for each in self.columns if each.name == column)


def relation(
    table_or_query: exp.Expr,
    condition: exp.Expr | None,
    exact: Sequence[Column] | None = None,
    binary: str = "binary",
) -> exp.Query:
    """Every column of a table or query, with the row filter if there is one.

    With `exact` the columns are named and their texts compared by their bytes, whatever collation they were given:
    `binary` is what the source calls that.
    """
    tree = sql.select("dataset")
    if exact is not None:
        tree.set("expressions", [_by_bytes(each, binary) for each in exact])
    if condition is None:
        tree.set("where", None)
    else:
        tree.args["where"].set("this", condition.copy())
    return sql.with_relations(tree, {"dataset": table_or_query})


def _by_bytes(column: Column, binary: str) -> exp.Expr:
    value: exp.Expr = sql.column(column.name, "dataset")
    if column.type == "VARCHAR":
        value = exp.Collate(this=value, expression=sql.identifier(binary))
    return sql.named(value, column.name)


def version_statement(dataset: Dataset) -> exp.Select:
    """The statement that gives the dataset's version."""
    return dataset.backend.version_statement(dataset.relation, dataset.columns)


def version(dataset: Dataset) -> Version:
    """The dataset's version, in one pass of the source over all its columns."""
    rows, hash_sum = dataset.backend.door.rows(Purpose.VERSION, version_statement(dataset))[0]
    return Version(int(rows), int(hash_sum), columns_hash(dataset.columns))


def columns_hash(columns: Sequence[Column]) -> str:
    """A hash of the names and types of the columns, in order."""
    described = "\n".join(f"{each.name}\t{each.type}" for each in columns)
    return hashlib.sha256(described.encode()).hexdigest()
