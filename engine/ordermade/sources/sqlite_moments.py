"""The functions of days and moments in the views of a SQLite file: those of what the clock says are refused.

They read a text such as `now` or `subsec` as the moment of the reading, whatever made the text. So a text that a view
makes has no letter but those of the columns of tables, and a modifier is written as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator

from sqlglot import exp

from ordermade.sources.backend import is_named_in_with
from ordermade.sources.sqlite_text import DIALECT
from ordermade.sources.unstable import unstable
from ordermade.sources.view_trees import names_of

Columns = Callable[[str], Collection[str] | None]
"""The columns of a table, in lower case; None for what is no table."""
MOMENTS = frozenset(
    re.findall(
        r"\w+",
        """
        date datetime time julianday unixepoch strftime timediff time_to_str ts_or_ds_to_date ts_or_ds_to_time
        ts_or_ds_to_timestamp timestamp
        """,
    )
)
"""The functions of days and moments, by the names that a parsed text has for them, too."""
_CUTTING = frozenset(
    re.findall(
        r"\w+",
        """
        substring substr trim ltrim rtrim coalesce ifnull nullif replace concat printf format round abs length instr
        str_position max min greatest least
        """,
    )
)
"""The functions that a moment may be made by: none makes letters of numbers."""
_MAKING = (exp.Paren, exp.Neg, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.DPipe, exp.Collate)
"""The operations that it may be made by."""
_MODIFIER = re.compile(
    r"[+-]?[\d.:]+\s+(day|hour|minute|second|month|year)s?|start of (month|year|day)|weekday \d|unixepoch|julianday"
    r"|auto|ceiling|floor|subsec(ond)?|[+-]?[\d: .-]*",
    re.IGNORECASE,
)
"""The modifiers that do not depend on the machine, as `localtime` and `utc` do."""
_NUMBER, _PLACE, _LETTER = re.compile(r"%0?\d*d"), re.compile(r"%[a-zA-Z]"), re.compile(r"[^\W\d_TZ]")
"""What stands for a number in a text, for a part of a moment in one, and a letter that no moment is written with."""


def require_moment(view: str, function: exp.Func, columns: Columns) -> None:
    """Raises SourceFault for a moment that may be that of the reading, or of the machine's time zone."""
    name = function.sql(dialect=DIALECT).partition("(")[0].lower()
    values, modifiers = _given(function)
    if not values:
        raise unstable(view, f"{name}() of now")
    are_written = all(
        isinstance(each, exp.Literal) and each.is_string and _MODIFIER.fullmatch(each.name.strip())
        for each in modifiers
    )
    if not (are_written and all(_is_fixed(each, columns) for each in values)):
        raise unstable(view, f"{name}() of a calculated text, which may be 'now' or 'localtime'")


def _given(function: exp.Func) -> tuple[list[exp.Expr], list[exp.Expr]]:
    """The moments that a function is given, and the modifiers."""
    form = function.args.get("format")
    given: list[exp.Expr] = [each for each in function.iter_expressions() if each is not form]
    if isinstance(function, exp.Anonymous):
        name = function.name.lower()
        given = given[1:] if name == "strftime" else given
        if name == "timediff":
            return given, []
    first: list[exp.Expr] = [each.this if isinstance(each, exp.TsOrDsToTimestamp) else each for each in given[:1]]
    return first, given[1:]


def _is_fixed(value: exp.Expr, columns: Columns) -> bool:
    """Whether all letters of a text are of columns of tables."""
    if isinstance(value, exp.Literal):
        return not (value.is_string and _LETTER.search(_NUMBER.sub("", value.name)))
    if isinstance(value, exp.Null):
        return True
    if isinstance(value, exp.Column):
        return _is_stored(value, columns)
    signs: list[exp.Expr] = [*value.iter_expressions()]
    if isinstance(value, exp.Cast):
        signs = [value.this]
    elif isinstance(value, exp.Case | exp.If):
        ifs = value.args.get("ifs") or [value]
        others = (value.args.get("default"), value.args.get("false"))
        signs = [*(each.args["true"] for each in ifs), *(each for each in others if each is not None)]
    elif isinstance(value, exp.Func) and set(names_of(value)) & MOMENTS:
        form = value.args.get("format")
        if isinstance(value, exp.Anonymous) and value.name.lower() == "strftime":
            form = value.expressions[0] if value.expressions else None
        is_plain = isinstance(form, exp.Literal) and not _LETTER.search(_PLACE.sub("", form.name))
        return form is None or is_plain  # the moment that it is given is looked at by itself
    elif not isinstance(value, _MAKING) and not (isinstance(value, exp.Func) and set(names_of(value)) & _CUTTING):
        return False
    return all(_is_fixed(each, columns) for each in signs)


def selects_around(node: exp.Expr) -> Iterator[exp.Select]:
    """The queries that a node stands in, the innermost first."""
    while node.parent is not None:
        node = node.parent
        if isinstance(node, exp.Select):
            yield node


def relations_of(select: exp.Select) -> list[exp.Expr]:
    """What a query reads: tables, queries, functions of rows."""
    joined = [select.args.get("from_"), *(select.args.get("joins") or [])]
    return [each.this for each in joined if each is not None]


def columns_read(relation: exp.Expr, columns: Columns) -> Collection[str] | None:
    """The columns of a table that a query reads, in lower case; None for what is no table."""
    if not isinstance(relation, exp.Table) or not isinstance(relation.this, exp.Identifier):
        return None
    return None if is_named_in_with(relation) else columns(relation.name)


def _is_stored(column: exp.Column, columns: Columns) -> bool:
    """Whether every query around a column reads tables alone, one of which has it: SQLite reads others as texts."""
    found = [columns_read(each, columns) for select in selects_around(column) for each in relations_of(select)]
    return None not in found and any(column.name.casefold() in (each or ()) for each in found)
