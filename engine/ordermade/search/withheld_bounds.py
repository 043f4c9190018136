"""Lower bounds of every accepted node's score, by the rows that it suppresses and by the classes of the others.

A row that is suppressed for k at a node is in a class below k at every node that refines it. So the measured coarser
nodes bound the rows that a node suppresses from below, the measured finer ones the classes of all its rows:
together that is more than either gives.
"""

from __future__ import annotations

import numpy as np

from ordermade.lattice.observation import Observation
from ordermade.loss.objectives import Score
from ordermade.prediction.cells import Reals
from ordermade.search import grid
from ordermade.search.conceivable import MOST_CELLS_LAID
from ordermade.search.problem import Problem
from ordermade.search.ranks import ROUNDING
from ordermade.search.reach import Reach, Region


class WithheldBounds:
    """The least score of every accepted node, for objectives that give the cost of a suppressed row."""

    def __init__(self, problem: Problem, reach: Reach) -> None:
        """From what is proved before the search: every placed observation."""
        self._objective = problem.objective
        self._by_classes: Reals = np.zeros(problem.lattice.shape)
        self._added: Reals = np.zeros(problem.lattice.shape)
        self._each_adds = 0.0
        if self._objective.withheld_adds is not None:
            for each in problem.proofs.every[: MOST_CELLS_LAID // max(1, problem.lattice.size)]:
                self.learn(each.observation, reach.box(each.coarser), reach.box(each.finer))

    def learn(self, observation: Observation, coarser: Region, finer: Region) -> None:
        """Take in a measured node; `coarser` are the accepted cells that it refines, `finer` those that refine it."""
        objective = self._objective
        if objective.withheld_adds is None or objective.bound is None:
            return
        if not self._each_adds:
            # The finest node there can be: every row by itself.
            alone = Observation.from_histogram([(1, observation.rows)])
            np.maximum(self._by_classes, _real(objective.bound(alone)), out=self._by_classes)
            self._each_adds = objective.withheld_adds(alone) / max(observation.rows, 1)
        if observation.adds_up:
            self._by_classes[coarser] = np.maximum(self._by_classes[coarser], _real(objective.bound(observation)))
        self._added[finer] = np.maximum(self._added[finer], float(objective.withheld_adds(observation)))

    def worse_than(self, score: Score) -> grid.Flags:
        """The nodes that cannot score as well."""
        worse: grid.Flags = self._by_classes + self._added > _real(score) * (1 + ROUNDING)
        return worse if self._objective.withheld_adds is not None else np.zeros_like(worse)

    def most_withheld(self, score: Score, still: grid.Flags) -> int | None:
        """The most units that one of the nodes can suppress for k and score as well; None where any number of them."""
        if self._each_adds <= 0 or not still.any():
            return None
        room = _real(score) * (1 + ROUNDING) - float(self._by_classes[still].min())
        return max(int(room / self._each_adds), 0)


def _real(score: Score) -> float:
    return float(score)  # type: ignore[arg-type]
