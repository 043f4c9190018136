"""The nodes of a lattice as cells of an array: boxes of accepted cells, and what spreads along refinement."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import product
from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from ordermade.lattice.lattice import Axis, Lattice, Levels, Node

Region: TypeAlias = tuple[slice | npt.NDArray[np.intp], ...]
"""An index of an array over the accepted levels: a box of cells, not always contiguous."""


def box(sides: Sequence[Sequence[int]]) -> Region:
    """The cells whose index along each axis is one of the given ones, which ascend.

    Slices where the indices of every axis follow one another, as they do of levels that nest: numpy reaches the cells
    of slices many times sooner.
    """
    return _region([_side(each) for each in sides])


Side: TypeAlias = slice | npt.NDArray[np.intp]


def _side(indices: Sequence[int]) -> Side:
    """Ascending indices of one axis: a slice where they follow one another."""
    if len(indices) == (indices[-1] - indices[0] + 1 if indices else 0):
        return slice(indices[0], indices[-1] + 1) if indices else slice(0, 0)
    return np.array(indices, dtype=np.intp)


def _region(sides: Sequence[Side]) -> Region:
    if all(isinstance(side, slice) for side in sides):
        return tuple(sides)
    return np.ix_(*(np.arange(side.start, side.stop) if isinstance(side, slice) else side for side in sides))


class Boxes:
    """The accepted cells that a node refines, or that refine it: looked up, for what meets many nodes."""

    def __init__(self, lattice: Lattice) -> None:
        self._accepted = [axis.accepted for axis in lattice.axes]
        self._coarser = [_sides(axis.accepted, axis.order.finer) for axis in lattice.axes]
        self._finer = [_sides(axis.accepted, tuple(zip(*axis.order.finer, strict=True))) for axis in lattice.axes]
        self._known: list[dict[frozenset[int], Side]] = [{} for _ in lattice.axes]

    def coarser(self, node: Node) -> Region:
        """The accepted cells that a node, accepted or not, refines."""
        return _region([sides[level] for sides, level in zip(self._coarser, node, strict=True)])

    def finer(self, node: Node) -> Region:
        """The accepted cells that refine a node, accepted or not."""
        return _region([sides[level] for sides, level in zip(self._finer, node, strict=True)])

    def box(self, sides: Sequence[Collection[int]]) -> Region:
        """The accepted cells whose level of each attribute is one of the given ones."""
        return _region([self._of(position, frozenset(levels)) for position, levels in enumerate(sides)])

    def _of(self, position: int, levels: frozenset[int]) -> Side:
        """Some levels of an attribute, as far as they are accepted: many boxes have the same."""
        known = self._known[position]
        if levels not in known:
            known[levels] = _side([index for index, level in enumerate(self._accepted[position]) if level in levels])
        return known[levels]


def _sides(accepted: tuple[int, ...], related: tuple[tuple[bool, ...], ...]) -> list[Side]:
    """For each level, the accepted levels related to it."""
    return [_side([index for index, level in enumerate(accepted) if row[level]]) for row in related]


Cell: TypeAlias = tuple[int, ...]
Places: TypeAlias = npt.NDArray[np.intp]
Scalar = TypeVar("Scalar", bound=np.generic)


class Cells:
    """An array with one axis for each attribute: its accepted levels in order, and `*` last, accepted or not."""

    def __init__(self, lattice: Lattice) -> None:
        self._orders = [axis.order for axis in lattice.axes]
        self._levels = [_with_top(axis) for axis in lattice.axes]
        self._index = [{level: index for index, level in enumerate(levels)} for levels in self._levels]
        self.shape = tuple(len(levels) for levels in self._levels)
        self.accepted = tuple(slice(0, length) for length in lattice.shape)

    @property
    def size(self) -> int:
        """The number of cells."""
        return int(np.prod(self.shape, dtype=np.int64))

    def cell(self, node: Node) -> Cell | None:
        """The cell of a node; None where a level is neither accepted nor `*`."""
        found = [index.get(level) for index, level in zip(self._index, node, strict=True)]
        cell = tuple(each for each in found if each is not None)
        return cell if len(cell) == len(found) else None

    def corners(self, sides: Iterable[Sequence[Levels]], *, finest: bool) -> tuple[Places, Places]:
        """The finest (or coarsest) cells of each side: a side has one set of levels for each attribute.

        Returns the numbers of the sides and, beside them, of the cells in a flat array; a side with no cell has none.
        """
        strides = np.cumprod([1, *reversed(self.shape[1:])], dtype=np.int64)[::-1].tolist()
        offsets: list[dict[Levels, list[int]]] = [{} for _ in self.shape]
        numbers: list[int] = []
        places: list[int] = []
        for number, side in enumerate(sides):
            along = []
            for axis, levels in enumerate(side):
                known = offsets[axis].get(levels)
                if known is None:
                    known = [index * strides[axis] for index in self._extremes(axis, levels, finest=finest)]
                    offsets[axis][levels] = known
                along.append(known)
            corners = [sum(each) for each in product(*along)]
            places.extend(corners)
            numbers.extend([number] * len(corners))
        return np.array(numbers, dtype=np.intp), np.array(places, dtype=np.intp)

    def spread(self, array: npt.NDArray[Scalar], combine: np.ufunc, *, coarser: bool) -> None:
        """Combine, in place, every cell with all cells that refine it (`coarser`), or that it refines.

        Along each axis from one level to the next ones only, in the order of the levels, so that all that lies further
        has come along.
        """
        for axis, (order, levels) in enumerate(zip(self._orders, self._levels, strict=True)):
            along = np.moveaxis(array, axis, 0)
            index = self._index[axis]
            steps = [(index[i], index[j]) for i in levels for j in order.direct_generalisations(i, levels)]
            for source, target in steps if coarser else [(j, i) for i, j in reversed(steps)]:
                combine(along[target], along[source], out=along[target, ...])

    def _extremes(self, axis: int, levels: Levels, *, finest: bool) -> list[int]:
        """The indices of the levels of a side that no other one of them refines (or that refine no other one)."""
        order = self._orders[axis]
        present = [level for level in self._levels[axis] if level in levels]

        def beyond(level: int, other: int) -> bool:
            return other != level and (order.refines(other, level) if finest else order.refines(level, other))

        return [self._index[axis][each] for each in present if not any(beyond(each, other) for other in present)]


def _with_top(axis: Axis) -> tuple[int, ...]:
    return axis.accepted if axis.accepted[-1] == axis.top else (*axis.accepted, axis.top)
