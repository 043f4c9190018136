"""The worth of a question for objectives of the classes: the open cells that its answer is expected to rule out.

A measured node rules out a coarser one by the bound that its classes set, and a finer one by the rows that it
suppresses. How large either must be differs from open cell to open cell: what is known of a cell leaves it room. So
the open cells are dealt into a few groups of about the same room, and for each group the chance that a node's figure is
beyond it is multiplied with how many of the group the node refines, or is refined by. Nothing of a proof rests on it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from ordermade.lattice.lattice import Node
from ordermade.lattice.observation import Observation
from ordermade.loss.objectives import Score
from ordermade.prediction.cells import Reals
from ordermade.prediction.figures import FigureForecast, Normal
from ordermade.prediction.forecast import Forecast
from ordermade.prediction.independence import HALF
from ordermade.search import grid
from ordermade.search.problem import SearchProblem

GROUPS = 5
"""Of open cells of about the same room."""
LET_GO = 0.5
"""The share of the open cells that a new best node is expected to rule out, besides those its figures do."""
NO_ROOM = 1e-9


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What is expected of every accepted node.

    `passes`: the chance that it does; `stays_open`: that it does not fail so that every finer one does. Of objectives
    of the classes, as logarithms, what bounds their scores (`bound`, as `ln_of` has it) and the rows in classes `below`
    k; None where a score is not bounded by them, or nothing can be expected.
    """

    passes: Reals
    stays_open: Reals
    bound: Normal | None = None
    below: Normal | None = None


class ClassFigures:
    """The forecasts of what the classes bound, corrected by every measured node."""

    def __init__(
        self, problem: SearchProblem, forecast: Forecast, divisions: Reals, measured: Mapping[Node, Observation]
    ) -> None:
        """`divisions`: the expected number of classes of every accepted node; `measured`: the nodes to learn from.

        Raises ValueError for an objective that the classes do not bound.
        """
        if problem.objective.bound is None:
            raise ValueError(f"nothing of the classes bounds the objective {problem.objective.name}")
        self._bound_by = problem.objective.bound
        self._lattice, self._k = problem.lattice, problem.k
        lattice, margins = problem.lattice, forecast.margins
        levels = [np.array(axis.accepted, dtype=np.int64) for axis in lattice.axes]
        squares = margins if problem.objective.bounded_by_squares else None
        expected = -np.log(np.maximum(divisions, 1.0))
        if squares is not None:
            expected = squares.ln_squares_over(levels).reshape(lattice.shape)
        known = [self._bound_of(*each) for each in measured.items() if each[0] in lattice]
        self._bound = FigureForecast(lattice, forecast.nearness, expected, known, relative=squares is None)
        self._below: FigureForecast | None = None
        if problem.objective.suppressed_adds is not None and margins is not None:
            below = margins.ln_rows_below_over(levels, problem.k).reshape(lattice.shape)
            known = [self._below_of(*each) for each in measured.items() if self._determines_below(*each)]
            self._below = FigureForecast(lattice, forecast.nearness, below, known)

    def learn(self, measured: Mapping[Node, Observation]) -> None:
        """Take in measured nodes."""
        self._bound.learn([self._bound_of(*each) for each in measured.items() if each[0] in self._lattice])
        if self._below is not None:
            self._below.learn([self._below_of(*each) for each in measured.items() if self._determines_below(*each)])

    def foreseen(self, chances: Foreseen) -> Foreseen:
        """What is expected of every node by now, besides its chances."""
        return replace(
            chances, bound=self._bound.forecast(), below=None if self._below is None else self._below.forecast()
        )

    def _bound_of(self, node: Node, observation: Observation) -> tuple[Node, float, float]:
        return node, ln_of(self._bound_by(observation)), 0.0

    def _determines_below(self, node: Node, observation: Observation) -> bool:
        return node in self._lattice and observation.determines_below(self._k)

    def _below_of(self, node: Node, observation: Observation) -> tuple[Node, float, float]:
        """Of few rows, whether one more is in a class below k is chance."""
        rows = observation.below(self._k)
        return node, math.log(rows + HALF), 1 / (rows + 1)


def ln_of(score: Score) -> float:
    """Rises with the score: of what is maximised (below 0) less the logarithm of what it is without its sign."""
    value = float(score)
    return math.log(max(value, NO_ROOM)) if value >= 0 else -math.log(-value)


def ln_room(units: Reals) -> Reals:
    """The logarithm of what is left, of cells that may have nothing left."""
    return np.log(np.maximum(units, NO_ROOM))


def expected_beyond(
    room: Reals | float, still: grid.Flags, figure: Normal, at_least: Reals, added: Callable[[Reals], Reals]
) -> Reals:
    """How many open cells the logarithm of each node's figure is expected to be beyond the room of.

    `still`: the cells that are open, and `room` of every cell, in logarithms; `added`: the sum over the cells that a
    node may rule out; `at_least`: the chance that it rules out all of them.
    """
    rooms = np.broadcast_to(room, still.shape)[still]
    # Without `np.unique`, which imports masked arrays.
    ends = np.array(sorted(set(np.quantile(rooms, np.arange(1, GROUPS) / GROUPS).tolist())))
    group = np.searchsorted(ends, rooms)
    found: Reals = np.zeros(still.shape)
    for number in sorted(set(group.tolist())):
        members = group == number
        one = np.zeros(still.shape)
        one[still] = members
        counts = added(one)
        beside = np.flatnonzero(counts)
        chance = np.maximum(figure.at(beside).above(float(rooms[members].mean())), at_least.ravel()[beside])
        found.ravel()[beside] += counts.ravel()[beside] * chance
    return found
