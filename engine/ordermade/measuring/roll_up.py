"""Which frequency set a node is counted from: the stored one, or a smaller one rolled up from it."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

from ordermade import sql
from ordermade.lattice.lattice import Lattice
from ordermade.lattice.node import Node
from ordermade.lattice.observation import Observation
from ordermade.measuring.attribute import Attribute
from ordermade.measuring.dataset import Dataset
from ordermade.measuring.frequency_set import (
    StoredSet,
    k_check_statement,
    length,
    roll_up_statement,
    source_k_check_statement,
    widen_statement,
)
from ordermade.sources.door import Purpose

CHECKS_PER_STATEMENT = 16
WORTH_ROLLING_UP = 50_000
"""A set at most this long is grouped faster than a smaller one is made from it."""
SHRINKS = 8
"""A roll-up is kept where it is at least this many times shorter than the set it comes from."""
MOST_KEPT = 48

Measured = dict[Node, Observation]


class RolledUp:
    """Measures nodes from stored frequency sets, the smallest finer one for each.

    `load` brings the widened frequency set into the workspace; it is called when the first node is asked for.
    """

    def __init__(
        self,
        dataset: Dataset,
        attributes: Sequence[Attribute],
        lattice: Lattice,
        load: Callable[[], StoredSet],
    ) -> None:
        self._workspace = dataset.backend.workspace
        self._attributes = attributes
        self._lattice = lattice
        self._load = load
        self._sets: list[StoredSet] = []
        self._small: dict[Node, int] = {}

    def measure(self, nodes: Sequence[Node]) -> Measured:
        """The observation of each node."""
        if not self._sets:
            self._sets.append(self._load())
        by_set: defaultdict[StoredSet, list[Node]] = defaultdict(list)
        for node in nodes:
            by_set[self._set_for(node)].append(node)
        measured: Measured = {}
        for stored, asked in by_set.items():
            for batch in batches(asked):
                queries = [
                    k_check_statement(stored.table, self._attributes, self._lattice, node, number)
                    for number, node in enumerate(batch)
                ]
                rows = self._workspace.rows(Purpose.K_CHECK, sql.union_all(queries))
                measured.update(from_rows(batch, rows))
        self._remember(measured)
        return measured

    def _set_for(self, node: Node) -> StoredSet:
        """The shortest set that answers `node`, rolled up first where that is worth it."""
        shortest = self._shortest(node)
        if shortest.length <= WORTH_ROLLING_UP or len(self._sets) >= MOST_KEPT:
            return shortest
        if self._at_most(node) * SHRINKS <= shortest.length:
            return self._roll_up(node, shortest)
        finer = [each for each, divisions in self._small.items() if self._lattice.refines(each, node)]
        worth = [each for each in finer if self._small[each] * SHRINKS <= shortest.length]
        if worth:
            best = min(worth, key=lambda each: self._small[each])
            return self._roll_up(best, self._shortest(best))
        return shortest

    def _shortest(self, node: Node) -> StoredSet:
        return min(
            (each for each in self._sets if each.answers(node, self._lattice.top)),
            key=lambda each: each.length,
        )

    def _at_most(self, node: Node) -> int:
        """A bound on the divisions of `node`: the product of its attributes' classes."""
        return math.prod(
            each.class_counts[level]
            for each, level, top in zip(self._attributes, node, self._lattice.top, strict=True)
            if level != top
        )

    def _roll_up(self, node: Node, source: StoredSet) -> StoredSet:
        number = len(self._sets)
        narrow, wide = f"roll_up_{number}", f"roll_up_{number}_wide"
        statement = roll_up_statement(source.table, self._attributes, self._lattice, node)
        self._workspace.store(Purpose.ROLL_UP, narrow, statement)
        levels = {each.position: self._coarser(each, node[index]) for index, each in enumerate(self._attributes)}
        self._workspace.store(Purpose.ROLL_UP, wide, widen_statement(narrow, self._attributes, levels, node))
        held = tuple(frozenset(levels[each.position]) for each in self._attributes)
        stored = StoredSet(wide, length(self._workspace, wide), held)
        self._sets.append(stored)
        return stored

    @staticmethod
    def _coarser(attribute: Attribute, level: int) -> list[int]:
        order = attribute.hierarchy.order
        return [each for each in attribute.levels if level != order.top and order.refines(level, each)]

    def _remember(self, measured: Mapping[Node, Observation]) -> None:
        longest = self._sets[0].length
        for node, observation in measured.items():
            if observation.divisions * SHRINKS <= longest:
                self._small[node] = observation.divisions


class InSource:
    """Measures every node by a query of its own against the source (`--no-rollup`)."""

    def __init__(self, dataset: Dataset, attributes: Sequence[Attribute], lattice: Lattice) -> None:
        self._dataset = dataset
        self._attributes = attributes
        self._lattice = lattice

    def measure(self, nodes: Sequence[Node]) -> Measured:
        """The observation of each node."""
        measured: Measured = {}
        for node in nodes:
            tree = source_k_check_statement(self._dataset, self._attributes, self._lattice, node, 0)
            measured.update(from_rows([node], self._dataset.backend.door.rows(Purpose.K_CHECK, tree)))
        return measured


def batches(nodes: Sequence[Node]) -> Iterator[Sequence[Node]]:
    """The nodes in runs of as many as one statement checks."""
    for start in range(0, len(nodes), CHECKS_PER_STATEMENT):
        yield nodes[start : start + CHECKS_PER_STATEMENT]


def from_rows(batch: Sequence[Node], rows: Sequence[tuple[int, int, int]]) -> Measured:
    """The observations in the answer of a k-check: rows of (number of the node in the batch, class size, classes)."""
    histograms: list[list[tuple[int, int]]] = [[] for _ in batch]
    for number, size, classes in rows:
        histograms[number].append((int(size), int(classes)))
    return {node: Observation.from_histogram(each) for node, each in zip(batch, histograms, strict=True)}
