"""MDAV: groups of exactly k, made two at a time at the far ends of the records that are left.

After J. Domingo-Ferrer and V. Torra (2005), Ordinal, continuous and heterogeneous k-anonymity through microaggregation.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ordermade.microaggregation.arrays import Column, Labels, Path, Table, require_k, table
from ordermade.microaggregation.centroid import centroid_of, count_in, sums_of
from ordermade.microaggregation.compiled import compiled
from ordermade.microaggregation.kd_search import farthest, nearest
from ordermade.microaggregation.kd_tree import KEPT, NO_ROW, Tree, refer, take_away, tree_of
from ordermade.microaggregation.report import Report, report_of


def mdav(X: ArrayLike, k: int) -> tuple[Labels, Report]:
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


@compiled
def _labels(X: Table, k: int) -> Labels:
    n, columns = X.shape
    labels = np.full(n, -1, dtype=np.int32)
    distances, rows = np.empty(k - 1), np.empty(k - 1, dtype=np.int32)
    centroid, sums = np.empty(columns), sums_of(X)
    centroid_of(sums, n, centroid)
    tree = tree_of(X, np.arange(n).astype(np.int32), centroid)
    left, group, of_tree, looked_through = n, 0, n, 0
    while left >= 2 * k:
        centroid_of(sums, left, centroid)
        if left < KEPT * of_tree:
            tree = tree_of(X, np.flatnonzero(labels < 0).astype(np.int32), centroid)
            of_tree, looked_through = left, 0
        xr, leaves = farthest(tree, centroid)
        looked_through += leaves - 4
        if looked_through > tree.filled.size:
            refer(tree, centroid)
            looked_through = 0
        _take(tree, X, labels, sums, xr, group, distances, rows)
        if left >= 3 * k:
            # xr's group is gone by now. Had it taken the farthest from xr, all that is left would be as far: the
            # lowest row, which is what is asked for then.
            xs, _ = farthest(tree, X[xr])
            _take(tree, X, labels, sums, xs, group + 1, distances, rows)
            group, left = group + 1, left - k
        group, left = group + 1, left - k
    for row in range(n):
        if labels[row] < 0:
            labels[row] = group
    return labels


@compiled
def _take(
    tree: Tree, X: Table, labels: Labels, sums: Table, chosen: int, group: int, distances: Column, rows: Path
) -> None:
    """Puts a record and its nearest (as many as there is room for) in a group, out of the tree and of the sums."""
    take_away(tree, chosen)
    distances[:] = np.inf
    rows[:] = NO_ROW
    nearest(tree, X[chosen], -1, distances, rows)
    labels[chosen] = group
    count_in(sums, X, chosen, -1.0)
    for row in rows:
        take_away(tree, row)
        labels[row] = group
        count_in(sums, X, row, -1.0)
