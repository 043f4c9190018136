"""Statements as SQLite runs them: printed for it, and refused where it would answer another question than DuckDB.

SQLite compares whatever it is given: a number with a text, a day with a number. So a value is compared with a column of
its own kind alone, and what it calculates otherwise than DuckDB, or not at all, is refused by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime

from sqlglot import exp

from ordermade.errors import SourceFault, quoted

DIALECT = "sqlite"
HASHES = "ROW_HASHES"
"""The aggregate that adds up one 64-bit hash a row."""

_SAME_IN_SQLITE: tuple[type[exp.Expr], ...] = (
    exp.Abs, exp.Add, exp.Alias, exp.And, exp.Between, exp.Boolean, exp.Case, exp.Coalesce, exp.Collate, exp.Column,
    exp.Count, exp.CTE, exp.Distinct, exp.EQ, exp.From, exp.Group, exp.GT, exp.GTE, exp.Having, exp.Identifier, exp.If,
    exp.In, exp.Is, exp.Join, exp.Like, exp.Literal, exp.LT, exp.LTE, exp.Max, exp.Min, exp.Mul, exp.Neg, exp.NEQ,
    exp.Not, exp.Null, exp.NullSafeEQ, exp.NullSafeNEQ, exp.Or, exp.Order, exp.Ordered, exp.Paren, exp.Select, exp.Star,
    exp.Sub, exp.Subquery, exp.Sum, exp.Table, exp.TableAlias, exp.Tuple, exp.Union, exp.Where, exp.With,
)  # fmt: skip
_COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ, exp.NullSafeNEQ)
_KINDS: Mapping[str, str] = {
    "BIGINT": "number",
    "DOUBLE": "number",
    "VARCHAR": "text",
    "DATE": "day",
    "TIMESTAMP": "moment",
    "BOOLEAN": "boolean",
}
_NUMBERS = (exp.Add, exp.Sub, exp.Mul, exp.Neg, exp.Abs, exp.Count, exp.Sum)
_OF_THEIR_OPERAND = (exp.Paren, exp.Collate, exp.Min, exp.Max, exp.Coalesce, exp.Alias)
_POINTS = {exp.DType.DATE: "day", exp.DType.TIMESTAMP: "moment", exp.DType.TIMESTAMPNTZ: "moment"}

Types = Mapping[str, Mapping[str, str]]
"""The types of the columns of the source's tables, by the names of both."""


def printed(tree: exp.Expr, source: str, types: Types, *, pretty: bool = False) -> str:
    """The statement as SQLite gets it; `source` is what the database is called whose tables have these `types`.

    Raises SourceFault for what SQLite does not answer as DuckDB does.
    """
    checked = tree.copy()
    known = _Known(source, types)
    nodes = list(checked.walk())
    for node in nodes:
        _require_same(node)
    for node in nodes:
        for one, other in _compared(node):
            known.require_one_kind(one, other)
    checked = checked.transform(_as_text, copy=False)
    return str(checked.sql(dialect=DIALECT, pretty=pretty, comments=False))


def _require_same(node: exp.Expr) -> None:
    if isinstance(node, exp.Cast):
        if _point(node) is None:
            raise _refused("a cast")
    elif isinstance(node, exp.DataType) and isinstance(node.parent, exp.Cast):
        return
    elif isinstance(node, exp.Anonymous):
        if node.name.upper() != HASHES:
            raise _refused(f"the function {node.name}")
    elif type(node) not in _SAME_IN_SQLITE:
        raise _refused(f"{type(node).__name__.upper()}")


def _refused(what: str) -> SourceFault:
    return SourceFault(
        f"SQLite does not calculate {what} as the engine does",
        next_step="Compare columns as they are stored, or make a view in the database that calculates it.",
    )


def _compared(node: exp.Expr) -> list[tuple[exp.Expr, exp.Expr]]:
    """The pairs of values that a node compares."""
    if isinstance(node, _COMPARISONS):
        return [(node.this, node.expression)]
    if isinstance(node, exp.In):
        return [(node.this, each) for each in node.expressions]
    if isinstance(node, exp.Between):
        return [(node.this, node.args["low"]), (node.this, node.args["high"])]
    if isinstance(node, exp.Like):
        return [(node.this, node.expression)]
    return []


@dataclass(frozen=True, slots=True)
class _Known:
    """What the values of a statement are: numbers, texts, days, moments or truth."""

    source: str
    types: Types

    def require_one_kind(self, one: exp.Expr, other: exp.Expr) -> None:
        """Raises SourceFault where values of two kinds are compared. Next to days and moments texts are those, too."""
        for column, value in ((one, other), (other, one)):
            wanted = self.kind(column)
            spelt = _spelt(_constant(value), wanted) if wanted in ("day", "moment") else ""
            if spelt and value is not column:
                value.replace(exp.Literal.string(spelt))
                return
        first, second = self.kind(one), self.kind(other)
        if first and second and first != second:
            raise SourceFault(
                f"SQLite would compare a {first} with a {second}, which it never finds alike",
                next_step="Compare each column with values of its own type.",
            )
        if bool(first) != bool(second) and any(isinstance(each, exp.Literal | exp.Cast) for each in (one, other)):
            raise _refused("a comparison with what may be of any type")

    def kind(self, value: exp.Expr) -> str:
        """`number`, `text`, `day`, `moment`, `boolean`; empty where it may be anything."""
        if isinstance(value, _OF_THEIR_OPERAND):
            return self.kind(value.this)
        if isinstance(value, exp.Literal):
            return "text" if value.is_string else "number"
        if isinstance(value, _NUMBERS):
            return "number"
        if isinstance(value, exp.Boolean):
            return "boolean"
        if isinstance(value, exp.Cast):
            return _POINTS.get(value.to.this, "other")
        return self._of_column(value) if isinstance(value, exp.Column) else ""

    def _of_column(self, column: exp.Column) -> str:
        query = column.find_ancestor(exp.Select)
        while query is not None:
            for relation in _relations(query):
                found = self._in(relation, column.name) if column.table in ("", relation.alias_or_name) else None
                if found is not None:
                    return found
            query = query.find_ancestor(exp.Select)
        return ""

    def _in(self, relation: exp.Expr, name: str) -> str | None:
        """The kind of a column of a table or query; None where it has no such column."""
        if isinstance(relation, exp.Table) and relation.db == self.source:
            kind = {each.casefold(): kind for each, kind in self.types[relation.name].items()}.get(name.casefold())
            return None if kind is None else _KINDS.get(kind, "other")
        query = relation.this if isinstance(relation, exp.Subquery) else _named(relation)
        while isinstance(query, exp.SetOperation | exp.Subquery):
            query = query.this
        if not isinstance(query, exp.Select):
            return None
        for each in query.expressions:
            if each.alias_or_name.casefold() == name.casefold():
                return self.kind(each)
            found = [self._in(inner, name) for inner in _relations(query)] if each.is_star else []
            if any(kind is not None for kind in found):
                return next(kind for kind in found if kind is not None)
        return None


def _relations(query: exp.Select) -> list[exp.Expr]:
    """The tables and queries that a query reads."""
    found = query.args.get("from_")
    joined = [each.this for each in query.args.get("joins") or []]
    return joined if found is None else [found.this, *joined]


def _named(table: exp.Expr) -> exp.Expr | None:
    """The query that a WITH around a table gives its name."""
    around = table.parent
    while around is not None:
        defined = around.args.get("with_")
        for each in defined.expressions if isinstance(defined, exp.With) else []:
            if each.alias.casefold() == table.name.casefold():
                return each.this  # type: ignore[no-any-return]
        around = around.parent
    return None


def _constant(value: exp.Expr) -> str:
    """The text of a literal, or of one that is read as a day or a moment."""
    literal = value.this if isinstance(value, exp.Cast) else value
    return literal.this if isinstance(literal, exp.Literal) and literal.is_string else ""


def _point(cast: exp.Cast) -> str | None:
    """The kind of a literal day or moment; None for any other cast."""
    return _POINTS.get(cast.to.this) if _constant(cast) else None


def _spelt(text: str, kind: str) -> str:
    """A day or a moment as SQLite's own functions write it; empty where the text is none, or finer than that."""
    try:
        moment = datetime.fromisoformat(text)
        return date.fromisoformat(text).isoformat() if kind == "day" else _to_seconds(moment)
    except ValueError:
        return ""


def _to_seconds(moment: datetime) -> str:
    return "" if moment.microsecond or moment.tzinfo else moment.isoformat(" ")


def _as_text(node: exp.Expr) -> exp.Expr:
    """Days and moments are texts in SQLite."""
    if isinstance(node, exp.Cast):
        spelt = _spelt(node.this.this, _point(node) or "")
        if not spelt:
            raise SourceFault(
                f"{quoted(node.this.this)} is finer than the seconds that SQLite's points in time have",
                next_step="Write a day, or a moment such as 2013-10-01 10:30:00.",
            )
        return exp.Literal.string(spelt)
    return node
