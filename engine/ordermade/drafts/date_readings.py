"""Readings of texts as dates and moments: orders of day and month, Japanese eras, days without separators."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlglot import exp

from ordermade import sql
from ordermade.drafts import text_formats
from ordermade.drafts.profile import ColumnProfile
from ordermade.drafts.text_column import (
    ColumnReading,
    TextColumn,
    Unread,
    concatenated,
    is_missing,
    part_of,
)


def dates(column: TextColumn) -> ColumnReading | Unread | None:
    """The reading of a column of days, or the reason that it has none; None where it holds others."""
    for more in ("", text_formats.AND_ERAS):
        covering = column.covered_by(text_formats.DATES + more)
        if covering is not None:
            return _date(column, covering, None, eras=bool(more))
        if column.covered_by(text_formats.DATES_EITHER_FIRST + more) is not None:
            return Unread(column.profile.name, "dates in which day and month cannot be told apart: left as text")
        for form, order in ((text_formats.DATES_DAY_FIRST, (3, 2, 1)), (text_formats.DATES_MONTH_FIRST, (3, 1, 2))):
            covering = column.covered_by(form + more)
            if covering is not None:
                return _date(column, covering, order, eras=bool(more))
    return None


def _date(column: TextColumn, covering: str, order: tuple[int, int, int] | None, *, eras: bool) -> ColumnReading:
    mapped = dict(zip(text_formats.WIDE_DIGITS, text_formats.DIGITS, strict=True))
    mapped |= dict.fromkeys(text_formats.SEPARATORS + "年月", "-")
    deleted = "日" + text_formats.BLANKS
    if eras:
        mapped |= {name[0]: letter for name, letter in text_formats.ERAS.items()} | {"元": "1"}
        deleted += "".join(name[1] for name in text_formats.ERAS)
    text, table = column.mapped(mapped, deleted)
    present = [each.translate(table) for each in column.texts if not is_missing(each)]
    everything = column.characters is None
    tree = text
    spellings = []
    if order is not None:
        tree = concatenated(*(part_of(text, "-", each) for each in order), between="-")
        if everything or any(re.match(r"[0-9]{4}-", each) for each in present):
            year_first = exp.Like(this=part_of(text, "-", 1), expression=exp.Literal.string("____"))
            tree = exp.Case(ifs=[exp.If(this=year_first, true=text.copy())], default=tree)
        spellings.append("day first" if order[1] == 2 else "month first")
    if eras:
        tree = _with_eras(
            text, tree, [each for each in text_formats.BEFORE_ERA if everything or _starts(present, each)]
        )
        if everything or any(each.isdigit() for each in present):
            tree = _with_compact(text, tree)
        if any(_starts(present, each) for each in text_formats.BEFORE_ERA):
            spellings.append("years of Japanese eras")
        if any(each.isdigit() for each in present):
            spellings.append("without separators")
    mixed = len({re.sub(r"[0-9]+", "", each) for each in column.texts if not is_missing(each)}) > 1
    reason = "dates" + (", " + ", ".join(spellings) if spellings else "")
    reason += ", in several spellings" if mixed else ""
    return column.reading(covering, "DATE", tree, reason, text, lambda each: each.translate(table))


def _starts(texts: Sequence[str], letter: str) -> bool:
    return any(each.startswith(letter) for each in texts)


def _with_eras(text: exp.Expr, tree: exp.Expr, letters: Sequence[str]) -> exp.Expr:
    """The date with the year of its era counted from the year 1."""
    if not letters:
        return tree
    letter = exp.Substring(this=text.copy(), start=exp.Literal.number(1), length=exp.Literal.number(1))
    first = exp.Substring(this=part_of(text, "-", 1), start=exp.Literal.number(2))
    year = exp.cast(first, "BIGINT", dialect=sql.DIALECT)
    rest = [part_of(text, "-", each) for each in (2, 3)]
    cases = []
    for each in letters:
        since = exp.Add(this=year.copy(), expression=exp.Literal.number(text_formats.BEFORE_ERA[each]))
        parts = [exp.cast(since, "VARCHAR", dialect=sql.DIALECT), *(part.copy() for part in rest)]
        condition = exp.EQ(this=letter.copy(), expression=exp.Literal.string(each))
        cases.append(exp.If(this=condition, true=concatenated(*parts, between="-")))
    return exp.Case(ifs=cases, default=tree)


def _with_compact(text: exp.Expr, tree: exp.Expr) -> exp.Expr:
    """The date where it may have no separators."""
    parted = exp.Like(this=text.copy(), expression=exp.Literal.string("%-%"))
    return exp.Case(ifs=[exp.If(this=parted, true=tree)], default=_compact(text))


def _compact(text: exp.Expr) -> exp.Expr:
    pieces = [
        exp.Substring(this=text.copy(), start=exp.Literal.number(start), length=exp.Literal.number(length))
        for start, length in ((1, 4), (5, 2), (7, 2))
    ]
    return concatenated(*pieces, between="-")


def moments(column: TextColumn) -> ColumnReading | None:
    """The reading of a column of days with times of day; None where it holds others."""
    covering = column.covered_by(text_formats.MOMENTS)
    if covering is None:
        return None
    tree, table = column.mapped({"/": "-", "T": " "}, "\t\u3000\u00a0")
    if any(each != each.strip(" ") for each in column.texts) or column.characters is None:
        tree = exp.Trim(this=tree, expression=exp.Literal.string(" "))
    reason = "dates with a time, stored as text"
    return column.reading(covering, "TIMESTAMP", tree, reason, tree, lambda each: each.translate(table).strip(" "))


def days_as_numbers(profile: ColumnProfile) -> ColumnReading | None:
    """Whole numbers such as 20240105 that are days, each of them."""
    if not profile.lists_all or profile.distinct < 5:
        return None
    if not all(re.fullmatch(text_formats.WITHOUT_SEPARATORS, each.value) for each in profile.values):
        return None
    text = exp.cast(sql.column(profile.name), "VARCHAR", dialect=sql.DIALECT)
    tree = exp.cast(_compact(text), "DATE", dialect=sql.DIALECT)
    return ColumnReading(profile.name, text_formats.DATES, "DATE", tree, "dates without separators, stored as numbers")
