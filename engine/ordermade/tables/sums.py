"""What follows from sums alone: cells that are known exactly, as all others of a sum are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ordermade.tables.cells import CellTable, Marks, Relation


def given_away(relations: Sequence[Relation], known: Marks) -> Marks:
    """The cells that are known, sum by sum, to whoever knows these: the same, and each that is alone in a sum."""
    found = known.copy()
    lengths = np.array([1 + len(each.parts) for each in relations], dtype=np.int64)
    cells = np.array([cell for each in relations for cell in (each.total, *each.parts)], dtype=np.int64)
    sums = np.repeat(np.arange(len(relations)), lengths)
    while True:
        unknown = ~found[cells]
        cells, sums = cells[unknown], sums[unknown]
        last = cells[np.bincount(sums, minlength=len(relations))[sums] == 1]
        if not len(last):
            return found
        found[last] = True


class OpenSums:
    """How many suppressed cells each sum has: with one alone, the cell is known exactly."""

    def __init__(self, table: CellTable, suppressed: Marks) -> None:
        self._members = [np.array((each.total, *each.parts), dtype=np.int64) for each in table.relations]
        self._sums_of: list[list[int]] = [[] for _ in table.values]
        for number, members in enumerate(self._members):
            for cell in members.tolist():
                self._sums_of[cell].append(number)
        self._open = [int(suppressed[members].sum()) for members in self._members]
        self._suppressed = suppressed.copy()

    def open(self, cell: int) -> None:
        """A cell is suppressed."""
        self._suppressed[cell] = True
        for number in self._sums_of[cell]:
            self._open[number] += 1

    def close(self, cell: int) -> None:
        """A cell is published."""
        self._suppressed[cell] = False
        for number in self._sums_of[cell]:
            self._open[number] -= 1

    def closes(self, cell: int, hidden: Marks) -> bool:
        """Whether publishing a cell makes another one of a table known exactly, sum by sum."""
        open_now = dict[int, int]()
        known = {cell}
        waiting = [cell]
        while waiting:
            now = waiting.pop()
            for number in self._sums_of[now]:
                left = open_now[number] = open_now.get(number, self._open[number]) - 1
                if left == 1:
                    members = self._members[number]
                    last = next((each for each in members.tolist() if self._suppressed[each] and each not in known), -1)
                    if last < 0:  # another sum has given it away, and it is waiting
                        continue
                    if not hidden[last]:
                        return True
                    known.add(last)
                    waiting.append(last)
        return False
