"""An open request for tables with totals: its columns made countable, and the columns that are added up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ordermade.counting.counts import Counting, Sensitive, outline_sensitive
from ordermade.counting.encoding import EncodedColumn, encode_column
from ordermade.counting.numeric_records import NumericEncoding
from ordermade.hierarchies.column_types import decimals_of, measured_as
from ordermade.methods.shared.open_request import OpenRequest
from ordermade.requests.resolve_table import ResolvedAmount, ResolvedTables
from ordermade.requests.table import TableRequest
from ordermade.sources.executor import Purpose
from ordermade.state.cache_contents import CachedSet, GroundedColumn


@dataclass(frozen=True, slots=True)
class OpenTables(OpenRequest[ResolvedTables]):
    """A request for tables with totals that fits its dataset, with the dataset's source open."""

    ASKS = (Purpose.FREQUENCY_SET,)

    @property
    def request(self) -> TableRequest:
        """The request that was resolved."""
        return self.resolved.request

    def outlined(self, cached: CachedSet | None = None) -> tuple[EncodedColumn, ...]:
        """Every column of the tables, from its finest level up or from the base of a cached frequency set."""
        bases = {} if cached is None else {each.column: each.base for each in cached.columns}
        return tuple(
            encode_column(self.dataset, place, each.column, each.hierarchy, bases.get(each.column, each.level))
            for place, each in enumerate(self.resolved.dimensions, start=1)
        )

    @property
    def cached_columns(self) -> tuple[GroundedColumn, ...]:
        """The columns that a cached frequency set of the request must have."""
        attributes = (
            GroundedColumn(each.column, each.hierarchy.content_hash, each.level, not each.hierarchy.enumerated)
            for each in self.resolved.dimensions
        )
        return (*attributes, *self.counting(tuple(self.amounts())).cached_columns)

    def amounts(self) -> Iterator[Sensitive]:
        """The columns that are added up, before their values are numbered."""
        rows = replace(self.dataset, entity=None)
        first = len(self.resolved.dimensions) + 1
        for place, each in enumerate(self.resolved.amounts, start=first):
            yield outline_sensitive(rows, place, each.column, ())

    def counting(self, amounts: tuple[Sensitive, ...]) -> Counting:
        """What the frequency set counts by beside the columns of the tables."""
        return Counting(amounts, self.resolved.entity)


def as_number(amount: ResolvedAmount) -> NumericEncoding:
    """A column that is added up, as the numbers of its different values. Raises ValueError where it has none."""
    kind = measured_as(amount.column_type)
    if kind is None:
        raise ValueError(f"a column of type {amount.column_type} is not added up")
    return NumericEncoding("key", amount.column, kind, decimals_of(amount.column_type))
