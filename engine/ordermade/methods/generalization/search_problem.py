"""The search problem of a request: its goal, the prior evidence for it, and the best node that solves it.

Prior evidence is table C and the column marginals, in terms of the request's own lattice. All requests on one dataset
version live in one lattice, in which an attribute left out is at `*`: a node measured for one request bounds the nodes
of another wherever refinement says so, across hierarchies too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ordermade.catalogue.registered import level_contents
from ordermade.hierarchies.cross_refinement import LevelContent, contents, refines
from ordermade.hierarchies.hierarchy import TOP_HASH
from ordermade.lattice.lattice import Lattice, Levels, Node, NodeKey
from ordermade.lattice.observation import Observation, Requirement
from ordermade.lattice.proofs import PlacedObservation, Proofs
from ordermade.methods.generalization.local_rounds import check_size
from ordermade.prediction.prediction import Evidence, Marginal
from ordermade.privacy.requirement import models_hash_of, most_of, required
from ordermade.requests.resolve_generalization import Resolved, ResolvedQI
from ordermade.search import MAX_NODES, Algorithm, choose
from ordermade.search.problem import MeasuringBudget, PakSettings
from ordermade.state import observations, versions
from ordermade.state.cache_contents import GroundedColumn, LevelSizes, besides, counted_column

if TYPE_CHECKING:
    from ordermade.counting.oracle import Oracle
    from ordermade.hierarchies.hierarchy import Hierarchy
    from ordermade.requests.generalization import SearchBudget
    from ordermade.state.connection import StateConnection
    from ordermade.state.versions import DatasetVersion


@dataclass(frozen=True, slots=True)
class SearchSpec:
    """The goal of a search: the accepted lattice, the requirement, the name of the objective, and the algorithm.

    Without an algorithm it is the default; `settings` are those of the searches `guided` and `pak`. `weights`: how
    much each column counts in the objective, empty where all count the same. `budget`: the most that the search may
    take.
    """

    lattice: Lattice
    requirement: Requirement
    objective: str
    algorithm: str | None = None
    settings: PakSettings = field(default_factory=PakSettings)
    weights: Mapping[str, Fraction] = field(default_factory=dict)
    budget: MeasuringBudget = field(default_factory=MeasuringBudget)

    @property
    def k(self) -> int:
        """The least size of a released class."""
        return self.requirement.k


def search_spec(resolved: Resolved, units: int) -> SearchSpec:
    """Return the goal of the request's search in a dataset of `units` rows (persons if it has an entity column).

    Raises InputError for the parameters of a model that cannot be, RequestError for local recoding of a lattice that
    has too many nodes for it.
    """
    search = resolved.request.search
    if resolved.request.is_local:
        check_size(resolved.lattice)
    return SearchSpec(
        lattice=resolved.lattice,
        requirement=required(resolved, units),
        objective=search.objective,
        algorithm=search.algorithm,
        settings=PakSettings(search.overshoot, search.sample, by_law=search.sets_start),
        weights=resolved.weights,
        budget=MeasuringBudget()
        if search.budget is None
        else MeasuringBudget(_seconds(search.budget), search.budget.questions),
    )


def _seconds(budget: SearchBudget) -> float | None:
    return None if budget.seconds is None else float(budget.seconds)


def search_of(goal: SearchSpec) -> Algorithm:
    """Return the search for the goal. Raises RequestError, UnknownName where the named algorithm cannot run."""
    return choose(goal.algorithm, goal.lattice, goal.requirement, goal.objective)


def nodes_proven(goal: SearchSpec, evidence: Evidence) -> int | None:
    """Count the accepted nodes that are proved to pass or to fail before anything is counted.

    None in a lattice of too many nodes to list them.
    """
    if goal.lattice.size > MAX_NODES:
        return None
    return int(np.count_nonzero(evidence.proofs.tags(goal.requirement)))


def certain_observations(
    goal: SearchSpec, oracle: Oracle, evidence: Evidence, nodes: Sequence[Node]
) -> list[Observation]:
    """The observation of each node: the one that the evidence proves exactly, else the oracle's answer."""
    proved = {node: evidence.proofs.exact(node, goal.requirement) for node in nodes}
    open_nodes = [node for node, found in proved.items() if found is None]
    answers = dict(zip(open_nodes, oracle(open_nodes), strict=True)) if open_nodes else {}
    return [proved[node] or answers[node] for node in nodes]


ENOUGH_OF_ITS_OWN = 9
"""Nodes of a request's columns: a version with so many measured needs no hint from an earlier one."""


@dataclass(frozen=True, slots=True)
class KnownNodes:
    """Table C's record of one dataset version: its number, its units, and its measured nodes.

    `rows` counts persons where the dataset has an entity column.

    `earlier`: table C's nodes of another version of the same dataset and filter, the one seen last that has any; read
    only where the version has few of its own.
    `levels`: by content hash, what the levels of these nodes are that no hierarchy of the request has.
    """

    version_id: int
    rows: int
    observations: Mapping[NodeKey, Observation]
    earlier: Mapping[NodeKey, Observation] = field(default_factory=dict)
    levels: Mapping[str, LevelContent] = field(default_factory=dict)


def remembered(
    connection: StateConnection, version: DatasetVersion, resolved: Resolved, *, sizes_read: bool = True
) -> KnownNodes:
    """Return the state's record of a dataset version, as far as it bears on this request.

    `sizes_read`: with the class sizes of its nodes.
    """
    columns = {each.column for each in resolved.qis}
    known = partial(
        observations.known,
        connection,
        models_hash=models_hash_of(resolved),
        persons=version.persons is not None,
        sizes_read=sizes_read,
    )
    found = known(version.id)
    in_lattice = sum(all(column in columns for column, _ in key) for key in found)
    before = versions.seen_before(connection, version.id) if in_lattice < ENOUGH_OF_ITS_OWN else None
    earlier = {} if before is None else known(before)
    own = {level.content_hash for each in resolved.qis for level in each.hierarchy.levels}
    foreign = {level for nodes in (found, earlier) for key in nodes for column, level in key if column in columns} - own
    return KnownNodes(version.id, version.units, found, earlier, level_contents(connection, foreign))


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


def counted_columns(resolved: Resolved) -> tuple[GroundedColumn, ...]:
    """Return the columns whose counts of values a request needs, as the cache knows them."""
    return tuple(counted_column(each.column, each.hierarchy, _base(each.base, each.hierarchy)) for each in resolved.qis)


def _base(base: int, hierarchy: Hierarchy) -> int:
    return min(base, hierarchy.top - 1)


def foreknowledge(known: KnownNodes, resolved: Resolved, marginals: LevelSizes) -> Evidence:
    """Return the evidence about the request's lattice before anything is counted for it.

    A marginal proves what the node of that one attribute would; it is no observation of the search's. Where persons are
    counted it proves nothing: those of several values do not add up to those of a class. Observations of other rows
    than the version's are left out.
    """
    placing = _Placing(resolved, known.levels)
    of_version = _in_place(placing, known.observations, known.rows)
    proving = {} if resolved.entity is not None else marginals
    alone = {frozenset((pair,)): Observation.from_histogram(sizes) for pair, sizes in proving.items()}
    by_marginals = _in_place(placing, {key: alone[key] for key in alone.keys() - known.observations.keys()}, known.rows)
    placed = [PlacedObservation(each, at.coarser, at.finer) for at, each in (*of_version, *by_marginals)]
    return Evidence(
        lattice=resolved.lattice,
        rows=known.rows,
        proofs=Proofs(resolved.lattice, known.rows, placed, most_of(resolved.limit, known.rows)),
        observed={at.node: each for at, each in of_version if at.node is not None},
        marginals=tuple(_marginal(each, marginals) for each in resolved.qis),
        earlier={at.node: each for at, each in _in_place(placing, known.earlier) if at.node is not None},
    )


def _in_place(
    placing: _Placing, nodes: Mapping[NodeKey, Observation], rows: int | None = None
) -> list[tuple[_NodePlace, Observation]]:
    """The nodes in their places in the lattice; only those of so many rows if that is given."""
    return [(placing.node(key), each) for key, each in nodes.items() if rows is None or each.rows == rows]


def _marginal(attribute: ResolvedQI, marginals: LevelSizes) -> Marginal:
    """The marginals of one attribute's own levels, by level number."""
    hashes = [level.content_hash for level in attribute.hierarchy.levels[:-1]]
    return {
        number: marginals[attribute.column, level]
        for number, level in enumerate(hashes)
        if (attribute.column, level) in marginals
    }


@dataclass(frozen=True, slots=True)
class _LevelPlace:
    """A level of a column beside the levels of the lattice: those it refines, those that refine it, and its equal."""

    coarser: Levels
    finer: Levels
    same: int | None


@dataclass(frozen=True, slots=True)
class _NodePlace:
    """A node beside the lattice: by attribute the levels it refines and those that refine it, and the node it is."""

    coarser: tuple[Levels, ...]
    finer: tuple[Levels, ...]
    node: Node | None


class _Placing:
    """Places nodes of table C in one lattice; every (column, level) is compared with the lattice's levels once."""

    def __init__(self, resolved: Resolved, levels: Mapping[str, LevelContent]) -> None:
        self._qis = resolved.qis
        self._levels = levels
        self._of_axes: dict[int, tuple[LevelContent, ...]] = {}
        self._axis_of = {qi.column: axis for axis, qi in enumerate(resolved.qis)}
        self._suppressed = [self._level(axis, TOP_HASH) for axis in range(len(resolved.qis))]
        self._known: dict[tuple[str, str], _LevelPlace] = {}

    def node(self, key: NodeKey) -> _NodePlace:
        """The place of a node. One that is grouped by another column too is refined by no node of the lattice."""
        places = list(self._suppressed)
        all_of_lattice = True
        for pair in key:
            axis = self._axis_of.get(pair[0])
            if axis is None:
                all_of_lattice = False
                continue
            if pair not in self._known:
                self._known[pair] = self._level(axis, pair[1])
            places[axis] = self._known[pair]
        coarser = tuple([each.coarser for each in places])
        if not all_of_lattice:
            return _NodePlace(coarser, (frozenset(),) * len(places), None)
        levels = [each.same for each in places if each.same is not None]
        node = tuple(levels) if len(levels) == len(places) else None
        return _NodePlace(coarser, tuple([each.finer for each in places]), node)

    def _level(self, axis: int, level_hash: str) -> _LevelPlace:
        """The place of a level; one of unknown content refines `*` and is refined by the original values, as all do."""
        qi = self._qis[axis]
        order, numbers = qi.hierarchy.order, range(qi.hierarchy.top + 1)
        own = _number_of(qi, level_hash)
        if own is not None:  # its order is known: a million values are not compared again
            coarser, finer = {own}, {own}
        elif (content := self._content(level_hash)) is None:
            coarser, finer = {qi.hierarchy.top}, {0}
        else:
            of_axis = self._of_axis(axis)
            coarser = {qi.hierarchy.top, *(each for each in numbers if refines(content, of_axis[each], qi.column_type))}
            finer = {0, *(each for each in numbers if refines(of_axis[each], content, qi.column_type))}
        return _LevelPlace(
            coarser=frozenset(level for level in numbers if any(order.refines(each, level) for each in coarser)),
            finer=frozenset(level for level in numbers if any(order.refines(level, each) for each in finer)),
            same=min(coarser & finer, default=None) if own is None else own,
        )

    def _content(self, level_hash: str) -> LevelContent | None:
        """The content of a level: of one that is known of table C, or of another attribute's hierarchy."""
        if level_hash in self._levels:
            return self._levels[level_hash]
        for axis, qi in enumerate(self._qis):
            number = _number_of(qi, level_hash)
            if number is not None:
                return self._of_axis(axis)[number]
        return None

    def _of_axis(self, axis: int) -> tuple[LevelContent, ...]:
        """The contents of the levels of an attribute, written out when they are first compared."""
        if axis not in self._of_axes:
            self._of_axes[axis] = contents(self._qis[axis].hierarchy)
        return self._of_axes[axis]


def _number_of(attribute: ResolvedQI, level_hash: str) -> int | None:
    """The number of the level with this hash in an attribute's hierarchy; None where it has none."""
    levels = enumerate(attribute.hierarchy.levels)
    return next((number for number, each in levels if each.content_hash == level_hash), None)
