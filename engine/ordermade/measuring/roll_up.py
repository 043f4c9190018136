"""Which frequency set a node is counted from: the stored one, or a smaller one rolled up from it."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

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
        self._class_counts = [each.class_counts for each in attributes]
        self._lattice = lattice
        self._load = load
        self._sets: list[StoredSet] = []

    def measure(self, nodes: Sequence[Node]) -> Measured:
        """The observation of each node; none may be the root, which the row count alone tells."""
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
        return measured

    def _set_for(self, node: Node) -> StoredSet:
        """The shortest set that answers `node`, rolled up first where that is worth it."""
        shortest = self._shortest(node)
        if shortest.length <= WORTH_ROLLING_UP or len(self._sets) >= MOST_KEPT:
            return shortest
        finer = self._least_coarsened(node, shortest.length // SHRINKS)
        # The shortest set that answers `node` may itself be too coarse for the finer node: that one has its own source.
        return shortest if finer is None else self._roll_up(finer, self._shortest(finer))

    def _least_coarsened(self, node: Node, longest: int) -> Node | None:
        """A node at most `longest` that `node` can be counted from, as fine as possible: it will serve others too.

        Attributes are raised to the node's levels one by one, those that merge most first, until the product of their
        classes, which bounds the divisions, is small enough. None if it never is.
        """
        # Where the base does not refine the node's level (levels that do not nest), only that level itself serves.
        raised = [
            each.base if each.hierarchy.order.refines(each.base, level) else level
            for each, level in zip(self._attributes, node, strict=True)
        ]
        bounds = [self._classes_at(index, level) for index, level in enumerate(raised)]
        for index in sorted(range(len(node)), key=lambda index: self._classes_at(index, node[index]) / bounds[index]):
            if math.prod(bounds) <= longest:
                break
            raised[index], bounds[index] = node[index], self._classes_at(index, node[index])
        return tuple(raised) if math.prod(bounds) <= longest else None

    def _classes_at(self, index: int, level: int) -> int:
        return self._class_counts[index][level]

    def _shortest(self, node: Node) -> StoredSet:
        return min(
            (each for each in self._sets if each.answers(node, self._lattice.top)),
            key=lambda each: each.length,
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
