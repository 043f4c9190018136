"""The mean of records that are taken away one by one, the same to the last bit as one computed afresh (nearly always).

A running sum loses digits: the last remainder carries the rounding of all that was there at the start. Each column
therefore has two sums, of the values and of the rounding errors of their additions (Knuth's two-sum). Whole numbers
give the mean exactly rounded, so that ties between records are ties.
"""

from __future__ import annotations

import numpy as np

from ordermade.compiled import compiled, inner
from ordermade.microaggregation.arrays import Column, Table


def sums_of(X: Table) -> Table:
    """The sums of all the records: a row of sums, and a row of their rounding errors."""
    sums = np.zeros((2, X.shape[1]))
    count_all_in(sums, X)
    return sums


@compiled
def count_all_in(sums: Table, X: Table) -> None:
    """Adds all records to the sums."""
    for row in range(X.shape[0]):
        count_in(sums, X, row, 1.0)


@inner
def count_in(sums: Table, X: Table, row: int, sign: float) -> None:
    """Adds a record to the sums (sign 1), or takes it away (-1)."""
    for j in range(X.shape[1]):
        value = sign * X[row, j]
        before = sums[0, j]
        after = before + value
        part = after - before
        sums[0, j] = after
        sums[1, j] += (before - (after - part)) + (value - part)


@compiled
def centroid_of(sums: Table, records: int, centroid: Column) -> None:
    """Writes the mean of so many records, whose sums these are."""
    for j in range(centroid.size):
        centroid[j] = (sums[0, j] + sums[1, j]) / records
