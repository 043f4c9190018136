"""V-MDAV: as MDAV, with groups of k to 2k - 1 that take in records near to them.

After A. Solanas and A. Martínez-Ballesté (2006), V-MDAV: a multivariate microaggregation with variable group size.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordermade.errors import InputError
from ordermade.microaggregation.arrays import Column, Labels, Path, Table, require_k, table
from ordermade.microaggregation.centroid import centroid_of, sums_of
from ordermade.microaggregation.compiled import compiled
from ordermade.microaggregation.distances import squared_distance
from ordermade.microaggregation.kd_search import nearest
from ordermade.microaggregation.kd_tree import KEPT, NO_ROW, Tree, take_away, tree_of
from ordermade.microaggregation.report import Report, report_of

Flags = NDArray[np.bool_]


def vmdav(X: ArrayLike, k: int, gamma: float = 0.2) -> tuple[Labels, Report]:
    """Groups of k records or more by V-MDAV, numbered in the order they are made.

    While k records or more are unassigned, the one farthest from the mean of all makes a group with its k - 1 nearest.
    Up to 2k - 1 records, the group takes in the unassigned record nearest to any of its own while that is nearer than
    gamma times its distance to the nearest other unassigned one. Each of the fewer than k left over joins the group of
    its nearest record assigned before. Ties go to the lowest row. k = 1: every record alone, numbered by row.

    `figures`: `leftovers`, how many were left over. The labels are those of scans of all records, found with a tree.

    Raises InputError as `table` and `require_k`, and for a gamma that is negative or no number.
    """
    records = table(X)
    k = require_k(k, len(records))
    if isinstance(gamma, bool) or not (math.isfinite(gamma) and gamma >= 0):
        raise InputError("gamma is no number of at least 0", next_step="Write a gamma such as 0.2.")
    if k == 1:
        labels, leftovers = np.arange(len(records), dtype=np.int32), 0
    else:
        centroid, distances = _from_centroid(records)
        outside_in = np.argsort(-distances, kind="stable").astype(np.int32)
        labels, leftovers = _labels(records, k, float(gamma), centroid, outside_in)
    return labels, report_of(labels, leftovers=leftovers)


@compiled
def _from_centroid(X: Table) -> tuple[Column, Column]:
    """The mean of all records, and their squared distances from it."""
    centroid, distances = np.empty(X.shape[1]), np.empty(X.shape[0])
    centroid_of(sums_of(X), X.shape[0], centroid)
    for row in range(X.shape[0]):
        distances[row] = squared_distance(X, row, centroid)
    return centroid, distances


@compiled
def _labels(X: Table, k: int, gamma: float, centroid: Column, outside_in: Path) -> tuple[Labels, int]:
    n = X.shape[0]
    labels = np.full(n, -1, dtype=np.int32)
    members, near_row = np.empty(2 * k - 1, dtype=np.int32), np.empty(2 * k - 1, dtype=np.int32)
    near = np.empty(2 * k - 1)
    known = np.empty(2 * k - 1, dtype=np.bool_)
    distances, rows = np.empty(k), np.empty(k, dtype=np.int32)
    tree = tree_of(X, np.arange(n).astype(np.int32), centroid)
    of_tree, left, group = n, n, 0
    for e in outside_in:
        if left < k:
            break
        if labels[e] >= 0:
            continue
        if left < KEPT * of_tree:
            tree = tree_of(X, np.flatnonzero(labels < 0).astype(np.int32), centroid)
            of_tree = left
        take_away(tree, e)
        distances[:], rows[:] = np.inf, NO_ROW
        nearest(tree, X[e], -1, distances, rows)
        # The worst of these k is e's nearest once the others are in its group.
        members[0], members[1:k] = e, rows[1:]
        near[:], near_row[:], known[:] = 0.0, -1, False
        near[0], near_row[0], known[0] = distances[0], rows[0], True
        for row in rows[1:]:
            take_away(tree, row)
        size = k
        while size < min(2 * k - 1, left):
            m = _nearest_member(tree, X, members[:size], near, near_row, known, distances, rows)
            x = near_row[m]
            distances[0], rows[0] = np.inf, NO_ROW
            nearest(tree, X[x], x, distances[:1], rows[:1])
            if not math.sqrt(near[m]) < gamma * math.sqrt(distances[0]):
                break
            take_away(tree, x)
            known[near_row == x] = False
            members[size], near[size], near_row[size], known[size] = x, distances[0], rows[0], True
            size += 1
        labels[members[:size]] = group
        left -= size
        group += 1
    if left > 0:
        _join(X, labels, centroid)
    return labels, left


@compiled
def _nearest_member(
    tree: Tree,
    X: Table,
    members: Path,
    near: Column,
    near_row: Path,
    known: Flags,
    distances: Column,
    rows: Path,
) -> int:
    """The member with the unassigned record that is nearest to any, which is known for it then.

    `near` and `near_row` are, for each member, its nearest unassigned record if that is `known`; else it has none that
    comes before this one. So most members are only asked whether they have one nearer than the best.
    """
    while True:
        best, best_known = 0, -1
        for m in range(members.size):
            if near[m] < near[best] or (
                near[m] == near[best]
                and (near_row[m] < near_row[best] or (near_row[m] == near_row[best] and known[m] and not known[best]))
            ):
                best = m
            if known[m] and (
                best_known < 0
                or near[m] < near[best_known]
                or (near[m] == near[best_known] and near_row[m] < near_row[best_known])
            ):
                best_known = m
        if known[best]:
            return best
        distances[0], rows[0] = np.inf, NO_ROW
        if best_known >= 0:
            distances[0], rows[0] = near[best_known], near_row[best_known]
        before, row_before = distances[0], rows[0]
        nearest(tree, X[members[best]], -1, distances[:1], rows[:1])
        near[best], near_row[best] = distances[0], rows[0]
        known[best] = distances[0] != before or rows[0] != row_before


@compiled
def _join(X: Table, labels: Labels, centroid: Column) -> None:
    """Puts the records left over in the group of their nearest that was assigned before."""
    left_over = np.flatnonzero(labels < 0)
    distances, rows = np.empty(1), np.empty(1, dtype=np.int32)
    tree = tree_of(X, np.flatnonzero(labels >= 0).astype(np.int32), centroid)
    for row in left_over:
        distances[0], rows[0] = np.inf, NO_ROW
        nearest(tree, X[row], -1, distances, rows)
        labels[row] = labels[rows[0]]
