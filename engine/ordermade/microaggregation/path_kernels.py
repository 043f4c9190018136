"""Paths from record to nearest record, compiled: over all records, or region by region."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ordermade.microaggregation.arrays import Column, Path, Table
from ordermade.microaggregation.compiled import compiled
from ordermade.microaggregation.distances import squared_distance, squared_distance_of_rows

Rows = NDArray[np.int32]
"""Row numbers, ascending."""
Codes = NDArray[np.int64]
"""Of each region the bits of its records: anchor a weighs 2^a."""


@compiled
def farthest(X: Table, point: Column) -> int:
    """The row farthest from a point."""
    found, most = 0, -1.0
    for row in range(X.shape[0]):
        apart = squared_distance(X, row, point)
        if apart > most:
            found, most = row, apart
    return found


@compiled
def squared_distances_from(X: Table, row: int) -> Column:
    """Of every record to one of them."""
    apart = np.empty(X.shape[0])
    for other in range(X.shape[0]):
        apart[other] = squared_distance_of_rows(X, other, row)
    return apart


@compiled
def walk(X: Table, members: Rows, path: Path, at: int) -> None:
    """Puts rows in a path from place `at` on, each the nearest, of those left, to the one before it.

    `members` is used up: it holds the rows left, in ascending order, so that the lowest of equally near ones is found
    first.
    """
    left = members.size
    for place in range(at, at + members.size):
        nearest, least = 0, np.inf
        for i in range(left):
            apart = squared_distance_of_rows(X, members[i], path[place - 1])
            if apart < least:
                nearest, least = i, apart
        path[place] = members[nearest]
        left -= 1
        for i in range(nearest, left):
            members[i] = members[i + 1]


@compiled
def region_after(X: Table, end: int, code: int, codes: Codes, means: Table, is_left: NDArray[np.bool_]) -> int:
    """Of the regions left the one whose bits differ least, then whose mean is nearest, then of the lowest code.

    `codes` ascend.
    """
    found, fewest, least = -1, 64, np.inf
    for region in range(codes.size):
        if not is_left[region]:
            continue
        bits, differing = codes[region] ^ code, 0
        while bits:
            bits &= bits - 1
            differing += 1
        if differing > fewest:
            continue
        apart = squared_distance(means, region, X[end])
        if differing < fewest or apart < least:
            found, fewest, least = region, differing, apart
    return found


@compiled
def walk_regions(X: Table, start: int, rows: Rows, bounds: Codes, codes: Codes, means: Table, path: Path) -> None:
    """Fills a path: from `start` through its region, then through that of the most similar bits, and so on.

    `rows`: those of region r, ascending, from `bounds[r]` to `bounds[r + 1]`; used up.
    """
    is_left = np.ones(codes.size, dtype=np.bool_)
    region = 0
    while not np.any(rows[bounds[region] : bounds[region + 1]] == start):
        region += 1
    path[0] = start
    members = rows[bounds[region] : bounds[region + 1]]
    at = 1
    walk(X, members[members != start], path, at)
    at = members.size
    is_left[region] = False
    for _ in range(codes.size - 1):
        region = region_after(X, path[at - 1], codes[region], codes, means, is_left)
        is_left[region] = False
        members = rows[bounds[region] : bounds[region + 1]]
        walk(X, members.copy(), path, at)
        at += members.size


@compiled
def length_of(X: Table, path: Path) -> float:
    """The sum of the distances from each record of a path to the next."""
    total = 0.0
    for place in range(1, path.size):
        total += np.sqrt(squared_distance_of_rows(X, path[place - 1], path[place]))
    return total
