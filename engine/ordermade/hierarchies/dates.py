"""Date hierarchies: day, month, quarter, year, decade, each refining the next."""

from __future__ import annotations

import datetime
import re
import types
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from ordermade.errors import HierarchyError, did_you_mean, quoted
from ordermade.hierarchies.column_types import is_date, type_in_words
from ordermade.hierarchies.hierarchy import Level, check_count, content_hash, moves, numbered
from ordermade.hierarchies.rules import RuleHierarchy, whole_keys
from ordermade.lattice.lattice import LevelOrder
from ordermade.phrases import joined, phrase

if TYPE_CHECKING:
    from sqlglot import exp

PARTS = ("day", "month", "quarter", "year", "decade")
"""The parts, finest first."""

_FORMS = types.MappingProxyType(
    {
        "day": re.compile(r"\d{4}-\d\d-\d\d"),
        "month": re.compile(r"\d{4}-\d\d"),
        "quarter": re.compile(r"\d{4}-Q\d"),
        "year": re.compile(r"\d{4}"),
        "decade": re.compile(r"\d{4}s"),
    }
)
"""The labels of each part."""
LAST_YEAR = 9999
_MONTHS = types.MappingProxyType({"month": 1, "quarter": 3, "year": 12, "decade": 120})
_DAY_ZERO = datetime.date(1970, 1, 1).toordinal()


def day_number(day: datetime.date) -> int:
    """The number of a day: 0 of 1970-01-01."""
    return day.toordinal() - _DAY_ZERO


def day_of(number: int) -> datetime.date:
    """The day of a number: the inverse of `day_number`."""
    return datetime.date.fromordinal(number + _DAY_ZERO)


@dataclass(frozen=True, slots=True, repr=False)
class DateHierarchy(RuleHierarchy):
    """Dates by their parts; `parts[level - 1]` is the part of a level between level 0 and the top."""

    name: str
    levels: tuple[Level, ...]
    order: LevelOrder
    parts: tuple[str, ...]

    @property
    def kind(self) -> str:
        """`date`."""
        return "date"

    def check_type(self, column_type: str) -> str | None:
        """Return why this hierarchy cannot be used on a column of this SQL type, or None if it can."""
        if is_date(column_type):
            return None
        if "TIME ZONE" in column_type.upper():
            return phrase(
                "the day of a %(kind)s depends on the time zone of who reads it; cast the column to a "
                "date in the dataset's query",
                kind=type_in_words(column_type),
            )
        return phrase(
            "date parts need a column of dates, and this one is a %(kind)s",
            kind=type_in_words(column_type),
        )

    def code(self, column: exp.Expression, column_type: str, base: int) -> exp.Expression:  # noqa: ARG002
        """The key as digits: 20131001, 201310, 20134, 2013 or 201; `NOT_COVERED` past the years 1 to 9999."""
        from ordermade.hierarchies import key_trees as sql

        year = sql.part_of_date("YEAR", column)
        in_range = sql.both(sql.at_most(sql.whole(1), year.copy()), sql.at_most(year.copy(), sql.whole(LAST_YEAR)))
        if base >= self.top:
            return sql.placed(column, in_range, sql.whole(0))
        month = sql.part_of_date("MONTH", column)
        match self._part(base):
            case "day":
                day = sql.part_of_date("DAY", column)
                key = sql.plus(sql.plus(sql.times(year, 10_000), sql.times(month, 100)), day)
            case "month":
                key = sql.plus(sql.times(year, 100), month)
            case "quarter":
                key = sql.plus(sql.times(year, 10), sql.floor(sql.divided(sql.plus(month, sql.whole(2)), 3)))
            case "year":
                key = year
            case _:
                key = sql.floor(sql.divided(year, 10))
        return sql.placed(column, in_range, sql.big_integer(key))

    def labels_of(self, keys: Sequence[str | int], level: int, base: int) -> list[str]:
        """2013-10-01, 2013-10, 2013-Q4, 2013 or 2010s."""
        known, shown = self._part(base), self.parts[level - 1]
        return [_written(_decoded(key, known), shown) for key in whole_keys(keys)]

    def span_of(self, label: str, level: int) -> tuple[Fraction, Fraction]:
        """The days of the part of the calendar that the label names."""
        part = self.parts[level - 1]
        year, month, day = _first_day(label, part)
        if part == "day":
            number = day_number(datetime.date(year, month, day))
            return Fraction(number), Fraction(number + 1)
        first = year * 12 + month - 1
        return Fraction(_begins(first)), Fraction(_begins(first + _MONTHS[part]))

    def level_of(self, label: str) -> int:
        """The level that writes a label; 0 where none between it and the top does."""
        part = next((part for part, form in _FORMS.items() if form.fullmatch(label)), "")
        return self.parts.index(part) + 1 if part in self.parts else 0

    def _part(self, base: int) -> str:
        return self.parts[max(base, 1) - 1]


def date_hierarchy(
    name: str, given: Sequence[str], names: Sequence[str | None], *, where: str = ""
) -> tuple[DateHierarchy, tuple[str, ...]]:
    """The hierarchy of these parts, finest first, and notes of what was renumbered.

    A level without a name has that of its part. Raises HierarchyError on no parts, unknown and repeated ones.
    """
    if not given:
        raise HierarchyError(
            phrase("there is no level"),
            where=where,
            next_step=phrase("Give some of %(parts)s.", parts=", ".join(PARTS)),
        )
    check_count(len(given), where=where)
    for part in given:
        if part not in PARTS:
            raise HierarchyError(
                phrase("there is no part of a date %(part)s", part=quoted(part)),
                where=where,
                next_step=joined(did_you_mean(part, PARTS), phrase("There are %(parts)s.", parts=", ".join(PARTS))),
            )
    if len(set(given)) < len(given):
        raise HierarchyError(
            phrase("a part of the date is listed twice"), where=where, next_step=phrase("List each part once.")
        )
    order = sorted(range(len(given)), key=lambda place: PARTS.index(given[place]))
    parts = tuple(given[place] for place in order)
    hierarchy = DateHierarchy(
        name=name,
        levels=numbered([names[place] or given[place] for place in order], date_hashes(parts), where=where),
        order=LevelOrder.chain(len(parts) + 2),
        parts=parts,
    )
    return hierarchy, moves(order, [f"level {quoted(names[i] or part)}" for i, part in enumerate(given)])


def date_hashes(parts: Sequence[str]) -> tuple[str, ...]:
    """The hash of each level: of its part."""
    return tuple(content_hash("date", part) for part in parts)


def _decoded(key: int, part: str) -> tuple[int, int, int, int]:
    """Year, quarter, month and day of a key; a part that it lacks is 1, or the first year of the decade."""
    match part:
        case "day":
            year, month, day = key // 10_000, key // 100 % 100, key % 100
        case "month":
            year, month, day = key // 100, key % 100, 1
        case "quarter":
            year, month, day = key // 10, key % 10 * 3, 1
        case "year":
            year, month, day = key, 1, 1
        case _:
            year, month, day = key * 10, 1, 1
    return year, (month + 2) // 3, month, day


def _written(date: tuple[int, int, int, int], part: str) -> str:
    year, quarter, month, day = date
    match part:
        case "day":
            return f"{year:04d}-{month:02d}-{day:02d}"
        case "month":
            return f"{year:04d}-{month:02d}"
        case "quarter":
            return f"{year:04d}-Q{quarter}"
        case "year":
            return f"{year:04d}"
        case _:
            return f"{year // 10:03d}0s"


def _first_day(label: str, part: str) -> tuple[int, int, int]:
    """Year, month and day that the part of the calendar with this label begins with."""
    match part:
        case "day":
            year, month, day = map(int, label.split("-"))
            return year, month, day
        case "month":
            year, month = map(int, label.split("-"))
            return year, month, 1
        case "quarter":
            year, quarter = map(int, label.split("-Q"))
            return year, quarter * 3 - 2, 1
        case _:
            return int(label.removesuffix("s")), 1, 1


def _begins(month: int) -> int:
    """The number of the first day of a month, counted from the year 0; the calendar has the years 1 to 9999."""
    if month >= (LAST_YEAR + 1) * 12:
        return day_number(datetime.date.max) + 1
    return day_number(datetime.date(max(month // 12, 1), month % 12 + 1, 1))
