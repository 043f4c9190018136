"""A column whose values are replaced by an aggregate of their group: its distances and its released type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ordermade.measuring.attribute import Attribute
from ordermade.requests.measured_types import decimals_of, measured_as
from ordermade.slices.numbers import Held

if TYPE_CHECKING:
    from ordermade.microaggregation.options import ClassAggregate, Rounding


@dataclass(frozen=True, slots=True)
class Aggregated:
    """A column that is microaggregated, of a type as the catalog names it.

    `weight`: how much its squared distances count. `grounded`: the column as made countable with its hierarchy from
    level 0 up, None of a numeric column; `aggregate`: the released value of the hierarchy, of this column alone.
    Raises ValueError for a numeric column of a type that is not measured (a request that names one is refused).
    """

    column: str
    column_type: str
    weight: float = 1.0
    grounded: Attribute | None = None
    aggregate: ClassAggregate = "mode"

    def __post_init__(self) -> None:
        if self.grounded is None and measured_as(self.column_type) is None:
            raise ValueError(f"a column of type {self.column_type} is not measured")

    def held(self, name: str) -> Held:
        """The column of the records named `name`, which holds a number or the code of a leaf."""
        number = None if self.grounded is not None else measured_as(self.column_type)
        return Held(name, self.column, number or "code", self.decimals)

    @property
    def decimals(self) -> int:
        """The digits after the point that every value has: of DECIMAL, whose records count units of the last one."""
        return decimals_of(self.column_type) if self.grounded is None else 0

    @property
    def units(self) -> int:
        """The number of units, as records count them, that make 1 in the column's own unit."""
        return int(10**self.decimals)

    def released_type(self, rounding: Rounding) -> str:
        """The SQL type of the released values of a numeric column.

        Means are DOUBLE; whole numbers are of the column's own type, of a DECIMAL with decimals BIGINT.
        """
        if rounding == "keep" or measured_as(self.column_type) == "float":
            return "DOUBLE"
        return "BIGINT" if self.decimals else self.column_type
