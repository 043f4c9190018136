"""Moves of several persons at once that leave every figure of a pool as it is, where two persons have none to exchange.

A cube has two codes on each of some axes, and one on every other. A person of each corner that is an even number of
steps from one of them moves one step, so that the odd corners have one more each. A partition changes by nothing where
it does not part the two codes of one of the axes: of each two corners along it, one has a person less, the other one
more. Two axes are an exchange of two persons; three keep the sums by every two of the columns, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from ordermade.tables.cells import Whole

MOST_AXES = 4
"""The most axes of a cube."""
MOST_CODES = 4_000_000
"""The most combinations of codes; of more, no cubes are looked for."""
_MOST_CORNERS = 200_000
"""The most cubes of one kind that are looked at in one cell."""


@dataclass(frozen=True, slots=True, eq=False)
class OtherCodes:
    """The codes of an axis that the same atoms, and the same partitions, part from one code: bits by their numbers."""

    atoms: int
    partitions: int
    codes: Whole


@dataclass(frozen=True, slots=True, eq=False)
class Cube:
    """CubeMoves at a cell: one or another of these codes on each of their axes."""

    axes: tuple[int, ...]
    others: tuple[OtherCodes, ...]


class CubeMoves:
    """The cubes over cells of a dataset.

    `levels[axis]`: the class of every code by each atom of an axis, a row an atom; `atoms[axis]`: their numbers;
    `partitions`: the atoms that each partition depends on.
    """

    def __init__(
        self,
        cells: Whole,
        persons: Whole,
        levels: Sequence[Whole],
        atoms: Sequence[Sequence[int]],
        partitions: Sequence[frozenset[int]],
    ) -> None:
        self._cells, self._levels, self._atoms, self._partitions = cells, levels, atoms, partitions
        self._persons = np.zeros([each.shape[1] for each in levels], dtype=np.int64)
        self._persons[tuple(cells.T)] = persons
        self._kinds: dict[tuple[int, int], list[OtherCodes]] = {}

    def at(self, cell: int) -> Iterator[Cube]:
        """The cubes at a cell, those of the fewest axes first, that no partition changes by; none that has another."""
        kinds = [self._others(axis, code) for axis, code in enumerate(self._cells[cell].tolist())]
        least: set[tuple[tuple[int, int], ...]] = set()
        for size in range(2, MOST_AXES + 1):
            for axes in combinations(range(len(kinds)), size):
                for some in product(*(range(len(kinds[axis])) for axis in axes)):
                    key = tuple(zip(axes, some, strict=True))
                    others = tuple(kinds[axis][number] for axis, number in key)
                    parted = others[0].partitions
                    for each in others[1:]:
                        parted &= each.partitions
                    if parted or any(one in least for n in range(2, size) for one in combinations(key, n)):
                        continue
                    least.add(key)
                    yield Cube(axes, others)

    def has_persons(self, cell: int, cube: Cube, number: int) -> bool:
        """Whether there are codes of a cube such that each other even corner has so many persons."""
        here = self._cells[cell].tolist()
        shape = tuple(len(each.codes) for each in cube.others)
        if np.prod(shape) > _MOST_CORNERS:
            return False
        enough = np.ones(shape, dtype=np.bool_)
        for size in range(2, len(shape) + 1, 2):
            for some in combinations(range(len(shape)), size):
                at: list[int | Whole] = list(here)
                for place, codes in zip(some, np.ix_(*(cube.others[place].codes for place in some)), strict=True):
                    at[cube.axes[place]] = codes
                corner = self._persons[tuple(at)] >= number
                enough &= corner.reshape([n if place in some else 1 for place, n in enumerate(shape)])
        return bool(enough.any())

    def _others(self, axis: int, code: int) -> list[OtherCodes]:
        """The other codes of an axis, those that the same atoms part from a code together; most atoms first."""
        if (axis, code) not in self._kinds:
            parting = self._levels[axis] != self._levels[axis][:, [code]]
            every, number = np.unique(parting, axis=1, return_inverse=True)
            found = []
            for place, column in enumerate(every.T.tolist()):
                atoms = {atom for atom, one in zip(self._atoms[axis], column, strict=True) if one}
                if atoms:
                    partitions = sum(1 << p for p, own in enumerate(self._partitions) if own & atoms)
                    codes = np.flatnonzero(number.reshape(-1) == place)
                    found.append(OtherCodes(sum(1 << each for each in atoms), partitions, codes))
            self._kinds[axis, code] = sorted(found, key=lambda each: -each.atoms.bit_count())
        return self._kinds[axis, code]
