"""MDAV: groups of exactly k, two at a time, at the far ends of the remaining records.

A running sum loses digits: the last remainder carries the rounding of all that was there at the start. Each column
therefore has two sums, of the values and of the rounding errors of their additions (Knuth's two-sum). Whole numbers
give the mean exactly rounded, so that ties between records are ties.

After J. Domingo-Ferrer and V. Torra (2005), Ordinal, continuous and heterogeneous k-anonymity through microaggregation.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ordermade.machine.compiled import compiled, inner
from ordermade.methods.microaggregation.algorithm.arrays import (
    NO_ROW,
    Column,
    GroupingFigures,
    Labels,
    Path,
    Table,
    report_of,
    require_k,
    table,
)
from ordermade.methods.microaggregation.algorithm.kd_tree import (
    KdTree,
    enough,
    farthest,
    nearest,
    refer,
    take_away,
    tree_of,
)


@inner
def squared_distance(X: Table, row: int, point: Column) -> float:
    """Between a record and a point."""
    total = 0.0
    for j in range(X.shape[1]):
        apart = X[row, j] - point[j]
        total += apart * apart
    return total


@inner
def squared_distance_of_rows(X: Table, one: int, other: int) -> float:
    """Between two records."""
    total = 0.0
    for j in range(X.shape[1]):
        apart = X[one, j] - X[other, j]
        total += apart * apart
    return total


@compiled
def squared_distances(X: Table, point: Column, apart: Column) -> None:
    """Writes the distance of every record from a point."""
    for row in range(X.shape[0]):
        apart[row] = squared_distance(X, row, point)


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


def mdav(X: ArrayLike, k: int) -> tuple[Labels, GroupingFigures]:
    """Groups of k records by MDAV (maximum distance to average vector), numbered in the order they are made.

    While 3k records or more are unassigned: xr is the farthest from their mean, xs the farthest from xr; each makes a
    group with its k - 1 nearest unassigned. Of 2k to 3k - 1 left, a last xr makes one more; the rest (k to 2k - 1) are
    the last group. Ties go to the lowest row. k = 1: every record alone, numbered by row.

    The mean of the unassigned is a running one (`centroid`), with the digits of one added up afresh. The labels are
    those of a scan of all unassigned records at every step, found with a tree.

    Raises InputError as `table` and `require_k`.
    """
    records = table(X)
    k = require_k(k, len(records))
    labels = np.arange(len(records), dtype=np.int32) if k == 1 else _labels(records, k)
    return labels, report_of(labels)


def _labels(X: Table, k: int) -> Labels:
    n, columns = X.shape
    labels = np.full(n, -1, dtype=np.int32)
    centroid, sums = np.empty(columns), sums_of(X)
    centroid_of(sums, n, centroid)
    members, distances = np.empty(k, dtype=np.int32), np.empty(k - 1)
    left, group, fewest = n, 0, n + 1
    while left >= 2 * k:
        if left < fewest:
            tree, fewest = tree_of(X, np.flatnonzero(labels < 0).astype(np.int32), centroid), enough(left, k)
        else:
            refer(tree, centroid)
        group = make_groups(tree, X, labels, sums, centroid, members, distances, group, fewest)
        left = n - group * k
    labels[labels < 0] = group
    return labels


@compiled
def make_groups(
    tree: KdTree,
    X: Table,
    labels: Labels,
    sums: Table,
    centroid: Column,
    members: Path,
    distances: Column,
    group: int,
    fewest: int,
) -> int:
    """Makes groups until the tree is to be made anew (fewer than `fewest` are left) or to be referred to the centroid.

    So it is when farthest records have been sought in as many leaves as there are. Returns the number of groups.
    """
    k = members.size
    left, looked_through = X.shape[0] - group * k, 0
    while left >= max(2 * k, fewest) and looked_through <= tree.filled.size:
        centroid_of(sums, left, centroid)
        point = centroid
        # xr's group is gone when xs is sought. Had it taken the farthest from xr, all records left would be as far, and
        # the lowest row is the answer by the rule of ties.
        for turn in range(2 if left >= 3 * k else 1):
            chosen, leaves = farthest(tree, point)
            looked_through += leaves - 4 if turn == 0 else 0
            members[0] = chosen
            for i in range(1, k):
                members[i], distances[i - 1] = NO_ROW, np.inf
            nearest(tree, X[chosen], chosen, distances, members[1:])
            take_away(tree, members)
            for row in members:
                labels[row] = group
                count_in(sums, X, row, -1.0)
            point = X[chosen]
            group, left = group + 1, left - k
    return group
