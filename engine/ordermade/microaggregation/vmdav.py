"""V-MDAV: as MDAV, with groups of k to 2k - 1 that take in records near to them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from ordermade.errors import InputError
from ordermade.microaggregation.arrays import Column, Labels, Table, require_k, table
from ordermade.microaggregation.centroid import centroid_of, sums_of
from ordermade.microaggregation.compiled import compiled
from ordermade.microaggregation.distances import squared_distance, squared_distance_of_rows
from ordermade.microaggregation.report import Report, report_of


def vmdav(X: ArrayLike, k: int, gamma: float = 0.2) -> tuple[Labels, Report]:
    """Groups of k records or more by V-MDAV, numbered in the order they are made.

    `figures`: `leftovers`, the records left at the end that joined the group of their nearest record.

    Raises InputError as `table` and `require_k`, and for a gamma that is negative or no number.
    """
    records = table(X)
    k = require_k(k, len(records))
    if not (math.isfinite(gamma) and gamma >= 0):
        raise InputError("gamma is no number of at least 0", next_step="Write a gamma such as 0.2.")
    if k == 1:
        labels, leftovers = np.arange(len(records), dtype=np.int32), 0
    else:
        labels, leftovers = _labels(records, k, float(gamma))
    return labels, report_of(labels, leftovers=leftovers)


@compiled
def _labels(X: Table, k: int, gamma: float) -> tuple[Labels, int]:
    n = X.shape[0]
    labels = np.full(n, -1, dtype=np.int32)
    centroid = np.empty(X.shape[1])
    centroid_of(sums_of(X), n, centroid)
    to_group, to_centroid = np.empty(n), np.empty(n)
    for row in range(n):
        to_centroid[row] = squared_distance(X, row, centroid)
    left, group = n, 0
    while left >= k:
        chosen = np.argmax(np.where(labels < 0, to_centroid, -1.0))
        labels[chosen] = group
        to_group[:] = np.inf
        _come_nearer(X, labels, to_group, chosen)
        members = np.argsort(to_group, kind="mergesort")[: k - 1]
        labels[members] = group
        for row in members:
            _come_nearer(X, labels, to_group, row)
        left -= k
        for _ in range(min(k - 1, left)):
            nearest = np.argmin(np.where(labels < 0, to_group, np.inf))
            if not math.sqrt(to_group[nearest]) < gamma * math.sqrt(_to_others(X, labels, nearest)):
                break
            labels[nearest] = group
            _come_nearer(X, labels, to_group, nearest)
            left -= 1
        group += 1
    assigned = labels.copy()
    for row in range(n):
        if assigned[row] < 0:
            best = np.inf
            for other in range(n):
                if assigned[other] >= 0:
                    distance = squared_distance_of_rows(X, row, other)
                    if distance < best:
                        best, labels[row] = distance, assigned[other]
    return labels, left


@compiled
def _come_nearer(X: Table, labels: Labels, to_group: Column, member: int) -> None:
    """The distances to a group that has a new member."""
    for row in range(X.shape[0]):
        if labels[row] < 0:
            to_group[row] = min(to_group[row], squared_distance_of_rows(X, row, member))


@compiled
def _to_others(X: Table, labels: Labels, row: int) -> float:
    """The squared distance of a record to the nearest other that is unassigned."""
    best = np.inf
    for other in range(X.shape[0]):
        if labels[other] < 0 and other != row:
            best = min(best, squared_distance_of_rows(X, row, other))
    return best
