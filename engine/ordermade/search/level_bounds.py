"""Lower bounds of every accepted node's score, by its levels and by the cost of rows suppressed at coarser nodes.

A row suppressed at a node is suppressed at every node that refines it, where k alone decides, or models that are
monotone. There its class is no larger, so it costs no less: the cost that suppressed rows add to the levels' never
falls when refining. So a passing node bounds the loss that all finer ones add to that of their levels.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ordermade.lattice.node import Node
from ordermade.lattice.observation import Observation
from ordermade.loss.objectives import Score
from ordermade.prediction.cells import Reals
from ordermade.search import grid
from ordermade.search.problem import Problem
from ordermade.search.ranks import LARGEST_EXACT, ROUNDING, Sums, level_sums
from ordermade.search.reach import Reach

FINEST_SCALE = 10**9
"""Units are made finer, by this at most, so that the cost of suppressed rows is not lost in rounding it down."""
SURE = 1 - Fraction(1, 10**9)
"""The share of the cost of suppressed rows that is no rounding of floats."""
EXPECTED_TO_BE_WITHHELD = 0.6
"""The share of the limit that a passing node is expected to suppress, before any was measured."""


class LevelBounds:
    """For every accepted node, what its score is at least, in units of the level costs."""

    def __init__(self, problem: Problem, reach: Reach) -> None:
        self._problem = problem
        self._reach = reach
        self._sums: Sums | None = level_sums(problem)
        self._scale = 1
        if self._sums is not None and self._sums.dtype == np.int64:
            self._scale = max(1, min(FINEST_SCALE, LARGEST_EXACT // max(1, self._most_of_levels())))
            self._sums = self._sums * self._scale
        self._least: Sums | None = None if self._sums is None else self._sums.copy()
        required = problem.requirement
        self._grows = required.most_withheld > 0 and (not required.models or required.monotone)
        self._shares: list[float] = []

    def learn(self, node: Node, observation: Observation) -> None:
        """Take in a measured node that passes."""
        if self._sums is None or self._least is None or node not in self._problem.lattice:
            return
        own = self._sums[grid.cell_of(self._problem.lattice, node)].item()
        added = self._in_units(self._problem.objective.score(node, observation)) - Fraction(own)
        room = float(self._sums.max()) - float(own)
        if room > 0:
            self._shares.append(float(added) / room)
        surely = int(added * SURE) - self._problem.objective.rounding * self._scale
        if self._grows and surely > 0 and self._sums.dtype == np.int64:
            surely = min(surely, LARGEST_EXACT - 1)  # less is a bound, too, and with the levels' cost it fits 64 bits
            finer = self._reach.finer(node)
            self._least[finer] = np.maximum(self._least[finer], self._sums[finer] + surely)

    def no_better_than(self, score: Score, best: Node) -> grid.Flags:
        """The nodes that cannot score better than the best, nor as well and come before it."""
        if self._least is None:
            return np.zeros(self._problem.lattice.shape, dtype=np.bool_)
        allowed = self._in_units(score)
        if self._least.dtype == np.float64:
            over: grid.Flags = self._least > float(allowed) * (1 + ROUNDING)
            return over
        worse: grid.Flags = self._least > int(allowed)
        if allowed.denominator == 1:
            place = np.ravel_multi_index(grid.cell_of(self._problem.lattice, best), self._problem.lattice.shape)
            later = np.arange(self._least.size).reshape(self._least.shape) >= place
            worse |= (self._least == int(allowed)) & later
        return worse

    def no_better(self, still: grid.Flags) -> Reals | None:
        """Count the cells that are set and cannot beat each cell's expected score; None if unbounded."""
        if self._sums is None or self._least is None:
            return None
        required = self._problem.requirement
        rows = max(self._problem.proofs.rows or 1, 1)
        share = EXPECTED_TO_BE_WITHHELD * required.most_withheld / rows
        if self._shares:
            share = float(np.median(self._shares))
        expected = self._sums + share * (float(self._sums.max()) - self._sums)
        ascending = np.sort(self._least[still])
        count: Reals = (ascending.size - np.searchsorted(ascending, expected)).astype(np.float64)
        return count

    def _most_of_levels(self) -> int:
        """The most that levels cost, accepted or not: a withheld row may cost as much as `*` does."""
        costs = self._problem.objective.level_costs or ()
        return sum(int(max((cost for cost in each if cost is not None), default=0)) for each in costs)

    def _in_units(self, score: Score) -> Fraction:
        return Fraction(score) / self._problem.objective.unit * self._scale  # type: ignore[arg-type]
