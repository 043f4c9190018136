"""Whether a row filter keeps together what a level of a hierarchy keeps together: proved from the filter alone.

A filter that does is a union of classes of that level, so it tells nothing that the level does not. Whatever cannot be
proved counts as finer: calculations, functions, two columns compared, values that the hierarchy does not place.

The types of the columns are not known here. Once they are, a filter that compares one with what it cannot have is
refused (`requests.comparable`), so a constant stands for the number that it is written as.
"""

from __future__ import annotations

import datetime
import operator
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

from sqlglot import exp

from ordermade.hierarchies.dates import DateHierarchy
from ordermade.hierarchies.explicit import ExplicitHierarchy
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.hierarchies.intervals import IntervalHierarchy, grid_scale, on_grid
from ordermade.requests.comparable import is_double
from ordermade.requests.numbers import read_time

Value: TypeAlias = Decimal | datetime.datetime | str
Holds: TypeAlias = Callable[[Any, Any], bool]

_HOLDS: Mapping[type[exp.Expr], Holds] = {
    exp.EQ: operator.eq,
    exp.NEQ: operator.ne,
    exp.LT: operator.lt,
    exp.LTE: operator.le,
    exp.GT: operator.gt,
    exp.GTE: operator.ge,
}
_TURNED: Mapping[type[exp.Expr], type[exp.Expr]] = {
    exp.LT: exp.GT,
    exp.GT: exp.LT,
    exp.LTE: exp.GTE,
    exp.GTE: exp.LTE,
}
_AT_BOUNDS = (exp.GTE, exp.LT)
"""The comparisons that part numbers, or days, where a class of intervals begins."""
_EXACT_IN_SINGLE = 2**24
"""Columns of 4 bytes keep whole numbers up to this one as they are."""
_TRUTHS: Mapping[str, bool] = {
    **dict.fromkeys(("true", "t", "yes", "y", "on", "1"), True),
    **dict.fromkeys(("false", "f", "no", "n", "off", "0"), False),
}
"""The words that databases read as true or false."""


def is_union_of_classes(tree: exp.Expr, column: str, hierarchy: Hierarchy, levels: Iterable[int]) -> bool:
    """Whether each condition of a filter on the column holds for all or none of a class, at each of these levels."""
    conditions = [(each, negated) for each, negated in _conditions(tree) if _uses(each, column)]
    return all(_keeps_together(each, negated, hierarchy, level) for each, negated in conditions for level in levels)


def _conditions(tree: exp.Expr) -> list[tuple[exp.Expr, bool]]:
    """The conditions that AND, OR and NOT join, and whether each stands under an odd number of NOT.

    With every NOT moved down to them, a row passes by AND and OR of the conditions that hold for it. One that is NULL
    does not hold, and neither does its negation.
    """
    found, waiting = [], [(tree, False)]
    while waiting:
        each, negated = waiting.pop()
        if isinstance(each, (exp.And, exp.Or)):
            waiting += [(each.args["this"], negated), (each.args["expression"], negated)]
        elif isinstance(each, (exp.Not, exp.Paren)):
            waiting.append((each.this, negated != isinstance(each, exp.Not)))
        else:
            found.append((each, negated))
    return found


def _uses(condition: exp.Expr, column: str) -> bool:
    return any(each.name.casefold() == column.casefold() for each in condition.find_all(exp.Column))


def _keeps_together(condition: exp.Expr, negated: bool, hierarchy: Hierarchy, level: int) -> bool:
    if level == 0:
        return True
    if level == hierarchy.top:
        return False
    if isinstance(condition, exp.Is) and isinstance(condition.this, exp.Column):
        return isinstance(condition.expression, exp.Null) and _null_is_alone(hierarchy, level)
    compared = _compared(condition)
    if compared is None:
        return False
    kind, values = compared
    if isinstance(hierarchy, ExplicitHierarchy):
        return _of_listed(kind, values, negated, hierarchy, level)
    return kind in _AT_BOUNDS and all(_begins_class(each, hierarchy, level) for each in values)


def _null_is_alone(hierarchy: Hierarchy, level: int) -> bool:
    """Whether a level has NULL in a class of its own: rules leave it as it is, lists say."""
    if not isinstance(hierarchy, ExplicitHierarchy) or None not in hierarchy.leaves:
        return True
    labels = hierarchy.labels[level - 1]
    return labels.count(labels[hierarchy.leaves.index(None)]) == 1


def _compared(condition: exp.Expr) -> tuple[type[exp.Expr], list[Value]] | None:
    """The comparison of the column alone with constants; None for any other condition."""
    if isinstance(condition, exp.In) and isinstance(condition.this, exp.Column):
        return _with(exp.EQ, condition.expressions)
    kind = type(condition)
    if kind not in _HOLDS:
        return None
    left, right = condition.this, condition.args["expression"]
    if isinstance(left, exp.Column):
        return _with(kind, [right])
    return _with(_TURNED.get(kind, kind), [left]) if isinstance(right, exp.Column) else None


def _with(kind: type[exp.Expr], constants: Sequence[exp.Expr]) -> tuple[type[exp.Expr], list[Value]] | None:
    found = [_constant(each) for each in constants]
    values = [each for each in found if each is not None]
    # One with an exponent makes numbers of 8 bytes of all: next to them 0.1 in a column of 4 bytes is not 0.1.
    if any(map(is_double, _literals(constants))) and not all(map(_is_small_and_whole, values)):
        return None
    return (kind, values) if len(values) == len(found) else None


def _literals(constants: Iterable[exp.Expr]) -> list[exp.Expr]:
    return [each for constant in constants for each in constant.find_all(exp.Literal)]


def _is_small_and_whole(value: Value) -> bool:
    return isinstance(value, Decimal) and value == value.to_integral_value() and abs(value) <= _EXACT_IN_SINGLE


def _constant(node: exp.Expr) -> Value | None:
    if isinstance(node, exp.Paren):
        return _constant(node.this)
    if isinstance(node, exp.Cast):
        return _moment(node.this.name) if isinstance(node.this, exp.Literal) else None
    if isinstance(node, exp.Neg):
        inner = _constant(node.this)
        return -inner if isinstance(inner, Decimal) else None
    if not isinstance(node, exp.Literal):
        return None
    return str(node.this) if node.is_string else Decimal(node.this)


def _of_listed(
    kind: type[exp.Expr], values: list[Value], negated: bool, hierarchy: ExplicitHierarchy, level: int
) -> bool:
    """Whether the condition is the same for every value of each class: it holds for all of them, or for none."""
    if not {each for each in values if isinstance(each, str)} <= set(hierarchy.leaves):
        return False  # a source may read it as a value that is listed in another spelling
    found: dict[str, bool] = {}
    for leaf, label in zip(hierarchy.leaves, hierarchy.labels[level - 1], strict=True):
        any_holds = negated if leaf is None else _any_holds(kind, leaf, values)
        if any_holds is None or found.setdefault(label, any_holds != negated) != (any_holds != negated):
            return False
    return True


def _any_holds(kind: type[exp.Expr], leaf: str, values: Iterable[Value]) -> bool | None:
    """Whether a comparison of a listed value holds with any constant; None where the two cannot be compared here."""
    answers: list[bool] = []
    for value in values:
        found = {bool(_HOLDS[kind](own, other)) for own, other in _readings(leaf, value)}
        if len(found) != 1:
            return None
        answers += found
    return any(answers)


def _readings(leaf: str, value: Value) -> list[tuple[Any, Any]]:
    """A listed value and a constant as a source may compare them; none where that is not known.

    A text in quotes becomes what the column is of, which is not known here: a number, a moment, true or false, or a
    text, of which a collation may see the letters alone.
    """
    if isinstance(value, Decimal):
        number = _number(leaf)
        return [] if number is None or not number.is_finite() else [(number, value), (float(number), float(value))]
    if isinstance(value, datetime.datetime):
        moment = _moment(leaf)
        return [] if moment is None else [(moment, value)]
    pairs = list(zip(_spellings(leaf), _spellings(value), strict=True))
    numbers = [each for each in pairs if None not in each and isinstance(each[0], Decimal)]
    if not all(each.is_finite() for pair in numbers for each in pair):
        return []  # databases differ in where NaN stands
    return [each for each in pairs if None not in each]


@lru_cache(maxsize=4096)
def _spellings(text: str) -> tuple[Any, ...]:
    """A text as each kind of column may read it; None where one cannot."""
    folded = text.strip().casefold()
    # A collation may take no account of accents, or of the marks of kana.
    bare = "".join(each for each in unicodedata.normalize("NFKD", folded) if not unicodedata.combining(each))
    number = _number(text)
    in_8_bytes = None if number is None or not number.is_finite() else float(number)
    return text, folded, bare, number, in_8_bytes, _parts_of_moment(text), _TRUTHS.get(folded)


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


def _begins_class(value: Value, hierarchy: Hierarchy, level: int) -> bool:
    """Whether a class of a rule begins at a number, or at a day.

    A number that floating point leaves less than a millionth of a grid unit below it, such as 0.7 + 0.1 below 0.8, is
    of that class, too, though a filter leaves it out.
    """
    if isinstance(hierarchy, IntervalHierarchy) and isinstance(value, Decimal):
        unit = Fraction(value) * 10 ** grid_scale(hierarchy.intervals)
        if unit.denominator != 1:
            return False
        return on_grid(hierarchy.intervals)[level - 1].interval(int(unit))[0] == int(unit)
    if isinstance(hierarchy, DateHierarchy) and not isinstance(value, Decimal):
        moment = _moment(value) if isinstance(value, str) else value
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
