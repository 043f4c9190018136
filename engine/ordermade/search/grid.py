"""Accepted nodes as cells of an array, and their orders: by the cost of their levels, and by refinement.

Axis i of the array is attribute i, index j its j-th accepted level. Orders cover the whole lattice at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from ordermade.lattice.cells import Boxes
from ordermade.lattice.lattice import Axis, Lattice, Node
from ordermade.prediction.cells import Reals
from ordermade.search.problem import SearchProblem

Cell: TypeAlias = tuple[int, ...]
Flags: TypeAlias = npt.NDArray[np.bool_]
Heights: TypeAlias = npt.NDArray[np.int32]


def node_of(lattice: Lattice, cell: Cell) -> Node:
    """The node of a cell."""
    return tuple(axis.accepted[index] for axis, index in zip(lattice.axes, cell, strict=True))


def node_at(lattice: Lattice, place: int) -> Node:
    """The node at a place of the flattened array."""
    return node_of(lattice, tuple(int(index) for index in np.unravel_index(place, lattice.shape)))


def cell_of(lattice: Lattice, node: Node) -> Cell:
    """The cell of an accepted node."""
    return tuple(axis.accepted.index(level) for axis, level in zip(lattice.axes, node, strict=True))


def cells(flags: Flags) -> list[Cell]:
    """The cells that are set, in lexicographic order."""
    return [tuple(cell) for cell in np.argwhere(flags).tolist()]


def heights(shape: Sequence[int]) -> Heights:
    """The sum of the indices of every cell. A cell that refines another has the smaller one."""
    total: Heights = np.zeros(tuple(shape), dtype=np.int32)
    for position, length in enumerate(shape):
        sides = [1] * len(shape)
        sides[position] = length
        total += np.arange(length, dtype=np.int32).reshape(sides)
    return total


def along(position: int, axes: int) -> list[int]:
    """The shape in which figures of one attribute's levels spread over an array of all of them."""
    return [-1 if axis == position else 1 for axis in range(axes)]


def refinement(axis: Axis) -> Flags:
    """The refinement of accepted levels: a square matrix over the axis' accepted levels."""
    return np.array([[axis.order.refines(i, j) for j in axis.accepted] for i in axis.accepted], dtype=np.bool_)


def minimal(lattice: Lattice, passing: Flags) -> tuple[Node, ...]:
    """The passing nodes that no other passing node refines; `passing` holds every passing node.

    Passing need not be closed upwards: between a passing node and a finer one there may be nodes that fail.
    """
    below = passing.copy()
    for position, axis in enumerate(lattice.axes):
        _spread(below, np.argwhere(refinement(axis)), position)
    blocked = np.zeros_like(passing)
    for position, axis in enumerate(lattice.axes):
        strictly = refinement(axis) & ~np.eye(len(axis.accepted), dtype=np.bool_)
        into, along = np.moveaxis(blocked, position, 0), np.moveaxis(below, position, 0)
        for fine, coarse in np.argwhere(strictly).tolist():
            into[coarse] |= along[fine]
    return tuple(node_of(lattice, cell) for cell in cells(passing & ~blocked))


def _spread(flags: Flags, pairs: npt.NDArray[np.intp], position: int) -> None:
    """Set, in place, what any set cell refines along one axis; `pairs` are (finer, coarser) of all its levels."""
    along = np.moveaxis(flags, position, 0)
    before = along.copy()
    for fine, coarse in pairs.tolist():
        along[coarse] |= before[fine]


Ranks: TypeAlias = npt.NDArray[np.int64]
Sums: TypeAlias = npt.NDArray[np.int64] | npt.NDArray[np.float64]

ROUNDING = 1e-12
"""Relative size of what may be rounding in a sum of a few dozen floats of one sign."""

LARGEST_EXACT = 2**62


def ranks(problem: SearchProblem) -> Ranks:
    """The place of every accepted node in the order of `SearchProblem.key`: 0 is the best.

    Sums of integers order the nodes exactly. Where sums of floats are too near for their rounding, the scores
    themselves decide.
    """
    size = problem.lattice.size
    sums = level_sums(problem)
    if sums is None:
        order = np.array(_by_key(problem, list(range(size))), dtype=np.int64)
    else:
        order = np.argsort(sums, axis=None, kind="stable")  # equal sums stay in the order of the nodes
        if sums.dtype == np.float64:
            _settle_near_ties(problem, order, sums.ravel()[order].astype(np.float64))
    places = np.empty(size, dtype=np.int64)
    places[order] = np.arange(size)
    return places.reshape(problem.lattice.shape)


def level_sums(problem: SearchProblem) -> Sums | None:
    """The sum of the level costs of every accepted node; None where the objective has none.

    In whole numbers where they are, and 64 bits hold every sum, else in floats.
    """
    costs = _accepted_costs(problem)
    if costs is None:
        return None
    kind: type[np.int64] | type[np.float64] = np.int64 if _exact(costs) else np.float64
    total: npt.NDArray[Any] = np.zeros(problem.lattice.shape, dtype=kind)
    for position, each in enumerate(costs):
        total += np.array(each, dtype=kind).reshape(along(position, total.ndim))
    return total


def _accepted_costs(problem: SearchProblem) -> list[list[int | float]] | None:
    """The costs of the accepted levels of each attribute; None where the objective does not have them."""
    costs = problem.objective.level_costs
    if costs is None:
        return None
    return [
        [cost for level in axis.accepted if (cost := each[level]) is not None]
        for axis, each in zip(problem.lattice.axes, costs, strict=True)
    ]


def _exact(costs: list[list[int | float]]) -> bool:
    """True if every sum is a whole number that 64 bits hold."""
    return all(isinstance(cost, int) for each in costs for cost in each) and sum(map(max, costs)) < LARGEST_EXACT


def _settle_near_ties(problem: SearchProblem, order: Ranks, ascending: npt.NDArray[np.float64]) -> None:
    """Sort, in place, each run of nodes whose sums differ by no more than rounding by their exact keys."""
    near = np.diff(ascending) <= ROUNDING * np.abs(ascending[1:])
    ends = [0, *(np.flatnonzero(~near) + 1).tolist(), len(order)]
    for first, end in pairwise(ends):
        if end - first > 1:
            order[first:end] = _by_key(problem, order[first:end].tolist())


def _by_key(problem: SearchProblem, places: list[int]) -> list[int]:
    return sorted(places, key=lambda place: problem.key(node_at(problem.lattice, place), None))


Counts: TypeAlias = npt.NDArray[np.int32]
Number = TypeVar("Number", np.int32, np.float64)

MAX_AT_ONCE = 32
"""Cells of the last attributes that are added up by one product: along them alone, numpy would add short runs."""


class RefinementIndex(Boxes):
    """The refinement of one lattice, ready for whole arrays over its accepted levels."""

    def __init__(self, lattice: Lattice) -> None:
        super().__init__(lattice)
        matrices = [refinement(axis).astype(np.float64) for axis in lattice.axes]
        self._last: Reals = np.ones((1, 1))
        while matrices and len(self._last) * len(matrices[-1]) <= MAX_AT_ONCE:
            self._last = np.kron(matrices.pop(), self._last).astype(np.float64, copy=False)
        self._matrices = [
            None if axis.order.is_chain(axis.accepted) else matrix
            for axis, matrix in zip(lattice.axes, matrices, strict=False)
        ]

    def finer_among(self, flags: Flags) -> Counts:
        """Count the cells that are set and refine each cell (a cell refines itself)."""
        return self._finer_added(flags.astype(np.int32))

    def finer_sums(self, figures: Reals) -> Reals:
        """The sum over the cells that refine each cell (a cell refines itself)."""
        return self._finer_added(figures)

    def coarser_sums(self, figures: Reals) -> Reals:
        """The sum over the cells that each cell refines (itself among them)."""
        return self._coarser_added(figures)

    def _finer_added(self, figures: npt.NDArray[Number]) -> npt.NDArray[Number]:
        figures = _along_last(figures, self._last)
        for position, matrix in enumerate(self._matrices):
            if matrix is None:
                _add_up(figures.swapaxes(0, position))
            else:
                figures = _along(matrix.T, figures, position)
        return figures

    def _coarser_added(self, figures: npt.NDArray[Number]) -> npt.NDArray[Number]:
        figures = _along_last(figures, self._last.T)
        for position, matrix in enumerate(self._matrices):
            if matrix is None:
                _add_up(figures.swapaxes(0, position)[::-1])
            else:
                figures = _along(matrix, figures, position)
        return figures


def _add_up(figures: npt.NDArray[Number]) -> None:
    """Cumulative sums along the first axis, in place: of few long slices, for which numpy's own is the slower."""
    for before, after in pairwise(figures):
        after += before


def _along_last(figures: npt.NDArray[Number], matrix: npt.NDArray[np.float64]) -> npt.NDArray[Number]:
    """A new array: the product along as many last attributes as the matrix is of; exact of counts, as `_along` is."""
    product = figures.reshape(-1, len(matrix)).astype(np.float64, copy=False) @ matrix
    return product.astype(figures.dtype, copy=False).reshape(figures.shape)


def _along(matrix: npt.NDArray[np.float64], figures: npt.NDArray[Number], position: int) -> npt.NDArray[Number]:
    """One product with a refinement matrix along one axis; exact of counts, which are far below 2**53."""
    product = np.tensordot(matrix, figures.astype(np.float64), axes=(1, position))
    summed: npt.NDArray[Number] = np.moveaxis(product, 0, position).astype(figures.dtype)
    return summed
