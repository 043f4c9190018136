"""The values of a column of numbers or dates as exact numbers, to compare with the ends of intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ordermade.hierarchies.column_types import is_number, is_single_precision, is_whole
from ordermade.mondrian.domains import Shares
from ordermade.multidimensional.columns import IN_A_DAY, Column, Numbers
from ordermade.requests.resolve_rules import Condition, Span

LARGEST = 2**63 - 1


@dataclass(frozen=True, slots=True, eq=False)
class Axis:
    """The values of a column as whole numbers of units (int64), or as float64; `occur`: which of them are no NULL.

    `units` make 1 in the column's own unit, of dates and time stamps a day. `step`: 1 where only whole numbers of that
    are values. `single`: whether the column's numbers are of 4 bytes.
    """

    values: Numbers
    occur: NDArray[np.bool_]
    units: int
    step: float
    single: bool

    @classmethod
    def of(cls, column: Column) -> Axis | None:
        """The axis of a column of numbers or dates, None for a column of others."""
        occur = np.ones(column.values.size, dtype=np.bool_)
        if column.null is not None:
            occur[column.null] = False
        units = IN_A_DAY.get(column.wanted.ordered_as or "", 10**column.wanted.decimals)
        single = is_single_precision(column.column_type)
        if column.values.dtype != np.object_:
            return cls(cast("Numbers", column.values), occur, units, column.step, single)
        if not is_number(column.column_type):
            return None
        # Numbers of more digits than 8 bytes hold are texts.
        numbers = np.array([0.0 if text is None else float(text) for text in column.values])
        return cls(numbers, occur, 1, float(is_whole(column.column_type)), single)

    @property
    def whole(self) -> bool:
        """Whether the values are whole numbers of units."""
        return self.values.dtype == np.int64

    def ends(self, conditions: Sequence[Condition | None]) -> Spans:
        """The interval that each rule asks for, as numbers like the values; of one that is silent all numbers."""
        spans = [each if isinstance(each, Span) else Span(None, None) for each in conditions]
        lows, highs = [each.low for each in spans], [each.high for each in spans]
        if self.whole:
            return Spans(
                np.array([-LARGEST if end is None else self.unit_at_least(end) for end in lows], dtype=np.int64),
                np.array([LARGEST if end is None else self.unit_at_most(end) for end in highs], dtype=np.int64),
            )
        return Spans(self._floats(lows, -np.inf), self._floats(highs, np.inf))

    def unit_at_least(self, point: Fraction) -> int:
        """The first whole number of units at or above a point."""
        return _within_8_bytes(ceil(point * self.units))

    def unit_at_most(self, point: Fraction) -> int:
        """The last whole number of units at or below a point."""
        return _within_8_bytes(floor(point * self.units))

    def points(self, numbers: Numbers) -> Shares:
        """Such numbers in the column's own unit; open ends are infinite."""
        found: Shares = numbers / self.units
        if self.whole:
            found[numbers == LARGEST], found[numbers == -LARGEST] = np.inf, -np.inf
        return found

    def _floats(self, ends: Sequence[Fraction | None], instead: float) -> Shares:
        # A value of 4 bytes is the nearest to the written number, and so is an end.
        kind: type[np.floating[Any]] = np.float32 if self.single else np.float64
        found = [instead if end is None else float(kind(float(end))) for end in ends]
        return np.array(found, dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Spans:
    """Intervals between numbers like the values of an axis, ends included. One is empty where `low` is above `high`."""

    low: Numbers
    high: Numbers


def _within_8_bytes(number: int) -> int:
    return max(-LARGEST, min(number, LARGEST))
