"""The classes of an attribute at several levels that rules may use: those with information, each once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ordermade.mondrian.domains import Codes


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One level of a ladder: `places[cell]` is the place of a cell's class in `classes`, -1 where it has none."""

    places: Codes
    classes: Codes

    @property
    def size(self) -> int:
        """The number of classes."""
        return int(self.classes.size)

    def only(self, places: NDArray[np.integer]) -> Step:
        """The step with the classes at some places alone, ascending."""
        kept = np.full(self.size + 1, -1, dtype=np.int32)  # the last is that of cells without a class
        kept[places] = np.arange(len(places), dtype=np.int32)
        return Step(kept[self.places], self.classes[places])


@dataclass(frozen=True, slots=True, eq=False)
class Ladder:
    """The levels of an attribute, finest first."""

    steps: tuple[Step, ...]

    @classmethod
    def of(cls, cells: Codes, levels: Sequence[Codes]) -> Ladder:
        """The ladder of an attribute whose `cells` were counted; `levels[level][cell]`: a class, -1 for none.

        A class that holds every cell that was counted says nothing and is left out. Of classes that hold the same such
        cells the one of the coarsest level is left: it says the same most simply.
        """
        counted = np.unique(cells)
        steps: list[Step] = []
        for level in reversed(levels):
            of_cell = np.full(level.size, -1, dtype=np.int32)
            of_cell[counted] = level[counted]
            classes, places = np.unique(of_cell, return_inverse=True)
            if classes.size and classes[0] < 0:
                classes, places = classes[1:], places - 1
            step = Step(places.astype(np.int32), classes)
            sizes = cells_of(step)
            said = sizes == counted.size
            for coarser in steps:
                above = classes_above(step, coarser)
                said |= (above >= 0) & (sizes == np.append(cells_of(coarser), 0)[above])
            steps.append(step.only(np.flatnonzero(~said)))
        return cls(tuple(reversed(steps)))


def cells_of(step: Step) -> NDArray[np.int64]:
    """The number of cells of each class."""
    return np.bincount(step.places[step.places >= 0], minlength=step.size)


def classes_above(step: Step, coarser: Step) -> Codes:
    """The place of the class of a coarser level that contains each class; -1 where there is none."""
    placed = step.places >= 0
    place, above = step.places[placed], coarser.places[placed]
    least = np.full(step.size, coarser.size, dtype=np.int32)
    greatest = np.full(step.size, -1, dtype=np.int32)
    np.minimum.at(least, place, above)
    np.maximum.at(greatest, place, above)
    return np.where(least == greatest, greatest, np.int32(-1))
