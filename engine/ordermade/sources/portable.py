"""SQL that DuckDB and another database answer alike, and a look at each value that a statement compares.

Some databases compare whatever they are given: a number with a text, a day with a number. So each value is compared
with a column of its own kind alone. An operation that another database calculates otherwise is refused by name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time

from sqlglot import exp

from ordermade.errors import SourceFault
from ordermade.requests.where import bare

PORTABLE: tuple[type[exp.Expr], ...] = (
    exp.Abs, exp.Add, exp.Alias, exp.And, exp.Between, exp.Boolean, exp.Case, exp.Coalesce, exp.Collate, exp.Column,
    exp.Count, exp.CTE, exp.Distinct, exp.DPipe, exp.EQ, exp.From, exp.Group, exp.GT, exp.GTE, exp.Having,
    exp.Identifier, exp.If, exp.In, exp.Is, exp.Join, exp.Like, exp.Limit, exp.Literal, exp.LT, exp.LTE, exp.Max,
    exp.Min, exp.Mul, exp.Neg, exp.NEQ, exp.Not, exp.Null, exp.Nullif, exp.NullSafeEQ, exp.NullSafeNEQ, exp.Or,
    exp.Order, exp.Ordered, exp.Paren, exp.Replace, exp.Select, exp.SplitPart, exp.Star, exp.Sub, exp.Subquery,
    exp.Substring, exp.Sum, exp.Table, exp.TableAlias, exp.Translate, exp.Trim, exp.Tuple, exp.Union, exp.Where,
    exp.Window, exp.With,
)  # fmt: skip
_COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ, exp.NullSafeNEQ)
KINDS: Mapping[str, str] = {
    **dict.fromkeys(("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"), "number"),
    **dict.fromkeys(("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"), "number"),
    **dict.fromkeys(("FLOAT", "DOUBLE", "DECIMAL"), "number"),
    "VARCHAR": "text",
    "DATE": "day",
    "TIME": "time",
    "TIMESTAMP": "moment",
    "TIMESTAMP WITH TIME ZONE": "instant",
    "BOOLEAN": "boolean",
}
"""The kind of the values of each type, by its name without parameters."""
_NUMBERS = (exp.Add, exp.Sub, exp.Mul, exp.Neg, exp.Abs, exp.Count, exp.Sum)
_TEXTS = (exp.DPipe, exp.Replace, exp.SplitPart, exp.Substring, exp.Translate, exp.Trim)
_OF_THEIR_OPERAND = (exp.Paren, exp.Window, exp.Collate, exp.Min, exp.Max, exp.Coalesce, exp.Alias, exp.Nullif)
_CONDITIONS = (*_COMPARISONS, exp.And, exp.Or, exp.Not, exp.Is, exp.In, exp.Between, exp.Like)
_POINTS = {
    exp.DType.DATE: "day",
    exp.DType.TIME: "time",
    exp.DType.TIMESTAMP: "moment",
    exp.DType.TIMESTAMPNTZ: "moment",
    exp.DType.TIMESTAMPTZ: "instant",
}
_TYPES = {"day": "DATE", "time": "TIME", "moment": "TIMESTAMP", "instant": "TIMESTAMPTZ"}
WIDE = (exp.DType.BIGINT, exp.DType.INT128)
"""The types that a filter calculates with whole numbers in."""
READ = (exp.DType.BIGINT, exp.DType.DECIMAL, exp.DType.DOUBLE, *_POINTS)
"""The types that texts are read as, by a cast that fails for a text which is none."""
OF_TEXT = "of text"
"""The mark of a cast that reads a text, or that writes a number as one."""
_DAY = r"\d{4}-\d{2}-\d{2}"
_TIME = r"\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?"
_SPELLINGS: Mapping[str, str] = {
    "day": _DAY,
    "time": _TIME,
    "moment": rf"{_DAY}([ T]{_TIME})?",
    "instant": rf"{_DAY}([ T]{_TIME}(Z|[+-]\d{{2}}(:\d{{2}})?)?)?",
}

Types = Callable[[exp.Table], Mapping[str, str] | None]
"""The types of the columns of a table of the source, by their names; None for any other table."""


def refused(database: str, operation: str) -> SourceFault:
    """The error for an operation that a database does not calculate as DuckDB does."""
    return SourceFault(
        f"{database} does not calculate {operation} as the engine does",
        next_step="Compare columns as they are stored, or make a view in the database that calculates it.",
    )


def compared(node: exp.Expr) -> list[exp.Expr]:
    """The values that a node compares with its first, or chooses among: of one type all of them in DuckDB."""
    if isinstance(node, (*_COMPARISONS, exp.Like)):
        return [node.this, node.expression]
    if isinstance(node, exp.In | exp.Coalesce):
        return [node.this, *node.expressions]
    if isinstance(node, exp.Between):
        return [node.this, node.args["low"], node.args["high"]]
    return []


@dataclass(frozen=True, slots=True)
class Known:
    """The kinds of the values of a statement: numbers, texts, days, moments or truth."""

    database: str
    types: Types
    has_microseconds: bool = False

    def require_alike(self, node: exp.Expr) -> None:
        """Raises SourceFault where the database would compare the values of a node otherwise, or take one for truth."""
        for place in range(1, len(compared(node))):
            first, other = compared(node)[0], compared(node)[place]
            self._require_one_kind(first, other)
        for each in _conditions_of(node):
            if not isinstance(each, (*_CONDITIONS, exp.Boolean, exp.Null)) and self.kind(each) != "boolean":
                raise refused(self.database, "a condition of a value that is no truth value")

    def _require_one_kind(self, one: exp.Expr, other: exp.Expr) -> None:
        """Raises SourceFault where values of two kinds are compared. Next to days and moments texts are those, too."""
        for column, value in ((one, other), (other, one)):
            wanted = self.kind(column)
            written = spelt(constant(value), wanted, microseconds=self.has_microseconds) if wanted in _TYPES else ""
            if written and value is not column:
                value.replace(exp.cast(exp.Literal.string(written), _TYPES[wanted], dialect="duckdb"))
                return
        first, second = self.kind(one), self.kind(other)
        if first and second and first != second:
            raise SourceFault(
                f"{self.database} would compare a {first} with a {second}, which it never finds alike",
                next_step="Compare each column with values of its own type.",
            )
        if bool(first) != bool(second) and any(isinstance(each, exp.Literal | exp.Cast) for each in (one, other)):
            raise refused(self.database, "a comparison with what may be of any type")

    def kind(self, value: exp.Expr) -> str:
        """`number`, `text`, `day`, `time`, `moment`, `instant`, `boolean`; empty where it may be anything."""
        if isinstance(value, _OF_THEIR_OPERAND):
            return self.kind(value.this)
        if isinstance(value, exp.Literal):
            return "text" if value.is_string else "number"
        if isinstance(value, _NUMBERS):
            return "number"
        if isinstance(value, (*_CONDITIONS, exp.Boolean)):
            return "boolean"
        if isinstance(value, _TEXTS):
            return "text"
        if isinstance(value, exp.Case):
            chosen = [*(each.args["true"] for each in value.args["ifs"]), value.args.get("default")]
            return next((kind for each in chosen if each is not None and (kind := self.kind(each))), "")
        if isinstance(value, exp.Anonymous):
            return "text"  # the hash of rows, the only function that is no node of its own
        if isinstance(value, exp.Cast):
            kind = "number" if value.to.this in (*WIDE, *READ[:3]) else _POINTS.get(value.to.this, "other")
            return "text" if is_text(value) else kind
        if not isinstance(value, exp.Column):
            return ""
        kind = self.type_of(value)
        return KINDS.get(kind.partition("(")[0], "other") if kind else ""

    def type_of(self, value: exp.Expr) -> str:
        """The type of a column of the source, through the queries that pass it on; else one that its kind has."""
        if isinstance(value, exp.Cast) and value.to.this is exp.DType.DOUBLE:
            return "DOUBLE"
        if not isinstance(value, exp.Column):
            return {"number": "DECIMAL(38,0)", "text": "VARCHAR", "boolean": "BOOLEAN", **_TYPES}.get(
                self.kind(value), self.kind(value)
            )
        query = value.find_ancestor(exp.Select)
        while query is not None:
            for relation in _relations(query):
                found = self._in(relation, value.name) if value.table in ("", relation.alias_or_name) else None
                if found is not None:
                    return found
            query = query.find_ancestor(exp.Select)
        return ""

    def _in(self, relation: exp.Expr, name: str) -> str | None:
        """The type of a column of a table or query; None where it has no such column."""
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
                return self.type_of(_within(each))
            found = [self._in(inner, name) for inner in _relations(query)] if each.is_star else []
            if any(kind is not None for kind in found):
                return next(kind for kind in found if kind is not None)
        return None


def _within(value: exp.Expr) -> exp.Expr:
    """The value without what does not change its type."""
    while isinstance(value, (exp.Paren, exp.Collate, exp.Min, exp.Max, exp.Alias)):
        value = value.this
    return value


def _conditions_of(node: exp.Expr) -> list[exp.Expr]:
    """The operands of a node that it takes for truth, without parentheses."""
    found: list[exp.Expr] = []
    if isinstance(node, exp.And | exp.Or):
        found = [node.this, node.expression]
    elif isinstance(node, exp.Not | exp.Where | exp.Having) or _asks_for_truth(node):
        found = [node.this]
    return [bare(each) for each in found]


def _asks_for_truth(node: exp.Expr) -> bool:
    return isinstance(node, exp.Is) and isinstance(node.expression, exp.Boolean)


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


def constant(value: exp.Expr) -> str:
    """The text of a literal, or of one that is read as a day or a moment."""
    literal = value.this if isinstance(value, exp.Cast) else value
    return literal.this if isinstance(literal, exp.Literal) and literal.is_string else ""


def point(cast: exp.Cast) -> str | None:
    """The kind of a literal day or moment; None for any other cast."""
    return _POINTS.get(cast.to.this) if constant(cast) else None


def is_text(cast: exp.Cast) -> bool:
    """Whether a cast makes a text of a value."""
    return cast.to.this in (exp.DType.VARCHAR, exp.DType.TEXT)


def require_same_texts(node: exp.Expr, known: Known) -> None:
    """Raises SourceFault for a function of texts, unless it is of a text and of values on which databases agree."""
    if not isinstance(node, _TEXTS):
        return
    texts = [node.this, node.expression] if isinstance(node, exp.DPipe) else [node.this]
    if isinstance(node, exp.Substring):
        agrees = all(_counts_from_1(node.args.get(name)) for name in ("start", "length"))
    elif isinstance(node, exp.SplitPart):
        agrees = _counts_from_1(node.args.get("part_index")) and len(constant(node.args["delimiter"])) == 1
    elif isinstance(node, exp.Trim):
        agrees = len(constant(node.expression or exp.Null())) == 1 and not node.args.get("position")
    elif isinstance(node, exp.Replace):
        agrees = constant(node.expression) != "" and _is_literal_text(node.args.get("replacement"))
    elif isinstance(node, exp.Translate):
        agrees = constant(node.args["from_"]) != "" and _is_literal_text(node.args.get("to"))
    else:
        agrees = True
    if not agrees or any(known.kind(each) != "text" for each in texts):
        name = "||" if isinstance(node, exp.DPipe) else node.key.upper()
        raise refused(known.database, f"{name} of such values")


def _counts_from_1(number: exp.Expr | None) -> bool:
    return number is None or (isinstance(number, exp.Literal) and not number.is_string and int(number.name) >= 1)


def _is_literal_text(value: exp.Expr | None) -> bool:
    return isinstance(value, exp.Literal) and value.is_string


def mark_casts(tree: exp.Expr, known: Known) -> None:
    """Marks the casts that read texts, and those that write whole numbers as texts."""
    for cast in tree.find_all(exp.Cast):
        if constant(cast):
            continue
        kind = known.kind(cast.this)
        if (kind == "text" and cast.to.this in READ) or (kind == "number" and is_text(cast)):
            cast.meta[OF_TEXT] = True


def is_marked(node: exp.Expr) -> bool:
    """Whether a node is a cast that reads a text, or that writes a number as one."""
    return isinstance(node, exp.Cast) and bool(node.meta.get(OF_TEXT))


def is_text_of_instant(cast: exp.Cast, known: Known) -> bool:
    """Whether a cast makes a text of an instant, by which its classes are counted."""
    return is_text(cast) and isinstance(cast.this, exp.Column) and known.kind(cast.this) == "instant"


def spelt(text: str, kind: str, *, microseconds: bool = False) -> str:
    """A day, a time, a moment or an instant (in UTC) in ISO form.

    Empty where the text is none, has an offset that its kind has not, or is finer than a database keeps.
    """
    if not re.fullmatch(_SPELLINGS[kind], text):
        return ""
    try:
        if kind == "day":
            return date.fromisoformat(text).isoformat()
        if kind == "time":
            return time.fromisoformat(text).isoformat()
        moment = datetime.fromisoformat(text)
        if moment.tzinfo:
            moment = moment.astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        return ""
    return "" if moment.microsecond and not microseconds else moment.isoformat(" ")
