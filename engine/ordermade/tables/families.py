"""Families of witnesses for cells that a pattern does not protect, with as few other cells suppressed as possible."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from ordermade.tables.cells import Whole
from ordermade.tables.contributors import KNOWN, WitnessFamily, cells_of_contributors, family_of
from ordermade.tables.programs import WitnessPrograms
from ordermade.tables.suppression import MIDDLE, SMALL, Protection, inner_first
from ordermade.tables.witnesses import ENDS, Cubes, Witness, marks, with_ends


def families_of(
    protection: Protection,
    cells: Sequence[int],
    suppressed: Collection[int],
) -> dict[int, WitnessFamily]:
    """A family of witnesses for each of these cells, where there is one, with as few other cells as possible.

    `suppressed`: the cells that are suppressed by now. Raises InputError where scipy is not installed.
    """
    if protection.sole is None or not cells:
        return {}
    search = _Search(protection, protection.sole, suppressed)
    found: dict[int, WitnessFamily] = {}
    for cell in cells:
        family = search.family(cell)
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
        self._cells_of = cells_of_contributors(sole)
        self._cubes = Cubes(table) if table.dimensions and n else None
        self._programs = WitnessPrograms(table) if n <= MIDDLE else None
        self._programs_first = n <= SMALL
        self._slack = table.values - protection.lower
        known = marks([*suppressed, *table.hidden], n)
        prices = np.where(known, 0.0, inner_first(table.values) if protection.costs is None else protection.costs)
        prices[(marks(protection.published, n) | (table.values == 0)) & ~known] = np.inf
        prices[sole >= 0] += KNOWN
        self._costs, self._room = with_ends(prices, self._slack)

    def suppress(self, cells: Sequence[int], own: int = -1) -> None:
        """Cells are suppressed: they add no more to a witness than that someone, not `own`, knows them."""
        persons = self._sole[list(cells)]
        self._costs[list(cells)] = np.where((persons >= 0) & (persons != own), KNOWN, 0.0)

    def family(self, cell: int) -> WitnessFamily | None:
        """The family of a cell; None where some contributor is spared by no witness."""
        before, width, own = self._costs, int(self._widths[cell]), int(self._sole[cell])
        self._costs = before.copy()
        self._costs[self._cells_of.get(own, [])] -= KNOWN

        def search(avoided: int) -> Witness | None:
            cells = self._cells_of.get(avoided, [])
            prices = self._costs[cells]
            self._costs[cells] = np.inf
            found = self._cheapest(cell, width if avoided < 0 else max(1, width - 1))
            self._costs[cells] = prices
            if found is not None:
                self.suppress(found.cells, own)
            return found

        try:
            return family_of(cell, self._sole, search)
        finally:
            self._costs = before

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
