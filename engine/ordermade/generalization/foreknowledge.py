"""What a request knows before it counts: table C and the column marginals, in terms of the request's own lattice.

All requests on one dataset version live in one lattice, in which an attribute left out is at `*`: a node measured for
one request bounds the nodes of another wherever refinement says so, across hierarchies too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from ordermade.errors import StateDamaged
from ordermade.hierarchies.across import LevelContent, contents, refines
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.hierarchies.stored import restore
from ordermade.lattice.node import Node, NodeKey
from ordermade.lattice.observation import Observation, Sizes
from ordermade.lattice.proofs import Placed, Proofs
from ordermade.measuring.attribute import Attribute
from ordermade.prediction.evidence import Evidence, Marginal
from ordermade.requests.resolve import Resolved, ResolvedQI
from ordermade.state import hierarchies, observations, versions

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Marginals: TypeAlias = Mapping[tuple[str, str], Sizes]
"""Whole histograms of class sizes of one column at one level, by (column, content hash of the level)."""


@dataclass(frozen=True, slots=True)
class Known:
    """What the state knows of one dataset version: its number, its rows, and table C's nodes of it.

    `earlier`: table C's nodes of another version of the same dataset and filter, the one seen last that has any.
    `levels`: by content hash, what the levels of these nodes are that no hierarchy of the request has.
    """

    version_id: int
    rows: int
    observations: Mapping[NodeKey, Observation]
    earlier: Mapping[NodeKey, Observation] = field(default_factory=dict)
    levels: Mapping[str, LevelContent] = field(default_factory=dict)


def remembered(connection: DuckDBPyConnection, version_id: int, resolved: Resolved) -> Known:
    """What the state knows of a dataset version, as far as it can bear on this request. Raises KeyError."""
    found = observations.known(connection, version_id)
    before = versions.seen_before(connection, version_id)
    earlier = {} if before is None else observations.known(connection, before)
    own = {level.content_hash for each in resolved.qis for level in each.hierarchy.levels}
    columns = {each.column for each in resolved.qis}
    foreign = {level for nodes in (found, earlier) for key in nodes for column, level in key if column in columns} - own
    return Known(version_id, versions.get(connection, version_id).rows, found, earlier, _levels_of(connection, foreign))


def _levels_of(connection: DuckDBPyConnection, level_hashes: set[str]) -> dict[str, LevelContent]:
    """The contents of levels by their hashes; those that no hierarchy has, or only a damaged one, are left out."""
    found: dict[str, LevelContent] = {}
    if not level_hashes:
        return found
    for stored in hierarchies.with_levels(connection, level_hashes):
        try:
            found.update(_contents_by_hash(restore("of an earlier request", stored)))
        except StateDamaged:  # `state verify` tells it; this request rests on nothing of it
            continue
    return found


def marginals_of(attributes: Sequence[Attribute]) -> dict[tuple[str, str], Sizes]:
    """The marginals that grounding counted."""
    return {
        (each.column, each.hierarchy.levels[level].content_hash): sizes
        for each in attributes
        for level, sizes in each.marginal.items()
    }


def foreknowledge(known: Known, resolved: Resolved, marginals: Marginals) -> Evidence:
    """What is known of the request's lattice before anything is counted for it.

    A marginal proves what the node of that one attribute would; it is no observation of the search's. Observations of
    other rows than the version's are left out.
    """
    placing = _Placing(resolved, known.levels)
    of_version = {key: each for key, each in known.observations.items() if each.rows == known.rows}
    alone = {frozenset((pair,)): Observation.from_histogram(sizes) for pair, sizes in marginals.items()}
    proving = {**{key: each for key, each in alone.items() if each.rows == known.rows}, **of_version}
    placed = [Placed(each, *placing.sides(key)) for key, each in proving.items()]
    return Evidence(
        lattice=resolved.lattice,
        rows=known.rows,
        proofs=Proofs(resolved.lattice, known.rows, placed),
        observed=dict(placing.of_lattice(of_version)),
        marginals=tuple(_marginal(each, marginals) for each in resolved.qis),
        earlier=dict(placing.of_lattice(known.earlier)),
    )


def _marginal(attribute: ResolvedQI, marginals: Marginals) -> Marginal:
    """The marginals of one attribute's own levels, by level number."""
    hashes = [level.content_hash for level in attribute.hierarchy.levels[:-1]]
    return {
        number: marginals[attribute.column, level]
        for number, level in enumerate(hashes)
        if (attribute.column, level) in marginals
    }


def _contents_by_hash(hierarchy: Hierarchy) -> dict[str, LevelContent]:
    return {level.content_hash: each for level, each in zip(hierarchy.levels, contents(hierarchy), strict=True)}


Levels: TypeAlias = frozenset[int]


@dataclass(frozen=True, slots=True)
class _Place:
    """A level of a column beside the levels of the lattice: those it refines, those that refine it, and its equal."""

    coarser: Levels
    finer: Levels
    same: int | None


class _Placing:
    """Places nodes of table C in one lattice; every (column, level) is compared with the lattice's levels once."""

    def __init__(self, resolved: Resolved, levels: Mapping[str, LevelContent]) -> None:
        self._qis = resolved.qis
        own = {level: each for qi in resolved.qis for level, each in _contents_by_hash(qi.hierarchy).items()}
        self._contents = {**levels, **own}
        self._levels_of = [contents(qi.hierarchy) for qi in resolved.qis]
        self._axis_of = {qi.column: axis for axis, qi in enumerate(resolved.qis)}
        self._suppressed = [
            _Place(frozenset((qi.hierarchy.top,)), frozenset(range(qi.hierarchy.top + 1)), qi.hierarchy.top)
            for qi in resolved.qis
        ]
        self._nowhere = tuple(frozenset[int]() for _ in resolved.qis)
        self._places: dict[tuple[str, str], _Place] = {}

    def sides(self, key: NodeKey) -> tuple[tuple[Levels, ...], tuple[Levels, ...]]:
        """By attribute, the levels that the node's level refines, and those that refine it.

        A node that is grouped by another column too is refined by no node of the lattice.
        """
        places, all_of_lattice = self._placed(key)
        coarser = tuple(each.coarser for each in places)
        return coarser, tuple(each.finer for each in places) if all_of_lattice else self._nowhere

    def of_lattice(self, nodes: Mapping[NodeKey, Observation]) -> Iterator[tuple[Node, Observation]]:
        """The nodes that are nodes of the lattice, accepted or not."""
        for key, observation in nodes.items():
            places, all_of_lattice = self._placed(key)
            if all_of_lattice:
                node = tuple(each.same for each in places if each.same is not None)
                if len(node) == len(places):
                    yield node, observation

    def _placed(self, key: NodeKey) -> tuple[list[_Place], bool]:
        places = list(self._suppressed)
        all_of_lattice = True
        for pair in key:
            axis = self._axis_of.get(pair[0])
            if axis is None:
                all_of_lattice = False
            else:
                places[axis] = self._places.get(pair) or self._place(axis, pair)
        return places, all_of_lattice

    def _place(self, axis: int, pair: tuple[str, str]) -> _Place:
        """What is known of a level that is not known at all: the original values refine it, and it refines `*`."""
        qi, content = self._qis[axis], self._contents.get(pair[1])
        order, numbers = qi.hierarchy.order, range(qi.hierarchy.top + 1)
        coarser, finer = {qi.hierarchy.top}, {0}
        if content is not None:
            of_axis = self._levels_of[axis]
            coarser |= {level for level in numbers if refines(content, of_axis[level], qi.column_type)}
            finer |= {level for level in numbers if refines(of_axis[level], content, qi.column_type)}
        place = _Place(
            coarser=frozenset(level for level in numbers if any(order.refines(each, level) for each in coarser)),
            finer=frozenset(level for level in numbers if any(order.refines(level, each) for each in finer)),
            same=self._same(qi.hierarchy, pair[1], coarser & finer),
        )
        self._places[pair] = place
        return place

    @staticmethod
    def _same(hierarchy: Hierarchy, level_hash: str, equal: set[int]) -> int | None:
        """The level of the hierarchy with that hash, else the finest one by number with the same classes."""
        own = next((number for number, each in enumerate(hierarchy.levels) if each.content_hash == level_hash), None)
        return own if own is not None else min(equal, default=None)
