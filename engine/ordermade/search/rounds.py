"""A round of questions: nodes that are measured together, chosen so that few answers make another one superfluous.

One question after the other is chosen by all that is known by then; but each costs a forecast of every node, and a
statement. The questions of a round are chosen by one forecast, greedily: each by what those before it are expected to
leave, as long as it yields as much for what it costs as the round does. So rounds are large where a forecast costs much
beside a statement, in wide lattices of small tables, and small where rows are many. Nothing of a proof rests on it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ordermade.lattice.cells import Region
from ordermade.lattice.lattice import Lattice, Node
from ordermade.prediction.cells import Reals
from ordermade.search import grid
from ordermade.search.grid import RefinementIndex

Places: TypeAlias = npt.NDArray[np.intp]

CANDIDATES = 4
"""The questions looked at for each of a round: those that yield most alone."""
MAX_ROUND = 128
LOOKS = 6
"""Candidates looked at one by one before all are, by sums over the lattice: these cost as much as some ten."""
TAKEN = -1.0
"""In place of what is left to a question that was chosen."""
CHOOSING, CHOOSING_OF_A_CELL = 1.0, 1e-4
"""What a round costs beside its questions, in about a millisecond: in any lattice, and for each cell."""
ASKING, ASKING_OF_A_COMBINATION = 0.05, 5e-6
"""What each of its questions costs, in the same unit: of any table, and for each combination of values.

Half of what was measured: on 200 random lattices and thirteen hard ones that takes the fewest seconds in all.
"""
BESIDE_K = 16.0
"""The same where more than k is counted, models or what scores are of, as a multiple.

Such a question costs a few times as much; and those that are chosen together rule out more of the same nodes, as their
forecast knows less.
"""


@dataclass(frozen=True, slots=True)
class Yields:
    """The weight of open cells that measuring each cell is expected to rule out.

    `weights` of the open cells. What is expected of each cell: of those that refine it (`finer`; below 0 where it is
    not worth measuring), of those that it refines (`coarser`), of its own (`itself`); and, as it passes and is better
    than all others with the chance `passes`, of those that are no better (`no_better`). None where nothing is.
    """

    weights: Reals
    finer: Reals
    passes: Reals
    no_better: Reals
    coarser: Reals | None = None
    itself: Reals | None = None

    @property
    def alone(self) -> Reals:
        """What each cell yields, measured alone."""
        total: Reals = self.finer + self.no_better
        for each in (self.coarser, self.itself):
            if each is not None:
                total += each
        return total


def round_in_questions(cells: int, combinations: float, *, k_alone: bool) -> float:
    """The number of questions that cost as much as a round of a lattice does beside its own.

    A question costs as much as its statement, and so by the combinations of values that are counted; a round as much
    as forecasts of all cells. `k_alone`: whether nothing else is counted.
    """
    asking = ASKING + ASKING_OF_A_COMBINATION * combinations
    return (CHOOSING + CHOOSING_OF_A_CELL * cells) / (asking if k_alone else BESIDE_K * asking)


def chosen(yields: Yields, lattice: Lattice, reach: RefinementIndex, round_costs: float) -> list[int]:
    """The places of the cells to measure together; the first is the one that yields most alone.

    `round_costs`: what a round costs beside its questions, in questions. A further question belongs to the round if
    it is expected to yield, for what it costs, no less than the round does without it.
    """
    alone = yields.alone.ravel()
    first = int(np.argmax(alone))
    found, total = [first], float(alone[first])
    if MAX_ROUND == 1 or total <= 0:
        return found
    many = min(MAX_ROUND * CANDIDATES, alone.size)
    left = _Left(yields, lattice, reach, np.sort(np.argpartition(-alone, many - 1)[:many]))
    left.take(first)
    while len(found) < MAX_ROUND:
        place, yielded = left.most()
        if yielded * (round_costs + len(found)) < total:
            break
        left.take(place)
        found.append(place)
        total += yielded
    return found


class _Left:
    """What the questions chosen so far are expected to leave, to candidates for the others."""

    def __init__(self, yields: Yields, lattice: Lattice, reach: RefinementIndex, candidates: Places) -> None:
        self._lattice, self._candidates = lattice, candidates
        self._weights = yields.weights.copy()
        self._no_better, self._passes = yields.no_better.ravel()[candidates], yields.passes.ravel()[candidates]
        self._none_passes = 1.0
        sides = [_Side(yields.finer, reach.finer_sums, reach.finer)]
        if yields.coarser is not None:
            sides.append(_Side(yields.coarser, reach.coarser_sums, reach.coarser))
        if yields.itself is not None:
            sides.append(_Side(yields.itself, lambda weights: weights, partial(grid.cell_of, lattice)))
        self._sides = [(side, side.shares(self._weights, candidates)) for side in sides]
        self._taken: list[int] = []
        self._bounds = self._of_all()

    def most(self) -> tuple[int, float]:
        """The place of the candidate to which most is left, of those that were not taken, and how much is.

        What is left to a candidate only falls: what was left before bounds it. So most are not looked at again.
        """
        for _ in range(LOOKS):
            at = int(np.argmax(self._bounds))
            self._bounds[at] = self._of(at)
            if self._bounds[at] >= self._bounds.max():
                break
        else:
            self._bounds = self._of_all()
            at = int(np.argmax(self._bounds))
        return int(self._candidates[at]), float(self._bounds[at])

    def _of(self, at: int) -> float:
        """What is left to a candidate; below 0 if it was taken."""
        if at in self._taken:
            return TAKEN
        node = grid.node_at(self._lattice, int(self._candidates[at]))
        of_sides = (shares[at] * self._weights[side.region(node)].sum() for side, shares in self._sides)
        return float(self._none_passes * self._no_better[at] + sum(of_sides))

    def _of_all(self) -> Reals:
        """What is left to every candidate, by sums over the lattice."""
        found: Reals = self._none_passes * self._no_better
        for side, shares in self._sides:
            found += shares * side.sums(self._weights).ravel()[self._candidates]
        found[self._taken] = TAKEN
        return found

    def take(self, place: int) -> None:
        """Choose the candidate at a place."""
        at = int(np.searchsorted(self._candidates, place))
        self._taken.append(at)
        self._bounds[at] = TAKEN
        self._none_passes *= 1 - float(self._passes[at])
        node = grid.node_at(self._lattice, place)
        for side, shares in self._sides:
            self._weights[side.region(node)] *= max(0.0, 1 - float(shares[at]))


@dataclass(frozen=True, slots=True)
class _Side:
    """Cells that each cell may rule out: what it is `expected` to, the `sums` over them, and the `region` of a node."""

    expected: Reals
    sums: Callable[[Reals], Reals]
    region: Callable[[Node], Region | grid.Cell]

    def shares(self, weights: Reals, places: Places) -> Reals:
        """The share of the weight of a place's cells that it is expected to rule out."""
        whole = self.sums(weights).ravel()[places]
        shares: Reals = np.zeros(len(places))
        np.divide(self.expected.ravel()[places], whole, out=shares, where=whole > 0)
        return shares
