"""What a view of SQLite, MariaDB or MySQL may be made of, as its text is parsed: what is not listed here is refused."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from sqlglot import exp

from ordermade.requests.dataset_query import ALLOWED
from ordermade.sources.unstable import of_an_order, unstable

_OTHERS = frozenset(
    re.findall(
        r"\w+",
        """
        bitwise_and_agg bitwise_or_agg bitwise_xor_agg bitwise_count std stddev stddev_pop stddev_samp variance
        variance_pop variance_samp var_pop var_samp hex unhex space soundex stuff insert to_base64 from_base64
        total is_null is_inf sin cos tan cot asin acos atan atan2 degrees radians collate nvl2 count_if
        """,
    )
)
"""Functions that give the same for the same, and that no query of a provider needs."""
_LISTED = ALLOWED | _OTHERS
_OF_AN_ORDER = frozenset(
    re.findall(
        r"\w+",
        """
        first last first_value last_value nth_value any_value array_agg list group_concat string_agg row_number
        ntile lag lead percent_rank cume_dist rank dense_rank json_group_array json_group_object json_arrayagg
        json_objectagg j_s_o_n_array_agg j_s_o_n_object_agg rownum
        """,
    )
)
_REFUSED = (
    exp.DDL,
    exp.DML,
    exp.Command,
    exp.Into,
    exp.Lock,
    exp.Placeholder,
    exp.Parameter,
    exp.SessionParameter,
    exp.HistoricalData,
    exp.Version,
    exp.Pragma,
    exp.NextValueFor,
)


def names_of(function: exp.Func) -> list[str]:
    """The names that a function goes by, in lower case: the first is the one that messages use."""
    if isinstance(function, (exp.Anonymous, exp.AnonymousAggFunc)):
        return [function.name.lower()]
    return [each.lower() for each in function.sql_names()]


def is_of_database(function: exp.Func) -> bool:
    """Whether a function is one that somebody made: a server quotes its name, or names its database."""
    return isinstance(function.parent, exp.Dot) or isinstance(function.this, exp.Identifier)


def require_stable_tree(view: str, tree: exp.Expr, more: Collection[str], dialect: str) -> None:
    """Raises SourceFault for a view that may read differently each time, by the name of what it uses.

    `more`: the names of functions that the database has besides, which give the same each time.
    """
    for node in tree.walk():
        _require(view, node, more, dialect)


def _require(view: str, node: exp.Expr, more: Collection[str], dialect: str) -> None:
    if isinstance(node, (exp.Limit, exp.Fetch)) and not _is_of_exists(node):
        raise of_an_order(view, "LIMIT")
    if isinstance(node, exp.Offset):
        raise of_an_order(view, "OFFSET")
    if isinstance(node, exp.TableSample):
        raise unstable(view, "a random sample")
    if isinstance(node, _REFUSED):
        raise unstable(view, f"an expression of the kind {type(node).__name__.upper()}")
    if isinstance(node, exp.Window):
        name = names_of(node.this)[0] if isinstance(node.this, exp.Func) else ""
        if name in _OF_AN_ORDER or node.args.get("order") or node.args.get("spec") or node.args.get("alias"):
            raise of_an_order(view, f"{name}() OVER (ORDER BY …)")
    if isinstance(node, exp.Func):
        _require_listed(view, node, more, dialect)
    if isinstance(node, exp.Select) and (loose := next(_loose_columns(node), None)) is not None:
        raise of_an_order(view, f"a column beside GROUP BY or an aggregate ({loose.name})")


def _require_listed(view: str, node: exp.Func, more: Collection[str], dialect: str) -> None:
    names, called = names_of(node), node.sql(dialect=dialect).partition("(")[0].strip("`").lower()
    if any(each in _OF_AN_ORDER for each in names):
        raise of_an_order(view, f"{called}()")
    if is_of_database(node) or any(each in _LISTED or each in more for each in names):
        return  # a function of the database itself is looked up there
    raise unstable(view, f"{called}()")


def _is_of_exists(limit: exp.Expr) -> bool:
    """Whether a limit is that of EXISTS, which MariaDB writes, and no choice of a row."""
    select = limit.parent
    return isinstance(select, exp.Select) and isinstance(select.parent, exp.Exists)


def _loose_columns(select: exp.Select) -> Iterator[exp.Column]:
    """The columns of a grouped query that are neither grouped nor in an aggregate: of whichever row comes."""
    group = select.args.get("group")
    keys = [*group.expressions, *group.args.get("rollup", ())] if isinstance(group, exp.Group) else []
    given = [*select.expressions, *(each for each in (select.args.get("having"),) if each is not None)]
    if group is None and not any(_aggregates(each) for each in given):
        return
    named = {each.alias: each.unalias() for each in select.expressions if isinstance(each, exp.Alias)}
    keys += [named[each.name] for each in keys if isinstance(each, exp.Column) and each.name in named]
    places = [int(each.name) for each in keys if isinstance(each, exp.Literal) and not each.is_string]
    keys += [select.expressions[each - 1].unalias() for each in places if 0 < each <= len(select.expressions)]
    whole = [each.this if isinstance(each, exp.Paren) else each for each in keys]
    names = {each.name.casefold() for each in whole if isinstance(each, exp.Column)}
    for each in select.expressions:
        yield from _loose_in(each.unalias(), whole, names)
    if (having := select.args.get("having")) is not None:
        yield from _loose_in(having, whole, names | {each.casefold() for each in named})


def _loose_in(node: exp.Expr, keys: list[exp.Expr], names: set[str]) -> Iterator[exp.Column]:
    if node in keys or isinstance(node, exp.Query) or _is_aggregate(node):
        return
    if isinstance(node, exp.Column | exp.Star):
        if not (isinstance(node, exp.Column) and node.name.casefold() in names):
            yield node if isinstance(node, exp.Column) else exp.column("*")
        return
    for each in node.iter_expressions():
        yield from _loose_in(each, keys, names)


def _aggregates(node: exp.Expr) -> bool:
    """Whether an expression has an aggregate of its own, not one of a query in it or of a window."""
    if isinstance(node, exp.Query | exp.Window):
        return False
    return _is_aggregate(node) or any(_aggregates(each) for each in node.iter_expressions())


def _is_aggregate(node: exp.Expr) -> bool:
    """Whether an expression is the call of an aggregate: sqlglot does not know that of SQLite."""
    return isinstance(node, exp.AggFunc | exp.AnonymousAggFunc) or (
        isinstance(node, exp.Anonymous) and node.name.lower() == "total"
    )
