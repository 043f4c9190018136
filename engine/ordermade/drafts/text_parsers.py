"""Readings of messy texts: what a column of texts really holds, and the expression of a dataset query that reads it.

A reading is offered only if a form covers every text of a column, or every one that does not clearly mean a missing
value, which becomes NULL. The expression is made of few functions that DuckDB and PostgreSQL have, and the modules of
the other sources print or calculate.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from sqlglot import exp

from ordermade import sql
from ordermade.drafts import text_formats
from ordermade.drafts.date_readings import dates, days_as_numbers, moments
from ordermade.drafts.number_readings import numbers
from ordermade.drafts.profile import ColumnProfile
from ordermade.drafts.text_column import (
    NO_CONTEXT,
    ColumnReading,
    ReadingContext,
    TextColumn,
    Unread,
    is_missing,
    option_of,
)
from ordermade.hierarchies.column_types import is_whole


def reading_of(
    profile: ColumnProfile, context: ReadingContext = NO_CONTEXT, value: exp.Expr | None = None
) -> ColumnReading | None:
    """The reading of a column, as `examined`; None where it is taken as it is."""
    found = examined(profile, context, value)
    return found if isinstance(found, ColumnReading) else None


def examined(
    profile: ColumnProfile, context: ReadingContext = NO_CONTEXT, value: exp.Expr | None = None
) -> ColumnReading | Unread | None:
    """The reading of a column, or the reason that texts which look like something else have none.

    `value`: the expression whose values the profile has, where that is not the column itself.
    """
    if not profile.values:
        return None
    given = sql.column(profile.name) if value is None else value
    if is_whole(profile.type):
        return days_as_numbers(profile, given)
    if profile.type != "VARCHAR":
        return _thousands(profile, context, given)
    column = TextColumn(profile, context, given)
    for examine in (numbers, dates, moments, _postcodes, _blanks):
        found = examine(column)
        if found is not None:
            return found
    return None


def _thousands(profile: ColumnProfile, context: ReadingContext, value: exp.Expr) -> ColumnReading | Unread | None:
    """Numbers that a file of texts has with a point before three digits, which may part thousands: `1.500`."""
    if not context.typed_here or not re.fullmatch(r"DECIMAL\([0-9]+, ?3\)", profile.type):
        return None
    decimal = context.options.of(profile.name).decimal
    if not profile.lists_all or not all(_OF_THOUSANDS.fullmatch(each.value) for each in profile.values):
        return None
    if decimal == "comma":
        tree = exp.cast(exp.Mul(this=value, expression=exp.Literal.number(1000)), "BIGINT", dialect=sql.DIALECT)
        return ColumnReading(profile.name, "whole numbers", "BIGINT", tree, "numbers with points between thousands")
    round_ones = sum(each.value.endswith("00") for each in profile.values)
    if decimal == "point" or round_ones < ROUND_SHARE * len(profile.values):
        return None
    step = option_of("--decimal", profile.name, "comma")
    return Unread(profile.name, f"its points are read as decimal points and may part thousands; {step}")


_OF_THOUSANDS = re.compile(r"-?[1-9][0-9]{0,2}\.[0-9]{3}")
ROUND_SHARE = 0.2
"""Of decimals to three places a hundredth ends in 00, of amounts in thousands far more."""


def dataset_query(
    table: exp.Table | str, columns: Iterable[str], readings: Sequence[ColumnReading], dialect: str = sql.DIALECT
) -> str:
    """The SELECT of a table for `dataset add --query`: columns that are read, the others as they are, in order."""
    by_column = {each.column: each for each in readings}
    selected = [
        sql.named(by_column[each].expression.copy(), each) if each in by_column else sql.column(each)
        for each in columns
    ]
    named = exp.to_table(table, dialect=dialect) if isinstance(table, str) else table.copy()
    return exp.Select(expressions=selected, from_=exp.From(this=named)).sql(dialect=sql.DIALECT)


def _postcodes(column: TextColumn) -> ColumnReading | None:
    """Postcodes of Japan in one spelling, where they have several."""
    covering = column.covered_by(text_formats.JAPANESE_POSTCODES)
    if covering is None or (
        column.characters is not None
        and (
            len({len(each) for each in column.texts if not is_missing(each)}) == 1
            and column.characters <= set("0123456789-")
        )
    ):
        return None
    mapped = dict(zip(text_formats.WIDE_DIGITS, text_formats.DIGITS, strict=True))
    tree, table = column.mapped(mapped, text_formats.HYPHENS + "〒" + text_formats.BLANKS)
    reason = "Japanese postcodes in several spellings"
    return column.reading(covering, "VARCHAR", tree, reason, tree, lambda each: each.translate(table))


def _blanks(column: TextColumn) -> ColumnReading | None:
    """Texts with blanks before or after them."""
    around = [each for each in column.texts if each != each.strip(text_formats.BLANKS)]
    if not around or (column.profile.words or 1) > 4:
        return None
    blanks = "".join(each for each in text_formats.BLANKS if any(each in text for text in around))
    trimmed: exp.Expr = column.value.copy()
    for each in blanks if len(blanks) == 1 or not any(_mixes(text) for text in around) else "":
        trimmed = exp.Trim(this=trimmed, expression=exp.Literal.string(each))
    if trimmed == column.value:
        return None
    return ColumnReading(column.profile.name, "texts", "VARCHAR", trimmed, "texts with blanks before or after them")


def _mixes(text: str) -> bool:
    """Whether several kinds of blanks are at one end of a text."""
    ends = text[: len(text) - len(text.lstrip(text_formats.BLANKS))], text[len(text.rstrip(text_formats.BLANKS)) :]
    return any(len(set(each)) > 1 for each in ends)
