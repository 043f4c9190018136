"""Exact means and medians of whole numbers of any size: beyond 2 ** 53, floats no longer distinguish neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ordermade.methods.microaggregation.algorithm.arrays import Column
from ordermade.methods.microaggregation.algorithm.groups import Groups

Whole: TypeAlias = NDArray[np.int64]

HALF = 32
"""Numbers are added up in two halves of so many bits, which cannot overflow for fewer than 2 ** 29 records."""
LOW = 2**HALF - 1


@dataclass(frozen=True, slots=True, eq=False)
class Fractions:
    """Numbers as `whole` + `part` / `of`, where 0 <= part < of: one each a group."""

    whole: Whole
    part: Whole
    of: Whole

    def nearest(self, units: int = 1) -> Whole:
        """The nearest whole numbers; of two equally near ones the even one.

        With `units` (1 or even) the nearest multiples of it, of two equally near ones the even multiple.
        """
        if units == 1:
            down, above, half = self.whole, 2 * self.part, self.of
        else:
            down, rest = np.divmod(self.whole, units)
            above, half = 2 * rest + (self.part > 0), np.full_like(rest, units)
        up = (above > half) | ((above == half) & (down % 2 == 1))
        found: Whole = (down + up) * units
        return found

    def floats(self) -> Column:
        """The nearest floats, to the last digit or so."""
        return self.whole + self.part / self.of

    def less(self, other: Whole) -> Column:
        """The differences from whole numbers, as floats."""
        return differences(self.whole, other) + self.part / self.of


def means(values: Whole, groups: Groups) -> Fractions:
    """The mean of each group."""
    ordered = values[groups.order]
    high, rest = np.divmod(np.add.reduceat(ordered >> HALF, groups.starts), groups.sizes)
    low, part = np.divmod(np.add.reduceat(ordered & LOW, groups.starts) + (rest << HALF), groups.sizes)
    return Fractions((high << HALF) + low, part, groups.sizes)


def midpoints(low: Whole, high: Whole) -> Fractions:
    """Half way between two numbers of which neither `low` is above its `high`."""
    # The unsigned difference cannot overflow.
    between = high.view(np.uint64) - low.view(np.uint64)
    half = (between >> np.uint64(1)).view(np.int64)
    return Fractions(low + half, (between & np.uint64(1)).view(np.int64), np.full_like(low, 2))


def differences(one: Whole, other: Whole) -> Column:
    """One less other as floats, with all digits of the difference that a float holds."""
    found: Column = ((one >> HALF) - (other >> HALF)) * float(2**HALF) + ((one & LOW) - (other & LOW))
    return found


def differences_from_floats(one: Whole, other: Column) -> Column:
    """One less other as floats, where the floats are not beyond whole numbers: the digits of `one` are all counted."""
    nearest = np.rint(other)
    # 2 ** 63, to which the largest whole numbers are rounded, is one more than they can be.
    beyond = nearest >= 2.0**63
    whole: Whole = np.where(beyond, 0.0, nearest).astype(np.int64)
    whole[beyond] = np.iinfo(np.int64).max
    return differences(one, whole) - (other - nearest) - beyond
