"""The most divisions a node can have, proved without measuring it, and the least score that goes with them.

A node u cannot have more classes than a measured node v has, times the classes of each attribute of u whose level v
does not refine: every class of u is a class of v seen through coarser levels, split by those attributes at most.
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


class MostDivisions:
    """For every accepted node, the most divisions it can have."""

    def __init__(self, problem: Problem, reach: Reach) -> None:
        """From what is proved before the search: the classes of single attributes, and every placed observation."""
        proofs, lattice = problem.proofs, problem.lattice
        top = lattice.top
        self._shape = lattice.shape
        self._classes = [
            np.array(
                [max(1, proofs.bounds((*top[:i], level, *top[i + 1 :])).most_divisions) for level in axis.accepted],
                dtype=np.float64,
            )
            for i, axis in enumerate(lattice.axes)
        ]
        self.most: Reals = np.full(self._shape, float(MOST_ROWS if proofs.rows is None else max(proofs.rows, 1)))
        self._lay([np.empty(0, dtype=np.intp)] * len(self._shape), 1)
        for each in proofs.placed[: MOST_CELLS_LAID // max(1, lattice.size)]:
            self.learn(reach.box(each.coarser), each.observation)

    def learn(self, coarser: Region, observation: Observation) -> None:
        """Take in a measured node; `coarser` are the accepted levels that its levels refine."""
        self._lay([levels.ravel() for levels in coarser], observation.divisions)

    def too_few(self, problem: Problem, rows: int, best: Score) -> grid.Flags:
        """The nodes whose divisions cannot be enough to score as well as `best` on a dataset of `rows` rows."""
        enough = _least_divisions(problem, rows, best)
        few: grid.Flags = self.most < enough
        return few

    def _lay(self, refined: Sequence[np.ndarray[tuple[int], np.dtype[np.intp]]], divisions: int) -> None:
        bound: Reals = np.full((1,) * len(self._shape), float(max(divisions, 1)))
        for position, levels in enumerate(refined):
            splits = self._classes[position].copy()
            splits[levels] = 1.0
            bound = bound * splits.reshape(grid.along(position, len(self._shape)))
        np.minimum(self.most, bound, out=self.most)


def _least_divisions(problem: Problem, rows: int, best: Score) -> int:
    """The fewest divisions with which a node of `rows` rows can score as well as `best`: scores fall with divisions."""
    low, high = 1, max(1, rows)
    while low < high:
        middle = (low + high) // 2
        if problem.objective.score((), _conceivable(rows, middle)) > best:  # type: ignore[operator]
            low = middle + 1
        else:
            high = middle
    return low


def _conceivable(rows: int, divisions: int) -> Observation:
    """The best that so many divisions allow: classes as even as can be, so that the sum of squares is the least."""
    size, larger = divmod(rows, divisions)
    even = [(size, divisions - larger), (size + 1, larger)]
    return Observation.from_histogram((each, classes) for each, classes in even if each and classes)
