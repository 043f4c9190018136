"""Suppressed cells that no one witness protects from every contributor: several do, if each of these spares somebody.

Whoever is alone in a cell knows it. Where a total is made of such cells, each way to change it changes a cell that
somebody knows; but nobody knows all of them. So a cell has a witness for the reader who contributed nothing, and for
each contributor who knows a cell of it another one, that changes no cell of theirs; these see the cell at least k - 1
wide.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ordermade.tables.cells import Whole
from ordermade.tables.witnesses import Witness

KNOWN = 4.0
"""What a cell that a contributor knows costs more than any other: the first witness should have few of them."""


@dataclass(frozen=True, slots=True)
class WitnessFamily:
    """Witnesses of one cell: the first for the reader who contributed nothing, the others for contributors."""

    witnesses: tuple[Witness, ...]

    @property
    def cells(self) -> tuple[int, ...]:
        """The cells that any of them changes."""
        return tuple(sorted({cell for each in self.witnesses for cell in each.cells}))


def cells_of_contributors(sole: Whole) -> dict[int, list[int]]:
    """The cells that each contributor is alone in."""
    found: dict[int, list[int]] = {}
    for cell in np.flatnonzero(sole >= 0).tolist():
        found.setdefault(int(sole[cell]), []).append(cell)
    return found


def family_of(cell: int, sole: Whole, search: Callable[[int], Witness | None]) -> WitnessFamily | None:
    """The family of a cell; None where some contributor is spared by no witness.

    `search` finds a witness of the cell that changes no cell of the contributor with a number; of any cells for -1.
    """
    first = search(-1)
    if first is None:
        return None
    found = [first]
    left = sorted(_knowing(first, sole, cell))
    while left:
        spared = search(left[0])
        if spared is None:
            return None
        found.append(spared)
        knowing = _knowing(spared, sole, cell)
        left = [each for each in left if each in knowing]
    return WitnessFamily(tuple(found))


def _knowing(witness: Witness, sole: Whole, cell: int) -> frozenset[int]:
    """The contributors, but the cell's own, who know a cell of a witness."""
    return frozenset(sole[list(witness.cells)].tolist()) - {-1, int(sole[cell])}
