"""Incognito (LeFevre, DeWitt and Ramakrishnan: "Incognito: Efficient Full-Domain k-Anonymity", SIGMOD 2005)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import combinations
from typing import TypeAlias

import numpy as np

from ordermade.lattice.lattice import Lattice, Node
from ordermade.lattice.proofs import PASSES, UNKNOWN
from ordermade.search import grid
from ordermade.search.problem import Batch, Incumbent, Search, SearchProblem, conclusion

Subset: TypeAlias = tuple[int, ...]
"""The positions of some attributes, in ascending order; the other attributes are at `*`."""


def graph_size(lattice: Lattice) -> int:
    """The greatest number of nodes of all candidate graphs: each attribute is at an accepted level or absent."""
    return math.prod(length + 1 for length in lattice.shape)


def incognito(problem: SearchProblem) -> Search:
    """The search over subsets of the attributes by increasing size, each breadth first from its finest candidates up.

    Subset pruning: a node is a candidate only if it passes whichever one of its attributes is left out. Roll-up
    pruning: a node that a passing one refines passes unmeasured; levels need not nest. All unmarked candidates of one
    size and height, over all subsets, form a batch, as none of them refines another. A candidate with an earlier proof
    is not measured; the candidates stay the same.
    """
    lattice = problem.lattice
    attributes = range(len(lattice.axes))
    survivors: dict[Subset, grid.Flags] = {(): np.ones((), dtype=np.bool_)}
    known: dict[Node, bool] = {}
    proofs = _Proved(problem)
    best = Incumbent(problem)
    for size in range(1, len(attributes) + 1):
        graphs = [_Graph(lattice, subset, survivors) for subset in combinations(attributes, size)]
        for height in range(1 + max(graph.height for graph in graphs)):
            level = [(graph, cell) for graph in graphs for cell in graph.unmarked(height)]
            candidates = dict.fromkeys(node for graph, cell in level if (node := graph.node(cell)) not in known)
            known.update(proofs.among(candidates))
            unknown = [node for node in candidates if node not in known]
            if unknown:
                batch = Batch.of(unknown, left=sum(graph.open_from(height) for graph in graphs))
                for node, observation in zip(batch, (yield batch), strict=True):
                    accepted = node in lattice
                    known[node] = best.offer(node, observation) if accepted else problem.requirement.passes(observation)
            for graph, cell in level:
                if known[graph.node(cell)]:
                    graph.mark(cell)
        survivors = {graph.subset: graph.passing for graph in graphs}
    minimal = grid.minimal(lattice, survivors[tuple(attributes)])
    return (yield from conclusion(problem, best, minimal, list(proofs.among(minimal))))


class _Proved:
    """The verdicts that are proved before the search."""

    def __init__(self, problem: SearchProblem) -> None:
        self._tags = problem.proofs.tags_with_top(problem.requirement)
        self._index = [
            {axis.top: len(axis.accepted), **{level: index for index, level in enumerate(axis.accepted)}}
            for axis in problem.lattice.axes
        ]

    def among(self, nodes: Iterable[Node]) -> dict[Node, bool]:
        """Whether a node passes, for those of the nodes with a proof."""
        tags = {node: self._tag(node) for node in nodes}
        return {node: tag == PASSES for node, tag in tags.items() if tag != UNKNOWN}

    def _tag(self, node: Node) -> int:
        return int(self._tags[tuple(index[level] for index, level in zip(self._index, node, strict=True))])


class _Graph:
    """The candidates of one subset of the attributes, and which of them pass.

    One conjunction replaces the a-priori join and prune of the paper: for each attribute of the subset, the survivors
    of the subset without it are repeated along its levels.
    """

    def __init__(self, lattice: Lattice, subset: Subset, survivors: dict[Subset, grid.Flags]) -> None:
        self.subset = subset
        self._lattice = lattice
        shape = tuple(len(lattice.axes[position].accepted) for position in subset)
        self._candidates: grid.Flags = np.ones(shape, dtype=np.bool_)
        for axis, position in enumerate(subset):
            without = tuple(other for other in subset if other != position)
            self._candidates &= np.expand_dims(survivors[without], axis)
        self.passing: grid.Flags = np.zeros(shape, dtype=np.bool_)
        self._heights = grid.heights(shape)
        self.height = sum(length - 1 for length in shape)
        self._coarser = [grid.refinement(lattice.axes[position]) for position in subset]

    def unmarked(self, height: int) -> list[grid.Cell]:
        """The candidates of this height that are not known to pass."""
        return grid.cells(self._candidates & ~self.passing & (self._heights == height))

    def open_from(self, height: int) -> int:
        """The number of candidates of this height or more that are not known to pass."""
        return int(np.count_nonzero(self._candidates & ~self.passing & (self._heights >= height)))

    def node(self, cell: grid.Cell) -> Node:
        """The node of a cell: the attributes of the subset at the cell's levels, the others at `*`."""
        levels = list(self._lattice.top)
        for position, index in zip(self.subset, cell, strict=True):
            levels[position] = self._lattice.axes[position].accepted[index]
        return tuple(levels)

    def mark(self, cell: grid.Cell) -> None:
        """Mark a cell, and every coarser one, as passing."""
        coarser = np.ix_(*(rows[index] for rows, index in zip(self._coarser, cell, strict=True)))
        self.passing[coarser] = True
