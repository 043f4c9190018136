"""Bounds of drafted intervals: round numbers near the quantiles of a column, level by level."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise

from ordermade.drafts.profile import ColumnProfile

CLASSES = (16, 8, 4, 2)
"""The classes of the drafted levels, the finest first."""

TOLERANCE = 0.3
"""A bound may be as far from its quantile as this share of a class, where a rounder number lies there."""

STEPS = (Decimal(5), Decimal("2.5"), Decimal(2), Decimal(1))
MOST_DECIMALS = 6
LARGEST = Decimal(10) ** 12


@dataclass(frozen=True, slots=True)
class Distribution:
    """The values of a column in order, with the share of the rows that have each value or a smaller one."""

    values: tuple[Decimal, ...]
    upto: tuple[float, ...]

    @classmethod
    def of(cls, profile: ColumnProfile) -> Distribution | None:
        """The distribution of a column of numbers: of all values where they are listed, else of its quantiles.

        None where fewer than two values are finite, or too large for an interval.
        """
        counted: dict[Decimal, float] = {}
        if profile.lists_all:
            for each in profile.values:
                number = Decimal(each.value)
                if number.is_finite():
                    counted[number] = counted.get(number, 0.0) + each.rows
        else:
            numbers = [each for each in profile.quantiles if isinstance(each, Decimal)]
            for quantile in numbers:
                counted[quantile] = counted.get(quantile, 0.0) + 1.0
        values = sorted(counted)
        if len(values) < 2 or max(abs(values[0]), abs(values[-1])) >= LARGEST:
            return None
        total, upto, so_far = sum(counted.values()), [], 0.0
        for value in values:
            so_far += counted[value]
            upto.append(so_far / total)
        return cls(tuple(values), tuple(upto))

    def below(self, bound: Decimal) -> float:
        """The share of the rows that are below a bound."""
        at = bisect_left(self.values, bound)
        return self.upto[at - 1] if at else 0.0

    def shares(self, bounds: Sequence[Decimal]) -> list[float]:
        """The share of the rows of each class between these bounds."""
        marks = [0.0, *map(self.below, bounds), 1.0]
        return [high - low for low, high in pairwise(marks)]


def drafted_bounds(distribution: Distribution, *, least_share: float) -> tuple[tuple[Decimal, ...], ...]:
    """The bounds of each level, the finest first, each among those of the level before.

    Every class has `least_share` of the rows or more, as far as the distribution shows. Levels that would be alike are
    one; there is none where no bound parts the values.
    """
    most = len(distribution.values)
    finest = _merged(distribution, _near_quantiles(distribution, min(CLASSES[0], max(2, most // 2))), least_share)
    levels = [finest] if finest else []
    for classes in CLASSES[1:]:
        if not levels or classes > len(levels[-1]):
            continue
        chosen = _chosen(distribution, levels[-1], classes)
        if chosen and chosen != levels[-1]:
            levels.append(chosen)
    return tuple(levels)


def _near_quantiles(distribution: Distribution, classes: int) -> tuple[Decimal, ...]:
    """A round bound near each of the quantiles that would part the rows evenly."""
    found: set[Decimal] = set()
    for part in range(1, classes):
        low, high = ((part + side * TOLERANCE) / classes for side in (-1, 1))
        first = bisect_left(distribution.upto, low)
        last = bisect_right(distribution.upto, high) - 1
        if last < first:  # no bound parts the rows there: the nearest that does
            last = first = _nearest(distribution.upto, part / classes)
        if first < len(distribution.values) - 1:
            last = min(last, len(distribution.values) - 2)
            found.add(_roundest(distribution.values[first], distribution.values[last + 1]))
    return tuple(sorted(found))


def _nearest(shares: Sequence[float], wanted: float) -> int:
    return min(range(len(shares) - 1), key=lambda at: abs(shares[at] - wanted), default=0)


def _roundest(above: Decimal, upto: Decimal) -> Decimal:
    """The roundest number above `above` and at most `upto`; of several the one in the middle."""
    for step in _steps(upto - above, max(abs(above), abs(upto))):
        first = (above / step).to_integral_value(rounding="ROUND_FLOOR") + 1
        last = (upto / step).to_integral_value(rounding="ROUND_FLOOR")
        if first <= last:
            return ((first + (last - first) // 2) * step).normalize()
    return upto


def _steps(span: Decimal, largest: Decimal) -> Iterator[Decimal]:
    """Round steps from the largest that may matter down: 10, 5, 2.5, 2, 1 and so on times powers of ten."""
    top = math.ceil(math.log10(largest)) if largest else 0
    bottom = max(math.floor(math.log10(span)) - 1, -MOST_DECIMALS) if span > 0 else 0
    for power in range(top, bottom - 1, -1):
        for step in STEPS:
            scaled = step.scaleb(power)
            if scaled == scaled.to_integral_value() or power < 1:
                yield scaled


def _merged(distribution: Distribution, bounds: tuple[Decimal, ...], least_share: float) -> tuple[Decimal, ...]:
    """The bounds without those beside a class that is too small: the smallest class goes into its smaller neighbour."""
    kept = list(bounds)
    while kept:
        shares = distribution.shares(kept)
        smallest = min(range(len(shares)), key=shares.__getitem__)
        if shares[smallest] >= least_share and shares[smallest] > 0:
            break
        inner = [at for at in (smallest - 1, smallest) if 0 <= at < len(kept)]
        beside = {smallest - 1: smallest - 1, smallest: smallest + 1}
        kept.pop(min(inner, key=lambda at: shares[beside[at]]))
    return tuple(kept)


def _chosen(distribution: Distribution, bounds: Sequence[Decimal], classes: int) -> tuple[Decimal, ...]:
    """The bounds, among those of the level before, that part the rows most evenly into so many classes."""
    left = list(bounds)
    found = []
    for part in range(1, classes):
        if left:
            wanted = part / classes
            best = min(left, key=lambda bound: (abs(distribution.below(bound) - wanted), bound))
            found.append(best)
            left.remove(best)
    return tuple(sorted(found))
