"""The row filter of a request: a boolean expression over columns, allowed by node type, in wide arithmetic.

An error that depends on one value would reveal something about one person. So the range of each result follows from
the types of the columns alone: where 16 bytes hold it the filter is calculated in as many as it needs, else it is
refused before anything is read.

The text is parsed, and the tree is built anew from the few kinds of node that are allowed, so that nothing
else can reach a source: no query, no statement, no function beyond a short list, no parameter. Columns come
out quoted, as the catalog stores them. The tree that is run is the one whose text is part of the dataset's
identity.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import cast

from sqlglot import TokenType, exp

from ordermade.errors import FilterError, InputError, quoted
from ordermade.hierarchies.column_types import plain
from ordermade.requests.dataset_query import parse_dataset_query
from ordermade.requests.numbers import DATE, TIME, read_time
from ordermade.requests.parsing import tokens_of, tree_of
from ordermade.requests.resolving import stored_column
from ordermade.sql import DIALECT, identifier

_ZONED = re.compile(TIME.pattern + r"([+-][0-9]{2}(:?[0-9]{2})?|Z)?")
_SPELLINGS: Mapping[exp.DType, tuple[re.Pattern[str], str]] = MappingProxyType(
    {
        exp.DType.DATE: (DATE, "DATE '2013-10-01'"),
        exp.DType.TIMESTAMP: (TIME, "TIMESTAMP '2013-10-01 10:30:00'"),
        exp.DType.TIMESTAMPNTZ: (TIME, "TIMESTAMP '2013-10-01 10:30:00'"),
        exp.DType.TIMESTAMPTZ: (_ZONED, "TIMESTAMPTZ '2013-10-01 10:30:00+09:00'"),
    }
)

ALLOWED_FUNCTIONS = (
    "LOWER, UPPER, TRIM, LENGTH, SUBSTRING, ABS, FLOOR, CEIL, ROUND, COALESCE, EXTRACT, YEAR, MONTH, DAY"
)

_WORDS: Sequence[tuple[tuple[type, ...], str, str]] = (
    (
        (exp.Query, exp.Exists, exp.Any, exp.All, exp.Unnest, exp.Tuple),
        "a query, list or row inside a filter is not allowed",
        "Compare columns with values; ask the provider for a dataset that is prepared so.",
    ),
    (
        (exp.Placeholder, exp.Parameter, exp.SessionParameter),
        "a filter has no parameters",
        "Write the value itself.",
    ),
    ((exp.Star,), "a filter has no *", "Name the columns."),
    ((exp.Window,), "a filter has no window function", "Compare columns with values."),
    ((exp.Interval,), "a filter has no INTERVAL", "Write the date itself, such as DATE '2013-10-01'."),
    ((exp.ILike,), "ILIKE is not allowed", "Write LOWER(name) LIKE 'a%'."),
    ((exp.Escape,), "LIKE … ESCAPE is not allowed", "Write the pattern without it."),
    ((exp.Like,), "this form of LIKE is not allowed", "Write name LIKE 'A%'."),
    ((exp.In,), "this form of IN is not allowed", "Write sex IN ('f', 'm')."),
    ((exp.Is,), "this form of IS is not allowed", "Write IS NULL, IS NOT NULL, IS TRUE or IS FALSE."),
    (
        (exp.Column, exp.Dot),
        "a column is written without a table",
        "Write the column's name alone, in double quotes if it holds a dot.",
    ),
    (
        (exp.HexString, exp.BitString, exp.ByteString, exp.RawString, exp.National, exp.Concat),
        "this spelling of a text is not allowed",
        "Write it between single quotes, 'like this'.",
    ),
    (
        (exp.CurrentDate, exp.CurrentTimestamp, exp.CurrentTime),
        "a filter that changes with the clock is not allowed",
        "Write the date itself, such as DATE '2013-10-01'.",
    ),
    ((exp.TryCast, exp.Cast), "this conversion is not allowed", "Compare the column as it is."),
    ((exp.Case, exp.If), "CASE is not allowed in a filter", "Join conditions with AND and OR."),
)


_SYMBOLS: Mapping[type, str] = MappingProxyType(
    {
        exp.DPipe: "||",
        exp.Mod: "%",
        exp.IntDiv: "//",
        exp.RegexpLike: "~",
        exp.Bracket: "[ ]",
        exp.SimilarTo: "SIMILAR TO",
        exp.Collate: "COLLATE",
        exp.Struct: "{ }",
        exp.Array: "[ ]",
        exp.PositionalColumn: "#",
        exp.Between: "BETWEEN SYMMETRIC",
    }
)


def refused(node: object) -> FilterError:
    """The error that refuses this node, with the construct to write instead."""
    for kinds, what, step in _WORDS:
        if isinstance(node, kinds):
            return FilterError(what, next_step=step)
    symbol = _SYMBOLS.get(type(node))
    if isinstance(node, exp.Func) and not symbol:
        called = node.name if isinstance(node, exp.Anonymous) else node.sql_name()
        what = f"the function {quoted(called)} is not allowed in a filter, or not with these arguments"
        return FilterError(what, next_step=f"Allowed are {ALLOWED_FUNCTIONS}.")
    kind = symbol or (type(node).__name__.upper() if isinstance(node, exp.Expression) else "this")
    step = "Use AND, OR, NOT, comparisons, IS NULL, IN, BETWEEN, LIKE and + - * / on columns and values."
    return FilterError(f"{kind} is not allowed in a filter", next_step=step)


_CALCULATIONS = (exp.Add, exp.Sub, exp.Mul, exp.Neg, exp.Abs, exp.Round)
_LARGEST: Mapping[str, int] = MappingProxyType(
    {
        "TINYINT": 2**7, "SMALLINT": 2**15, "INTEGER": 2**31, "BIGINT": 2**63, "HUGEINT": 2**127,
        "UTINYINT": 2**8, "USMALLINT": 2**16, "UINTEGER": 2**32, "UBIGINT": 2**64, "UHUGEINT": 2**128,
    }
)  # fmt: skip
"""The largest absolute value of each type of whole numbers, or one more."""
_OF_FUNCTIONS: Mapping[type[exp.Expression], int] = MappingProxyType(
    {exp.Length: 2**32, **dict.fromkeys((exp.Year, exp.Month, exp.Day, exp.Extract), 10**7)}
)
"""A bound on the absolute value of functions that count, whatever their argument."""


def widened(tree: exp.Expression, types: Mapping[str, str]) -> exp.Expression:
    """A copy of a filter's tree that calculates with whole numbers in as many bytes as any value needs.

    `types`: the SQL type of each column, as stored. The result is that of `tree` wherever that has one.

    Raises:
        FilterError: the types alone allow a result that 16 bytes do not hold.
    """
    copied = tree.copy()
    for node in list(copied.find_all(*_CALCULATIONS, exp.Div)):
        if not _is_calculation(node.parent):
            _widen(cast(exp.Expression, node), types)
    return copied


def largest_of(column_type: str) -> int:
    """The largest absolute value of a type of whole numbers, or one more."""
    return _LARGEST[plain(column_type)]


def _widen(root: exp.Expression, types: Mapping[str, str]) -> None:
    """Casts the operands of one whole calculation to a wider type, where it is of whole numbers and has a column.

    Of a calculation with fractions those within it that are of whole numbers.
    """
    largest = _largest(root, types)
    if largest is None:
        for part in (root.this, root.args.get("expression")):
            while isinstance(part, exp.Paren):
                part = part.this
            if isinstance(part, (*_CALCULATIONS, exp.Div)):
                _widen(part, types)
        return
    if not root.find(exp.Column):
        return
    if largest >= 2**127:
        raise FilterError(
            "a calculation goes beyond the range of its type for some values that its columns can have",
            next_step="Compare the column without calculating, or cast it to a narrower type in a dataset query.",
        )
    wide = exp.DType.BIGINT if largest < 2**63 else exp.DType.INT128
    for operand in list(_operands(root)):
        operand.replace(exp.Cast(this=operand.copy(), to=exp.DataType(this=wide, nested=False)))


def _is_calculation(node: exp.Expr | None) -> bool:
    while isinstance(node, exp.Paren):
        node = node.parent
    return isinstance(node, (*_CALCULATIONS, exp.Div))


def _operands(node: exp.Expression) -> list[exp.Expression]:
    """The operands of a calculation, below all of its steps."""
    if isinstance(node, (*_CALCULATIONS, exp.Paren)):
        parts = (node.this, node.args.get("expression"))
        return [each for part in parts if isinstance(part, exp.Expression) for each in _operands(part)]
    return [node]


def _largest(node: exp.Expression, types: Mapping[str, str]) -> int | None:
    """A bound on the absolute value of a calculation and of each of its steps; None if it is not of whole numbers."""
    if isinstance(node, exp.Column):
        return _LARGEST.get(plain(types[node.name]))
    if isinstance(node, exp.Literal):
        return int(node.name) if not node.is_string and node.name.isdecimal() else None
    if not isinstance(node, (*_CALCULATIONS, exp.Paren)):
        return _OF_FUNCTIONS.get(type(node))
    parts = [_largest(each, types) for each in (node.this, node.args.get("expression")) if each is not None]
    known = [each for each in parts if each is not None]
    if len(known) < len(parts):
        return None
    match node:
        case exp.Mul():
            # A product of 0 does not make its factors small.
            return max(known[0] * known[1], *known)
        case exp.Round():
            return 2 * known[0]  # to the next ten, hundred, …: at most twice as much
        case _:
            return sum(known)


__all__ = ["ALLOWED_NODES", "canonical", "in_a_request", "parse_dataset_query", "parse_filter"]

LONGEST_FILTER = 10_000
_DEEPEST = 60

_LOGIC = (exp.And, exp.Or, exp.Not)
_COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ, exp.NullSafeNEQ)
_PREDICATES = (*_LOGIC, *_COMPARISONS, exp.Is, exp.In, exp.Between, exp.Like)
_DATE_PARTS = frozenset({"YEAR", "QUARTER", "MONTH", "DAY"})

# The arguments that each kind of node may have; anything else it carries is refused.
_BINARY = ("this", "expression")
_ARGUMENTS: Mapping[type[exp.Expression], tuple[str, ...]] = MappingProxyType(
    {
        **dict.fromkeys((exp.And, exp.Or, *_COMPARISONS, exp.Is, exp.Add, exp.Sub, exp.Mul), _BINARY),
        **dict.fromkeys((exp.Not, exp.Neg, exp.Paren, exp.Boolean, exp.Column, exp.Var), ("this",)),
        **dict.fromkeys((exp.Lower, exp.Upper, exp.Abs, exp.Floor, exp.Ceil, exp.Length, exp.Trim), ("this",)),
        **dict.fromkeys((exp.Year, exp.Month, exp.Day), ("this",)),
        exp.Div: (*_BINARY, "typed", "safe"),
        exp.Like: (*_BINARY, "negate"),
        exp.In: ("this", "expressions"),
        exp.Between: ("this", "low", "high"),
        exp.Cast: ("this", "to"),
        exp.Coalesce: ("this", "expressions"),
        exp.Extract: _BINARY,
        exp.Round: ("this", "decimals"),
        exp.Substring: ("this", "start", "length"),
        exp.Literal: ("this", "is_string"),
        exp.Null: (),
    }
)
ALLOWED_NODES: frozenset[type[exp.Expression]] = frozenset(_ARGUMENTS) | {exp.Identifier, exp.DataType}
"""Every kind of node that a filter's tree may hold."""

# The precedence of operators: an operand that binds no tighter gets parentheses, all others lose theirs.
_BINDING: Mapping[type[exp.Expression], int] = MappingProxyType(
    {
        exp.Or: 1,
        exp.And: 2,
        exp.Not: 3,
        **dict.fromkeys((*_COMPARISONS, exp.Is, exp.In, exp.Between, exp.Like), 4),
        **dict.fromkeys((exp.Add, exp.Sub), 5),
        **dict.fromkeys((exp.Mul, exp.Div), 6),
        exp.Neg: 7,
    }
)


def parse_filter(text: str, columns: Collection[str], dialect: str = DIALECT) -> exp.Expression:
    """The tree of the row filter `text` over `columns` (names as stored); every column quoted as stored.

    Raises:
        FilterError: the text is no boolean expression, or contains a construct that a filter may not have.
    """
    tokens = tokens_of(text, what="the filter", longest=LONGEST_FILTER, dialect=dialect)
    if any(token.token_type is TokenType.SEMICOLON for token in tokens):
        step = "Write one expression such as age >= 18 AND sex = 'f'."
        raise FilterError("the filter holds a semicolon, and is one expression only", next_step=step)
    tree = tree_of(text, what="the filter", into=exp.Condition, dialect=dialect)
    built = _Rebuilding(columns).node(tree, 0)
    if not _is_boolean(built):
        step = "Compare something, such as age >= 18."
        raise FilterError("the filter is a value and not a condition", next_step=step)
    return built


def canonical(tree: exp.Expression) -> str:
    """The one spelling of a tree from `parse_filter`, as SQL: texts that read the same give the same."""
    return str(tree.sql(dialect=DIALECT, comments=False, normalize_functions="upper"))


def calculates(tree: exp.Expression | None) -> bool:
    """Whether a filter calculates or casts, so that a value may go beyond the range of its type there."""
    kinds = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Neg, exp.Cast, exp.Abs, exp.Round, exp.Floor, exp.Ceil)
    return tree is not None and tree.find(*kinds) is not None


def in_a_request(filter_text: str) -> str:
    """The line of a request file that has this filter: quoted, for YAML ends a text that begins with `"a"` there."""
    doubled = filter_text.replace("'", "''")
    return f"where: '{doubled}'"


@dataclass(frozen=True, slots=True)
class _Rebuilding:
    """Builds a tree anew from the allowed kinds of node, over the columns of one dataset."""

    columns: Collection[str]

    def node(self, node: object, depth: int) -> exp.Expression:
        if not isinstance(node, exp.Expression) or isinstance(node, exp.Var):
            raise refused(node)
        kind = type(node)
        if kind not in _ARGUMENTS:
            raise refused(node)
        if depth > _DEEPEST:
            step = "Write it with fewer steps inside one another."
            raise FilterError("the filter is nested too deeply", next_step=step)
        if any(value and name not in _ARGUMENTS[kind] for name, value in node.args.items()):
            raise refused(node)
        special = _SPECIAL.get(kind)
        return special(self, node, depth) if special else self.operator_or_function(node, depth)

    def operator_or_function(self, node: exp.Expression, depth: int) -> exp.Expression:
        arguments = {name: value for name, value in node.args.items() if name in _ARGUMENTS[type(node)]}
        built = type(node)(**{name: self.argument(value, depth) for name, value in arguments.items()})
        _check_operands(built)
        return _with_parentheses(built)

    def argument(self, value: object, depth: int) -> object:
        if isinstance(value, list):
            return [self.node(each, depth + 1) for each in value]
        return self.node(value, depth + 1) if isinstance(value, exp.Expression) else value

    def parentheses(self, node: exp.Expression, depth: int) -> exp.Expression:
        return self.node(node.this, depth + 1)

    def column(self, node: exp.Expression, _: int) -> exp.Expression:
        if not isinstance(node.this, exp.Identifier):
            raise refused(node.this)
        try:
            return exp.Column(this=identifier(stored_column(node.name, self.columns)))
        except InputError as error:
            step = error.next_step
            if node.this.args.get("quoted"):
                step = f"{step} Double quotes are for columns; a text goes in single quotes."
            raise FilterError(error.what, next_step=step) from error

    def chain(self, node: exp.Expression, depth: int) -> exp.Expression:
        """AND and OR of many operands, walked in a loop so that a long list of them is not a deep tree."""
        kind = type(node)
        operands: list[exp.Expression] = []
        waiting: list[exp.Expression] = [node]
        while waiting:
            each = waiting.pop()
            while type(each) is exp.Paren:
                each = each.this
            if type(each) is kind:
                waiting += [each.args["expression"], each.this]
            else:
                operands.append(self.node(each, depth + 1))
        for operand in operands:
            _require_boolean(operand)
        joined = _wrapped(operands[0], kind)
        for operand in operands[1:]:
            joined = kind(this=joined, expression=_wrapped(operand, kind))
        return joined

    def literal(self, node: exp.Expression, _: int) -> exp.Expression:
        if not node.args.get("is_string") and not (len(node.name) <= 40 and math.isfinite(float(node.name))):
            raise FilterError("a number is too large or too long", next_step="Write at most 40 digits.")
        return node.copy()

    def substring(self, node: exp.Expression, depth: int) -> exp.Expression:
        if not node.args.get("start"):
            raise refused(node)
        return self.operator_or_function(node, depth)

    def like(self, node: exp.Expression, depth: int) -> exp.Expression:
        pattern = self.node(node.args.get("expression"), depth + 1)
        if not (isinstance(pattern, exp.Literal) and pattern.is_string):
            raise FilterError("LIKE takes a text in quotes", next_step="Write name LIKE 'A%'.")
        like = exp.Like(this=self.node(node.this, depth + 1), expression=pattern)
        _check_operands(like)
        built = _with_parentheses(like)
        return exp.Not(this=built) if node.args.get("negate") else built

    def is_(self, node: exp.Expression, depth: int) -> exp.Expression:
        right = node.args.get("expression")
        if type(right) not in (exp.Null, exp.Boolean):
            raise refused(node)
        left = self.node(node.this, depth + 1)
        return _with_parentheses(exp.Is(this=left, expression=self.node(right, depth + 1)))

    def in_(self, node: exp.Expression, depth: int) -> exp.Expression:
        items = [self.node(item, depth + 1) for item in node.expressions]
        if not items or not all(_is_constant(item) for item in items):
            raise FilterError("IN takes a list of values", next_step="Write sex IN ('f', 'm').")
        built = exp.In(this=self.node(node.this, depth + 1), expressions=items)
        _check_operands(built)
        return _with_parentheses(built)

    def cast(self, node: exp.Expression, depth: int) -> exp.Expression:
        inner = node.this
        while type(inner) is exp.Paren:
            inner = inner.this
        return _temporal_literal(self.node(inner, depth + 1), node.args.get("to"))

    def extract(self, node: exp.Expression, depth: int) -> exp.Expression:
        part = node.this.name.upper() if type(node.this) is exp.Var else ""
        if part not in _DATE_PARTS:
            step = "Write EXTRACT(YEAR FROM column); YEAR, QUARTER, MONTH and DAY are known."
            raise FilterError("this part of a date cannot be extracted", next_step=step)
        whole = self.node(node.args.get("expression"), depth + 1)
        return exp.Extract(this=exp.Var(this=part), expression=whole)


_SPECIAL: Mapping[type, Callable[[_Rebuilding, exp.Expression, int], exp.Expression]] = MappingProxyType(
    {
        exp.Paren: _Rebuilding.parentheses,
        exp.Column: _Rebuilding.column,
        exp.Literal: _Rebuilding.literal,
        exp.Substring: _Rebuilding.substring,
        exp.And: _Rebuilding.chain,
        exp.Or: _Rebuilding.chain,
        exp.Like: _Rebuilding.like,
        exp.Is: _Rebuilding.is_,
        exp.In: _Rebuilding.in_,
        exp.Cast: _Rebuilding.cast,
        exp.Extract: _Rebuilding.extract,
    }
)


def _check_operands(node: exp.Expression) -> None:
    """NOT takes a condition; comparisons and arithmetic take values, so that no 1 < a < 9 slips in."""
    if isinstance(node, exp.Not):
        _require_boolean(node.this)
    elif type(node) in _BINDING:
        for name in ("this", "expression", "low", "high"):
            if isinstance(node.args.get(name), _PREDICATES):
                step = "Join conditions with AND and OR: 1 < age AND age < 9."
                raise FilterError("a condition stands where a value is compared", next_step=step)


def is_point(text: str, kind: exp.DType) -> bool:
    """Whether a text is a day, or a moment, as this type is written."""
    return _SPELLINGS[kind][0].fullmatch(text) is not None and read_time(text) is not None


def _require_boolean(node: exp.Expression) -> None:
    if not _is_boolean(node):
        step = "Compare it, such as age >= 18."
        raise FilterError("AND, OR and NOT join conditions, and one of them is a value", next_step=step)


def _is_boolean(node: exp.Expression) -> bool:
    """Whether the node is a condition by construction; the type of a column is known to the source alone."""
    if isinstance(node, exp.Coalesce):
        return all(_is_boolean(each) for each in (node.this, *node.expressions))
    return isinstance(node, (*_PREDICATES, exp.Boolean, exp.Column))


def _is_constant(node: exp.Expression) -> bool:
    if isinstance(node, (exp.Neg, exp.Cast)):
        return _is_constant(node.this)
    return isinstance(node, (exp.Literal, exp.Null, exp.Boolean))


def _with_parentheses(node: exp.Expression) -> exp.Expression:
    """The operator with the parentheses its operands need; functions need none."""
    if type(node) in _BINDING:
        for name in ("this", "expression", "low", "high"):
            operand = node.args.get(name)
            if isinstance(operand, exp.Expression):
                node.set(name, _wrapped(operand, type(node)))
    return node


def _wrapped(operand: exp.Expression, within: type[exp.Expression]) -> exp.Expression:
    loose = _BINDING.get(type(operand), 9) <= _BINDING[within]
    return cast(exp.Expression, exp.Paren(this=operand)) if loose else operand


def _temporal_literal(value: exp.Expression, target: object) -> exp.Expression:
    """`value`, a text literal or a column, read as a date or timestamp.

    Raises:
        FilterError: another type, another kind of value, or a text that is no date.
    """
    kind = target.this if isinstance(target, exp.DataType) and not target.expressions else None
    if not isinstance(kind, exp.DType) or kind not in _SPELLINGS:
        raise FilterError(
            "a filter converts values to DATE and TIMESTAMP only", next_step="Compare the column as it is."
        )
    _, example = _SPELLINGS[kind]
    if isinstance(value, exp.Literal) and value.is_string:
        if not is_point(value.this, kind):
            raise FilterError(f"{quoted(value.this)} is no date or time", next_step=f"Write {example}.")
    elif not isinstance(value, exp.Column):
        raise FilterError("only a column or a text is read as a date or time", next_step=f"Write {example}.")
    return exp.Cast(this=value, to=exp.DataType(this=kind, nested=False))
