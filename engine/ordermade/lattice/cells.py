"""The nodes of a lattice, and those with attributes at `*`, as cells of an array; and what spreads over them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from ordermade.lattice.lattice import Axis, Lattice
from ordermade.lattice.node import Node

Levels: TypeAlias = frozenset[int]
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
