"""Sources that are no part of the workspace: their answers and its tables go across as Arrow."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from sqlglot import exp

from ordermade import sql
from ordermade.sources.backend import Capabilities, PlannedStatement
from ordermade.sources.door import ARRIVING, Door, Parameters, Purpose

if TYPE_CHECKING:
    import pyarrow as pa

_PASSING = "passing"
"""The table of the workspace that is read once, of an answer that the workspace has calculated with."""


class Apart(ABC):
    """The calls of `Backend` where the workspace is a database of its own; three of the source are left to do."""

    workspace: Door
    capabilities: Capabilities

    @abstractmethod
    def answered(self, purpose: Purpose, query: exp.Query, parameters: Parameters | None) -> pa.RecordBatchReader:
        """The source's answer to a query that it runs whole."""

    @abstractmethod
    def text(self, query: exp.Expr, *, pretty: bool = False) -> str:
        """The statement as the source gets it."""

    @abstractmethod
    def receive(self, table: str, columns: pa.RecordBatchReader) -> None:
        """Takes a table into the source's connection, in place of one of the same name, for this connection alone."""

    def read(
        self, purpose: Purpose, query: exp.Query, parameters: Parameters | None = None, *, part: str = ""
    ) -> pa.RecordBatchReader:
        """The source's answer to a query, as Arrow batches in its order."""
        if not part:
            return self.answered(purpose, self._joined(query), parameters)
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
        answer = self.answered(purpose, self._joined(inner), None if part else parameters)
        self.workspace.take_batches(purpose, table, answer, rest, parameters if part else None)

    def planned(self, query: exp.Query, *, table: str | None = None, part: str = "") -> tuple[PlannedStatement, ...]:
        """The source's statement in its own dialect, then the workspace's over its answer, if there is one."""
        inner, rest = parted(query, part) if part else (query, _whole(ARRIVING))
        asked = PlannedStatement(True, self.text(self._joined(inner), pretty=True))
        if table is None and not part:
            return (asked,)
        kept = rest if table is None else sql.stored(table, rest)
        return (asked, PlannedStatement(False, sql.text(kept, pretty=True)))

    def _joined(self, query: exp.Query) -> exp.Query:
        return query if self.capabilities.joins_nulls else joined_by_equality(query)


def joined_by_equality(query: exp.Query) -> exp.Query:
    """The query with `=` for every join on `value IS NOT DISTINCT FROM table.key`, which some servers run as a loop.

    The columns of the row whose key is NULL, of which a table has one at most, are looked up once for the statement.
    Every value must be in the table, so that a join that leaves rows out leaves none out.
    """
    tree = query.copy()
    for select in list(tree.find_all(exp.Select)):
        for join in select.args.get("joins") or []:
            condition = join.args.get("on")
            if isinstance(condition, exp.NullSafeEQ) and isinstance(condition.expression, exp.Column):
                _join_by_equality(select, join, condition.this, condition.expression)
    return tree


def _join_by_equality(select: exp.Select, join: exp.Join, value: exp.Expr, key: exp.Column) -> None:
    joined = join.alias_or_name
    if key.table != joined:
        return
    join.set("on", exp.EQ(this=value.copy(), expression=key.copy()))
    join.set("side", "LEFT")
    missing = exp.Is(this=value.copy(), expression=exp.Null())
    for each in list(select.find_all(exp.Column)):
        if each.table != joined or each.find_ancestor(exp.Join, exp.Select) is not select:
            continue
        of_null = exp.select(each.copy()).from_(join.this.copy()).where(exp.Is(this=key.copy(), expression=exp.Null()))
        looked_up = exp.If(this=missing.copy(), true=of_null.subquery(copy=False))
        each.replace(exp.Case(ifs=[looked_up], default=each.copy()))


def parted(query: exp.Query, part: str) -> tuple[exp.Query, exp.Query]:
    """The outermost subquery of that alias, and the query around it with what arrives in its place."""
    around = query.copy()
    inner = next(each for each in around.find_all(exp.Subquery) if each.alias == part)
    inner.replace(exp.Table(this=exp.to_identifier(ARRIVING), alias=exp.TableAlias(this=exp.to_identifier(part))))
    return inner.this, around


def _whole(table: str) -> exp.Select:
    return sql.with_relations(sql.select("taken"), {"dataset": exp.to_table(table)})
