"""The cells of a table with totals before they are counted: how many there are, and how many hold fewer than k.

The cells are the classes of nodes, one for each combination of the levels that a table shows. A node that was measured
has its histogram of class sizes. Of any other, the number of classes and of those below k are expected under
independence, and corrected by what measured nodes have more or less than that: dependence is between pairs of columns
at levels of theirs, as for the k of a node (see `residuals`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ordermade.lattice.lattice import Node, NodeKey
from ordermade.lattice.observation import Observation, Sizes
from ordermade.prediction.cells import Reals, at_most
from ordermade.prediction.residuals import LearntResiduals, Nearness, Residuals

MOST_LEARNT = 300
"""The most measured nodes that are learnt from: those that share most columns with the table first."""
_BINS_OF_LN = 0.05
"""The width of the bins in which classes of about one expected size are counted together."""
_TOO_FEW_CELLS = 1e-9
_NOISE = 0.02
"""The standard deviation that is left to a measured node beside that of its number of classes."""
_UNSEEN_PAIR = 0.25
"""The standard deviation of ln of a number of classes that a pair of columns adds, before any node is measured."""


@dataclass(frozen=True, slots=True)
class MeasuredClasses:
    """What is known of the classes of a dataset of so many `rows`: of single levels and of nodes, by their hash."""

    rows: int
    marginals: Mapping[tuple[str, str], Sizes]
    nodes: Mapping[NodeKey, Observation]

    def sizes(self, node: NodeKey) -> Sizes | None:
        """The class sizes of a node; None where they are not known. Of no column, all rows are one class."""
        if not node:
            return ((self.rows, 1),)
        seen = self.nodes.get(node)
        if seen is not None and sum(size * classes for size, classes in seen.sizes) == seen.rows == self.rows:
            return seen.sizes
        return self.marginals.get(next(iter(node))) if len(node) == 1 else None

    def number_of(self, pair: tuple[str, str]) -> int:
        """The classes of a column at a level; 0 where they are not known."""
        return sum(classes for _, classes in self.sizes(frozenset([pair])) or ())


@dataclass(frozen=True, slots=True)
class ExpectedTable:
    """The expected cells of a table, and those below k among them.

    `spread`: the standard deviation of the share below k; 0 where every node is measured. `known`: the nodes that are,
    of so many `nodes`.
    """

    cells: float
    primary: float
    spread: float
    known: int
    nodes: int

    @property
    def share(self) -> float:
        """The share of the cells that are below k."""
        return self.primary / self.cells if self.cells else 0.0

    @property
    def is_known(self) -> bool:
        """Whether every node is measured, so that the numbers are exact."""
        return self.known == self.nodes


def uncounted(measured: MeasuredClasses, nodes: Sequence[NodeKey]) -> tuple[tuple[str, str], ...]:
    """The columns and level hashes whose class sizes are not known, of nodes that were not measured themselves."""
    unknown = [pair for node in nodes if measured.sizes(node) is None for pair in sorted(node)]
    return tuple(dict.fromkeys(pair for pair in unknown if measured.sizes(frozenset([pair])) is None))


def expected_table(measured: MeasuredClasses, nodes: Sequence[NodeKey], k: int) -> ExpectedTable:
    """The cells of these nodes, all of whose levels are known. Raises ValueError for one that is not (`uncounted`)."""
    if uncounted(measured, nodes):
        raise ValueError("the class sizes of a level are not known")
    sizes = {node: measured.sizes(node) for node in dict.fromkeys(nodes)}
    known = {node: each for node, each in sizes.items() if each is not None}
    cells = sum(classes for each in known.values() for _, classes in each)
    primary = sum(classes for each in known.values() for size, classes in each if size < k)
    unknown = [node for node, each in sizes.items() if each is None]
    if not unknown:
        return ExpectedTable(cells, primary, 0.0, len(known), len(sizes))
    found = _Corrected(measured, unknown, k).numbers(unknown)
    expected, below, doubt = found
    every = cells + float(expected.sum())
    # Nodes of the same columns err alike: their deviations add up.
    spread = float((below * doubt).sum()) / every
    return ExpectedTable(every, primary + float(below.sum()), spread, len(known), len(sizes))


class _Corrected:
    """The numbers of classes of nodes, corrected by what measured nodes have more or less than independence."""

    def __init__(self, measured: MeasuredClasses, wanted: Sequence[NodeKey], k: int) -> None:
        self._measured, self._k = measured, k
        learnt = self._learnt_from(wanted)
        pairs = sorted({pair for node in (*learnt, *wanted) for pair in node})
        self._columns = sorted({column for column, _ in pairs})
        self._levels: dict[str, list[str]] = {column: [] for column in self._columns}
        for column, level in pairs:
            self._levels[column].append(level)
        classes = [
            {number: self._measured.number_of((column, level)) for number, level in enumerate(self._levels[column])}
            for column in self._columns
        ]
        self._nearness = Nearness.of(classes, [len(self._levels[each]) + 1 for each in self._columns])
        self._models = self._fitted(learnt) if learnt else None

    def numbers(self, nodes: Sequence[NodeKey]) -> tuple[Reals, Reals, Reals]:
        """Of each node the expected classes, those below k, and the standard deviation of ln of the latter."""
        expected = np.array([self._expected(node) for node in nodes])
        places = np.array([self._place(node) for node in nodes], dtype=np.int64)
        if self._models is None:
            own = _UNSEEN_PAIR * np.sqrt(self._nearness.own_of(places))
            return expected[:, 0], np.minimum(expected[:, 1], expected[:, 0]), own
        (cells, _), (below, variance) = (each.at(places) for each in self._models)
        corrected = np.minimum(np.exp(cells) * (expected[:, 0] + 0.5) - 0.5, self._most(nodes))
        few = np.clip(np.exp(below) * (expected[:, 1] + 0.5) - 0.5, 0.0, np.maximum(corrected, 0.0))
        return np.maximum(corrected, 1.0), few, np.sqrt(variance)

    def _most(self, nodes: Sequence[NodeKey]) -> Reals:
        """The most classes that each node may have: all combinations, and no more than rows."""
        products = [math.prod(self._measured.number_of(pair) for pair in node) for node in nodes]
        return np.minimum(np.array(products, dtype=np.float64), self._measured.rows)

    def _learnt_from(self, wanted: Sequence[NodeKey]) -> list[NodeKey]:
        """The measured nodes of several columns whose levels are known, those nearest to the wanted ones first."""
        columns = frozenset(column for node in wanted for column, _ in node)
        usable = [
            node
            for node in self._measured.nodes
            if len(node) > 1
            and self._measured.sizes(node) is not None
            and all(self._measured.sizes(frozenset([pair])) is not None for pair in node)
        ]

        def place(node: NodeKey) -> tuple[int, int, list[tuple[str, str]]]:
            own = {column for column, _ in node}
            return len(own - columns) - len(own & columns), len(node), sorted(node)

        return sorted(usable, key=place)[:MOST_LEARNT]

    def _fitted(self, learnt: Sequence[NodeKey]) -> tuple[LearntResiduals, LearntResiduals]:
        places = [self._place(node) for node in learnt]
        expected = [self._expected(node) for node in learnt]
        found: tuple[list[tuple[Node, float, float]], list[tuple[Node, float, float]]] = ([], [])
        for place, node, (cells, below) in zip(places, learnt, expected, strict=True):
            sizes = self._measured.sizes(node) or ()
            counted = sum(classes for _, classes in sizes)
            few = sum(classes for size, classes in sizes if size < self._k)
            for into, number, mean in ((found[0], counted, cells), (found[1], few, below)):
                noise = _NOISE**2 + 1 / (4 * (max(number, mean) + 0.5))
                into.append((place, math.log(number + 0.5) - math.log(mean + 0.5), noise))
        of_cells, of_few = (LearntResiduals(self._nearness, Residuals.of(each, len(self._columns))) for each in found)
        return of_cells, of_few

    def _place(self, node: NodeKey) -> Node:
        """The node as the number of the level of each column; the last of a column that it lacks."""
        own = dict(node)
        return tuple(
            self._levels[column].index(own[column]) if column in own else len(self._levels[column])
            for column in self._columns
        )

    def _expected(self, node: NodeKey) -> tuple[float, float]:
        """The classes of a node under independence, and those below k."""
        rows = self._measured.rows
        ln, number = np.array([math.log(rows)]), np.array([1.0])
        for pair in sorted(node):
            sizes = self._measured.sizes(frozenset([pair])) or ()
            shares = np.log(np.array([size / rows for size, _ in sizes]))
            ln, number = _binned((ln[:, None] + shares).ravel(), np.outer(number, [n for _, n in sizes]).ravel())
        means = np.exp(ln)
        empty = np.exp(-means)
        below = at_most(np.array([self._k - 1.0]), means)[:, 0]
        # Of cells that hardly reach a row, P(1 <= X < k) is the mean, which a difference would round.
        occupied = -np.expm1(-means)
        few = np.where(means < _TOO_FEW_CELLS, means, np.maximum(below - empty, 0.0))
        return float(number @ occupied), float(number @ few)


def _binned(ln: Reals, number: Reals) -> tuple[Reals, Reals]:
    """Cells of about one expected size as one, at their mean; in ascending order."""
    bins, of_bin = np.unique(np.round(ln / _BINS_OF_LN), return_inverse=True)
    summed = np.zeros(len(bins))
    np.add.at(summed, of_bin.reshape(-1), number)
    middle = np.zeros(len(bins))
    np.add.at(middle, of_bin.reshape(-1), number * ln)
    return middle / summed, summed
