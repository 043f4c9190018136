"""Conclusions from earlier observations of a lattice.

k and the number of classes are monotone under refinement. So is the k that is reached once the smallest classes are
suppressed (`Observation.k_within`): wherever something may be suppressed, that is the k meant here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
import numpy.typing as npt

from ordermade.lattice.cells import Cells, Places
from ordermade.lattice.lattice import Axis, Lattice, Levels, Node
from ordermade.lattice.observation import Observation, Requirement

FAILS, UNKNOWN, PASSES = -1, 0, 1
MAX_ROWS = 2**62
MAX_CELLS_BOUND_AT_ONCE = 1 << 18
"""A lattice up to this size gets its bounds cell by cell, once; of a larger one each node is computed by itself."""

Tags = npt.NDArray[np.int8]


@dataclass(frozen=True, slots=True)
class PlacedObservation:
    """An observation of the same dataset version, placed in a lattice by refinement.

    `coarser[i]`: the levels of attribute i that the observation's level refines (the top level always among
    them). `finer[i]`: the levels that refine the observation's; empty where none does. Both are closed under the
    refinement of the attribute's levels. An observation that also groups by an attribute the lattice does not have has
    no finer node there: its `finer` is all empty.
    """

    observation: Observation
    coarser: tuple[Levels, ...]
    finer: tuple[Levels, ...]


def placed_in(lattice: Lattice, measured: Iterable[tuple[Node, Observation]]) -> list[PlacedObservation]:
    """Observations of nodes of this very lattice in their places, in order; the nodes need not be accepted."""
    orders = [(axis.order, range(len(axis.order))) for axis in lattice.axes]
    coarser = [[frozenset(j for j in levels if order.refines(i, j)) for i in levels] for order, levels in orders]
    finer = [[frozenset(j for j in levels if order.refines(j, i)) for i in levels] for order, levels in orders]
    return [
        PlacedObservation(
            observation,
            tuple([sides[level] for sides, level in zip(coarser, node, strict=True)]),
            tuple([sides[level] for sides, level in zip(finer, node, strict=True)]),
        )
        for node, observation in measured
    ]


@dataclass(frozen=True, slots=True)
class ClassBounds:
    """The proved bounds of one node: the least and the most of its k (under the limit) and its number of classes."""

    least_k: int
    most_k: int
    least_divisions: int
    most_divisions: int


class Proofs:
    """The proofs by placed observations: a node coarser than a passing one passes, one finer than a failing one fails.

    A node that an observation refines has at least its k and at most its classes; a node that refines an
    observation has at most its k and at least its classes.
    """

    def __init__(
        self, lattice: Lattice, rows: int | None, placed: Sequence[PlacedObservation] = (), most_suppressed: int = 0
    ) -> None:
        """`rows` of the dataset; None where even that is not known, and then nothing else can be.

        `most_suppressed`: rows that may be suppressed. `placed`: the observations that determine the k which that
        leaves; `others` do not, and prove bounds by their own k and classes. Raises ValueError for observations of
        other rows, or of a dataset whose rows are not known.
        """
        if any(each.observation.rows != rows for each in placed):
            raise ValueError("an observation of another content of the dataset proves nothing")
        self.lattice = lattice
        self.rows = rows
        self.most_suppressed = most_suppressed
        self.placed = tuple(each for each in placed if each.observation.determines_within(most_suppressed))
        self.others = tuple(each for each in placed if not each.observation.determines_within(most_suppressed))
        within = [each.observation.k_within(most_suppressed) for each in self.placed]
        self._least_k = np.array([*within, *(each.observation.k for each in self.others)], dtype=np.int64)
        self._most_k = np.array([*within, *(each.observation.rows for each in self.others)], dtype=np.int64)
        self._divisions = np.array([each.observation.divisions for each in self.every], dtype=np.int64)
        # Persons may be in many classes each: there can be more classes than persons.
        self._most = MAX_ROWS if any(not each.observation.adds_up for each in placed) else rows

    @property
    def every(self) -> tuple[PlacedObservation, ...]:
        """Every observation: those that determine the k under the limit, then the others."""
        return (*self.placed, *self.others)

    def bounds(self, node: Node) -> ClassBounds:
        """The proved bounds of a node, accepted or not; the root is proved by the rows alone."""
        if self.rows is None:
            return ClassBounds(0, MAX_ROWS, 0, MAX_ROWS)
        least = min(self.rows, 1)
        if node == self.lattice.top:
            return ClassBounds(self.rows, self.rows, least, least)
        if not self._divisions.size:
            return ClassBounds(least, self.rows, least, self._most or 0)
        cell = self._cells.cell(node) if self._cells.size <= MAX_CELLS_BOUND_AT_ONCE else None
        if cell is not None:
            return ClassBounds(*(int(array[cell]) for array in self._every_bound))
        coarser, finer = self._sides(node)
        return ClassBounds(
            least_k=int(self._least_k[coarser].max(initial=least)),
            most_k=int(self._most_k[finer].min(initial=self.rows)),
            least_divisions=int(self._divisions[finer].max(initial=least)),
            most_divisions=int(self._divisions[coarser].min(initial=self._most or 0)),
        )

    def passes(self, node: Node, k: int) -> bool | None:
        """Return whether a node passes for k alone, as far as it is proved; None where it is not."""
        bounds = self.bounds(node)
        if bounds.least_k >= k:
            return True
        return False if bounds.most_k < k else None

    def exact(self, node: Node, requirement: Requirement | None = None) -> Observation | None:
        """The observation of a node with the same classes: one that both refines the node and is refined by it.

        With a requirement only one that decides whether the node passes. None where there is none.
        """
        if node == self.lattice.top and self.rows is not None and not (requirement and requirement.models):
            return Observation.from_histogram([(self.rows, 1)] if self.rows else [])
        known = self._equals.get(node, ())
        return next((each for each in known if requirement is None or requirement.decides(each)), None)

    def tags(self, requirement: Requirement) -> Tags:
        """FAILS, UNKNOWN or PASSES for every accepted node, as an array over the accepted levels.

        Raises ValueError for a requirement that suppresses another number of rows at most.
        """
        tags: Tags = self.tags_with_top(requirement)[self._cells.accepted]
        return tags

    def tags_with_top(self, requirement: Requirement) -> Tags:
        """The same over the accepted levels and `*`: where `*` is not accepted it is the last index of its axis."""
        if requirement.most_suppressed != self.most_suppressed:
            raise ValueError("these proofs are of another limit")
        tags: Tags = np.full(self._cells.shape, UNKNOWN, dtype=np.int8)
        if self.rows is None:
            return tags
        if self.rows < requirement.k:
            tags.fill(FAILS)
            return tags
        if requirement.k <= 1 and requirement.k_alone:  # a class has at least one row
            tags.fill(PASSES)
            return tags
        if self._divisions.size:
            observations = [each.observation for each in self.every]
            (above, finest), (below, coarsest) = self._corners
            fails = np.array([requirement.rules_out(each) for each in observations], dtype=np.bool_)
            passes = np.array([requirement.admits(each) for each in observations], dtype=np.bool_)
            tags[self._reached(coarsest[fails[below]], coarser=False)] = FAILS
            tags[self._reached(finest[passes[above]], coarser=True)] = PASSES
            if not requirement.monotone:
                self._tag_each(tags, requirement)
        root = self.exact(self.lattice.top, requirement)
        if root is not None and requirement.passes(root):
            tags[(-1,) * tags.ndim] = PASSES
        return tags

    def _tag_each(self, tags: Tags, requirement: Requirement) -> None:
        """Where an answer holds for its own node only: every node whose classes were measured."""
        for node in self._equals:
            cell, exact = self._cells.cell(node), self.exact(node, requirement)
            if cell is not None and exact is not None:
                tags[cell] = PASSES if requirement.passes(exact) else FAILS

    def _reached(self, places: Places, *, coarser: bool) -> npt.NDArray[np.bool_]:
        """The cells at these places, and all that are coarser, or finer."""
        reached = np.zeros(self._cells.shape, dtype=np.bool_)
        reached.flat[places] = True
        self._cells.spread(reached, np.logical_or, coarser=coarser)
        return reached

    @cached_property
    def _cells(self) -> Cells:
        return Cells(self.lattice)

    @cached_property
    def _corners(self) -> tuple[tuple[Places, Places], tuple[Places, Places]]:
        """(numbers of observations, cells) of the finest nodes above and the coarsest nodes below each observation."""
        above = self._cells.corners([each.coarser for each in self.every], finest=True)
        return above, self._cells.corners([each.finer for each in self.every], finest=False)

    @cached_property
    def _every_bound(self) -> tuple[npt.NDArray[np.int64], ...]:
        """The four bounds of every cell, in the order of `ClassBounds`."""
        rows = self.rows or 0
        least = min(rows, 1)
        (above, finest), (below, coarsest) = self._corners
        return (
            self._bound(least, np.maximum, self._least_k[above], finest, coarser=True),
            self._bound(rows, np.minimum, self._most_k[below], coarsest, coarser=False),
            self._bound(least, np.maximum, self._divisions[below], coarsest, coarser=False),
            self._bound(self._most or 0, np.minimum, self._divisions[above], finest, coarser=True),
        )

    def _bound(
        self, start: int, combine: np.ufunc, figures: npt.NDArray[np.int64], places: Places, *, coarser: bool
    ) -> npt.NDArray[np.int64]:
        found = np.full(self._cells.size, start, dtype=np.int64)
        combine.at(found, places, figures)
        array = found.reshape(self._cells.shape)
        self._cells.spread(array, combine, coarser=coarser)
        return array

    @cached_property
    def _equals(self) -> dict[Node, list[Observation]]:
        """Every node that observations both refine and are refined by, with those observations."""
        found: dict[Node, list[Observation]] = {}
        for each in self.every:
            same = [above & below for above, below in zip(each.coarser, each.finer, strict=True)]
            for node in product(*same) if all(same) else ():
                found.setdefault(node, []).append(each.observation)
        return found

    @cached_property
    def _members(self) -> tuple[list[npt.NDArray[np.bool_]], list[npt.NDArray[np.bool_]]]:
        axes = self.lattice.axes
        return (
            [_membership([each.coarser[i] for each in self.every], axis) for i, axis in enumerate(axes)],
            [_membership([each.finer[i] for each in self.every], axis) for i, axis in enumerate(axes)],
        )

    def _sides(self, node: Node) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Return which observations refine the node, and which are refined by it."""
        above, below = self._members
        coarser = np.logical_and.reduce([members[level] for members, level in zip(above, node, strict=True)])
        finer = np.logical_and.reduce([members[level] for members, level in zip(below, node, strict=True)])
        return coarser, finer


def _membership(sides: Sequence[Levels], axis: Axis) -> npt.NDArray[np.bool_]:
    """Return whether each level is in the side of each observation: levels by observations."""
    distinct = {side: number for number, side in enumerate(dict.fromkeys(sides))}
    held = np.array([[level in side for side in distinct] for level in range(len(axis.order))], dtype=np.bool_)
    found: npt.NDArray[np.bool_] = held[:, [distinct[side] for side in sides]]
    return found
