"""Parse a row filter: comparisons of columns with constants. Errors say what to write instead."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from sqlglot import exp

from ordermade.errors import FilterError
from ordermade.phrases import phrase
from ordermade.requests.dataset_query import parse_dataset_query
from ordermade.requests.earlier_filters import rewritten
from ordermade.requests.filter_parser import (
    ONE_EXPRESSION,
    OPERATORS,
    BeyondFilter,
    FilterReading,
    canonical,
    compiled,
    read_filter,
)
from ordermade.requests.filter_tree import Filter
from ordermade.sql import DIALECT, table


def parse_filter(text: str, columns: Collection[str], dataset: str = "dataset") -> Filter:
    """The tree of the row filter `text` over `columns` (their stored names).

    Raises FilterError if the text is no row filter. Where a dataset query can calculate the condition, the error shows
    that query, which reads from `dataset`.
    """
    tree = read_filter(text)
    reading = FilterReading(columns)
    try:
        return reading.condition(tree, 0)
    except BeyondFilter as beyond:
        for each in beyond.node.find_all(exp.Column):
            reading.column(each, each)
        raise _with_query(beyond.node, columns, dataset) from None


def parse_alone(text: str) -> Filter:
    """The tree of a filter whose table is unknown: every column that it names is taken to exist. Raises FilterError."""
    return parse_filter(text, tuple(dict.fromkeys(each.name for each in read_filter(text).find_all(exp.Column))))


def row_condition(text: str, types: Mapping[str, str], dataset: str = "dataset") -> tuple[exp.Expression, Filter]:
    """The row filter over columns with their SQL types: its SQL expression, and its tree. Raises FilterError."""
    tree = parse_filter(text, tuple(types), dataset)
    return compiled(tree, types), tree


_WORDS: tuple[tuple[tuple[type, ...], str, str], ...] = (
    (
        (exp.Placeholder, exp.Parameter, exp.SessionParameter),
        phrase("a filter has no parameters"),
        phrase("Write the value itself."),
    ),
    ((exp.Query, exp.Exists, exp.Tuple), phrase("a query or row inside a filter is not allowed"), ONE_EXPRESSION),
    ((exp.Star,), phrase("a filter has no *"), phrase("Name the columns.")),
    (
        (exp.CurrentDate, exp.CurrentTimestamp, exp.CurrentTime, exp.Interval),
        phrase("a filter that changes with the clock is not allowed"),
        phrase("Write the date itself, such as DATE '2013-10-01'."),
    ),
    (
        (exp.NullSafeEQ,),
        phrase("IS NOT DISTINCT FROM is not allowed in a filter"),
        phrase("Write age = 5, or age IS NULL."),
    ),
    (
        (exp.NullSafeNEQ,),
        phrase("IS DISTINCT FROM is not allowed in a filter"),
        phrase("Write age <> 5 OR age IS NULL."),
    ),
)


def _with_query(node: exp.Expr, columns: Collection[str], dataset: str) -> FilterError:
    """The error for a condition that no filter may have: its next step is another condition, or a dataset query."""
    for kinds, what, step in _WORDS:
        if node.find(*kinds) is not None:
            return FilterError(what, next_step=step)
    if isinstance(node, tuple(OPERATORS)) and isinstance(node.this, tuple(OPERATORS)):
        step = phrase("Join conditions with AND and OR: 1 < age AND age < 9.")
        return FilterError(phrase("a condition stands where a value is compared"), next_step=step)
    what = phrase("a filter compares a column with constants of its type, and does no more than that")
    within = rewritten(node, columns)
    if within is not None:
        return FilterError(what, next_step=phrase("Write %(canonical)s.", canonical=canonical(within)))
    if node.find(exp.Column) is None:
        return FilterError(phrase("the filter is a value and not a condition"), next_step=ONE_EXPRESSION)
    query = exp.select("*", exp.alias_(exp.paren(node.copy()), "chosen", quoted=True)).from_(table(dataset))
    text = query.sql(dialect=DIALECT)
    try:
        parse_dataset_query(text)
    except FilterError as error:
        return FilterError(what, next_step=phrase("A dataset query cannot do it either: %(what)s.", what=error.what))
    return FilterError(
        what, next_step=phrase("A dataset query of the provider's can, for the filter `chosen`: %(text)s", text=text)
    )
