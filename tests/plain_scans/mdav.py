"""MDAV and V-MDAV as the readings word them: every question is answered by a scan of all the unassigned records.

Rows are scanned from the lowest up and only a strictly better one replaces the best, so every tie goes to the lowest.
"""

from __future__ import annotations

import math

import numba
import numpy as np

from ordermade.methods.microaggregation.algorithm.arrays import Column, Labels, Path, Table
from ordermade.methods.microaggregation.algorithm.mdav_groups import (
    centroid_of,
    count_all_in,
    count_in,
    squared_distance_of_rows,
)

compiled = numba.njit(cache=True, nogil=True, error_model="numpy")


@compiled
def plain_mdav(X: Table, k: int, afresh: bool) -> Labels:
    """The group of each record. The mean of the unassigned is a running one, or added up `afresh` at every step."""
    n = X.shape[0]
    if k == 1:
        return np.arange(n).astype(np.int32)
    labels = np.full(n, -1, dtype=np.int32)
    unassigned = np.arange(n).astype(np.int32)
    centroid, distances = np.empty(X.shape[1]), np.empty(n)
    sums = np.zeros((2, X.shape[1]))
    count_all_in(sums, X)
    group = 0
    while unassigned.size >= 2 * k:
        if afresh:
            sums[:] = 0.0
            count_all_in(sums, X[unassigned])
        centroid_of(sums, unassigned.size, centroid)
        _scan(X, unassigned, centroid, distances)
        xr = unassigned[np.argmax(distances[: unassigned.size])]
        two = unassigned.size >= 3 * k
        _scan(X, unassigned, X[xr], distances)
        xs = unassigned[np.argmax(distances[: unassigned.size])]
        unassigned = _group(X, labels, sums, unassigned, distances, xr, k, group)
        group += 1
        if two:
            xs = unassigned[0] if labels[xs] >= 0 else xs
            _scan(X, unassigned, X[xs], distances)
            unassigned = _group(X, labels, sums, unassigned, distances, xs, k, group)
            group += 1
    labels[unassigned] = group
    return labels


@compiled
def plain_vmdav(X: Table, k: int, gamma: float) -> Labels:
    """The group of each record."""
    n = X.shape[0]
    if k == 1:
        return np.arange(n).astype(np.int32)
    labels = np.full(n, -1, dtype=np.int32)
    unassigned = np.arange(n).astype(np.int32)
    centroid = np.empty(X.shape[1])
    sums = np.zeros((2, X.shape[1]))
    count_all_in(sums, X)
    centroid_of(sums, n, centroid)
    to_group, distances = np.empty(n), np.empty(n)
    group = 0
    while unassigned.size >= k:
        _scan(X, unassigned, centroid, distances)
        e = unassigned[np.argmax(distances[: unassigned.size])]
        _scan(X, unassigned, X[e], distances)
        unassigned = _group(X, labels, sums, unassigned, distances, e, k, group)
        to_group[:] = np.inf
        for member in np.flatnonzero(labels == group):
            _come_nearer(X, unassigned, to_group, member)
        size = k
        while size < 2 * k - 1 and unassigned.size > 0:
            x = unassigned[np.argmin(to_group[unassigned])]
            others = unassigned[unassigned != x]
            d_out = math.inf
            for row in others:
                d_out = min(d_out, math.sqrt(squared_distance_of_rows(X, x, row)))
            if not math.sqrt(to_group[x]) < gamma * d_out:
                break
            labels[x] = group
            size += 1
            unassigned = others
            _come_nearer(X, unassigned, to_group, x)
        group += 1
    before = np.flatnonzero(labels >= 0)
    for row in unassigned:
        nearest, least = -1, math.inf
        for other in before:
            distance = squared_distance_of_rows(X, row, other)
            if distance < least:
                nearest, least = other, distance
        labels[row] = labels[nearest]
    return labels


@compiled
def _scan(X: Table, unassigned: Path, point: Column, distances: Column) -> None:
    """Writes the squared distances of the unassigned records to a point."""
    columns = point.size
    for place in range(unassigned.size):
        row, total = unassigned[place], 0.0
        for j in range(columns):
            apart = X[row, j] - point[j]
            total += apart * apart
        distances[place] = total


@compiled
def _group(
    X: Table, labels: Labels, sums: Table, unassigned: Path, distances: Column, chosen: int, k: int, group: int
) -> Path:
    """Puts a record and its k - 1 nearest, by these distances, in a group; the rows still unassigned, ascending."""
    nearest = np.full(k - 1, -1, dtype=np.int32)
    least = np.full(k - 1, math.inf)
    worst = math.inf
    for place in range(unassigned.size):
        if distances[place] < worst and unassigned[place] != chosen:
            distance, row, i = distances[place], unassigned[place], k - 2
            while i > 0 and distance < least[i - 1]:
                least[i], nearest[i] = least[i - 1], nearest[i - 1]
                i -= 1
            least[i], nearest[i] = distance, row
            worst = least[-1]
    labels[chosen] = group
    labels[nearest] = group
    count_in(sums, X, chosen, -1.0)
    for row in nearest:
        count_in(sums, X, row, -1.0)
    left = 0
    for row in unassigned:
        if labels[row] < 0:
            unassigned[left] = row
            left += 1
    return unassigned[:left]


@compiled
def _come_nearer(X: Table, unassigned: Path, to_group: Column, member: int) -> None:
    """The squared distances to a group that has a new member."""
    for row in unassigned:
        to_group[row] = min(to_group[row], squared_distance_of_rows(X, row, member))
