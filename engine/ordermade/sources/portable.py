"""Statements that another database answers as DuckDB does: known operations alone, each on values of one kind.

Some databases compare whatever they are given: a number with a text, a day with a number. So a value is compared with
one of its own kind alone, and constants get the type of the column beside them. All else is refused by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sqlglot import exp

from ordermade.errors import FilterError, SourceFault
from ordermade.requests.filter_parser import BeyondFilter, constant_of
from ordermade.requests.filter_tree import Constant
from ordermade.requests.typed_constants import in_type

PORTABLE: tuple[type[exp.Expr], ...] = (
    exp.Abs, exp.Add, exp.Alias, exp.And, exp.Between, exp.Boolean, exp.Case, exp.Coalesce, exp.Collate, exp.Column,
    exp.Count, exp.CTE, exp.DataType, exp.DataTypeParam, exp.Distinct, exp.DPipe, exp.EQ, exp.From, exp.Group, exp.GT,
    exp.GTE, exp.Having, exp.Identifier, exp.If, exp.In, exp.Is, exp.Join, exp.Like, exp.Limit, exp.Literal, exp.LT,
    exp.LTE, exp.Max, exp.Min, exp.Mul, exp.Neg, exp.NEQ, exp.Not, exp.Null, exp.Nullif, exp.NullSafeEQ,
    exp.NullSafeNEQ, exp.Or, exp.Order, exp.Ordered, exp.Paren, exp.Replace, exp.Select, exp.SplitPart, exp.Star,
    exp.Sub, exp.Subquery, exp.Substring, exp.Sum, exp.Table, exp.TableAlias, exp.Translate, exp.Trim, exp.Tuple,
    exp.Union, exp.Where, exp.Window, exp.With,
)  # fmt: skip
"""The nodes that a statement may have, beside casts and the hash of a row."""
_WHOLE = "TINYINT SMALLINT INTEGER BIGINT HUGEINT UTINYINT USMALLINT UINTEGER UBIGINT UHUGEINT"
KINDS: Mapping[str, str] = {
    **dict.fromkeys(_WHOLE.split(), "number"),
    "DECIMAL": "decimal",
    "FLOAT": "fraction",
    "DOUBLE": "fraction",
    "VARCHAR": "text",
    "DATE": "day",
    "TIME": "time",
    "TIMESTAMP": "moment",
    "TIMESTAMP WITH TIME ZONE": "instant",
    "BOOLEAN": "boolean",
}
"""The kind of the values of each type, by its name without parameters."""
_POINTS = ("day", "time", "moment", "instant")
_CAST_TO: Mapping[exp.DType, str] = {
    **dict.fromkeys((exp.DType.BIGINT, exp.DType.INT128), "number"),
    **dict.fromkeys((exp.DType.VARCHAR, exp.DType.TEXT), "text"),
    **dict.fromkeys((exp.DType.TIMESTAMP, exp.DType.TIMESTAMPNTZ), "moment"),
    exp.DType.DECIMAL: "decimal",
    exp.DType.DOUBLE: "fraction",
    exp.DType.DATE: "day",
    exp.DType.TIME: "time",
    exp.DType.TIMESTAMPTZ: "instant",
}
_READ = (
    exp.DType.BIGINT,
    exp.DType.DECIMAL,
    exp.DType.DOUBLE,
    exp.DType.DATE,
    exp.DType.TIMESTAMP,
    exp.DType.TIMESTAMPNTZ,
)
"""The types that texts are read as, by a cast that fails for a text which is none."""
_CAST_OF = "cast of"
_COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ, exp.NullSafeNEQ)
_CONDITIONS = (*_COMPARISONS, exp.And, exp.Or, exp.Not, exp.Is, exp.In, exp.Between, exp.Like, exp.Boolean)
_CALCULATIONS = (exp.Add, exp.Sub, exp.Mul)
_TEXTS = (exp.DPipe, exp.Replace, exp.SplitPart, exp.Substring, exp.Translate, exp.Trim)
_OF_THEIR_OPERAND = (
    *_CALCULATIONS, exp.Abs, exp.Alias, exp.Collate, exp.Max, exp.Min, exp.Neg, exp.Nullif, exp.Paren, exp.Sum,
    exp.Window,
)  # fmt: skip
_MAX_DIGITS = 38
"""A literal of more digits, or with an exponent, is a number of 8 bytes."""

Types = Callable[[exp.Table], Mapping[str, str] | None]
"""The types of the columns of a table of the source, by their names; None for any other table."""


def refused(database: str, operation: str) -> SourceFault:
    """The error for an operation that a database does not calculate as DuckDB does."""
    return SourceFault(
        f"{database} does not calculate {operation} as the engine does",
        next_step="Compare columns as they are stored, or make a view in the database that calculates it.",
    )


def compared(node: exp.Expr) -> list[exp.Expr]:
    """The values that a node compares with its first."""
    if isinstance(node, (*_COMPARISONS, exp.Like, exp.Nullif)):
        return [node.this, node.expression]
    if isinstance(node, exp.In):
        return [node.this, *node.expressions]
    if isinstance(node, exp.Between):
        return [node.this, node.args["low"], node.args["high"]]
    return []


def cast_of(node: exp.Expr) -> str | None:
    """The kind of value that a cast of a required statement converts; None for a constant, and what is no cast."""
    return node.meta.get(_CAST_OF) if isinstance(node, exp.Cast) else None


def is_text(cast: exp.Expr) -> bool:
    """Whether a cast makes a text of a value."""
    return isinstance(cast, exp.Cast) and _CAST_TO.get(cast.to.this) == "text"


@dataclass(frozen=True, slots=True)
class DatabaseFunctions:
    """What a database answers as DuckDB does; `function`: the one that it has for the hash of a row."""

    database: str
    function: str
    types: Types

    def require(self, tree: exp.Expr) -> None:
        """Gives constants the types of the columns beside them, and notes what casts are of.

        Raises SourceFault for what the database does not calculate, or would compare otherwise.
        """
        nodes = list(tree.walk())
        for node in nodes:
            self._require_allowed(node)
        for node in nodes:
            if isinstance(node, _TEXTS):
                self._require_same_text(node)
            elif isinstance(node, _CALCULATIONS) and not {*map(self.kind, node.iter_expressions())} <= {"number", ""}:
                raise refused(self.database, f"{node.key.upper()} of values that are no whole numbers")
            elif isinstance(node, exp.Sum) and self.kind(_summed(node)) == "fraction":
                raise refused(self.database, "SUM of fractions of 4 or 8 bytes, whose last digits depend on the order,")
            for each in _conditions_of(node):
                if self.kind(each) != "boolean":
                    raise refused(self.database, "a condition of a value that is no truth value")
            for values_of in (compared, _chosen):
                for place in range(1, len(values_of(node))):  # a value may have been replaced before the next
                    self._require_one_kind(node, values_of(node)[0], values_of(node)[place])

    def kind(self, value: exp.Expr) -> str:
        """`number`, `decimal`, `fraction`, `text`, `boolean`, `day`, `time`, `moment`, `instant`.

        Empty where it may be anything; `other` for a type that nothing is compared with.
        """
        if isinstance(value, _OF_THEIR_OPERAND):
            return self.kind(value.this)
        if isinstance(value, exp.Literal):
            return _kind_of_literal(value)
        if isinstance(value, exp.Count):
            return "number"
        if isinstance(value, _CONDITIONS):
            return "boolean"
        if isinstance(value, (*_TEXTS, exp.Anonymous)):
            return "text"
        if isinstance(value, exp.Cast):
            return _CAST_TO.get(value.to.this, "other")
        if isinstance(value, exp.Case | exp.Coalesce):
            kinds = [self.kind(each) for each in _chosen(value)]
            return "decimal" if "decimal" in kinds else next(filter(None, kinds), "")
        behind = self._behind(value) if isinstance(value, exp.Column) else None
        if isinstance(behind, str):
            return KINDS.get(behind.partition("(")[0], "other")
        return "" if behind is None else self.kind(behind)

    def type_of(self, value: exp.Expr) -> str:
        """The type of a column of the source, through the queries that pass it on; empty for any other value."""
        behind = self._behind(value) if isinstance(value, exp.Column) else None
        return behind if isinstance(behind, str) else ""

    def _require_allowed(self, node: exp.Expr) -> None:
        if isinstance(node, exp.Cast):
            self._require_cast(node)
        elif isinstance(node, exp.Anonymous):
            if node.name.upper() != self.function:
                raise refused(self.database, f"the function {node.name}")
        elif type(node) not in PORTABLE:
            raise refused(self.database, type(node).__name__.upper())

    def _require_cast(self, cast: exp.Cast) -> None:
        """Raises SourceFault for a cast that is none of those, and for a literal that is no day or moment."""
        value, of, kind = cast.this, self.kind(cast.this), self.kind(cast)
        if kind in _POINTS and isinstance(value, exp.Literal):
            typed = in_type(Constant("text", value.name), cast.to.sql(dialect="duckdb"))
            if not isinstance(typed, exp.Cast):
                raise refused(self.database, "a literal that is no day or moment")
            cast.set("this", typed.this)
            return
        is_read = of == "text" and cast.to.this in _READ
        is_written = of in ("number", "instant") and kind == "text"
        is_widened = of in ("number", "") and kind == "number"  # the engine's own tables have columns of no known kind
        if not (is_read or is_written or is_widened):
            raise refused(self.database, "a cast")
        cast.meta[_CAST_OF] = of

    def _require_same_text(self, node: exp.Expr) -> None:
        """Raises SourceFault for a function of what is no text, or of literals on which databases do not agree."""
        is_joining = isinstance(node, exp.DPipe)
        texts = [node.this, node.expression] if is_joining else [node.this]
        if any(self.kind(each) != "text" for each in texts) or not (is_joining or _agrees(node)):
            name = "||" if is_joining else node.key.upper()
            raise refused(self.database, f"{name} of such values")

    def _require_one_kind(self, node: exp.Expr, one: exp.Expr, other: exp.Expr) -> None:
        """Raises SourceFault where a node compares values of two kinds that a constant in another type does not mend.

        A CASE may choose among labels, which are in the engine's own tables and of no known kind.
        """
        first, second = self.kind(one), self.kind(other)
        if first == second or {first, second} == {"number", "decimal"}:
            return
        for column, value in ((one, other), (other, one)):
            typed = _constant_in(value, self.type_of(column))
            if typed is not None:
                value.replace(typed)
                return
        if first and second:
            raise SourceFault(
                f"{self.database} would compare a {first} with a {second}, which it never finds alike",
                next_step="Compare each column with values of its own type.",
            )
        if any(isinstance(each, exp.Literal | exp.Cast) for each in (one, other)) and not isinstance(node, exp.Case):
            raise refused(self.database, "a comparison with what may be of any type")

    def _behind(self, column: exp.Column) -> str | exp.Expr | None:
        """The type of the source's column that a column is, or the value that a query calculates for it."""
        query = column.find_ancestor(exp.Select)
        while query is not None:
            found = self._read_by(query, column.name, column.table)
            if found is not None:
                return found
            query = query.find_ancestor(exp.Select)
        return None

    def _read_by(self, query: exp.Select, name: str, alias: str = "") -> str | exp.Expr | None:
        """The same of a column that a query reads, of its relation of that alias where one is named."""
        first = query.args.get("from_")
        relations = [each.this for each in (first, *(query.args.get("joins") or [])) if each is not None]
        found = (self._in(each, name) for each in relations if alias in ("", each.alias_or_name))
        return next((each for each in found if each is not None), None)

    def _in(self, relation: exp.Expr, name: str) -> str | exp.Expr | None:
        """The same of a column of a table or query; None where it has no such column."""
        types = self.types(relation) if isinstance(relation, exp.Table) else None
        if types is not None:
            return {each.casefold(): kind for each, kind in types.items()}.get(name.casefold())
        query = relation.this if isinstance(relation, exp.Subquery) else _named(relation)
        while isinstance(query, exp.SetOperation | exp.Subquery):
            query = query.this
        if not isinstance(query, exp.Select):
            return None
        for each in query.expressions:
            if each.alias_or_name.casefold() == name.casefold():
                value = each.unalias()
                return self._behind(value) if isinstance(value, exp.Column) else value
            found = self._read_by(query, name) if each.is_star else None
            if found is not None:
                return found
        return None


def _kind_of_literal(literal: exp.Literal) -> str:
    text = literal.name.lower()
    if literal.is_string:
        return "text"
    if "e" in text or sum(each.isdigit() for each in text.lstrip("0")) > _MAX_DIGITS:
        return "fraction"
    return "number" if text.isdecimal() else "decimal"


def _constant_in(value: exp.Expr, column_type: str) -> exp.Expr | None:
    """A constant in the type of a column; None where it is none of that type."""
    try:
        return in_type(constant_of(value, value), column_type)
    except (FilterError, BeyondFilter):
        return None


def _chosen(node: exp.Expr) -> list[exp.Expr]:
    """The values among which a node chooses."""
    found: list[exp.Expr | None] = []
    if isinstance(node, exp.Coalesce):
        found = [node.this, *node.expressions]
    elif isinstance(node, exp.Case):
        found = [*(each.args["true"] for each in node.args["ifs"]), node.args.get("default")]
    return [each for each in found if each is not None and not isinstance(each, exp.Null)]


def _conditions_of(node: exp.Expr) -> list[exp.Expr]:
    """The operands of a node that it takes for truth."""
    if isinstance(node, exp.And | exp.Or):
        return [node.this, node.expression]
    asks = isinstance(node, exp.Is) and isinstance(node.expression, exp.Boolean)
    return [node.this] if asks or isinstance(node, exp.Not | exp.Where | exp.Having | exp.If) else []


def _summed(node: exp.Sum) -> exp.Expr:
    """The value that is summed up, each different one once or not."""
    value: exp.Expr = node.this
    return value.expressions[0] if isinstance(value, exp.Distinct) else value


def _agrees(node: exp.Expr) -> bool:
    """Whether databases agree on a function of texts by its other operands: literals, places counted from 1."""
    others = {name: each for name, each in node.args.items() if name != "this" and each is not None}
    for name, each in others.items():
        if not isinstance(each, exp.Literal):
            return False
        if not each.is_string and not (each.name.isdecimal() and int(each.name) >= 1):
            return False
        if each.is_string and not each.name and name not in ("to", "replacement"):
            return False
    between = others.get("delimiter", others.get("expression"))
    return not isinstance(node, exp.SplitPart | exp.Trim) or (between is not None and len(between.name) == 1)


def _named(table: exp.Expr) -> exp.Expr | None:
    """The query that a WITH around a table gives its name."""
    around = table.find_ancestor(exp.Query)
    while around is not None:
        for each in around.ctes:
            if each.alias.casefold() == table.name.casefold():
                return each.this  # type: ignore[no-any-return]
        around = around.find_ancestor(exp.Query)
    return None
