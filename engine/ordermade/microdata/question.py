"""An open request for microaggregation: its plan, and its columns made measurable."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ordermade.answering.question import OpenRequest, opened_request
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.measuring.attribute import Attribute
from ordermade.measuring.dataset import Dataset
from ordermade.microaggregation.options import ClassAggregate
from ordermade.microdata.aggregated import Aggregated
from ordermade.release.plan import Plan
from ordermade.requests.microaggregation import MicroaggregationRequest
from ordermade.requests.read import ReadRequest
from ordermade.requests.resolve_microaggregation import ResolvedMicroaggregation, resolve_microaggregation
from ordermade.sources.door import Listener
from ordermade.sources.workspace import Limits
from ordermade.state.database import StateFile

Grounding = Callable[[Dataset, int, str, Hierarchy, int], Attribute]
"""`ground`, which counts, or `outline`, which only names: both make a column countable from a level up."""


@dataclass(frozen=True, slots=True)
class Question(OpenRequest[ResolvedMicroaggregation]):
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


@contextlib.contextmanager
def open_request(
    state: StateFile, limits: Limits, read: ReadRequest[MicroaggregationRequest], listener: Listener | None = None
) -> Iterator[Question]:
    """The request with its dataset open. Raises RequestError with every mistake, UnknownName, SourceFault."""
    with opened_request(state, limits, read, resolve_microaggregation, listener) as held:
        yield Question(held.read, held.resolved, held.opened, held.dataset, held.run, held.standing)
