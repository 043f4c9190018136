"""Sources that are no part of the workspace: their answers and its tables go across as Arrow."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from sqlglot import exp

from ordermade import sql
from ordermade.sources.door import ARRIVING, Door, Parameters, Purpose

if TYPE_CHECKING:
    import pyarrow as pa

_PASSING = "passing"
"""The table of the workspace that is read once, of an answer that the workspace has calculated with."""


class Apart(ABC):
    """The three calls of `Backend` where the workspace is a database of its own, with two of the source left to do."""

    workspace: Door

    @abstractmethod
    def answered(self, purpose: Purpose, query: exp.Query, parameters: Parameters | None) -> pa.RecordBatchReader:
        """The source's answer to a query that it runs whole."""

    @abstractmethod
    def receive(self, table: str, columns: pa.RecordBatchReader) -> None:
        """Takes a table into the source's connection, in place of one of the same name, for this connection alone."""

    def read(
        self, purpose: Purpose, query: exp.Query, parameters: Parameters | None = None, *, part: str = ""
    ) -> pa.RecordBatchReader:
        """The source's answer to a query, as Arrow batches in its order."""
        if not part:
            return self.answered(purpose, query, parameters)
        self.keep(purpose, _PASSING, query, parameters, part=part)
        return self.workspace.read(purpose, _whole(_PASSING))

    def upload(self, table: str) -> None:
        """Copies a table of the workspace into the source's connection."""
        self.receive(table, self.workspace.read(Purpose.STORE, _whole(table)))

    def keep(
        self, purpose: Purpose, table: str, query: exp.Query, parameters: Parameters | None = None, *, part: str = ""
    ) -> None:
        """Keeps the source's answer to a query, or to its part, as a table of the workspace."""
        inner, rest = parted(query, part) if part else (query, None)
        answer = self.answered(purpose, inner, None if part else parameters)
        # Taken whole by this thread: one of DuckDB's would not hear a Ctrl-C until the source has answered all of it.
        self.workspace.take(purpose, table, answer.read_all(), rest, parameters if part else None)


def parted(query: exp.Query, part: str) -> tuple[exp.Query, exp.Query]:
    """The outermost subquery of that alias, and the query around it with what arrives in its place."""
    around = query.copy()
    inner = next(each for each in around.find_all(exp.Subquery) if each.alias == part)
    inner.replace(exp.Table(this=exp.to_identifier(ARRIVING), alias=exp.TableAlias(this=exp.to_identifier(part))))
    return inner.this, around


def _whole(table: str) -> exp.Select:
    return sql.with_relations(sql.select("taken"), {"dataset": exp.to_table(table)})
