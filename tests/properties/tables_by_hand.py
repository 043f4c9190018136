"""Tables as a reader sees them, and every table of whole numbers that agrees with what is published, one by one.

Nothing of the engine stands here. A group is a set of the leaves of a dimension, a cell one group a dimension, and its
value the sum of its finest cells, whose amounts are all that is unknown.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

Group = frozenset[int]
Cell = tuple[Group, ...]
Bounds = tuple[int, int]


class TooMany(Exception):
    """There are more tables than are looked at."""


@dataclass(frozen=True)
class TablesByHand:
    """Tables of the same rows. `layouts`: for each table the groups that it has of each dimension.

    `rows`: the leaf of each dimension; `amounts`: what a row adds, 1 for a count.
    """

    sizes: tuple[int, ...]
    rows: tuple[tuple[int, ...], ...]
    amounts: tuple[int, ...]
    layouts: tuple[tuple[tuple[Group, ...], ...], ...]

    def cells(self) -> dict[Cell, int]:
        """The value of each cell of any table, of the empty ones too."""
        every = dict.fromkeys((cell for layout in self.layouts for cell in product(*layout)), 0)
        for row, amount in zip(self.rows, self.amounts, strict=True):
            for cell in every:
                if is_in(row, cell):
                    every[cell] += amount
        return every

    def bounds(
        self,
        unknown: Collection[Cell],
        least: int,
        above: int,
        *,
        known: Mapping[Cell, int] | None = None,
        most: int = 40_000,
    ) -> dict[Cell, Bounds]:
        """The least and most value of the unknown cells over all tables; every other cell has its value.

        No unknown cell is below `least` or more than `above` over its true value. `known`: values that a reader knows
        beside. Raises TooMany after `most` steps.
        """
        values = self.cells()
        limits: list[tuple[Cell, int, int]] = []
        for cell, value in values.items():
            is_open = cell in unknown and not (known and cell in known)
            limits.append((cell, least, value + above) if is_open else (cell, value, value))
        limits += [(cell, value, value) for cell, value in (known or {}).items() if cell not in values]
        atoms = list(product(*map(range, self.sizes)))
        sums_of = [[number for number, (cell, _, _) in enumerate(limits) if is_in(atom, cell)] for atom in atoms]
        return _Walk(limits, sums_of, most).run(set(unknown))


def is_in(row: Sequence[int], cell: Cell) -> bool:
    """Whether a row is one of a cell's."""
    return all(leaf in group for leaf, group in zip(row, cell, strict=True))


class _Walk:
    """The amounts of the finest cells, one after the other, as long as no cell leaves its limits."""

    def __init__(self, limits: Sequence[tuple[Cell, int, int]], sums_of: Sequence[Sequence[int]], most: int) -> None:
        self._limits, self._sums_of, self._left = limits, sums_of, most
        self._values = [0] * len(limits)
        self._open = [sum(number in each for each in sums_of) for number in range(len(limits))]
        self._found: dict[Cell, Bounds] = {}

    def run(self, unknown: Collection[Cell]) -> dict[Cell, Bounds]:
        self._unknown = [number for number, (cell, _, _) in enumerate(self._limits) if cell in unknown]
        self._place(0)
        return self._found

    def _place(self, at: int) -> None:
        self._left -= 1
        if self._left < 0:
            raise TooMany
        if at == len(self._sums_of):
            for number in self._unknown:
                cell, value = self._limits[number][0], self._values[number]
                low, high = self._found.get(cell, (value, value))
                self._found[cell] = min(low, value), max(high, value)
            return
        sums = self._sums_of[at]
        highest = min(self._limits[number][2] - self._values[number] for number in sums)
        lowest = 0
        for number in sums:
            self._open[number] -= 1
            if not self._open[number]:  # the last of a cell makes up what is missing
                lowest = max(lowest, self._limits[number][1] - self._values[number])
        for amount in range(lowest, highest + 1):
            for number in sums:
                self._values[number] += amount
            self._place(at + 1)
            for number in sums:
                self._values[number] -= amount
        for number in sums:
            self._open[number] += 1
