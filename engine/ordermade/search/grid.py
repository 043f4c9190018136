"""Accepted nodes as cells of an array: axis i is attribute i, index j its j-th accepted level."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ordermade.lattice.lattice import Axis, Lattice, Node

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
