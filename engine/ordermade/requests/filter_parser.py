"""The row filter of a request: a column compared with constants of its own type, by AND, OR and NOT; nothing else.

An error that depends on one value would tell something of one person. A comparison of a column with a constant of its
own type, which is checked here, has an answer for every value on every database, so no such error can be.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import cast

from sqlglot import TokenType, exp

from ordermade.errors import FilterError, InputError, quoted
from ordermade.phrases import joined, phrase
from ordermade.requests.columns import IN_QUOTES, stored_column
from ordermade.requests.filter_tree import All, AnyOf, Constant, Filter, FilterComparison, Kind, Not, Operator
from ordermade.requests.numbers import DATE, TIME, read_time
from ordermade.requests.parsing import tokens_of, tree_of
from ordermade.requests.typed_constants import OFFSET, of_its_type, written
from ordermade.sql import DIALECT, column

LONGEST_FILTER = 10_000
THE_FILTER = phrase("the filter")
UNREAD = phrase("the source cannot compare what the filter compares")
OF_ITS_TYPE = phrase("compare each column with constants of its own type (`ordermade dataset show` lists them)")
_DEEPEST = 60
ONE_EXPRESSION = phrase("Write one expression such as age >= 18 AND sex = 'f'.")
_NUMBER = re.compile(r"(?=\.?[0-9])[0-9]*\.?[0-9]*(e[-+]?[0-9]+)?", re.IGNORECASE)

OPERATORS: Mapping[type[exp.Expression], Operator] = MappingProxyType(
    {exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">="}
)
_NODES = MappingProxyType({operator: kind for kind, operator in OPERATORS.items()})
_TURNED: Mapping[Operator, Operator] = MappingProxyType({"<": ">", "<=": ">=", ">": "<", ">=": "<="})
_POINTS: Mapping[exp.DType, Kind] = MappingProxyType(
    {
        exp.DType.DATE: "DATE",
        exp.DType.TIMESTAMP: "TIMESTAMP",
        exp.DType.TIMESTAMPNTZ: "TIMESTAMP",
        exp.DType.TIMESTAMPTZ: "TIMESTAMPTZ",
    }
)
_EXAMPLES: Mapping[Kind, tuple[re.Pattern[str], str]] = MappingProxyType(
    {
        "DATE": (DATE, "DATE '2013-10-01'"),
        "TIMESTAMP": (TIME, "TIMESTAMP '2013-10-01 10:30:00'"),
        "TIMESTAMPTZ": (OFFSET, "TIMESTAMPTZ '2013-10-01 10:30:00+09:00'"),
    }
)
# The arguments that each kind of node may have; a node of another kind, or with others, is refused.
_ARGUMENTS: Mapping[type[exp.Expr], tuple[str, ...]] = MappingProxyType(
    {
        **dict.fromkeys((exp.And, exp.Or, exp.Is, *OPERATORS), ("this", "expression")),
        **dict.fromkeys((exp.Not, exp.Paren, exp.Neg, exp.Boolean), ("this",)),
        exp.Column: ("this", "table", "db", "catalog"),
        exp.Null: (),
        exp.Like: ("this", "expression", "negate"),
        exp.In: ("this", "expressions"),
        exp.Between: ("this", "low", "high"),
        exp.Cast: ("this", "to"),
        exp.Literal: ("this", "is_string"),
    }
)


def read_filter(text: str) -> exp.Expression:
    """The tree of any one expression of SQL. Raises FilterError where it is none."""
    tokens = tokens_of(text, what=THE_FILTER, longest=LONGEST_FILTER, dialect=DIALECT)
    if any(token.token_type is TokenType.SEMICOLON for token in tokens):
        raise FilterError(phrase("the filter holds a semicolon, and is one expression only"), next_step=ONE_EXPRESSION)
    return tree_of(text, what=THE_FILTER, into=exp.Condition, dialect=DIALECT)


def canonical(tree: Filter) -> str:
    """The one spelling of a filter, as SQL: texts that read the same give the same."""
    return str(_built(tree, _as_written).sql(dialect=DIALECT, comments=False))


def compiled(tree: Filter, types: Mapping[str, str]) -> exp.Expression:
    """A filter as it is sent: each constant in the type of its column.

    Raises FilterError for a column that is not compared so, or a constant that its column cannot have.
    """
    return _built(tree, lambda comparison: of_its_type(comparison, types[comparison.column]))


def in_a_request(filter_text: str) -> str:
    """The line of a request file that has this filter: quoted, for YAML ends a text that begins with `"a"` there."""
    doubled = filter_text.replace("'", "''")
    return f"where: '{doubled}'"


class BeyondFilter(Exception):
    """A condition of more than a column and constants."""

    def __init__(self, node: exp.Expr) -> None:
        super().__init__()
        self.node = node


def bare(node: object) -> exp.Expression:
    """The node without the parentheses around it."""
    while type(node) is exp.Paren:
        node = node.this
    return cast("exp.Expression", node)


class FilterReading:
    """Reads a tree of SQL as a filter over the columns of one dataset."""

    def __init__(self, columns: Collection[str]) -> None:
        self.columns = columns

    def condition(self, node: object, depth: int) -> Filter:
        """The filter of a node. Raises FilterError, Beyond."""
        node = bare(node)
        if depth > _DEEPEST:
            step = phrase("Write it with fewer steps inside one another.")
            raise FilterError(phrase("the filter is nested too deeply"), next_step=step)
        if isinstance(node, (exp.And, exp.Or)):
            parts = tuple(self.condition(each, depth + 1) for each in chained(node))
            return All(parts) if isinstance(node, exp.And) else AnyOf(parts)
        _require_arguments(node, node)
        if isinstance(node, exp.Not):
            return Not(self.condition(node.this, depth + 1))
        if isinstance(node, exp.Column):
            return FilterComparison(self.column(node, node), "TRUTH")
        found = self.comparison(node)
        return Not(found) if isinstance(node, exp.Like) and node.args.get("negate") else found

    def comparison(self, node: exp.Expression) -> Filter:
        """The comparison of a node that is one."""
        if isinstance(node, exp.Is):
            return FilterComparison(self.column(bare(node.this), node), _is(node))
        if isinstance(node, exp.Like):
            pattern = constant_of(node.expression, node)
            return FilterComparison(self.column(bare(node.this), node), "LIKE", (_prefix(pattern),))
        left, right = bare(node.this), bare(node.args.get("expression"))
        if type(node) in OPERATORS and isinstance(right, exp.Column) and not isinstance(left, exp.Column):
            operator = OPERATORS[type(node)]
            found = FilterComparison(
                self.column(right, node), _TURNED.get(operator, operator), (constant_of(left, node),)
            )
        else:
            found = FilterComparison(self.column(left, node), *self.operands(node))
        return found

    def operands(self, node: exp.Expression) -> tuple[Operator, tuple[Constant, ...]]:
        """The operator of a comparison, and the constants beside its first operand."""
        operator: Operator
        if isinstance(node, exp.In) and node.expressions:
            operator, others = "IN", node.expressions
        elif isinstance(node, exp.Between):
            operator, others = "BETWEEN", [node.args["low"], node.args["high"]]
        elif type(node) in OPERATORS:
            operator, others = OPERATORS[type(node)], [node.expression]
        else:
            raise BeyondFilter(node)
        return operator, tuple(constant_of(each, node) for each in others)

    def column(self, node: exp.Expr, condition: exp.Expr) -> str:
        """The stored name of a column."""
        if not isinstance(node, exp.Column):
            raise BeyondFilter(condition)
        if not isinstance(node.this, exp.Identifier) or any(node.args.get(each) for each in ("table", "db", "catalog")):
            step = phrase("Write the column's name alone, in double quotes if it holds a dot.")
            raise FilterError(phrase("a column is written without a table"), next_step=step)
        try:
            return stored_column(node.name, self.columns)
        except InputError as error:
            instead = joined(error.next_step, IN_QUOTES if node.this.args.get("quoted") else "")
            raise FilterError(error.what, next_step=instead) from error


def _require_arguments(node: exp.Expr, condition: exp.Expr) -> None:
    known = _ARGUMENTS.get(type(node))
    if known is None or any(value and name not in known for name, value in node.args.items()):
        raise BeyondFilter(condition)


def constant_of(node: object, condition: exp.Expr) -> Constant:
    """The constant of a node. Raises FilterError, and Beyond with its condition."""
    node = bare(node)
    _require_arguments(node, condition)
    sign = ""
    if isinstance(node, exp.Neg):
        node, sign = bare(node.this), "-"
    if isinstance(node, exp.Null):
        raise FilterError(phrase("nothing is equal to NULL"), next_step=phrase("Write IS NULL or IS NOT NULL."))
    if isinstance(node, exp.Literal) and not node.is_string:
        return Constant("number", sign + _number(node.name))
    if isinstance(node, exp.Literal) and not sign:
        return Constant("text", node.name)
    if isinstance(node, exp.Boolean) and not sign:
        return Constant("truth", "TRUE" if node.this else "FALSE")
    if isinstance(node, exp.Cast) and not sign:
        text = bare(node.this)
        kind = None if node.to.expressions else _POINTS.get(node.to.this)
        if kind is not None and isinstance(text, exp.Literal) and text.is_string:
            return Constant(kind, _point(text.name, kind))
    raise BeyondFilter(condition)


def chained(node: exp.Expression) -> list[exp.Expression]:
    """The operands of AND and OR, walked in a loop so that a long list of them is not a deep tree."""
    kind, found, waiting = type(node), [], [node]
    while waiting:
        each = bare(waiting.pop())
        if type(each) is kind:
            waiting += [each.args["expression"], each.this]
        else:
            found.append(each)
    return found


def _is(node: exp.Is) -> Operator:
    if isinstance(node.expression, exp.Null):
        return "IS NULL"
    if isinstance(node.expression, exp.Boolean):
        return "IS TRUE" if node.expression.this else "IS FALSE"
    raise FilterError(
        phrase("this form of IS is not allowed"), next_step=phrase("Write IS NULL, IS NOT NULL, IS TRUE or IS FALSE.")
    )


def _prefix(pattern: Constant) -> Constant:
    """What the texts of a LIKE begin with."""
    prefix = pattern.text[:-1]
    if pattern.kind != "text" or not pattern.text.endswith("%") or not prefix or re.search(r"[%_\\]", prefix):
        step = phrase("Write name LIKE 'A%%', without another %%, _ or \\; for the whole text, name = 'A'.")
        raise FilterError(phrase("LIKE takes the beginning of a text and one %%"), next_step=step)
    return Constant("text", prefix)


def _number(text: str) -> str:
    if len(text) > 40 or not _NUMBER.fullmatch(text) or not -400 < Decimal(text).adjusted() < 400:
        raise FilterError(phrase("a number is too large or too long"), next_step=phrase("Write at most 40 digits."))
    return text


def _point(text: str, kind: Kind) -> str:
    pattern, example = _EXAMPLES[kind]
    if not pattern.fullmatch(text) or read_time(text) is None:
        raise FilterError(
            phrase("%(text)s is no date or time", text=quoted(text)),
            next_step=phrase("Write %(example)s.", example=example),
        )
    return text


def _built(tree: Filter, nodes_of: Callable[[FilterComparison], tuple[exp.Expression, ...]]) -> exp.Expression:
    """A filter as SQL, its constants as `nodes_of` makes them, in as few parentheses as it needs."""
    match tree:
        case Not():
            inner = _built(tree.part, nodes_of)
            return exp.Not(this=exp.Paren(this=inner) if isinstance(inner, (exp.And, exp.Or, exp.Not)) else inner)
        case All() | AnyOf():
            kind = exp.And if isinstance(tree, All) else exp.Or
            parts = [_built(each, nodes_of) for each in tree.parts]
            wrapped = [exp.Paren(this=each) if isinstance(each, (kind, exp.Or)) else each for each in parts]
            joined = wrapped[0]
            for each in wrapped[1:]:
                joined = kind(this=joined, expression=each)
            return joined
    value, constants = column(tree.column), nodes_of(tree)
    match tree.operator:
        case "TRUTH":
            return value
        case "IS NULL":
            return exp.Is(this=value, expression=exp.Null())
        case "IS TRUE" | "IS FALSE":
            return exp.Is(this=value, expression=exp.Boolean(this=tree.operator == "IS TRUE"))
        case "IN":
            return exp.In(this=value, expressions=list(constants))
        case "BETWEEN":
            return exp.Between(this=value, low=constants[0], high=constants[1])
        case "LIKE":
            return exp.Like(this=value, expression=exp.Literal.string(f"{tree.constants[0].text}%"))
    return _NODES[tree.operator](this=value, expression=constants[0])


def _as_written(comparison: FilterComparison) -> tuple[exp.Expression, ...]:
    return tuple(written(each) for each in comparison.constants)
