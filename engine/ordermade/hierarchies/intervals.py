"""Interval hierarchies: numbers in intervals `[20, 30)` given by an origin and a width per level, or by their bounds.

A level with a width may have bottom and top coding, `below` and `above`: `< 18`, `[18, 20)`, …, `90+`. The interval
that one of them cuts through ends there. A level with bounds has an interval between each and the next, and one before
the first and after the last. Level i refines level j where every end of an interval of j is one of i.

Where the numbers have a unit, labels are those of Japanese tables: `15歳未満`, `15～64歳`, `75歳以上`, of numbers with
decimals `1.5kg以上2.5kg未満`.

All levels live on one grid. With s the most decimals of any of these numbers, a value x lies in grid unit u
= FLOOR(x * 10^s), and its key is FLOOR((u - O) / G), G the greatest common divisor of the widths and of the
differences of the origins, bounds and codings from the base level up. Everything after u is whole-number arithmetic, so
refinement is exact.

0.29 * 100 is 28.999999999999996 in floating point, so the product is rounded to 6 decimals before FLOOR, to
3 from 10^9 on (a double has no more left), and not at all from 10^12 on. Columns of whole numbers need none
of it. The rounding is written FLOOR(x * 10^6 + 0.5) / 10^6: databases differ in ROUND.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING

from ordermade.errors import HierarchyError, quoted
from ordermade.hierarchies.column_types import is_number, is_single_precision, is_whole, type_in_words
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
from ordermade.hierarchies.interval_labels import (
    OpenSpan,
    check_unit,
    label_in_japanese,
    label_in_mathematics,
    read_label,
    span_of_label,
)
from ordermade.hierarchies.rules import RuleHierarchy, whole_keys
from ordermade.lattice.lattice import LevelOrder
from ordermade.phrases import phrase

if TYPE_CHECKING:
    from sqlglot import exp

MAX_DECIMALS = 9
LARGEST_UNITS = 10**12
"""The largest width and origin in grid units: keys then stay exact in double precision."""

LARGEST_VALUE = 9 * 10**15
"""The largest value in grid units that can be placed; whole numbers up to 2^53 are exact doubles."""


MAX_BOUNDS = 10_000
"""The most bounds of one level."""


@dataclass(frozen=True, slots=True)
class Interval:
    """The rule of one level: intervals of `width`, one of them starting at `origin`, or those between the `bounds`.

    `below`: numbers below it are one class; `above`: those from it up are. Bounds rise; the width is None with them.
    `unit`: of Japanese labels; empty: labels are those of mathematics.
    """

    width: Decimal | None
    origin: Decimal = Decimal(0)
    below: Decimal | None = None
    above: Decimal | None = None
    bounds: tuple[Decimal, ...] = ()
    unit: str = ""

    @property
    def numbers(self) -> tuple[Decimal, ...]:
        """Every number that the rule names."""
        named = (self.width, self.origin, self.below, self.above, *self.bounds)
        return tuple(each for each in named if each is not None)


@dataclass(frozen=True, slots=True)
class GridRule:
    """A rule in whole grid units; its origin is the first start at or after 0, and 0 where it has bounds."""

    width: int | None
    origin: int
    below: int | None = None
    above: int | None = None
    bounds: tuple[int, ...] = ()

    def scaled(self, factor: int) -> GridRule:
        """The rule on a grid with steps of this fraction."""

        def times(number: int | None) -> int | None:
            return None if number is None else number * factor

        bounds = tuple(each * factor for each in self.bounds)
        return GridRule(times(self.width), self.origin * factor, times(self.below), times(self.above), bounds)

    def interval(self, unit: int) -> tuple[int | None, int | None]:
        """The first unit of the interval that a unit is in, and the first one after it; None where it has no end."""
        if self.width is None:
            at = bisect_right(self.bounds, unit)
            return self.bounds[at - 1] if at else None, self.bounds[at] if at < len(self.bounds) else None
        if self.below is not None and unit < self.below:
            return None, self.below
        if self.above is not None and unit >= self.above:
            return self.above, None
        start = unit - (unit - self.origin) % self.width
        low = start if self.below is None else max(start, self.below)
        return low, start + self.width if self.above is None else min(start + self.width, self.above)

    def refines(self, other: GridRule) -> bool:
        """Whether every end of an interval of the other is one of this rule."""
        if not all(map(self.cuts_at, other.ends)):
            return False
        if other.width is None:
            return True
        first, last = other._regular()
        if first is not None and last is not None and last - first <= other.width:
            return all(map(self.cuts_at, {first, last} if first <= last else ()))
        return self._cuts_at_all(first, last, other)

    @property
    def ends(self) -> tuple[int, ...]:
        """The ends of intervals that do not follow from origin and width."""
        return (*(each for each in (self.below, self.above) if each is not None), *self.bounds)

    def cuts_at(self, unit: int) -> bool:
        """Whether an interval ends, and the next begins, at a unit."""
        return self.interval(unit)[0] == unit

    def _regular(self) -> tuple[int | None, int | None]:
        """The first and the last end that follows from origin and width, between below and above; None: no first."""
        if self.width is None:
            raise ValueError("a rule of bounds has no width")
        first = None if self.below is None else self.below + 1 + (self.origin - self.below - 1) % self.width
        last = None if self.above is None else self.above - 1 - (self.above - 1 - self.origin) % self.width
        return first, last

    def _cuts_at_all(self, first: int | None, last: int | None, other: GridRule) -> bool:
        """Whether this rule has all ends, more than two, of the other from `first` to `last` as ends."""
        width = other.width
        if width is None:
            raise ValueError("a rule of bounds has no width")
        if self.width is None:
            few = first is not None and last is not None and (last - first) // width < len(self.bounds)
            return few and all(map(self.cuts_at, range(first or 0, (last or 0) + 1, width)))
        # An end at the very `below` or `above` is one, aligned or not; those beyond are none.
        if self.below is not None:
            if first is None or first < self.below:
                return False
            first += width if first == self.below else 0
        if self.above is not None:
            if last is None or last > self.above:
                return False
            last -= width if last == self.above else 0
        if first is not None and last is not None and last - first < width:
            return all(map(self.cuts_at, {first, last} if first <= last else ()))
        return width % self.width == 0 and (other.origin - self.origin) % self.width == 0


@dataclass(frozen=True, slots=True)
class _Step:
    """The grid of a base level's keys: the keys count intervals of `width` from `origin`."""

    width: int
    origin: int


@dataclass(frozen=True, slots=True, repr=False)
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
        return phrase(
            "intervals need a column of numbers, and this one is a %(kind)s",
            kind=type_in_words(column_type),
        )

    def code(self, column: exp.Expression, column_type: str, base: int) -> exp.Expression:
        """The whole-number key of a value; `NOT_COVERED` for NaN, infinities and past 9e15 grid units."""
        from ordermade.hierarchies import key_trees as sql

        scale = grid_scale(self.intervals)
        # Through text, a 4-byte 0.1 is 0.1 as it is shown, and not 0.10000000149.
        readable = sql.text(column.copy()) if is_single_precision(column_type) else column.copy()
        value = sql.double(readable)
        in_range = sql.at_most(sql.absolute(value.copy()), sql.real(LARGEST_VALUE // 10**scale))
        if base >= self.top:
            return sql.placed(column, in_range, sql.whole(0))
        scaled = sql.times(value, 10**scale) if scale else value
        units = scaled if is_whole(column_type) else sql.floor(sql.snapped(scaled))
        step = self._step(base)
        return sql.placed(
            column,
            in_range,
            sql.big_integer(sql.floor(sql.divided(sql.minus(units, step.origin), step.width))),
        )

    def labels_of(self, keys: Sequence[str | int], level: int, base: int) -> list[str]:
        """The ends of each key's interval, exact, with the decimals of the level's rule: `[20, 30)`, `< 18`, `90+`.

        Where the rule has a unit, as in a Japanese table.
        """
        step = self._step(base)
        rule = on_grid(self.intervals)[level - 1]
        decimals = _decimals_of_level(self.intervals[level - 1])
        coarsening = 10 ** (grid_scale(self.intervals) - decimals)
        unit = self.intervals[level - 1].unit

        def label(key: int) -> str:
            low, high = (
                None if end is None else end // coarsening for end in rule.interval(key * step.width + step.origin)
            )
            return label_in_japanese(low, high, decimals, unit) if unit else label_in_mathematics(low, high, decimals)

        return [label(key) for key in whole_keys(keys)]

    def span_of(self, label: str, level: int) -> OpenSpan:  # noqa: ARG002
        """The ends of the interval that the label names. Raises ValueError for a label of another form."""
        span = span_of_label(label)
        if span is None:
            raise ValueError("a label of no interval")
        return span

    def _classes_of(self, labels: Sequence[str | None], level: int, to: int) -> tuple[Hashable, ...] | None:
        if level == 0:
            return None
        scale, rule = 10 ** grid_scale(self.intervals), on_grid(self.intervals)[to - 1]

        def interval(label: str) -> Hashable:
            low, high = self.span_of(label, level)
            within = int(low * scale) if low is not None else int(high * scale) - 1 if high is not None else 0
            return rule.interval(within)

        return tuple(None if each is None else interval(each) for each in labels)

    def levels_of(self, label: str) -> dict[int, OpenSpan]:
        """The levels between 0 and the top that have an interval of this label, each with what it names."""
        span, unit = read_label(label)
        if span is None:
            return {}
        scale = 10 ** grid_scale(self.intervals)
        low, high = (None if end is None else end * scale for end in span)
        if any(end is not None and end.denominator > 1 for end in (low, high)):
            return {}
        units = (None if low is None else int(low), None if high is None else int(high))
        within = int(low) if low is not None else int(high or 0) - 1
        rules = enumerate(on_grid(self.intervals), start=1)
        return {
            level: span
            for level, rule in rules
            if rule.interval(within) == units and unit == self.intervals[level - 1].unit
        }

    def _step(self, base: int) -> _Step:
        """The common refinement of the levels from the base up."""
        rules = [on_grid(self.intervals)[level - 1] for level in self.rule_levels(base)]
        ends = [end for rule in rules for end in (*(() if rule.width is None else (rule.origin,)), *rule.ends)]
        widths = (rule.width for rule in rules if rule.width is not None)
        # One end alone parts all numbers in two: any width will do, and the widest gives the fewest keys.
        width = math.gcd(*widths, *(end - ends[0] for end in ends)) or LARGEST_UNITS
        return _Step(width, ends[0] % width)


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
        f"level {quoted(each)}" if each else _described(interval) for each, interval in zip(names, given, strict=True)
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
    """The hash of each level: of its rule in grid units, its unit, and the grid, which the rounding goes by."""
    scale = grid_scale(intervals)
    units = [(each.unit,) if each.unit else () for each in intervals]
    rules = zip(on_grid(intervals), units, strict=True)
    return tuple(content_hash("interval", _canonical_rule(scale, rule, *unit)) for rule, unit in rules)


def _canonical_rule(scale: int, rule: GridRule, *unit: str) -> str:
    if rule.width is None:
        return canonical("bounds", scale, *rule.bounds, *unit)
    if not rule.ends and not unit:  # as it was before there were open ends
        return canonical(scale, rule.origin, rule.width)
    return canonical(scale, rule.origin, rule.width, rule.below, rule.above, *unit)


def grid_scale(intervals: Sequence[Interval]) -> int:
    """The decimals of the grid: the most that any rule needs."""
    return max(_decimals_of_level(interval) for interval in intervals)


def on_grid(intervals: Sequence[Interval]) -> tuple[GridRule, ...]:
    """The rules in whole grid units."""
    scale = grid_scale(intervals)

    def units(number: Decimal | None) -> int | None:
        return None if number is None else _units(number, scale)

    return tuple(
        GridRule(
            units(each.width),
            _units(_first_start(each), scale),
            units(each.below),
            units(each.above),
            tuple(_units(bound, scale) for bound in each.bounds),
        )
        for each in intervals
    )


def _refinement(rules: Sequence[GridRule]) -> list[list[bool]]:
    return [[fine.refines(coarse) for coarse in rules] for fine in rules]


def _described(interval: Interval) -> str:
    """A level without a name, by its rule."""
    return (
        f"the level of {len(interval.bounds):,} bounds" if interval.bounds else f"the level of width {interval.width}"
    )


def _check(given: Sequence[Interval], where: str) -> None:
    if not given:
        raise HierarchyError(phrase("there is no level"), where=where, next_step=phrase("Give at least one width."))
    check_count(len(given), where=where)
    for unit in {each.unit for each in given if each.unit}:
        check_unit(unit, where)
    for interval in given:
        _check_rule(interval, where)
    scale = grid_scale(given)
    if any(abs(number).scaleb(scale) > LARGEST_UNITS for each in given for number in each.numbers):
        raise HierarchyError(
            phrase(
                "a width, origin or bound is larger than %(largestunits)s steps of the finest decimal, 1e-%(scale)s",
                largestunits=format(LARGEST_UNITS, ","),
                scale=scale,
            ),
            where=where,
            next_step=phrase("Use smaller numbers, or fewer decimals."),
        )
    rules = on_grid(given)
    if any(one.refines(other) and other.refines(one) for at, one in enumerate(rules) for other in rules[:at]):
        raise HierarchyError(
            phrase("two levels have the same intervals"), where=where, next_step=phrase("Keep one of the two levels.")
        )


def _check_rule(interval: Interval, where: str) -> None:
    """Raises HierarchyError for a rule that has no intervals, or numbers of too many decimals."""
    if interval.width is not None and interval.width <= 0:
        raise HierarchyError(
            phrase("the width %(width)s is not above 0", width=interval.width),
            where=where,
            next_step=phrase("Give a positive width."),
        )
    if interval.width is None and not interval.bounds:
        raise HierarchyError(
            phrase("a level has neither a width nor bounds"),
            where=where,
            next_step=phrase("Give it a width, or bounds such as [18, 65]."),
        )
    if len(interval.bounds) > MAX_BOUNDS:
        raise HierarchyError(
            phrase("a level has more than %(maxbounds)s bounds", maxbounds=format(MAX_BOUNDS, ",")),
            where=where,
            next_step=phrase("Give it fewer, or a width."),
        )
    if any(low >= high for low, high in pairwise(interval.bounds)):
        raise HierarchyError(
            phrase("the bounds do not rise"), where=where, next_step=phrase("Write them from the least up, each once.")
        )
    if interval.below is not None and interval.above is not None and interval.below >= interval.above:
        raise HierarchyError(
            phrase("below (%(below)s) is not less than above (%(above)s)", below=interval.below, above=interval.above),
            where=where,
            next_step=phrase("Give below a smaller number than above."),
        )
    for number in interval.numbers:
        if _decimals(number) > MAX_DECIMALS:
            raise HierarchyError(
                phrase("%(number)s has more than %(maxdecimals)s decimals", number=number, maxdecimals=MAX_DECIMALS),
                where=where,
                next_step=phrase("Round it."),
            )


def _decimals(number: Decimal) -> int:
    exponent = number.normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _decimals_of_level(interval: Interval) -> int:
    named = (interval.width, interval.below, interval.above, *interval.bounds, _first_start(interval))
    return max(_decimals(each) for each in named if each is not None)


def _first_start(interval: Interval) -> Decimal:
    if interval.width is None:
        return Decimal(0)
    # Decimal's % has the sign of the dividend, where Python's has that of the divisor.
    remainder = interval.origin % interval.width
    return remainder + interval.width if remainder < 0 else remainder


def _units(number: Decimal, scale: int) -> int:
    return int(number.scaleb(scale))
