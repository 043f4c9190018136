"""Small domains of a few values, and every table of so many rows on them: what an attacker can go through in full.

A table is the number of rows of each cell, a cell being one value of each attribute. A region is a class of one node,
and holds some cells. Regions that hold the same cells have one label: a reader sees the values that it stands for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Integers: TypeAlias = npt.NDArray[np.int64]
Flags: TypeAlias = npt.NDArray[np.bool_]
Node: TypeAlias = tuple[int, ...]

SUPPRESSED = -1
"""The place of a cell whose rows are in no region."""


@dataclass(frozen=True, slots=True)
class SmallAttribute:
    """A few values, in levels that nest: `classes[level][value]`, from the values themselves up to `*`, one class."""

    classes: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, *between: Sequence[int]) -> SmallAttribute:
        """From the class of each value at the levels between the values and `*`, one at least, finest first."""
        values = len(between[0])
        return cls((tuple(range(values)), *(tuple(each) for each in between), (0,) * values))

    @property
    def values(self) -> int:
        """The number of values."""
        return len(self.classes[0])

    @property
    def top(self) -> int:
        """The number of the level `*`."""
        return len(self.classes) - 1


@dataclass(frozen=True, slots=True)
class Region:
    """A class of a node: `steps`, by attribute, the values under it less one."""

    node: Node
    steps: tuple[int, ...]


@dataclass(frozen=True)
class SmallDomain:
    """A few attributes, and all that follows from their hierarchies, numbered.

    Nodes are in the order of their levels, regions in that of their nodes: finer ones come before coarser ones.
    """

    attributes: tuple[SmallAttribute, ...]

    @cached_property
    def cells(self) -> Integers:
        """The value of each attribute, cell by cell."""
        return np.array(list(product(*(range(each.values) for each in self.attributes))), dtype=np.int64)

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """Every node."""
        return tuple(product(*(range(each.top + 1) for each in self.attributes)))

    @cached_property
    def region_of(self) -> Integers:
        """The region that holds each cell at each node: nodes x cells."""
        found, number = [], 0
        for node in self.nodes:
            classes = np.zeros(len(self.cells), dtype=np.int64)
            for place, level in enumerate(node):
                of_values = np.array(self.attributes[place].classes[level])
                classes = classes * (int(of_values.max()) + 1) + of_values[self.cells[:, place]]
            present, numbered = np.unique(classes, return_inverse=True)
            found.append(numbered.reshape(-1) + number)
            number += len(present)
        return np.array(found, dtype=np.int64)

    @cached_property
    def holds(self) -> Flags:
        """Whether each region holds each cell: regions x cells."""
        found = np.zeros((int(self.region_of.max()) + 1, len(self.cells)), dtype=np.bool_)
        for of_cells in self.region_of:
            found[of_cells, np.arange(len(self.cells))] = True
        return found

    @cached_property
    def regions(self) -> tuple[Region, ...]:
        """Every region."""
        return tuple(
            Region(node, tuple(len(np.unique(each)) - 1 for each in self.cells[self.holds[region]].T))
            for node, of_cells in zip(self.nodes, self.region_of, strict=True)
            for region in np.unique(of_cells)
        )

    @cached_property
    def parts(self) -> tuple[tuple[tuple[int, ...], ...], ...]:
        """By region and attribute, the regions that it is split into, one level finer; none at level 0."""
        return tuple(
            tuple(self._parts(number, region.node, place) for place in range(len(self.attributes)))
            for number, region in enumerate(self.regions)
        )

    def _parts(self, region: int, node: Node, place: int) -> tuple[int, ...]:
        if node[place] == 0:
            return ()
        finer = self.nodes.index((*node[:place], node[place] - 1, *node[place + 1 :]))
        return tuple(np.unique(self.region_of[finer][self.holds[region]]).tolist())

    @cached_property
    def labels(self) -> tuple[Flags, Integers]:
        """The cells of each label, and the label of each region."""
        cells, of_regions = np.unique(self.holds, axis=0, return_inverse=True)
        return cells, of_regions.reshape(-1).astype(np.int64)

    def sizes(self, tables: Integers) -> Integers:
        """The rows of each region, table by table."""
        return tables @ self.holds.T.astype(np.int64)

    def tables(self, rows: int) -> Integers:
        """Every table of so many rows, as the rows of each cell."""
        return every_table(len(self.cells), rows)


def every_table(cells: int, rows: int) -> Integers:
    """Every way to have so many rows in so many cells: (cells + rows - 1 choose rows) of them."""
    bars = np.array(list(combinations(range(cells + rows - 1), cells - 1)), dtype=np.int64)
    bars = bars.reshape(number_of_tables(cells, rows), cells - 1)
    edges = np.hstack([np.full((len(bars), 1), -1), bars, np.full((len(bars), 1), cells + rows - 1)])
    return np.diff(edges, axis=1) - 1


def number_of_tables(cells: int, rows: int) -> int:
    """How many tables `every_table` has."""
    return math.comb(cells + rows - 1, rows)


def orderings(tables: Integers) -> Integers:
    """In how many ways the rows, one after the other, can be those of each table: rows! / the product of counts!."""
    factorials = np.array([math.factorial(each) for each in range(int(tables.sum(axis=1).max(initial=0)) + 1)])
    found: Integers = factorials[tables.sum(axis=1)] // factorials[tables].prod(axis=1)
    return found
