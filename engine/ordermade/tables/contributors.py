"""Suppressed cells that no one witness protects from every contributor: several do, if each of these spares somebody.

Whoever is alone in a cell knows it. Where a total is made of such cells, each way to change it changes a cell that
somebody knows; but nobody knows all of them. So a cell has a witness for the reader who contributed nothing, and for
each contributor who knows a cell of it another one, that changes no cell of theirs; these see the cell at least k - 1
wide.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ordermade.tables.cells import Whole
from ordermade.tables.programs import WitnessPrograms
from ordermade.tables.suppression import MIDDLE, Protection
from ordermade.tables.witnesses import Cubes, Witness, marks, with_ends

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


def families_of(protection: Protection, cells: Sequence[int], suppressed: Collection[int]) -> dict[int, WitnessFamily]:
    """A family of witnesses for each of these cells, where there is one, with as few other cells as possible.

    `suppressed`: the cells that are suppressed by now. Raises InputError where scipy is not installed.
    """
    sole = protection.sole
    if sole is None or not cells:
        return {}
    table = protection.table
    cubes = Cubes(table)
    programs = WitnessPrograms(table) if len(table.values) <= MIDDLE else None
    found: dict[int, WitnessFamily] = {}
    known = marks([*suppressed, *table.hidden], len(table.values))
    for cell in cells:
        width = int(protection.widths[cell])
        costs = _costs(protection, known)
        foreign = (sole >= 0) & (sole != sole[cell])
        first = _cheapest(cell, width, protection, costs + _KNOWN * foreign, cubes, programs)
        family = [] if first is None else [first]
        left = sorted(_knowing(family[0], sole, cell)) if family else []
        while left:
            costs = _costs(protection, known | marks([each for w in family for each in w.cells], len(known)))
            costs[sole == left[0]] = np.inf
            spared = _cheapest(cell, max(1, width - 1), protection, costs + _KNOWN * foreign, cubes, programs)
            if spared is None:
                family = []
                break
            family.append(spared)
            left = [each for each in left if each in _knowing(spared, sole, cell)]
        if family:
            found[cell] = WitnessFamily(tuple(family))
            known[list(found[cell].cells)] = True
    return found


def _knowing(witness: Witness, sole: Whole, cell: int) -> frozenset[int]:
    """The contributors, but the cell's own, who know a cell of a witness."""
    return frozenset(sole[list(witness.cells)].tolist()) - {-1, int(sole[cell])}


def _costs(protection: Protection, suppressed: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    """What each cell adds to a witness: nothing if it is suppressed, no end of it if it may not be."""
    table = protection.table
    prices = np.ones(len(table.values)) if protection.costs is None else protection.costs
    costs = np.where(suppressed, 0.0, prices)
    fixed = (marks(protection.published, len(costs)) | (table.values == 0)) & ~suppressed
    costs[fixed] = np.inf
    return costs


def _cheapest(
    cell: int,
    width: int,
    protection: Protection,
    costs: npt.NDArray[np.float64],
    cubes: Cubes,
    programs: WitnessPrograms | None,
) -> Witness | None:
    """The cheapest witness of a cell: by a program where the table is not too large, else a cube."""
    slack: Whole = protection.table.values - protection.lower
    found = None if programs is None else programs.cheapest(cell, width, costs, slack)
    return cubes.cheapest(cell, width, *with_ends(costs, slack)) if found is None else found
