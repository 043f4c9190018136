"""Sources that are no part of the workspace: their answers and its tables go across as Arrow."""

from __future__ import annotations

import contextlib
import logging
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from sqlglot import exp

from ordermade import sql
from ordermade.sources.backend import Backend, Column, PlannedStatement, SourceQuery
from ordermade.sources.executor import ARRIVING, ExecutedStatement, Listener, Parameters, Purpose, arrow, count_for

if TYPE_CHECKING:
    import pyarrow as pa

log = logging.getLogger("ordermade.sql")

_PASSING = "passing"
"""The table of the workspace that is read once, of an answer that the workspace has calculated with."""

CODED = "counted"
"""The subquery of values that the source counts, of a query whose codes the workspace joins."""


class ApartExecutor(ABC):
    """Runs statements on the connection of one source and keeps the ledger of them.

    The source's own message is not passed on: it may quote a value.
    """

    def __init__(self, listener: Listener | None) -> None:
        self.ledger: list[ExecutedStatement] = []
        self._listener = listener

    @abstractmethod
    def read(self, purpose: Purpose, statement: exp.Expr, parameters: Parameters | None = None) -> pa.RecordBatchReader:
        """The answer as a reader of Arrow batches, in its order. Raises SourceFault."""

    @abstractmethod
    def failing(self, purpose: Purpose) -> contextlib.AbstractContextManager[None]:
        """Around a statement: its error becomes SourceFault."""

    def rows(self, purpose: Purpose, statement: exp.Expr, parameters: Parameters | None = None) -> list[Any]:
        """All rows of the answer, as tuples. Raises SourceFault."""
        columns = self.read(purpose, statement, parameters).read_all().columns
        return list(zip(*(each.to_pylist() for each in columns), strict=True))

    def count(self, purposes: Iterable[Purpose]) -> int:
        """The number of statements that ran for any of the purposes."""
        return count_for(self.ledger, purposes)

    @contextlib.contextmanager
    def noted(self, purpose: Purpose, text: str) -> Iterator[None]:
        """Around a statement: it goes into the ledger when it is done, its error becomes SourceFault."""
        started, worked = time.perf_counter(), time.process_time()
        with self.failing(purpose):
            yield
        done = ExecutedStatement(purpose, text, time.perf_counter() - started, time.process_time() - worked)
        self.ledger.append(done)
        log.debug("source: %s in %.4f s: %s", purpose, done.seconds, text, extra=done.event("source"))
        if self._listener:
            self._listener(done)


def arriving(schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> pa.RecordBatchReader:
    """An answer whose zeros have one sign: a source that groups 0.0 and -0.0 shows the one that it reads first."""
    floating = [place for place, each in enumerate(schema) if arrow().types.is_floating(each.type)]
    given = (_with_one_zero(each, floating) for each in batches) if floating else batches
    return arrow().RecordBatchReader.from_batches(schema, given)


def _with_one_zero(batch: pa.RecordBatch, floating: Sequence[int]) -> pa.RecordBatch:
    from pyarrow import compute

    columns = list(batch.columns)
    for place in floating:
        columns[place] = compute.add(columns[place], arrow().scalar(0, columns[place].type))  # -0.0 + 0 is 0.0
    return arrow().RecordBatch.from_arrays(columns, schema=batch.schema)


class RemoteSource(Backend):
    """A source whose workspace is a database of its own, with a mirror of its tables that has no rows."""

    row_hashes: ClassVar[str]
    """The function of statements that gives the sum of one hash a row, of its values."""

    @abstractmethod
    def text(self, query: exp.Expr, *, pretty: bool = False) -> str:
        """The statement as the source gets it."""

    @abstractmethod
    def receive(self, table: str, columns: pa.RecordBatchReader) -> None:
        """Takes a table into the source's connection, in place of one of the same name, for this connection alone."""

    def read_query(self, purpose: Purpose, query: SourceQuery) -> pa.RecordBatchReader:
        """The source's answer to a query, as Arrow batches in its order."""
        if not query.part:
            return self.executor.read(purpose, self._joined(query.tree), query.parameters)
        self.keep_query(purpose, _PASSING, query)
        return self.workspace.read(purpose, _whole(_PASSING))

    def upload(self, table: str) -> None:
        """Copies a table of the workspace into the source's connection."""
        self.receive(table, self.workspace.read(Purpose.STORE, _whole(table)))

    def keep_query(self, purpose: Purpose, table: str, query: SourceQuery) -> None:
        """Keeps the source's answer to a query, or to its part, as a table of the workspace."""
        tree, part = self._shared(query)
        inner, rest = parted(tree, part) if part else (tree, None)
        answer = self.executor.read(purpose, self._joined(inner), None if part else query.parameters)
        self.workspace.take_batches(purpose, table, answer, rest, query.parameters if part else None)

    def plan_query(self, query: SourceQuery, table: str | None) -> tuple[PlannedStatement, ...]:
        """The source's statement in its own dialect, then the workspace's over its answer, if there is one."""
        tree, part = self._shared(query)
        inner, rest = parted(tree, part) if part else (tree, _whole(ARRIVING))
        counted = PlannedStatement(True, self.text(self._joined(inner), pretty=True), self._unlisted(inner))
        if table is None and not part:
            return (counted,)
        kept = rest if table is None else sql.stored(table, rest)
        return (counted, PlannedStatement(False, sql.text(kept, pretty=True)))

    def lists(self, table: str) -> bool:
        """Whether the text of a statement has the rows of this table of the workspace, where it is one."""
        del table
        return not self.capabilities.lists_tables

    def _unlisted(self, query: exp.Query) -> tuple[str, ...]:
        """The tables of the workspace in a query whose rows its text does not have: those of a source have a schema."""
        own = {each.alias for each in query.find_all(exp.CTE)}
        names = {each.name for each in query.find_all(exp.Table) if not each.db} - own
        return tuple(sorted(each for each in names if not self.lists(each)))

    def version_statement(self, relation: exp.Expr, columns: Sequence[Column]) -> exp.Select:
        """The statement that gives the rows of a relation and the sum of one hash a row."""
        tree = sql.with_relations(sql.select("dataset/version"), {"dataset": relation})
        hashed = next(node for node in tree.find_all(exp.Coalesce) if node.find(exp.Column))
        values = [sql.column(each.name, "dataset") for each in columns]
        hashed.set("this", exp.Anonymous(this=self.row_hashes, expressions=values))
        hashed.set("expressions", [exp.Literal.string("0")])
        return tree

    def typed(self, query: exp.Query) -> tuple[Column, ...]:
        """The columns of the answer to a query, as DuckDB types them over the mirror; sums of hashes become texts.

        The query itself is changed.
        """
        for node in list(query.find_all(exp.Anonymous)):
            if node.name.upper() == self.row_hashes:
                node.replace(exp.Literal.string(""))
        return tuple(Column(name, kind) for name, kind in self.workspace.typed(Purpose.CATALOG, query))

    def workspace_table(self, purpose: Purpose, table: exp.Table, name: str) -> exp.Table:
        """The rows of a table of the source as the table `name` of the workspace."""
        self.keep(purpose, name, _whole(table))
        return exp.to_table(name)

    def interrupt(self) -> None:
        """Ends the statement of the workspace that runs; a source that can end its own does so, too."""
        self.connection.interrupt()

    def has_few_groups(self, values: exp.Query) -> bool:
        """Whether the rows of a query have far fewer different ones, as far as the source knows without counting."""
        del values
        return True

    def _shared(self, query: SourceQuery) -> tuple[exp.Query, str]:
        """The query with the part of it that the source answers, where the workspace takes its share over."""
        tree, share = query.tree, query.share
        if query.part or not self.capabilities.codes_in_workspace or not counts_by_group(tree):
            return tree, query.part
        joins = tree.args.get("joins") or []
        if share.rows:
            sent = _PushdownSplit(tree, joins).sent()
            inner, _ = parted(sent, CODED)
            return (tree, "") if self.has_few_groups(inner) else (sent, CODED)
        outside = [each for each in joins if each.this.name in share.coded]
        return (_PushdownSplit(tree, outside).counted(), CODED) if outside else (tree, "")

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


class _PushdownSplit:
    """A count by group on its way to a subquery of values for the source and the query around it.

    Tables that merge values stay inside, so that the source sends no more groups than the query has.
    """

    def __init__(self, query: exp.Query, outside: Sequence[exp.Join]) -> None:
        self._query = query.copy()
        self._outside = [each.copy() for each in outside]
        self._inside = [each.copy() for each in query.args.get("joins") or [] if each not in outside]
        self._relation = query.args["from_"].this
        self._near = {self._relation.alias_or_name, *(each.alias_or_name for each in self._inside)}
        self._values: dict[str, exp.Expr] = {}

    def counted(self) -> exp.Select:
        """The values counted in the source, and the counts added up."""
        total = exp.Sum(this=exp.column("n", table=CODED))
        around = self._around(exp.cast(total, "BIGINT", dialect=sql.DIALECT))
        values = [each.copy() for each in self._values.values()]
        count = exp.alias_(exp.Count(this=exp.Star()), "n")
        return self._with_source(around, [count], exp.Group(expressions=values))

    def sent(self) -> exp.Select:
        """The rows sent by the source, and counted around it."""
        return self._with_source(self._around(exp.Count(this=exp.Star())), [], None)

    def _around(self, count: exp.Expr) -> exp.Select:
        """The query over the values of the subquery, `count` in the place of its count of rows."""
        selected = [self._taken(each, count) for each in self._query.expressions]
        grouped = [self._taken(each, count) for each in self._query.args["group"].expressions]
        for join in self._outside:
            condition = join.args["on"]
            for side in ("this", "expression"):
                condition.set(side, self._taken(condition.args[side], count))
        return exp.Select(expressions=selected, joins=self._outside, group=exp.Group(expressions=grouped))

    def _taken(self, value: exp.Expr, count: exp.Expr) -> exp.Expr:
        if isinstance(value, exp.Alias):
            return exp.alias_(self._taken(value.this, count), value.args["alias"])
        if _counts_rows(value):
            return count
        if not {each.table for each in value.find_all(exp.Column)} & self._near:
            return value
        self._values.setdefault(value.sql(), value.copy())
        return exp.column(f"v{list(self._values).index(value.sql()) + 1}", table=CODED)

    def _with_source(self, around: exp.Select, more: Sequence[exp.Expr], group: exp.Group | None) -> exp.Select:
        named = [exp.alias_(value, f"v{number}") for number, value in enumerate(self._values.values(), 1)]
        inner = exp.Select(expressions=[*named, *more], from_=exp.From(this=self._relation.copy()), group=group)
        inner.set("joins", self._inside)
        around.set(
            "from_", exp.From(this=exp.Subquery(this=inner, alias=exp.TableAlias(this=exp.to_identifier(CODED))))
        )
        return around


def counts_by_group(query: exp.Query) -> bool:
    """Whether a query groups and counts rows and nothing else; what it joins, it joins on one value each."""
    others = ("having", "distinct", "limit", "order", "where", "with_", "windows", "qualify")
    if not isinstance(query, exp.Select) or any(query.args.get(each) for each in others):
        return False
    joins, group = query.args.get("joins") or [], query.args.get("group")
    if group is None or not query.args.get("from_"):
        return False
    conditions = [each.args.get("on") for each in joins]
    if not all(isinstance(each.this, exp.Table) for each in joins):
        return False
    if not all(isinstance(each, exp.NullSafeEQ | exp.EQ) for each in conditions):
        return False
    values = [each.unalias() for each in query.expressions]
    return all(not each.find(exp.AggFunc) or _counts_rows(each) for each in values)


def _counts_rows(value: exp.Expr) -> bool:
    return isinstance(value, exp.Count) and isinstance(value.this, exp.Star)


def parted(query: exp.Query, part: str) -> tuple[exp.Query, exp.Query]:
    """The outermost subquery of that alias, and the query around it with what arrives in its place."""
    around = query.copy()
    inner = next(each for each in around.find_all(exp.Subquery) if each.alias == part)
    inner.replace(exp.Table(this=exp.to_identifier(ARRIVING), alias=exp.TableAlias(this=exp.to_identifier(part))))
    return inner.this, around


def _whole(table: str | exp.Table) -> exp.Select:
    return sql.with_relations(sql.select("workspace/taken"), {"dataset": exp.to_table(table)})
