"""Records in the order of a kd-tree's leaves: halves of halves along the column that varies most."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ordermade.compiled import compiled, inner
from ordermade.microaggregation.arrays import Column, Path, Table

Numbers = NDArray[np.int64]

DEEPEST = 128
"""Fewer parts wait at once: some five cuts leave parts that are powers of the width, and 2^31 is at most 16^8."""


def tree_order(X: Table, members: Path, width: int) -> None:
    """Puts members in such an order that each `width` of them lie near each other, and each `width` of such blocks, ….

    Equal values are parted by row, so that equal records end in blocks of consecutive rows.
    """
    _put_in_order(X, members, width, np.zeros((DEEPEST, 2), dtype=np.int64), np.empty((2, X.shape[1])))


@compiled
def _put_in_order(X: Table, members: Path, width: int, waiting: Numbers, sums: Table) -> None:
    waiting[0, 0], waiting[0, 1], top = 0, members.size, 1
    while top > 0:
        top -= 1
        start, end = waiting[top, 0], waiting[top, 1]
        blocks = (end - start + width - 1) // width
        if blocks < 2:
            continue
        unit = 1
        while unit * width < blocks:
            unit *= width
        left = max(1, (blocks // 2 + unit // 2) // unit) * unit
        middle = start + left * width
        _part(X, members, _widest(X, members, start, end, sums[0], sums[1]), start, end, middle)
        waiting[top, 0], waiting[top, 1] = start, middle
        waiting[top + 1, 0], waiting[top + 1, 1] = middle, end
        top += 2


@inner
def _widest(X: Table, members: Path, start: int, end: int, sums: Column, squares: Column) -> int:
    """The column that varies most among these members.

    Variance and not range: a column of few ones among zeros is no good place for a cut in the middle.
    """
    columns = X.shape[1]
    for j in range(columns):
        sums[j], squares[j] = 0.0, 0.0
    first = members[start]
    for place in range(start, end):
        row = members[place]
        for j in range(columns):
            value = X[row, j] - X[first, j]
            sums[j] += value
            squares[j] += value * value
    widest, most = 0, -1.0
    for j in range(columns):
        varies = squares[j] - sums[j] * (sums[j] / (end - start))
        if varies > most:
            widest, most = j, varies
    return widest


@inner
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
