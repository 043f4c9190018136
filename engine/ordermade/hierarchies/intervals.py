"""Interval hierarchies: numbers in intervals `[20, 30)` given by an origin and a width per level.

All levels live on one grid. With s the most decimals of any origin or width, a value x lies in grid unit u
= FLOOR(x * 10^s), and its key is FLOOR((u - O) / G), G the greatest common divisor of the widths and of the
differences of the origins from the base level up. Everything after u is whole-number arithmetic, so
refinement is exact: level i refines level j where the width of i divides that of j and the difference of
their origins.

0.29 * 100 is 28.999999999999996 in floating point, so the product is rounded to 6 decimals before FLOOR, to
3 from 10^9 on (a double has no more left), and not at all from 10^12 on. Columns of whole numbers need none
of it. The rounding is written FLOOR(x * 10^6 + 0.5) / 10^6: databases differ in ROUND.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from ordermade.errors import HierarchyError, quoted
from ordermade.hierarchies.column_types import is_number, is_single_precision, is_whole, without_labels
from ordermade.hierarchies.hierarchy import (
    Level,
    canonical,
    check_count,
    content_hash,
    level_order,
    moves,
    numbered,
    numbering,
)
from ordermade.hierarchies.rules import RuleHierarchy, whole_keys
from ordermade.lattice.lattice import LevelOrder

if TYPE_CHECKING:
    from sqlglot import exp

MOST_DECIMALS = 9
LARGEST_UNITS = 10**12
"""The largest width and origin in grid units: keys then stay exact in double precision."""

LARGEST_VALUE = 9 * 10**15
"""The largest value in grid units that can be placed; whole numbers up to 2^53 are exact doubles."""


@dataclass(frozen=True, slots=True)
class Interval:
    """The rule of one level: intervals of `width`, one of them starting at `origin`."""

    width: Decimal
    origin: Decimal = Decimal(0)


@dataclass(frozen=True, slots=True)
class _OnGrid:
    """A rule in whole grid units, its origin moved to the first start at or after 0."""

    width: int
    origin: int

    def refines(self, other: _OnGrid) -> bool:
        return other.width % self.width == 0 and (other.origin - self.origin) % self.width == 0


@dataclass(frozen=True, slots=True)
class IntervalHierarchy(RuleHierarchy):
    """Numbers in intervals; `intervals[level - 1]` is the rule of a level between level 0 and the top."""

    name: str
    levels: tuple[Level, ...]
    order: LevelOrder
    intervals: tuple[Interval, ...]

    @property
    def kind(self) -> str:
        """`interval`."""
        return "interval"

    def check_type(self, column_type: str) -> str | None:
        """Return why this hierarchy cannot be used on a column of this SQL type, or None if it can."""
        if is_number(column_type):
            return None
        return f"intervals need a column of numbers, and this one is of type {without_labels(column_type)}"

    def code(self, column: exp.Expression, column_type: str, base: int) -> exp.Expression:
        """The whole-number key of a value; `NOT_COVERED` for NaN, infinities and past 9e15 grid units."""
        from ordermade.hierarchies import rules as sql

        scale = grid_scale(self.intervals)
        # Through text, a 4-byte 0.1 is 0.1 as it is shown, and not 0.10000000149.
        readable = sql.text(column.copy()) if is_single_precision(column_type) else column.copy()
        value = sql.double(readable)
        in_range = sql.at_most(sql.absolute(value.copy()), sql.real(LARGEST_VALUE // 10**scale))
        if base >= self.top:
            return sql.placed(column, in_range, sql.whole(0))
        scaled = sql.times(value, 10**scale) if scale else value
        units = scaled if is_whole(column_type) else sql.floor(_snapped(scaled))
        step = self._step(base)
        return sql.placed(
            column,
            in_range,
            sql.big_integer(sql.floor(sql.divided(sql.minus(units, step.origin), step.width))),
        )

    def labels_of(self, keys: Sequence[str | int], level: int, base: int) -> list[str]:
        """The ends of each key's interval, exact, with the decimals of the level's rule: `[20, 30)`."""
        step = self._step(base)
        rule = on_grid(self.intervals)[level - 1]
        decimals = _decimals_of_level(self.intervals[level - 1])
        coarsening = 10 ** (grid_scale(self.intervals) - decimals)

        def interval(key: int) -> str:
            units = key * step.width + step.origin
            start = units - (units - rule.origin) % rule.width
            ends = (start // coarsening, (start + rule.width) // coarsening)
            return f"[{_written(ends[0], decimals)}, {_written(ends[1], decimals)})"

        return [interval(key) for key in whole_keys(keys)]

    def span_of(self, label: str, level: int) -> tuple[Fraction, Fraction]:  # noqa: ARG002
        """The ends of the interval that the label names."""
        low, high = label[1:-1].split(", ")
        return Fraction(low), Fraction(high)

    def _step(self, base: int) -> _OnGrid:
        """The common refinement of the levels from the base up."""
        rules = [on_grid(self.intervals)[level - 1] for level in self.rule_levels(base)]
        width = math.gcd(*(rule.width for rule in rules), *(rule.origin - rules[0].origin for rule in rules))
        return _OnGrid(width, rules[0].origin % width)


def interval_hierarchy(
    name: str, given: Sequence[Interval], names: Sequence[str | None], *, where: str = ""
) -> tuple[IntervalHierarchy, tuple[str, ...]]:
    """The hierarchy of these rules, numbered by refinement, and notes of what was renumbered.

    Raises HierarchyError on no rules, a width of 0 or less, a rule given twice, and numbers too long for
    the grid.
    """
    _check(given, where)
    rules = on_grid(given)
    order = numbering(_refinement(rules))
    called = [
        f"level {quoted(each)}" if each else f"the level of width {interval.width}"
        for each, interval in zip(names, given, strict=True)
    ]
    intervals = tuple(given[place] for place in order)
    hierarchy = IntervalHierarchy(
        name=name,
        levels=numbered([names[place] for place in order], interval_hashes(intervals), where=where),
        order=interval_order(intervals),
        intervals=intervals,
    )
    return hierarchy, moves(order, called)


def interval_order(intervals: Sequence[Interval]) -> LevelOrder:
    """The order of the levels that have these rules, computed from the rules alone."""
    return level_order(_refinement(on_grid(intervals)))


def interval_hashes(intervals: Sequence[Interval]) -> tuple[str, ...]:
    """The hash of each level: of its rule in grid units, and of the grid, on which the rounding depends."""
    scale = grid_scale(intervals)
    return tuple(content_hash("interval", canonical(scale, rule.origin, rule.width)) for rule in on_grid(intervals))


def grid_scale(intervals: Sequence[Interval]) -> int:
    """The decimals of the grid: the most that any rule needs."""
    return max(_decimals_of_level(interval) for interval in intervals)


def on_grid(intervals: Sequence[Interval]) -> tuple[_OnGrid, ...]:
    """The rules in whole grid units."""
    scale = grid_scale(intervals)
    units = [(_units(each.width, scale), _units(_first_start(each), scale)) for each in intervals]
    return tuple(_OnGrid(width, origin) for width, origin in units)


def _refinement(rules: Sequence[_OnGrid]) -> list[list[bool]]:
    return [[fine.refines(coarse) for coarse in rules] for fine in rules]


def _check(given: Sequence[Interval], where: str) -> None:
    if not given:
        raise HierarchyError("there is no level", where=where, next_step="Give at least one width.")
    check_count(len(given), where=where)
    for interval in given:
        if interval.width <= 0:
            raise HierarchyError(
                f"the width {interval.width} is not above 0", where=where, next_step="Give a positive width."
            )
        for number in (interval.width, interval.origin):
            if _decimals(number) > MOST_DECIMALS:
                raise HierarchyError(
                    f"{number} has more than {MOST_DECIMALS} decimals", where=where, next_step="Round it."
                )
    scale = grid_scale(given)
    if any(abs(number).scaleb(scale) > LARGEST_UNITS for each in given for number in (each.width, each.origin)):
        raise HierarchyError(
            f"a width or origin is larger than {LARGEST_UNITS:,} steps of the finest decimal, 1e-{scale}",
            where=where,
            next_step="Use smaller numbers, or fewer decimals.",
        )
    if len(set(on_grid(given))) < len(given):
        raise HierarchyError("two levels have the same intervals", where=where, next_step="Keep one of the two levels.")


def _decimals(number: Decimal) -> int:
    exponent = number.normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _decimals_of_level(interval: Interval) -> int:
    return max(_decimals(interval.width), _decimals(_first_start(interval)))


def _first_start(interval: Interval) -> Decimal:
    # Decimal's % has the sign of the dividend, where Python's has that of the divisor.
    remainder = interval.origin % interval.width
    return remainder + interval.width if remainder < 0 else remainder


def _units(number: Decimal, scale: int) -> int:
    return int(number.scaleb(scale))


def _written(number: int, decimals: int) -> str:
    if not decimals:
        return str(number)
    whole, part = divmod(abs(number), 10**decimals)
    return f"{'-' if number < 0 else ''}{whole}.{part:0{decimals}d}"


def _snapped(scaled: exp.Expression) -> exp.Expression:
    """A scaled value freed from the noise of floating point."""
    from ordermade.hierarchies import rules as sql

    def size() -> exp.Expression:
        return sql.absolute(scaled.copy())

    def rounded(decimals: int) -> exp.Expression:
        half_up = sql.plus(sql.times(scaled.copy(), 10**decimals), sql.half())
        return sql.divided(sql.floor(half_up), 10**decimals)

    return sql.case(
        [(sql.less(size(), sql.real(10**9)), rounded(6)), (sql.less(size(), sql.real(10**12)), rounded(3))],
        scaled.copy(),
    )
