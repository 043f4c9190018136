"""Filters of earlier versions, which calculated: years, months, days of moments and beginnings of texts as comparisons.

A rewritten filter lets the same rows pass, under NOT too. (Infinite dates have no year: these alone may differ.)
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal, InvalidOperation

from sqlglot import exp

from ordermade.errors import FilterError
from ordermade.hierarchies.column_types import is_number, plain
from ordermade.requests.filter_parser import (
    BeyondFilter,
    FilterReading,
    bare,
    canonical,
    chained,
    compiled,
    constant_of,
    read_filter,
)
from ordermade.requests.filter_tree import All, AnyOf, Constant, Filter, FilterComparison, Not, Operator

_TRUTHS = {"1": "TRUE", "true": "TRUE", "t": "TRUE", "0": "FALSE", "false": "FALSE", "f": "FALSE"}
_MONTHS = 12
_TURNED: Mapping[type[exp.Expr], type[exp.Expression]] = {
    exp.EQ: exp.EQ,
    exp.NEQ: exp.NEQ,
    exp.LT: exp.GT,
    exp.GT: exp.LT,
    exp.LTE: exp.GTE,
    exp.GTE: exp.LTE,
}


def carried_over(text: str, types: Mapping[str, str]) -> str | None:
    """The canonical text of a filter of any version over columns of these types; None where it cannot be rewritten."""
    try:
        found = rewritten(read_filter(text), tuple(types))
        if found is None:
            return None
        found = _fitted(found, types)
        compiled(found, types)
    except FilterError:
        return None
    return canonical(found)


def of_any_column(text: str) -> str | None:
    """The canonical text of a filter of any version, whatever its columns are; None where it cannot be rewritten.

    Raises FilterError where the text is no SQL.
    """
    tree = read_filter(text)
    found = rewritten(tree, tuple(dict.fromkeys(each.name for each in tree.find_all(exp.Column))))
    return None if found is None else canonical(found)


def known_as(text: str | None, earlier: Iterable[str | None], types: Mapping[str, str]) -> str | None:
    """The text by which the state knows a filter: that of an earlier version, where it let the same rows pass.

    So a dataset under a filter, and a request with it, stay the ones that they were. `earlier`: what the state has.
    """
    if text is None or text in (known := [each for each in earlier if each is not None]):
        return text
    return next((each for each in known if carried_over(each, types) == text), text)


def rewritten(node: exp.Expr, columns: Collection[str]) -> Filter | None:
    """A tree of SQL as a filter; None where it cannot be rewritten."""
    try:
        return _flat(_Rewriting(columns).condition(node, 0))
    except (FilterError, BeyondFilter):
        return None


@dataclass(frozen=True, slots=True)
class _Spans:
    """What a calculation makes of a column: a value stands for the days from `first` of it to that of the `next`."""

    column: str
    first: Callable[[int], date]
    read: Callable[[Constant], int]

    def compared(self, operator: Operator, constants: Sequence[Constant]) -> Filter:
        """The comparison of the calculated value, as one of the column."""
        values = [self.read(each) for each in constants]
        match operator:
            case "=" | "IN":
                within = tuple(self._from_to(each, each) for each in values)
                return within[0] if len(within) == 1 else AnyOf(within)
            case "<>":
                return AnyOf((self._day("<", values[0]), self._day(">=", values[0] + 1)))
            case "BETWEEN":
                return self._from_to(*values)
            case "<" | ">=":
                return self._day(operator, values[0])
            case "<=":
                return self._day("<", values[0] + 1)
            case ">":
                return self._day(">=", values[0] + 1)
        raise FilterError("another operator")

    def _from_to(self, first: int, last: int) -> Filter:
        return All((self._day(">=", first), self._day("<", last + 1)))

    def _day(self, operator: Operator, value: int) -> FilterComparison:
        try:
            day = self.first(value)
        except (ValueError, OverflowError):
            raise FilterError("no such day") from None
        return FilterComparison(self.column, operator, (Constant("DATE", day.isoformat()),))


class _Rewriting(FilterReading):
    """Reads a tree of SQL as a filter, where earlier versions calculated too."""

    def condition(self, node: object, depth: int) -> Filter:
        node = bare(node)
        if isinstance(node, (exp.NullSafeEQ, exp.NullSafeNEQ)):
            return self._distinct(node)
        if not isinstance(node, exp.And):
            return super().condition(node, depth)
        parts = chained(node)
        found: list[Filter] = []
        for year in [each for each in parts if _part(each.this) == "YEAR" and isinstance(each, exp.EQ)]:
            months = [each for each in parts if _part(each.this) == "MONTH" and _of(each) == _of(year)]
            if months:
                found += [self._months(year, each) for each in months]
                parts = [each for each in parts if each is not year and all(each is not other for other in months)]
        found += [self.condition(each, depth + 1) for each in parts]
        return found[0] if len(found) == 1 else All(tuple(found))

    def comparison(self, node: exp.Expression) -> Filter:
        try:
            return super().comparison(node)
        except (FilterError, BeyondFilter):
            left = bare(node.this)
            if type(node) in _TURNED and left.find(exp.Column) is None and node.expression.find(exp.Column) is not None:
                return self.comparison(_TURNED[type(node)](this=node.expression.copy(), expression=left.copy()))
            if isinstance(node, exp.Like):
                return self._like(node)
            if isinstance(left, exp.Substring):
                return self._beginning(left, node)
            if _part(left) == "YEAR":
                spans = _Spans(self._column_in(left, node), lambda year: date(year, 1, 1), _whole)
            elif isinstance(left, exp.Cast) and left.to.this is exp.DType.DATE:
                spans = _Spans(self.column(bare(left.this), node), date.fromordinal, _day)
            else:
                raise
            return spans.compared(*self.operands(node))

    def _months(self, year: exp.Expression, month: exp.Expression) -> Filter:
        """The months of one year that a comparison leaves: compared by their numbers, counted from the year 0."""
        column = self._column_in(bare(year.this), year)
        (_, (number,)), (operator, months) = self.operands(year), self.operands(month)
        first = _whole(number) * _MONTHS - 1
        spans = _Spans(column, _first_of_month, lambda each: _month(each, first))
        whole_year = _Spans(column, lambda each: date(each, 1, 1), _whole).compared("=", (number,))
        found = spans.compared(operator, months)
        return found if operator in ("=", "IN", "BETWEEN") else All((whole_year, found))

    def _distinct(self, node: exp.Expression) -> Filter:
        name, other = self.column(bare(node.this), node), bare(node.expression)
        null = FilterComparison(name, "IS NULL")
        is_same = isinstance(node, exp.NullSafeEQ)
        if isinstance(other, exp.Null):
            return null if is_same else Not(null)
        constant = (constant_of(other, node),)
        if is_same:
            return All((FilterComparison(name, "=", constant), Not(null)))
        return AnyOf((FilterComparison(name, "<>", constant), null))

    def _like(self, node: exp.Expression) -> Filter:
        """A pattern of a whole text, or of any text."""
        name, pattern = self.column(bare(node.this), node), constant_of(node.expression, node)
        if pattern.text == "%":
            return FilterComparison(name, ">=", (Constant("text", ""),))  # NULL for NULL, as LIKE is
        if set(pattern.text) & set("%_\\"):
            raise BeyondFilter(node)
        return FilterComparison(name, "=", (pattern,))

    def _beginning(self, left: exp.Substring, node: exp.Expression) -> Filter:
        """The beginning of a text compared: SUBSTRING(name, 1, 2) = 'ab'."""
        operator, constants = self.operands(node)
        start, length = (str(left.args.get(each) or "") for each in ("start", "length"))
        if start != "1" or not length.isdecimal() or operator not in ("=", "<>", "IN"):
            raise BeyondFilter(node)
        name = self.column(bare(left.this), node)
        found = [_begins(name, each, int(length)) for each in constants]
        whole = found[0] if len(found) == 1 else AnyOf(tuple(found))
        return Not(whole) if operator == "<>" else whole

    def _column_in(self, part: exp.Expr, node: exp.Expr) -> str:
        inner = bare(part.expression if isinstance(part, exp.Extract) else part.this)
        if isinstance(inner, exp.Cast) and inner.to.this is exp.DType.DATE:
            inner = bare(inner.this)
        return self.column(inner, node)


def _flat(tree: Filter) -> Filter:
    """A filter without AND within AND, or OR within OR: as it is read."""
    if isinstance(tree, FilterComparison):
        return tree
    if isinstance(tree, Not):
        return Not(_flat(tree.part))
    kind, parts = type(tree), [_flat(each) for each in tree.parts]
    return kind(tuple(inner for each in parts for inner in (each.parts if isinstance(each, kind) else (each,))))


def _part(node: object) -> str:
    """The part of a date that a node calculates; empty where it calculates none."""
    node = bare(node)
    if isinstance(node, (exp.Year, exp.Month)):
        return type(node).__name__.upper()
    return node.this.name.upper() if isinstance(node, exp.Extract) else ""


def _of(condition: exp.Expression) -> str:
    """The column whose part of a date is compared."""
    found = condition.this.find(exp.Column)
    return "" if found is None else found.name.casefold()


def _whole(constant: Constant) -> int:
    value = constant.value
    if not isinstance(value, Decimal) or value != value.to_integral_value():
        raise FilterError("no whole number")
    return int(value)


def _first_of_month(number: int) -> date:
    return date(number // _MONTHS, number % _MONTHS + 1, 1)


def _month(constant: Constant, before: int) -> int:
    month = _whole(constant)
    if not 1 <= month <= _MONTHS:
        raise FilterError("no month")
    return before + month


def _day(constant: Constant) -> int:
    if constant.kind not in ("DATE", "text"):
        raise FilterError("no day")
    try:
        return date.fromisoformat(constant.text).toordinal()
    except ValueError:
        raise FilterError("no day") from None


def _begins(name: str, constant: Constant, length: int) -> Filter:
    text = constant.text
    if constant.kind != "text" or not text or len(text) > length or set(text) & set("%_\\"):
        raise FilterError("no beginning of a text")
    return FilterComparison(name, "LIKE" if len(text) == length else "=", (constant,))


def _fitted(tree: Filter, types: Mapping[str, str]) -> Filter:
    """A filter whose constants are of the kinds of their columns, where earlier versions took others for them."""
    if isinstance(tree, FilterComparison):
        kind = types[tree.column]
        return replace(tree, constants=tuple(_fitting(each, kind) for each in tree.constants))
    if isinstance(tree, Not):
        return Not(_fitted(tree.part, types))
    return replace(tree, parts=tuple(_fitted(each, types) for each in tree.parts))


def _fitting(constant: Constant, column_type: str) -> Constant:
    text = constant.text.strip()
    if plain(column_type) == "BOOLEAN" and constant.kind != "truth":
        return Constant("truth", _TRUTHS.get(text.casefold(), text))
    if is_number(column_type) and constant.kind == "text":
        try:
            is_finite = Decimal(text).is_finite()
        except InvalidOperation:
            return constant
        return Constant("number", text.lstrip("+")) if is_finite else constant
    if plain(column_type) == "DATE" and constant.kind == "TIMESTAMP":
        day, _, clock = text.replace("T", " ").partition(" ")
        return Constant("DATE", day) if not clock.strip("0:.") else constant
    return constant
