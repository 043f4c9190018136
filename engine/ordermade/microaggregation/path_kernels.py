"""Paths from record to nearest record, compiled: over all records, or region by region."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ordermade.compiled import compiled, inner
from ordermade.microaggregation.arrays import NO_ROW, Column, Path, Table
from ordermade.microaggregation.distances import squared_distance, squared_distance_of_rows
from ordermade.microaggregation.nearest_blocks import LANES, ROUNDING, TINY, Blocks, Rows, least_of, multiply

Codes = NDArray[np.int64]
"""The bits of the records of each region: anchor a weighs 2^a."""
GONE = -1
"""The mark in `lane_of` of a row that a path has."""
COLUMNS = 4
"""The number of columns to measure before the sum is compared with the limit again."""


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
def walk_few(X: Table, members: Rows, stretch: Path) -> None:
    """Fills a stretch of a path, whose first row is there, with rows each the nearest of those left to the one before.

    `members` ascend, and are used up. Each step looks at all that are left.
    """
    left = members.size
    for place in range(1, stretch.size):
        found, least = 0, np.inf
        for i in range(left):
            apart = squared_distance_of_rows(X, members[i], stretch[place - 1])
            if apart < least:
                found, least = i, apart
        stretch[place] = members[found]
        left -= 1
        for i in range(found, left):
            members[i] = members[i + 1]


@compiled
def walk(X: Table, blocks: Blocks, stretch: Path) -> None:
    """`walk_few` for records in blocks; their `lane_of` is then GONE."""
    for place in range(1, stretch.size):
        row = nearest(blocks, X[stretch[place - 1]])
        take_out(blocks, row)
        blocks.lane_of[row] = GONE
        stretch[place] = row


@compiled
def region_after(X: Table, end: int, code: int, codes: Codes, means: Table, is_left: NDArray[np.bool_]) -> int:
    """Choose the region left whose bits differ least, then whose mean is nearest, then of the lowest code.

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
def length_of(X: Table, path: Path) -> float:
    """The sum of the distances from each record of a path to the next."""
    total = 0.0
    for place in range(1, path.size):
        total += np.sqrt(squared_distance_of_rows(X, path[place - 1], path[place]))
    return total


@inner
def take_out(blocks: Blocks, row: int) -> None:
    """Leaves a row out from now on: the last record of its block comes into its place."""
    block, lane = blocks.block_of[row], blocks.lane_of[row]
    blocks.left[block] -= 1
    last = blocks.left[block]
    to, of = blocks.first[block] + lane // LANES, blocks.first[block] + last // LANES
    moved = blocks.rows[of, last % LANES]
    blocks.rows[to, lane % LANES] = moved
    blocks.lane_of[moved] = lane
    blocks.rows[of, last % LANES] = NO_ROW
    for j in range(blocks.cells.shape[1]):
        blocks.cells[to, j, lane % LANES] = blocks.cells[of, j, last % LANES]
        blocks.cells[of, j, last % LANES] = np.inf


@inner
def nearest(blocks: Blocks, point: Column) -> int:
    """The row left that is nearest to a point; of equally near ones the lowest."""
    means, d = blocks.means, point.size
    product, nearer, centred, sums = blocks.product, blocks.nearer, blocks.centred, blocks.sums
    for j in range(d):
        centred[j] = point[j] - means.centre[j]
    square = multiply(means.columns, centred, product)
    for block in range(product.size):
        nearer[block] = means.squares[block] - 2.0 * product[block]
    home = least_of(nearer)
    slack = means.slack + ROUNDING * (d + 4) * square
    less = 1.0 - ROUNDING * (d + 4)
    found, best, reached = NO_ROW, np.inf, np.inf
    for block in means.order[home]:
        if blocks.left[block] == 0:
            continue
        if best < np.inf:
            plane = means.beyond[home, block] - (product[block] - product[home]) - slack
            if plane * less > reached * means.length[home, block]:
                continue
            ball = square - 2.0 * product[block] + means.squares[block] - slack
            if ball > 0.0 and np.sqrt(ball) * less - means.reach[block] > reached:
                continue
        begin = blocks.first[block]
        for chunk in range(begin, begin + (blocks.left[block] + LANES - 1) // LANES):
            if may_be_within(blocks.cells, chunk, point, best, sums):
                for lane in range(LANES):
                    row = blocks.rows[chunk, lane]
                    if sums[lane] < best or (sums[lane] == best and row < found):
                        found, best = row, sums[lane]
        reached = np.sqrt(best) / less + TINY
    return found


@inner
def may_be_within(cells: NDArray[np.float64], chunk: int, point: Column, most: float, sums: Column) -> bool:
    """Whether a record of a chunk may be within `most`; if so, `sums` are the squared distances of all."""
    sums[:] = 0.0
    whole = point.size - point.size % COLUMNS
    for j in range(0, whole, COLUMNS):
        near = 0
        for lane in range(LANES):
            one = cells[chunk, j, lane] - point[j]
            two = cells[chunk, j + 1, lane] - point[j + 1]
            three = cells[chunk, j + 2, lane] - point[j + 2]
            four = cells[chunk, j + 3, lane] - point[j + 3]
            total = sums[lane] + one * one
            total += two * two
            total += three * three
            total += four * four
            sums[lane] = total
            near |= total <= most
        if not near:
            return False
    for j in range(whole, point.size):
        for lane in range(LANES):
            apart = cells[chunk, j, lane] - point[j]
            sums[lane] += apart * apart
    return True
