"""All sets of cells that classes of a pool have in common, each once, from the largest down.

Many sets of partitions have the same cells in common, where their classes are of few levels. Sets are of all possible
cells, those without persons too: two sets are one where they are the same for all data, and not for today's alone. A
set that other data have nobody in is not intersected further: these data prove all that lies in it safe as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ordermade.tables.cells import Marks, Whole

MOST_INTERSECTED = 10_000_000
"""The most intersections that are made."""


@dataclass(frozen=True, slots=True, eq=False)
class CellSet:
    """Cells that some classes have in common: `classes` maps the place of a partition to one of its classes."""

    classes: Mapping[int, int]
    cells: Marks
    persons: int


class ClassIntersections:
    """The intersections of classes, given by the class of each cell in each partition, that have a wanted cell.

    `is_cut`: not all were made. What is in `closed` is not intersected further.
    """

    def __init__(self, labels: Mapping[int, Whole], persons: Whole, wanted: Marks) -> None:
        # The finest first: the sets that are few are met early, and closed.
        order = sorted(labels, key=lambda place: -len(np.unique(labels[place])))
        self._classes = {place: _classes(labels[place], wanted) for place in order}
        self._persons, self._wanted = persons, _number(wanted)
        self._size = len(persons)
        self._closed: set[int] = set()
        self._made = 0
        self.is_cut = False

    def close(self, each: CellSet) -> None:
        """Intersects a set no further."""
        self._closed.add(_number(each.cells))

    def batches(self) -> Iterator[Sequence[CellSet]]:
        """The sets, those that one more partition adds at a time."""
        every = (1 << 8 * ((self._size + 7) // 8)) - 1
        kept: dict[int, tuple[tuple[int, int], ...]] = {every: ()}
        for place, classes in self._classes.items():
            new: dict[int, tuple[tuple[int, int], ...]] = {}
            self._made += len(kept) * len(classes)
            if self._made > MOST_INTERSECTED:
                self.is_cut = True
                return
            for cells, of in kept.items():
                for label, own in classes:
                    both = cells & own
                    if both & self._wanted and both not in kept and both not in new and both not in self._closed:
                        new[both] = (*of, (place, label))
            marks = self._marks(list(new))
            persons = marks @ self._persons
            yield [
                CellSet(dict(of), inside, int(n)) for of, inside, n in zip(new.values(), marks, persons, strict=True)
            ]
            kept |= {cells: of for cells, of in new.items() if cells not in self._closed}

    def _marks(self, numbers: Sequence[int]) -> Marks:
        width = (self._size + 7) // 8
        packed = np.frombuffer(b"".join(each.to_bytes(width, "big") for each in numbers), dtype=np.uint8)
        return np.unpackbits(packed.reshape(len(numbers), width), axis=1, count=self._size).astype(np.bool_)


def _classes(labels: Whole, wanted: Marks) -> list[tuple[int, int]]:
    """The classes that have a wanted cell, each with the number of its cells."""
    return [(label, _number(labels == label)) for label in np.unique(labels[wanted]).tolist()]


def _number(cells: Marks) -> int:
    """Cells as one number, a bit each."""
    return int.from_bytes(np.packbits(cells).tobytes(), "big")
