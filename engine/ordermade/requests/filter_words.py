"""Constructs that a filter may not contain, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from sqlglot import exp

from ordermade.errors import FilterError, quoted

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
