"""OLA, optimal lattice anonymisation.

El Emam et al.: "A Globally Optimal k-Anonymity Method for the De-Identification of Health Data",
Journal of the American Medical Informatics Association 16(5), 2009.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

import numpy as np
import numpy.typing as npt

from ordermade.lattice.lattice import Lattice, Node
from ordermade.lattice.observation import Observation
from ordermade.lattice.proofs import FAILS, PASSES, UNKNOWN
from ordermade.search import grid
from ordermade.search.problem import Batch, Incumbent, Search, SearchProblem, conclusion


def ola(problem: SearchProblem) -> Search:
    """Binary search on the generalisation strategies: paths from the finest to the coarsest node.

    The node half way up a strategy is tested; where it passes, the search goes on in the sub-lattice below
    it, else above. Each answer tags all coarser nodes as passing or all finer ones as failing, and a
    sub-lattice without an untagged node is left. The k-minimal nodes remain, and the best of them
    is the optimum. Needs levels that nest.

    The paper tests every node half way up in turn. Here the next strategy is one through the coarsest
    untagged node, which settles the same nodes with fewer tests (a tenth on the Adult set) and never looks at
    a settled strategy. The coarsest node of all is measured first: if it fails, nothing passes.

    A node that is proved beforehand is answered by its proof. The nodes tested stay the same ones, so prior evidence
    never makes a search measure a node that it would not have measured.
    """
    lattice = problem.lattice
    proved = problem.proofs.tags(problem.requirement)
    tags = _Tags(lattice, proved)
    best = Incumbent(problem)
    coarsest = tuple(length - 1 for length in lattice.shape)
    yield from _test(coarsest, tags, best)
    yield from _between(tuple(0 for _ in coarsest), coarsest, tags, best)
    minimal = grid.minimal(lattice, tags.passing)
    return (yield from conclusion(problem, best, minimal, [node for node in minimal if tags.proved_to_pass(node)]))


def _between(
    low: grid.Cell, high: grid.Cell, tags: _Tags, best: Incumbent
) -> Generator[Batch, Sequence[Observation], None]:
    """Tag every node between two cells.

    The strategy through an untagged node settles at least that node: either the test half way up does, or it
    lies in the half that is searched next.
    """
    height = sum(high) - sum(low)
    if height <= 1:
        for cell in dict.fromkeys((low, high)):
            yield from _test(cell, tags, best)
        return
    while (untagged := tags.last_unknown(low, high)) is not None:
        cell = _half_way(untagged, low, high, sum(low) + height // 2)
        yield from _test(cell, tags, best)
        below = tags.passes(cell)
        yield from _between(low if below else cell, cell if below else high, tags, best)


def _half_way(cell: grid.Cell, low: grid.Cell, high: grid.Cell, height: int) -> grid.Cell:
    """The cell of that height on the path through `cell` that moves the last attributes first."""
    moved = list(cell)
    left = height - sum(cell)
    for position in reversed(range(len(cell))):
        step = min(left, high[position] - cell[position]) if left > 0 else max(left, low[position] - cell[position])
        moved[position] += step
        left -= step
    return tuple(moved)


def _test(cell: grid.Cell, tags: _Tags, best: Incumbent) -> Generator[Batch, Sequence[Observation], None]:
    """Measure a node unless it is tagged or proved, and tag what follows."""
    if not tags.unknown(cell) or tags.follow_proof(cell):
        return
    node = grid.node_of(tags.lattice, cell)
    (observation,) = yield Batch.of((node,), left=tags.left)
    tags.tag(cell, best.offer(node, observation))


class _Tags:
    """The tags of every node of a lattice whose levels nest: passes, fails, or unknown.

    `proved` holds what is proved of every node before the search; a node's proof counts once the node is tested.
    """

    def __init__(self, lattice: Lattice, proved: npt.NDArray[np.int8]) -> None:
        self.lattice = lattice
        self._proved = proved
        self._tags: npt.NDArray[np.int8] = np.full(lattice.shape, UNKNOWN, dtype=np.int8)

    @property
    def passing(self) -> grid.Flags:
        """The nodes that pass."""
        passing: grid.Flags = self._tags == PASSES
        return passing

    @property
    def left(self) -> int:
        """The number of nodes without a tag."""
        return self._tags.size - int(np.count_nonzero(self._tags))

    def unknown(self, cell: grid.Cell) -> bool:
        """True if a cell has no tag."""
        return bool(self._tags[cell] == UNKNOWN)

    def passes(self, cell: grid.Cell) -> bool:
        """True if a cell is tagged as passing."""
        return bool(self._tags[cell] == PASSES)

    def proved_to_pass(self, node: Node) -> bool:
        """True if an accepted node was proved to pass before the search."""
        return bool(self._proved[grid.cell_of(self.lattice, node)] == PASSES)

    def follow_proof(self, cell: grid.Cell) -> bool:
        """Tag the cells that follow from the proof of a cell, if it has one; return whether it has."""
        if self._proved[cell] == UNKNOWN:
            return False
        self.tag(cell, bool(self._proved[cell] == PASSES))
        return True

    def tag(self, cell: grid.Cell, passes: bool) -> None:
        """Tag a cell, and everything coarser if it passes, everything finer if it fails."""
        if passes:
            self._tags[tuple(slice(index, None) for index in cell)] = PASSES
        else:
            self._tags[tuple(slice(None, index + 1) for index in cell)] = FAILS

    def last_unknown(self, low: grid.Cell, high: grid.Cell) -> grid.Cell | None:
        """The last cell between two others, in order, that has no tag; None if all have one."""
        box = self._tags[_box(low, high)]
        unknown = (box == UNKNOWN).ravel()[::-1]
        first = int(unknown.argmax())
        if not unknown[first]:
            return None
        offsets = np.unravel_index(unknown.size - 1 - first, box.shape)
        return tuple(lowest + int(offset) for lowest, offset in zip(low, offsets, strict=True))


def _box(low: grid.Cell, high: grid.Cell) -> tuple[slice, ...]:
    return tuple(slice(first, last + 1) for first, last in zip(low, high, strict=True))
