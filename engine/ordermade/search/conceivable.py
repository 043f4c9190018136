"""The most classes that a node can release, proved without measuring it, and the least score that goes with them.

Let T be the most classes of at least k units that a measured node v, or any coarser one, can have. A node u cannot have
more of them than T, times the classes of each attribute of u whose level v does not refine: every class of u is a class
of v seen through coarser levels, split by those attributes at most. A class of k is nowhere part of a smaller one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ordermade.lattice.observation import Observation
from ordermade.lattice.proofs import MOST_ROWS
from ordermade.loss.objectives import Score
from ordermade.prediction.cells import Reals
from ordermade.search import grid
from ordermade.search.problem import Problem
from ordermade.search.reach import Reach, Region

MOST_CELLS_LAID = 50_000_000
"""Of the cells visited to take in what is proved beforehand: further observations would only sharpen the bound."""


class MostClasses:
    """For every accepted node, the most classes of at least k units that it can have."""

    def __init__(self, problem: Problem, reach: Reach) -> None:
        """From what is proved before the search: the classes of single attributes, and every placed observation."""
        proofs, lattice = problem.proofs, problem.lattice
        self._k = problem.k
        self._shape = lattice.shape
        self._classes = _of_single_attributes(problem)
        most = MOST_ROWS if proofs.rows is None or problem.requirement.persons else proofs.rows // max(self._k, 1)
        self.most: Reals = np.full(self._shape, float(max(most, 1)))
        self._lay([np.empty(0, dtype=np.intp)] * len(self._shape), 1)
        for each in proofs.every[: MOST_CELLS_LAID // max(1, lattice.size)]:
            self.learn(reach.box(each.coarser), each.observation)

    def learn(self, coarser: Region, observation: Observation) -> None:
        """Take in a measured node; `coarser` are the accepted levels that its levels refine."""
        self._lay([levels.ravel() for levels in coarser], observation.most_classes(self._k))

    def too_few(self, problem: Problem, units: int, best: Score) -> grid.Flags:
        """The nodes whose classes cannot be enough to score as well as `best` on a dataset of so many units."""
        few: grid.Flags = self.most < _least_classes(problem, units, best)
        return few

    def _lay(self, refined: Sequence[np.ndarray[tuple[int], np.dtype[np.intp]]], classes: int) -> None:
        bound: Reals = np.full((1,) * len(self._shape), float(max(classes, 1)))
        for position, levels in enumerate(refined):
            splits = self._classes[position].copy()
            splits[levels] = 1.0
            bound = bound * splits.reshape(grid.along(position, len(self._shape)))
        np.minimum(self.most, bound, out=self.most)


def _of_single_attributes(problem: Problem) -> list[Reals]:
    """The most classes of each accepted level of each attribute alone."""
    proofs, top = problem.proofs, problem.lattice.top

    def most(node: tuple[int, ...]) -> int:
        exact = proofs.exact(node)
        if exact is not None:
            return max(1, exact.most_classes(problem.k))
        bound = proofs.bounds(node).most_divisions
        # Persons may be in many classes each: how many persons there are is no bound.
        unknown = problem.requirement.persons and bound >= (proofs.rows or 0)
        return MOST_ROWS if unknown else max(1, bound)

    return [
        np.array([most((*top[:i], level, *top[i + 1 :])) for level in axis.accepted], dtype=np.float64)
        for i, axis in enumerate(problem.lattice.axes)
    ]


def _least_classes(problem: Problem, units: int, best: Score) -> int:
    """The fewest classes with which a node can score as well as `best`: the least scores fall with the classes.

    At most as many as there are units; 0 where the classes bound nothing.
    """
    least = problem.objective.least
    if least is None:
        return 0
    low, high = 1, max(1, units)
    while low < high:
        middle = (low + high) // 2
        if least(units, middle) > best:  # type: ignore[operator]
            low = middle + 1
        else:
            high = middle
    return low
