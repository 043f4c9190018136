"""Values that cannot be what the name of their column says: ages over 130, births in the future."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any

from ordermade.drafts.column_names import ColumnName, column_names
from ordermade.drafts.hierarchies import dates_of
from ordermade.drafts.profile import ColumnProfile
from ordermade.hierarchies.column_types import is_date, is_number, is_whole

OLDEST = 130
"""Nobody is older, in years."""

YEARS = range(1000, 3000)
"""Whole numbers that are taken for years of birth where most values of a column are in this range."""


@dataclass(frozen=True, slots=True)
class ImplausibleValues:
    """The rows of a column with implausible values, what these are, and all rows that have a value.

    It is for the person who opens the table, and goes into no record: the rows may be fewer than k.
    """

    column: str
    what: str
    rows: int
    of: int


def implausible_values(profiles: Sequence[ColumnProfile], today: date) -> Iterator[ImplausibleValues]:
    """The columns with implausible values; of values that are not listed the share of the quantiles is taken."""
    names = column_names([each.name for each in profiles])
    for each in profiles:
        rule = _rule(each, names[each.name], today)
        if rule is not None:
            what, is_implausible = rule
            share = _share(each, is_implausible)
            if share:
                of = each.rows - each.nulls
                yield ImplausibleValues(each.name, what, max(1, round(share * of)), of)


Rule = tuple[str, Callable[[Any], bool]]


def _rule(profile: ColumnProfile, name: ColumnName, today: date) -> Rule | None:
    """What would be implausible in a column, in words and as a test; None where nothing would be."""
    known = name.first("quasi-identifier")
    says = None if known is None or name.first("sensitive") is not None else known.meaning.says
    first = today.year - OLDEST
    if says == "age" and is_number(profile.type):
        return f"ages over {OLDEST} or below 0", lambda age: not 0 <= age <= OLDEST
    if says == "birth" and is_date(profile.type):
        return f"births in the future or before {first}", lambda day: day > today or day.year < first
    if says == "birth" and is_whole(profile.type) and _share(profile, lambda year: year in YEARS) > 1 / 2:
        return f"births in the future or before {first}", lambda year: not first <= year <= today.year
    return None


def _share(profile: ColumnProfile, holds: Callable[[Any], bool]) -> float:
    """The share of the values for which something holds, by rows."""
    counted = list(_counted(profile))
    total = sum(rows for _, rows in counted)
    return sum(rows for value, rows in counted if holds(value)) / total if total else 0.0


def _counted(profile: ColumnProfile) -> Iterator[tuple[date | Decimal, int]]:
    if is_date(profile.type):
        yield from (dates_of(profile) or {}).items()
    elif profile.lists_all:
        for each in profile.values:
            try:
                number = Decimal(each.value)
            except InvalidOperation:
                continue
            if number.is_finite():
                yield number, each.rows
    else:
        yield from ((each, 1) for each in profile.quantiles)
