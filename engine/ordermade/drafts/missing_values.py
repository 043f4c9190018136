"""The values of a column without those that the person who opened the table says mean a missing value, or a bound."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import date
from decimal import Decimal, InvalidOperation

from sqlglot import exp

from ordermade import sql
from ordermade.drafts.profile import CensoredEnds
from ordermade.drafts.reading_options import ColumnOptions
from ordermade.drafts.text_column import translated, without_missing
from ordermade.drafts.text_formats import BLANKS
from ordermade.hierarchies.column_types import is_date, is_number, is_text

BELOW, ABOVE = "<≤＜≦", ">≥＞≧"
BOUNDS = f"{BELOW}{ABOVE}="
"""The signs before a number that say it is a bound of the value."""


def censored_ends(texts: Iterable[str], text_of: Callable[[str], str]) -> CensoredEnds | None:
    """The bounds among the texts of a column, read by `text_of`; None where no text is one."""
    ends: dict[str, list[Decimal]] = {BELOW: [], ABOVE: []}
    for text in texts:
        stripped = text.strip(BLANKS)
        side = next((signs for signs in ends if stripped[:1] and stripped[:1] in signs), None)
        if side is not None:
            try:
                ends[side].append(Decimal(text_of(stripped.translate(_WITHOUT_SIGNS))))
            except InvalidOperation:  # a text that means a missing value
                continue
    if not any(ends.values()):
        return None
    return CensoredEnds(max(ends[BELOW], default=None), min(ends[ABOVE], default=None))


_WITHOUT_SIGNS = str.maketrans(dict.fromkeys(BOUNDS, ""))


def said_values(column: str, column_type: str, options: ColumnOptions) -> exp.Expr | None:
    """The values of a column by what is said of it; None where that changes none of them.

    Texts lose the signs of bounds. Of a column of numbers or days, what is said to be missing is compared as such, and
    a text that is none is of no value of it.
    """
    value: exp.Expr = sql.column(column)
    if is_text(column_type):
        plain = value
        if options.at_bounds:
            value = translated(value, BOUNDS, "")
        return without_missing(value, plain, options.missing) if options.missing else _changed(value, plain)
    markers = [each for text in options.missing if (each := _literal(text, column_type)) is not None]
    if not markers:
        return None
    if len(markers) == 1:
        return exp.Nullif(this=value, expression=markers[0])
    among = exp.In(this=value.copy(), expressions=markers)
    return exp.Case(ifs=[exp.If(this=among, true=exp.Null())], default=value)


def _changed(value: exp.Expr, plain: exp.Expr) -> exp.Expr | None:
    return None if value is plain else value


def _literal(text: str, column_type: str) -> exp.Expr | None:
    """A text as a value of a column of numbers or days; None where it is none."""
    if is_number(column_type):
        try:
            number = Decimal(text.strip())
        except InvalidOperation:
            return None
        if not number.is_finite():
            return None
        plain = exp.Literal.number(f"{abs(number):f}")
        return exp.Neg(this=plain) if number < 0 else plain
    if is_date(column_type) and re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text.strip()):
        try:
            day = date.fromisoformat(text.strip())
        except ValueError:
            return None
        return exp.cast(exp.Literal.string(day.isoformat()), "DATE", dialect=sql.DIALECT)
    return None
