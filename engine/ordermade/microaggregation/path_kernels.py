"""Paths from record to nearest record, compiled: over all records, or region by region."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ordermade.microaggregation.arrays import Column, Path, Table
from ordermade.microaggregation.compiled import compiled
from ordermade.microaggregation.distances import squared_distance, squared_distance_of_rows
from ordermade.microaggregation.nearest_blocks import Rows, blocks_of, nearest, take_out

Codes = NDArray[np.int64]
"""Of each region the bits of its records: anchor a weighs 2^a."""
GONE = -1
"""In place of the lane of a row that a path has."""
FEW = 64
"""So few records stay in the blocks that they are in."""


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
def walk(X: Table, members: Rows, path: Path, at: int, block_of: Rows, lane_of: Rows) -> None:
    """Puts rows in a path from place `at` on, each the nearest, of those left, to the one before it.

    `members` ascend; `block_of` and `lane_of` are room for one number a row of X. When half of the records are left,
    they are put in blocks anew: those that a path leaves behind are others' neighbours than they were.
    """
    while members.size > 0:
        blocks = blocks_of(X, members, block_of, lane_of)
        steps = members.size if members.size <= FEW else members.size // 2
        for place in range(at, at + steps):
            path[place] = nearest(blocks, X[path[place - 1]])
            take_out(blocks, path[place])
            lane_of[path[place]] = GONE
        at += steps
        members = members[lane_of[members] != GONE]


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
def walk_regions(
    X: Table, start: int, first: int, rows: Rows, bounds: Codes, codes: Codes, means: Table, path: Path
) -> None:
    """Fills a path: from `start` through its region, the `first`, then through that of the most similar bits.

    `rows`: those of region r, ascending, from `bounds[r]` to `bounds[r + 1]`.
    """
    block_of = np.empty(X.shape[0], dtype=np.int32)
    lane_of = np.empty(X.shape[0], dtype=np.int32)
    is_left = np.ones(codes.size, dtype=np.bool_)
    path[0] = start
    at, region = 1, first
    for place in range(codes.size):
        if place > 0:
            region = region_after(X, path[at - 1], codes[region], codes, means, is_left)
        is_left[region] = False
        members = rows[bounds[region] : bounds[region + 1]]
        members = members[members != start]
        walk(X, members, path, at, block_of, lane_of)
        at += members.size


@compiled
def length_of(X: Table, path: Path) -> float:
    """The sum of the distances from each record of a path to the next."""
    total = 0.0
    for place in range(1, path.size):
        total += np.sqrt(squared_distance_of_rows(X, path[place - 1], path[place]))
    return total
