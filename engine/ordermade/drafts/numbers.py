"""Bounds of drafted intervals: round numbers near the quantiles of a column, level by level.

A class is split near its own median, at the roundest number there; each level splits every class of the level before,
so that the levels nest and hold about equal shares. The first class is open below, the last one above: bottom and top
coding, wherever the outliers are.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from itertools import pairwise

from ordermade.drafts.profile import QUANTILES, ColumnProfile

MOST_LEVELS = 4
"""Levels of 2, 4, 8 and 16 classes."""

TOLERANCE = 0.12
"""A bound may be as far from the median of the class that it splits as this share of the class, where a rounder number
lies there."""

WIDEST = 0.3
"""Where no bound is as near as that (many rows have one value), the nearest one up to this share splits it."""

STEPS = (Decimal(5), Decimal("2.5"), Decimal(2), Decimal(1))
MOST_DECIMALS = 9
LARGEST_BOUND = Decimal(10) ** 12
LARGEST_VALUE = Decimal(9) * 10**15
"""The largest bound and value of an interval hierarchy, in units of its last decimal."""

BULK = (0.02, 0.98)
"""The part of the rows whose values set the decimals of the bounds."""


@dataclass(frozen=True, slots=True)
class Distribution:
    """The values of a column in order, with the share of the rows that have each value or a smaller one."""

    values: tuple[Decimal, ...]
    upto: tuple[float, ...]

    @classmethod
    def of(cls, profile: ColumnProfile) -> Distribution | None:
        """The distribution of a column of numbers: of all values where they are listed, else of its quantiles.

        None where an interval hierarchy cannot place every value: some are infinite, no numbers, or too large.
        """
        counted: dict[Decimal, float] = {}
        if profile.lists_all:
            for each in profile.values:
                number = Decimal(each.value)
                counted[number] = counted.get(number, 0.0) + each.rows
        else:
            numbers = [each for each in profile.quantiles if isinstance(each, Decimal)]
            if len(numbers) <= QUANTILES:
                return None
            for quantile in numbers:
                counted[quantile] = counted.get(quantile, 0.0) + 1.0
        if not counted or not all(each.is_finite() and abs(each) < LARGEST_VALUE for each in counted):
            return None
        values = sorted(counted)
        total, upto, so_far = sum(counted.values()), [], 0.0
        for value in values:
            so_far += counted[value]
            upto.append(so_far / total)
        return cls(tuple(values), (*upto[:-1], 1.0))

    def below(self, bound: Decimal) -> float:
        """The share of the rows that are below a bound."""
        at = bisect_left(self.values, bound)
        return self.upto[at - 1] if at else 0.0

    def shares(self, bounds: Sequence[Decimal]) -> list[float]:
        """The share of the rows of each class between these bounds."""
        marks = [0.0, *map(self.below, bounds), 1.0]
        return [high - low for low, high in pairwise(marks)]

    @property
    def decimals(self) -> int:
        """The most decimals of a bound with which every value and every bound in the bulk of the rows has a place."""
        if all(each == each.to_integral_value() for each in self.values):
            return 0
        bulk = [self.values[min(bisect_left(self.upto, share), len(self.values) - 1)] for share in BULK]
        room = min(_powers(LARGEST_BOUND, max(map(abs, bulk))), _powers(LARGEST_VALUE, self.largest))
        return min(max(room, 0), MOST_DECIMALS)

    @property
    def largest(self) -> Decimal:
        """The largest absolute value."""
        return max(abs(self.values[0]), abs(self.values[-1]))


def _powers(room: Decimal, number: Decimal) -> int:
    """The powers of ten that a number may be multiplied by without leaving the room."""
    return MOST_DECIMALS if number <= 0 else math.floor((room / number).log10())


def drafted_bounds(distribution: Distribution, *, least_share: float) -> tuple[tuple[Decimal, ...], ...]:
    """The bounds of each level, the finest first, each among those of the level before.

    Every class has `least_share` of the rows or more, as far as the distribution shows. No level has as many classes as
    there are values; there is none where no bound parts the values.
    """
    levels: list[tuple[Decimal, ...]] = [()]
    decimals = distribution.decimals
    while len(levels) <= MOST_LEVELS:
        marks = (None, *levels[-1], None)
        found = {
            bound
            for low, high in pairwise(marks)
            if (bound := _split(distribution, low, high, least_share, decimals)) is not None
        }
        if not found:
            break
        levels.append(tuple(sorted({*levels[-1], *found})))
    return tuple(level for level in reversed(levels[1:]) if len(level) + 1 < len(distribution.values))


def _split(
    distribution: Distribution, low: Decimal | None, high: Decimal | None, least_share: float, decimals: int
) -> Decimal | None:
    """The bound that splits the class from `low` up to `high` near its median; None where none does."""
    values, upto = distribution.values, distribution.upto
    first = 0 if low is None else bisect_left(values, low)
    end = len(values) if high is None else bisect_left(values, high)
    start = upto[first - 1] if first else 0.0
    share = upto[end - 1] - start if end > first else 0.0
    # A bound after the value at i leaves upto[i] below it; both sides need enough rows.
    after = [at for at in range(first, end - 1) if least_share <= upto[at] - start <= share - least_share]
    if not after:
        return None
    middle = start + share / 2
    near = [at for at in after if abs(upto[at] - middle) <= TOLERANCE * share]
    if not near:
        nearest = min(after, key=lambda at: abs(upto[at] - middle))
        near = [nearest] if abs(upto[nearest] - middle) <= WIDEST * share else _largest_kept(after, upto, middle)
    return _roundest(values[near[0]], values[near[-1] + 1], decimals)


def _largest_kept(after: Sequence[int], upto: Sequence[float], middle: float) -> list[int]:
    """Where one value has most rows: the bound beside it that leaves the more evenly filled classes."""
    return [min(after, key=lambda at: abs(upto[at] - middle))]


def _roundest(above: Decimal, upto: Decimal, decimals: int) -> Decimal | None:
    """The roundest number above `above` and at most `upto`; of several the one in the middle.

    None where none of so many decimals lies there.
    """
    for step in _steps(upto - above, max(abs(above), abs(upto)), decimals):
        first = (above / step).to_integral_value(ROUND_FLOOR) + 1
        last = (upto / step).to_integral_value(ROUND_FLOOR)
        if first <= last:
            found = ((first + (last - first) // 2) * step).normalize()
            return found if abs(found).scaleb(decimals) <= LARGEST_BOUND else None
    return None


def _steps(span: Decimal, largest: Decimal, decimals: int) -> Iterator[Decimal]:
    """Round steps from the largest that may matter down: 10, 5, 2.5, 2, 1 and so on times powers of ten."""
    top = largest.adjusted() + 1
    bottom = max(span.adjusted() - 1, -decimals)
    for power in range(top, bottom - 1, -1):
        for step in STEPS:
            scaled = step.scaleb(power)
            if scaled.quantize(Decimal(1).scaleb(-decimals)) == scaled:
                yield scaled
