"""MDAV: groups of exactly k, made two at a time at the far ends of the records that are left."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ordermade.microaggregation.arrays import Column, Labels, Table, require_k, table
from ordermade.microaggregation.centroid import centroid_of, count_in, sums_of
from ordermade.microaggregation.compiled import compiled
from ordermade.microaggregation.distances import squared_distance
from ordermade.microaggregation.report import Report, report_of


def mdav(X: ArrayLike, k: int) -> tuple[Labels, Report]:
    """Groups of k records by MDAV (maximum distance to average vector), numbered in the order they are made.

    Raises InputError as `table` and `require_k`.
    """
    records = table(X)
    k = require_k(k, len(records))
    labels = np.arange(len(records), dtype=np.int32) if k == 1 else _labels(records, k)
    return labels, report_of(labels)


@compiled
def _labels(X: Table, k: int) -> Labels:
    n = X.shape[0]
    labels = np.full(n, -1, dtype=np.int32)
    centroid = np.empty(X.shape[1])
    distances = np.empty(n)
    sums = sums_of(X)
    left, group = n, 0
    while left >= 2 * k:
        centroid_of(sums, left, centroid)
        xr = _farthest(X, labels, centroid)
        _take(X, labels, sums, distances, xr, k, group)
        group, left = group + 1, left - k
        if left >= 2 * k:
            xs = _farthest(X, labels, X[xr])
            _take(X, labels, sums, distances, xs, k, group)
            group, left = group + 1, left - k
    for row in range(n):
        if labels[row] < 0:
            labels[row] = group
    return labels


@compiled
def _farthest(X: Table, labels: Labels, point: Column) -> int:
    best, best_row = -1.0, -1
    for row in range(X.shape[0]):
        if labels[row] < 0:
            distance = squared_distance(X, row, point)
            if distance > best:
                best, best_row = distance, row
    return best_row


@compiled
def _take(X: Table, labels: Labels, sums: Table, distances: Column, chosen: int, k: int, group: int) -> None:
    """Puts a record and its k - 1 nearest unassigned ones in a group."""
    labels[chosen] = group
    count_in(sums, X, chosen, -1.0)
    for row in range(X.shape[0]):
        distances[row] = squared_distance(X, row, X[chosen]) if labels[row] < 0 else np.inf
    for row in np.argsort(distances, kind="mergesort")[: k - 1]:
        labels[row] = group
        count_in(sums, X, row, -1.0)
