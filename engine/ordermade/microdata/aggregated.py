"""A column whose values are replaced by what a group of records has in common: how it is measured and released."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from ordermade.measuring.attribute import Attribute

if TYPE_CHECKING:
    from ordermade.microaggregation.aggregates import ClassAggregate, Rounding

Kind: TypeAlias = Literal["whole", "float", "leaf"]
"""What a record has in a column: an exact whole number, a float64, or the leaf of a hierarchy."""

WHOLE_TYPES = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")
FLOAT_TYPES = ("FLOAT", "DOUBLE")
MOST_DIGITS = 18
"""Every DECIMAL of so many digits is an int64 in units of its last one."""

_DECIMAL = re.compile(r"DECIMAL\((\d+),(\d+)\)")


@dataclass(frozen=True, slots=True)
class Aggregated:
    """A column that is microaggregated, of a type as the catalog names it.

    `weight`: how much its squared distances count. `grounded`: the column as made countable with its hierarchy from
    level 0 up, None of a numeric column; `aggregate`: what is released of the hierarchy, of this column alone.
    Raises ValueError for a numeric column of a type that is not measured (a request that names one is refused).
    """

    column: str
    column_type: str
    weight: float = 1.0
    grounded: Attribute | None = None
    aggregate: ClassAggregate = "mode"

    def __post_init__(self) -> None:
        if self.grounded is None and not is_measured(self.column_type):
            raise ValueError(f"a column of type {self.column_type} is not measured")

    @property
    def kind(self) -> Kind:
        """What a record has in the column."""
        if self.grounded is not None:
            return "leaf"
        return "float" if self.column_type in FLOAT_TYPES else "whole"

    @property
    def decimals(self) -> int:
        """The digits after the point that every value has: of DECIMAL, whose records count units of the last one."""
        found = _DECIMAL.fullmatch(self.column_type)
        return int(found[2]) if found and self.grounded is None else 0

    @property
    def units(self) -> int:
        """How many of the units that records count make 1 in the column's own unit."""
        return int(10**self.decimals)

    def released_type(self, rounding: Rounding) -> str:
        """The SQL type of what is released of a numeric column.

        Means are DOUBLE; whole numbers are of the column's own type, of a DECIMAL with decimals BIGINT.
        """
        if rounding == "keep" or self.kind == "float":
            return "DOUBLE"
        return "BIGINT" if self.decimals else self.column_type


def is_measured(column_type: str) -> bool:
    """Whether a column of this type is numeric, with values that are measured exactly or are floats already."""
    decimal = _DECIMAL.fullmatch(column_type)
    if decimal:
        return int(decimal[1]) <= MOST_DIGITS
    return column_type in WHOLE_TYPES or column_type in FLOAT_TYPES
