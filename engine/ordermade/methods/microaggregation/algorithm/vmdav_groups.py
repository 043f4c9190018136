"""V-MDAV: as MDAV, with groups of k to 2k - 1 that take in records near to them.

After A. Solanas and A. Martínez-Ballesté (2006), V-MDAV: a multivariate microaggregation with variable group size.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordermade.machine.compiled import compiled, inner
from ordermade.methods.microaggregation.algorithm.arrays import (
    NO_ROW,
    Column,
    GroupingFigures,
    Labels,
    Path,
    Table,
    number_from,
    report_of,
    require_k,
    table,
)
from ordermade.methods.microaggregation.algorithm.kd_tree import KdTree, enough, nearest, take_away, tree_of
from ordermade.methods.microaggregation.algorithm.mdav_groups import centroid_of, squared_distances, sums_of

Flags = NDArray[np.bool_]


class Growing(NamedTuple):
    """A group that is being made, of up to 2k - 1 `members`.

    `near` and `near_row` are, for each member, its nearest unassigned record if that is `known`; else it has none that
    comes before this one. `distances` and `rows`: room for the k nearest of a record.
    """

    members: Path
    near: Column
    near_row: Path
    known: Flags
    distances: Column
    rows: Path


def vmdav(X: ArrayLike, k: int, gamma: float = 0.2) -> tuple[Labels, GroupingFigures]:
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
    gamma = number_from(gamma, 0, "gamma", 0.2)
    if k == 1:
        labels, leftovers = np.arange(len(records), dtype=np.int32), 0
    else:
        labels, leftovers = _labels(records, k, gamma)
    return labels, report_of(labels, leftovers=leftovers)


def _labels(X: Table, k: int, gamma: float) -> tuple[Labels, int]:
    n, most = len(X), 2 * k - 1
    centroid, distances = np.empty(X.shape[1]), np.empty(n)
    centroid_of(sums_of(X), n, centroid)
    squared_distances(X, centroid, distances)
    outside_in = np.argsort(-distances, kind="stable").astype(np.int32)
    growing = Growing(
        np.empty(most, dtype=np.int32),
        np.empty(most),
        np.empty(most, dtype=np.int32),
        np.empty(most, dtype=np.bool_),
        np.empty(k),
        np.empty(k, dtype=np.int32),
    )
    labels = np.full(n, -1, dtype=np.int32)
    done = (0, 0, n)
    while done[2] >= k:
        tree = tree_of(X, np.flatnonzero(labels < 0).astype(np.int32), centroid)
        done = make_groups(tree, X, labels, growing, outside_in, done, gamma, enough(done[2], k))
    assigned, left_over = labels >= 0, np.flatnonzero(labels < 0)
    for row in left_over:
        squared_distances(X, X[row], distances)
        labels[row] = labels[np.argmin(np.where(assigned, distances, np.inf))]
    return labels, done[2]


@compiled
def make_groups(
    tree: KdTree,
    X: Table,
    labels: Labels,
    growing: Growing,
    outside_in: Path,
    done: tuple[int, int, int],
    gamma: float,
    fewest: int,
) -> tuple[int, int, int]:
    """Makes groups while there are k records for one, and `fewest` in the tree.

    `done`, and the result: the place in `outside_in`, the number of groups, how many records are unassigned.
    """
    members, near, near_row, known = growing.members, growing.near, growing.near_row, growing.known
    distances, rows = growing.distances, growing.rows
    place, group, left = done
    k = rows.size
    while left >= max(k, fewest):
        e = outside_in[place]
        place += 1
        if labels[e] >= 0:
            continue
        for i in range(k):
            distances[i], rows[i] = np.inf, NO_ROW
        nearest(tree, X[e], int(np.int64(e)), distances, rows)
        # The worst of these k is e's nearest once the others are in its group.
        members[0], near[0], near_row[0], known[0] = e, distances[0], rows[0], True
        for i in range(1, k):
            members[i], near[i], near_row[i], known[i] = rows[i], 0.0, -1, False
        size, taken = k, 0
        while True:
            take_away(tree, members[taken:size])
            taken = size
            if size == min(2 * k - 1, left):
                break
            m = _nearest_member(tree, X, growing, size)
            x = near_row[m]
            distances[0], rows[0] = np.inf, NO_ROW
            nearest(tree, X[x], int(np.int64(x)), distances[:1], rows[:1])
            if not math.sqrt(near[m]) < gamma * math.sqrt(distances[0]):
                break
            for i in range(size):
                known[i] = known[i] and near_row[i] != x
            members[size], near[size], near_row[size], known[size] = x, distances[0], rows[0], True
            size += 1
        for i in range(size):
            labels[members[i]] = group
        left -= size
        group += 1
    return place, group, left


@inner
def _nearest_member(tree: KdTree, X: Table, growing: Growing, size: int) -> int:
    """The member with the unassigned record that is nearest to any, which is known for it then.

    `near` and `near_row` are, for each member, its nearest unassigned record if that is `known`; else it has none that
    comes before this one. So most members are only tested for one nearer than the best.
    """
    members, near, near_row, known = growing.members, growing.near, growing.near_row, growing.known
    distances, rows = growing.distances[:1], growing.rows[:1]
    while True:
        best, best_known = 0, -1
        for m in range(size):
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
        nearest(tree, X[members[best]], -1, distances, rows)
        near[best], near_row[best] = distances[0], rows[0]
        known[best] = distances[0] != before or rows[0] != row_before
