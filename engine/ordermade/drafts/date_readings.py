"""Readings of texts as dates and moments: orders of day and month, Japanese eras, days without separators."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from ordermade import sql
from ordermade.drafts import text_formats
from ordermade.drafts.profile import ColumnProfile
from ordermade.drafts.reading_options import DateOrder
from ordermade.drafts.text_column import (
    ColumnReading,
    TextColumn,
    Unread,
    concatenated,
    is_missing,
    option_of,
    part_of,
    replaced,
)


def dates(column: TextColumn) -> ColumnReading | Unread | None:
    """The reading of a column of days, or the reason that it has none; None where it holds others."""
    for more in ("", text_formats.AND_ERAS):
        covering = column.covered_by(text_formats.DATES + more)
        if covering is not None:
            return _date(column, covering, None, eras=bool(more))
        found = _ordered(
            column,
            text_formats.DATES_EITHER_FIRST + more,
            text_formats.DATES_DAY_FIRST + more,
            text_formats.DATES_MONTH_FIRST + more,
        )
        if isinstance(found, _Ordered):
            return _date(column, found.covering, found.places, eras=bool(more))
        if found is not None:
            return found
    return _short_years(column) or _month_names(column)


@dataclass(frozen=True, slots=True)
class _Ordered:
    """The form that covers a column, and the places of year, month and day in its texts, from 1."""

    covering: str
    places: tuple[int, int, int]


_PLACES: Mapping[DateOrder, tuple[int, int, int]] = {"dmy": (3, 2, 1), "mdy": (3, 1, 2), "ymd": (1, 2, 3)}


def _ordered(column: TextColumn, either: str, day_first: str, month_first: str) -> _Ordered | Unread | None:
    """The order of dates whose year is last; the reason why there is none; None where the texts are no such dates."""
    said = None if column.options.date is None else column.options.date.order
    covering = column.covered_by(either)
    if covering is not None:
        if said in ("dmy", "mdy"):
            return _Ordered(covering, _PLACES[said])
        return Unread(column.profile.name, f"{_UNDECIDED}{option_of('--date-format', column.profile.name, 'dmy')}")
    for order, form in (("dmy", day_first), ("mdy", month_first)):
        covering = column.covered_by(form)
        if covering is not None and said in (None, order):
            return _Ordered(covering, _PLACES[order])  # type: ignore[index]
        if covering is not None:
            return Unread(column.profile.name, f"some dates are not in the order {said}: left as text")
    return None


_UNDECIDED = "dates in which day and month cannot be told apart: left as text; "


def _short_years(column: TextColumn) -> ColumnReading | Unread | None:
    """Dates whose years have two digits: nothing in them shows the century."""
    covering = column.covered_by(text_formats.SHORT_YEARS)
    if covering is None:
        return None
    said = column.options.date
    if said is None or said.since is None:
        step = option_of("--date-format", column.profile.name, "dmy:1925")
        return Unread(column.profile.name, f"dates whose years have two digits: left as text; {step}")
    mapped = dict(zip(text_formats.WIDE_DIGITS, text_formats.DIGITS, strict=True))
    mapped |= dict.fromkeys(text_formats.SEPARATORS, "-")
    text, table = column.mapped(mapped, text_formats.BLANKS)
    year, month, day = (part_of(text, "-", place) for place in _PLACES[said.order])
    tree = concatenated(_full_year(year, said.since), month, day, between="-")
    reason = f"dates, years of two digits from {said.since} to {said.since + 99}"
    return column.reading(covering, "DATE", tree, reason, text, lambda each: each.translate(table))


def _full_year(year: exp.Expr, since: int) -> exp.Expr:
    """A year of two digits as the one of the hundred years that begin with `since`; one of four digits as it is."""
    number = exp.cast(year.copy(), "BIGINT", dialect=sql.DIALECT)
    century = since - since % 100

    def plus(years: int) -> exp.Expr:
        return exp.Add(this=number.copy(), expression=exp.Literal.number(years))

    full = exp.Case(
        ifs=[
            exp.If(this=exp.GTE(this=number.copy(), expression=exp.Literal.number(100)), true=number.copy()),
            exp.If(this=exp.GTE(this=number.copy(), expression=exp.Literal.number(since % 100)), true=plus(century)),
        ],
        default=plus(century + 100),
    )
    return exp.cast(full, "VARCHAR", dialect=sql.DIALECT)


def _month_names(column: TextColumn) -> ColumnReading | Unread | None:
    """Dates whose months have their names, in any language that is known, the day before and the year after them."""
    covering = column.covered_by(text_formats.MONTH_NAMES)
    if covering is None or not column.profile.lists_all:
        return None
    said = column.options.date
    present = [each for each in column.texts if not is_missing(each)]
    is_short = any(re.search(r"(?<![0-9])[0-9]{2}\s*$", each) for each in present)
    if is_short and (said is None or said.since is None):
        step = option_of("--date-format", column.profile.name, "dmy:1925")
        return Unread(column.profile.name, f"dates whose years have two digits: left as text; {step}")
    text, table = column.mapped({}, text_formats.BLANKS + "./,-")
    names = {name for each in present if (name := re.sub(r"[0-9\W]+", "", each))}
    tree = text
    for name in sorted(names, key=lambda each: (-len(each), each)):
        tree = replaced(tree, name, f"-{text_formats.MONTHS[name.casefold()]:02}-")
    day, month, year = (part_of(tree, "-", place) for place in (1, 2, 3))
    if is_short and said is not None and said.since is not None:
        year = _full_year(year, said.since)
    tree = concatenated(year, month, day, between="-")
    reason = "dates, months by name"
    return column.reading(covering, "DATE", tree, reason, text, lambda each: each.translate(table))


def _date(column: TextColumn, covering: str, places: tuple[int, int, int] | None, *, eras: bool) -> ColumnReading:
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
    if places is not None:
        tree = concatenated(*(part_of(text, "-", each) for each in places), between="-")
        if everything or any(re.match(r"[0-9]{4}-", each) for each in present):
            year_first = exp.Like(this=part_of(text, "-", 1), expression=exp.Literal.string("____"))
            tree = exp.Case(ifs=[exp.If(this=year_first, true=text.copy())], default=tree)
        spellings.append(_first(places))
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


def _first(places: tuple[int, int, int]) -> str:
    return "day first" if places == _PLACES["dmy"] else "month first"


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


def moments(column: TextColumn) -> ColumnReading | Unread | None:
    """The reading of a column of days with times of day, or the reason that it has none; None where it holds others."""
    covering = column.covered_by(text_formats.MOMENTS)
    if covering is not None:
        return _moment(column, covering, None)
    covering = column.covered_by(text_formats.MOMENTS_IN_ZONES)
    if covering is not None:
        return _moment_in_zone(column, covering)
    found = _ordered(
        column,
        text_formats.MOMENTS_EITHER_FIRST,
        text_formats.MOMENTS_DAY_FIRST,
        text_formats.MOMENTS_MONTH_FIRST,
    )
    if isinstance(found, _Ordered):
        return _moment(column, found.covering, found.places)
    if found is None and column.covered_by(text_formats.TWELVE_HOURS) is not None:
        return Unread(column.profile.name, "times by a clock of twelve hours: left as text; write them by 24 hours")
    return found


def _moment(column: TextColumn, covering: str, places: tuple[int, int, int] | None) -> ColumnReading:
    signs = {"/": "-", "T": " "} if places is None else {"/": "-", ".": "-", "T": " "}
    tree, table = column.mapped(signs, "\t\u3000\u00a0,")
    if any(each != each.strip(" ") for each in column.texts) or column.characters is None:
        tree = exp.Trim(this=tree, expression=exp.Literal.string(" "))
    text = tree
    reason = "dates with a time, stored as text"
    if places is not None:
        day = concatenated(*(part_of(part_of(text, " ", 1), "-", each) for each in places), between="-")
        clock = exp.Trim(this=_after_day(text), expression=exp.Literal.string(" "))
        tree = concatenated(day, clock, between=" ")
        reason = f"dates with a time, {_first(places)}"
    return column.reading(covering, "TIMESTAMP", tree, reason, text, lambda each: each.translate(table).strip(" "))


def _after_day(text: exp.Expr) -> exp.Expr:
    """What follows the day: one blank or two part them."""
    second, third = part_of(text, " ", 2), part_of(text, " ", 3)
    return concatenated(second, third, between="")


def _moment_in_zone(column: TextColumn, covering: str) -> ColumnReading:
    """Moments as the clocks of their zones showed them, which is what others know of a person."""
    text, table = column.mapped({"T": " "}, "")
    tree = exp.Substring(this=text.copy(), start=exp.Literal.number(1), length=exp.Literal.number(19))
    reason = "dates with a time by the clock of its zone; zones and parts of seconds are left out"
    return column.reading(covering, "TIMESTAMP", tree, reason, text, lambda each: each.translate(table))


def days_as_numbers(profile: ColumnProfile, value: exp.Expr) -> ColumnReading | None:
    """Whole numbers such as 20240105 that are days, each of them, in a column that `value` gives."""
    if not profile.lists_all or profile.distinct < 5:
        return None
    if not all(re.fullmatch(text_formats.WITHOUT_SEPARATORS, each.value) for each in profile.values):
        return None
    text = exp.cast(value.copy(), "VARCHAR", dialect=sql.DIALECT)
    tree = exp.cast(_compact(text), "DATE", dialect=sql.DIALECT)
    return ColumnReading(profile.name, text_formats.DATES, "DATE", tree, "dates without separators, stored as numbers")
