"""Suppressed cells that no one witness protects from every contributor: several do, if each of these spares somebody.

Whoever is alone in a cell knows it. Where a total is made of such cells, each way to change it changes a cell that
somebody knows; but nobody knows all of them. So a cell has a witness for the reader who contributed nothing, and for
each contributor who knows a cell of it another one, that changes no cell of theirs; these see the cell at least k - 1
wide.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from ordermade.tables.cells import Whole
from ordermade.tables.programs import WitnessPrograms
from ordermade.tables.suppression import MIDDLE, SMALL, Protection, inner_first
from ordermade.tables.witnesses import ENDS, Cubes, Witness, marks, with_ends

_KNOWN = 4.0
"""What a cell that a contributor knows costs more than any other: the first witness should have few of them."""


@dataclass(frozen=True, slots=True)
class WitnessFamily:
    """Witnesses of one cell: the first for the reader who contributed nothing, the others for contributors."""

    witnesses: tuple[Witness, ...]

    @property
    def cells(self) -> tuple[int, ...]:
        """The cells that any of them changes."""
        return tuple(sorted({cell for each in self.witnesses for cell in each.cells}))


def families_of(
    protection: Protection,
    cells: Sequence[int],
    suppressed: Collection[int],
    before: Mapping[int, WitnessFamily] = MappingProxyType({}),
) -> dict[int, WitnessFamily]:
    """A family of witnesses for each of these cells, where there is one, with as few other cells as possible.

    `suppressed`: the cells that are suppressed by now, those of the families `before` among them. Raises InputError
    where scipy is not installed.
    """
    if protection.sole is None or not cells:
        return {}
    search = _Search(protection, protection.sole, suppressed)
    found: dict[int, WitnessFamily] = {}
    for cell in cells:
        family = before[cell] if cell in before else search.family(cell)
        if family is not None:
            found[cell] = family
            search.suppress(family.cells)
    return found


class _Search:
    """A search for families: what each cell adds to a witness, as cells are suppressed."""

    def __init__(self, protection: Protection, sole: Whole, suppressed: Collection[int]) -> None:
        table = protection.table
        n = len(table.values)
        self._widths = protection.widths
        self._sole = sole
        self._cells_of: dict[int, list[int]] = {}
        for cell in np.flatnonzero(sole >= 0).tolist():
            self._cells_of.setdefault(int(sole[cell]), []).append(cell)
        self._cubes = Cubes(table) if table.dimensions and n else None
        self._programs = WitnessPrograms(table) if n <= MIDDLE else None
        self._programs_first = n <= SMALL
        self._slack = table.values - protection.lower
        known = marks([*suppressed, *table.hidden], n)
        prices = np.where(known, 0.0, inner_first(table.values) if protection.costs is None else protection.costs)
        prices[(marks(protection.published, n) | (table.values == 0)) & ~known] = np.inf
        prices[sole >= 0] += _KNOWN
        self._costs, self._room = with_ends(prices, self._slack)

    def suppress(self, cells: Sequence[int], own: int = -1) -> None:
        """Cells are suppressed: they add no more to a witness than that someone, not `own`, knows them."""
        persons = self._sole[list(cells)]
        self._costs[list(cells)] = np.where((persons >= 0) & (persons != own), _KNOWN, 0.0)

    def family(self, cell: int) -> WitnessFamily | None:
        """The family of a cell; None where some contributor is spared by no witness."""
        before = self._costs
        self._costs = before.copy()
        own = self._cells_of.get(int(self._sole[cell]), [])
        self._costs[own] -= _KNOWN
        try:
            return self._family(cell)
        finally:
            self._costs = before

    def _family(self, cell: int) -> WitnessFamily | None:
        width = int(self._widths[cell])
        first = self._cheapest(cell, width)
        if first is None:
            return None
        found = [first]
        left = sorted(self._knowing(first, cell))
        while left:
            self.suppress(found[-1].cells, int(self._sole[cell]))
            avoided = self._cells_of[left[0]]
            prices = self._costs[avoided]
            self._costs[avoided] = np.inf
            spared = self._cheapest(cell, max(1, width - 1))
            self._costs[avoided] = prices
            if spared is None:
                return None
            found.append(spared)
            left = [each for each in left if each in self._knowing(spared, cell)]
        return WitnessFamily(tuple(found))

    def _knowing(self, witness: Witness, cell: int) -> frozenset[int]:
        """The contributors, but the cell's own, who know a cell of a witness."""
        return frozenset(self._sole[list(witness.cells)].tolist()) - {-1, int(self._sole[cell])}

    def _cheapest(self, cell: int, width: int) -> Witness | None:
        """The cheapest witness of a cell: by a program first where the table is small, else a cube first."""
        found = self._program(cell, width) if self._programs_first else None
        if found is None and self._cubes is not None:
            found = self._cubes.cheapest(cell, width, self._costs, self._room)
        return self._program(cell, width) if found is None and not self._programs_first else found

    def _program(self, cell: int, width: int) -> Witness | None:
        if self._programs is None:
            return None
        return self._programs.cheapest(cell, width, self._costs[:-ENDS], self._slack)
