"""An open request for microaggregation: its plan, and its columns made measurable."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ordermade.counting.dataset import Dataset
from ordermade.counting.encoding import EncodedColumn
from ordermade.counting.numeric_records import NumericEncoding
from ordermade.hierarchies.column_types import decimals_of, measured_as
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.methods.microaggregation.algorithm.methods import ClassAggregate
from ordermade.methods.shared.open_request import OpenRequest
from ordermade.release.plan import Plan
from ordermade.requests.microaggregation import MicroaggregationRequest
from ordermade.requests.resolve_microaggregation import ResolvedMicroaggregation

if TYPE_CHECKING:
    from ordermade.methods.microaggregation.algorithm.methods import Rounding


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
    grounded: EncodedColumn | None = None
    aggregate: ClassAggregate = "mode"

    def __post_init__(self) -> None:
        if self.grounded is None and measured_as(self.column_type) is None:
            raise ValueError(f"a column of type {self.column_type} is not measured")

    def held(self, name: str) -> NumericEncoding:
        """The column of the records named `name`, which holds a number or the code of a leaf."""
        number = None if self.grounded is not None else measured_as(self.column_type)
        return NumericEncoding(name, self.column, number or "code", self.decimals)

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


Grounding = Callable[[Dataset, int, str, Hierarchy, int], EncodedColumn]
"""`ground`, which counts, or `outline`, which only names: both make a column countable from a level up."""


@dataclass(frozen=True, slots=True)
class OpenMicroaggregation(OpenRequest[ResolvedMicroaggregation]):
    """A request for microaggregation that fits its dataset, with the dataset's source open."""

    @property
    def request(self) -> MicroaggregationRequest:
        """The request that was resolved."""
        return self.resolved.request

    def plan(self, grounding: Grounding) -> Plan:
        """The released columns: those of `within` at their levels, then the aggregated ones, then the kept ones."""
        within = self.resolved.within
        return Plan(
            dataset=self.dataset,
            attributes=tuple(
                grounding(self.dataset, position, each.column, each.hierarchy, each.level)
                for position, each in enumerate(within, start=1)
            ),
            node=tuple(each.level for each in within),
            kept=self.resolved.keep,
            shape=self.request.release.shape,
            count=self.request.release.count,
            k=self.request.k,
            aggregated=tuple(each.column for each in self.resolved.attributes),
        )

    def aggregated(self, grounding: Grounding) -> tuple[Aggregated, ...]:
        """The aggregated columns in order; those with a hierarchy are made countable from level 0 up."""
        found = []
        for position, each in enumerate(self.resolved.attributes, start=len(self.resolved.within) + 1):
            hierarchy = each.hierarchy
            grounded = None if hierarchy is None else grounding(self.dataset, position, each.column, hierarchy, 0)
            aggregate: ClassAggregate = "ancestor" if each.aggregate == "ancestor" else "mode"
            found.append(Aggregated(each.column, each.column_type, float(each.weight), grounded, aggregate))
        return tuple(found)
