"""Records in the order of a kd-tree's leaves: halves of halves along the column that varies most."""

from __future__ import annotations

import numpy as np

from ordermade.microaggregation.arrays import Path, Table
from ordermade.microaggregation.compiled import compiled


@compiled
def tree_order(X: Table, members: Path, width: int) -> None:
    """Puts members in such an order that each `width` of them lie near each other, and each `width` of such blocks, ….

    Equal values are parted by row, so that equal records end in blocks of consecutive rows.
    """
    waiting = [(0, members.size)]
    while len(waiting) > 0:
        start, end = waiting.pop()
        blocks = (end - start + width - 1) // width
        if blocks < 2:
            continue
        unit = 1
        while unit * width < blocks:
            unit *= width
        left = max(1, (blocks // 2 + unit // 2) // unit) * unit
        middle = start + left * width
        _part(X, members, _widest(X, members, start, end), start, end, middle)
        waiting.append((start, middle))
        waiting.append((middle, end))


@compiled
def _widest(X: Table, members: Path, start: int, end: int) -> int:
    """The column that varies most among these members.

    Variance and not range: a column of few ones among zeros is no good place for a cut in the middle.
    """
    columns = X.shape[1]
    sums, squares = np.zeros(columns), np.zeros(columns)
    origin = X[members[start]]
    for place in range(start, end):
        row = members[place]
        for j in range(columns):
            value = X[row, j] - origin[j]
            sums[j] += value
            squares[j] += value * value
    return int(np.argmax(squares - sums * (sums / (end - start))))


@compiled
def _part(X: Table, members: Path, column: int, start: int, end: int, middle: int) -> None:
    """The members before `middle` become those with the least values (then rows), by Hoare's selection."""
    low, high = start, end - 1
    while low < high:
        pivot = members[(low + high) // 2]
        value = X[pivot, column]
        i, j = low, high
        while i <= j:
            while X[members[i], column] < value or (X[members[i], column] == value and members[i] < pivot):
                i += 1
            while X[members[j], column] > value or (X[members[j], column] == value and members[j] > pivot):
                j -= 1
            if i <= j:
                members[i], members[j] = members[j], members[i]
                i, j = i + 1, j - 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            return
