"""A request held open: resolved against its dataset, versioned, grounded and ready to be searched."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.lattice.lattice import Node, NodeKey
from ordermade.lattice.observation import Observation
from ordermade.measuring.counting import besides
from ordermade.measuring.grounding import Attribute, ground
from ordermade.measuring.oracle import node_key
from ordermade.methods.shared.open_request import OpenRequest, opened_request
from ordermade.requests.generalization import GeneralizationRequest
from ordermade.requests.read import ReadRequest
from ordermade.requests.resolve import Resolved, resolve
from ordermade.sources.door import Listener
from ordermade.sources.workspace import Limits
from ordermade.state.cached_set import CachedSet, GroundedColumn
from ordermade.state.database import StateFile
from ordermade.state.records import MeasuredLevel, MeasuredNode


@dataclass(frozen=True, slots=True)
class Question(OpenRequest[Resolved]):
    """A request for generalisation that fits its dataset, with the dataset's source open."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The quasi-identifiers, in the order of the request."""
        return tuple(each.column for each in self.resolved.qis)

    @property
    def hierarchies(self) -> tuple[Hierarchy, ...]:
        """The hierarchy of each quasi-identifier."""
        return tuple(each.hierarchy for each in self.resolved.qis)

    def key(self, node: Node) -> NodeKey:
        """Return the key of `node` in table C."""
        return node_key(self.columns, self.hierarchies, node)

    def wanted_columns(self) -> tuple[GroundedColumn, ...]:
        """The columns that a cached frequency set must have to serve this request."""
        return wanted_columns(self.resolved)

    def grounded(self, cached: CachedSet | None) -> tuple[Attribute, ...]:
        """Every quasi-identifier made countable, from the base of the cached set if there is one."""
        bases = {each.column: each.base for each in (cached.columns if cached else self.wanted_columns())}
        return tuple(
            ground(self.dataset, position, each.column, each.hierarchy, bases[each.column])
            for position, each in enumerate(self.resolved.qis, start=1)
        )

    def level_names(self, node: Node) -> dict[str, str]:
        """The name of each column's level at `node`."""
        return {
            column: hierarchy.levels[level].name
            for column, hierarchy, level in zip(self.columns, self.hierarchies, node, strict=True)
        }

    def for_table_c(self, measured: Mapping[Node, Observation]) -> list[MeasuredNode]:
        """Measured nodes as table C keeps them."""
        return [MeasuredNode(self._levels(node), observation) for node, observation in measured.items()]

    def _levels(self, node: Node) -> tuple[MeasuredLevel, ...]:
        return tuple(
            MeasuredLevel(column, level, hierarchy.levels[level].name, hierarchy.levels[level].content_hash)
            for column, hierarchy, level in zip(self.columns, self.hierarchies, node, strict=True)
            if level != hierarchy.top
        )


def wanted_columns(resolved: Resolved) -> tuple[GroundedColumn, ...]:
    """Return the columns that a cached frequency set must have to serve a request."""
    generalised = tuple(
        GroundedColumn(
            each.column,
            each.hierarchy.content_hash,
            _base(each.base, each.hierarchy),
            not each.hierarchy.enumerated,
        )
        for each in resolved.qis
    )
    return generalised + besides([each.column for each in resolved.sensitive], resolved.entity)


@contextlib.contextmanager
def open_request(
    state: StateFile, limits: Limits, read: ReadRequest[GeneralizationRequest], listener: Listener | None = None
) -> Iterator[Question]:
    """The request with its dataset open. Raises RequestError with every mistake, UnknownName, SourceFault."""
    with opened_request(state, limits, read, resolve, listener) as held:
        yield Question(held.read, held.resolved, held.opened, held.dataset, held.run, held.standing)


def _base(base: int, hierarchy: Hierarchy) -> int:
    return min(base, hierarchy.top - 1)
