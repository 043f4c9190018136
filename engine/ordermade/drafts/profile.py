"""The profile of a column: the figures that roles, readings and hierarchies are drafted from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

MAX_LISTED = 10_000
"""The most values that a profile lists of a column whose values repeat."""

FEW_LISTED = 200
"""The most values that it lists of any other column."""

QUANTILES = 40
"""A profile has the values at 0/40, 1/40, … 40/40 of the rows, in order."""


@dataclass(frozen=True, slots=True)
class ValueCount:
    """A value of a column, as text, and the rows that have it."""

    value: str
    rows: int


@dataclass(frozen=True, slots=True)
class CensoredEnds:
    """The bounds of values of which no more is known: the greatest that some are below, the least that some are above.

    None where a side has none.
    """

    below: Decimal | None = None
    above: Decimal | None = None

    def may_part(self, bound: Decimal) -> bool:
        """Whether classes may part at a bound: every censored value is in the open class that it may really be in."""
        return (self.below is None or bound > self.below) and (self.above is None or bound <= self.above)


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """The profile of one column of a table. It holds values of the data: it is never logged, stored or printed whole.

    `rows` of the table; `nulls` of them; `distinct` non-NULL values, of which `single` occur once. `values`: the most
    frequent ones, by falling rows and then by value: all of a column with at most `MAX_LISTED` that repeat, else
    `FEW_LISTED`. `quantiles`: of numbers and dates,
    `QUANTILES` + 1 values by rows; empty for other types and where there is no value. `shortest` and `longest`: of
    texts, in characters; `words`: of texts, the mean number of words; `digits_only`: whether every text is made of
    the digits 0 to 9. `forms`: of texts, by the name of a form (`drafts.readings`), the share of the non-NULL rows
    that have it, from 0 to 1. `unlike`: of the form that most but not all texts have, where not all are listed, some
    texts that have it not. `censored`: of numbers that were read at their bounds, these; None where none were.
    """

    name: str
    type: str
    rows: int
    nulls: int
    distinct: int
    single: int
    values: tuple[ValueCount, ...] = ()
    quantiles: tuple[Decimal | date, ...] = ()
    shortest: int | None = None
    longest: int | None = None
    words: float | None = None
    digits_only: bool = False
    forms: Mapping[str, float] = field(default_factory=dict)
    unlike: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    censored: CensoredEnds | None = None

    @property
    def lists_all(self) -> bool:
        """Whether `values` has every value of the column."""
        return len(self.values) == self.distinct
