"""Whether a row filter keeps together what a level of a hierarchy keeps together: proved from the filter alone.

A filter that does is a union of classes of that level, so it tells nothing that the level does not. Whatever cannot be
proved counts as finer, such as values that the hierarchy does not place.

The types of the columns are not known here. Once they are, a filter that compares one with what it cannot have is
refused (`requests.where`), so a constant stands for the number that it is written as.
"""

from __future__ import annotations

import datetime
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

from ordermade.hierarchies.dates import DateHierarchy
from ordermade.hierarchies.explicit import ExplicitHierarchy
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.hierarchies.intervals import IntervalHierarchy, grid_scale, on_grid
from ordermade.requests.filter_tree import Constant, Filter, FilterComparison, comparisons
from ordermade.requests.numbers import read_time

Holds: TypeAlias = Callable[[Any, Any], bool]

_HOLDS: Mapping[str, Holds] = {
    "=": operator.eq,
    "IN": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_AT_BOUNDS = (">=", "<")
"""The comparisons that part numbers, or days, where a class of intervals begins."""


def is_union_of_classes(tree: Filter, column: str, hierarchy: Hierarchy, levels: Iterable[int]) -> bool:
    """Whether each condition of a filter on the column holds for all or none of a class, at each of these levels.

    With every NOT moved down to them, a row passes by AND and OR of the conditions that hold for it. One that is NULL
    does not hold, and neither does its negation.
    """
    conditions = [each for each in comparisons(tree) if each[0].column.casefold() == column.casefold()]
    return all(keeps_together(each, negated, hierarchy, level) for each, negated in conditions for level in levels)


def keeps_together(condition: FilterComparison, negated: bool, hierarchy: Hierarchy, level: int) -> bool:
    """Whether a condition holds for all or none of each class of a level; `negated`: where it stands under a NOT."""
    if level == 0:
        return True
    if level == hierarchy.top:
        return False
    if condition.operator == "IS NULL":
        return _null_is_alone(hierarchy, level)
    if condition.operator not in _HOLDS:
        return False
    if isinstance(hierarchy, ExplicitHierarchy):
        return _of_listed(condition, negated, hierarchy, level)
    begins = (_begins_class(each, hierarchy, level) for each in condition.constants)
    return condition.operator in _AT_BOUNDS and all(begins)


def _null_is_alone(hierarchy: Hierarchy, level: int) -> bool:
    """Whether a level has NULL in a class of its own: rules leave it as it is, lists say."""
    if not isinstance(hierarchy, ExplicitHierarchy) or None not in hierarchy.leaves:
        return True
    labels = hierarchy.labels[level - 1]
    return labels.count(labels[hierarchy.leaves.index(None)]) == 1


def _of_listed(condition: FilterComparison, negated: bool, hierarchy: ExplicitHierarchy, level: int) -> bool:
    """Whether the condition is the same for every value of each class: it holds for all of them, or for none."""
    if not {each.text for each in condition.constants if each.kind == "text"} <= set(hierarchy.leaves):
        return False  # a source may read it as a value that is listed in another spelling
    found: dict[str, bool] = {}
    for leaf, label in zip(hierarchy.leaves, hierarchy.labels[level - 1], strict=True):
        any_holds = negated if leaf is None else _any_holds(condition, leaf)
        if any_holds is None or found.setdefault(label, any_holds != negated) != (any_holds != negated):
            return False
    return True


def _any_holds(condition: FilterComparison, leaf: str) -> bool | None:
    """Whether a comparison of a listed value holds with any constant; None where the two cannot be compared here."""
    answers: list[bool] = []
    for constant in condition.constants:
        found = {bool(_HOLDS[condition.operator](own, other)) for own, other in _readings(leaf, constant)}
        if len(found) != 1:
            return None
        answers += found
    return any(answers)


def _readings(leaf: str, constant: Constant) -> list[tuple[Any, Any]]:
    """A listed value and a constant as a source may compare them; none where that is not known.

    A text in quotes becomes what the column is of, which is not known here: a text, a UUID or a moment.
    """
    value = constant.value
    if isinstance(value, bool) or constant.kind == "TIMESTAMPTZ":
        return []
    if isinstance(value, Decimal):
        number = _number(leaf)
        return [] if number is None or not number.is_finite() else [(number, value), (float(number), float(value))]
    if not isinstance(value, str):
        moment = _moment(leaf)
        return [] if moment is None else [(moment, _moment(constant.text))]
    pairs = zip(_spellings(leaf), _spellings(value), strict=True)
    return [each for each in pairs if None not in each]


@lru_cache(maxsize=4096)
def _spellings(text: str) -> tuple[Any, ...]:
    """A text as each kind of column may read it; None where one cannot."""
    return text, text.casefold(), _parts_of_moment(text)


def _number(text: str) -> Decimal | None:
    try:
        return Decimal(text)
    except InvalidOperation:
        return None


def _moment(text: str) -> datetime.datetime | None:
    """The moment in a text; None where there is none, or the time zone of who reads it matters."""
    found = read_time(text)
    return found if found is not None and found.tzinfo is None else None


def _parts_of_moment(text: str) -> tuple[int, ...] | None:
    """Year, month, day and so on, in any spelling of them, without zeros at the end; None where a text has no such."""
    parts = [int(each) for each in re.findall("[0-9]+", text)]
    if len(parts) < len(("year", "month", "day")) or re.search(r"[^\s0-9T/:.\\-]", text):
        return None
    while parts and not parts[-1]:
        parts.pop()
    return tuple(parts)


def _begins_class(constant: Constant, hierarchy: Hierarchy, level: int) -> bool:
    """Whether a class of a rule begins at a number, or at a day.

    A number that floating point leaves less than a millionth of a grid unit below it, such as 0.7 + 0.1 below 0.8, is
    of that class, too, though a filter leaves it out.
    """
    if isinstance(hierarchy, IntervalHierarchy) and constant.kind == "number":
        unit = Fraction(Decimal(constant.text)) * 10 ** grid_scale(hierarchy.intervals)
        if unit.denominator != 1:
            return False
        return on_grid(hierarchy.intervals)[level - 1].interval(int(unit))[0] == int(unit)
    if isinstance(hierarchy, DateHierarchy) and constant.kind in ("text", "DATE", "TIMESTAMP"):
        moment = _moment(constant.text)
        if moment is None or moment.time() != datetime.time.min:
            return False
        return _begins(moment.date(), hierarchy.parts[level - 1])
    return False


def _begins(day: datetime.date, part: str) -> bool:
    """Whether a part of the calendar begins on a day."""
    first_month = {"month": 1, "quarter": 3, "year": 12, "decade": 12}.get(part)
    if first_month is None:
        return part == "day"
    begins = day.day == 1 and (day.month - 1) % first_month == 0
    return begins and (part != "decade" or day.year % 10 == 0)
