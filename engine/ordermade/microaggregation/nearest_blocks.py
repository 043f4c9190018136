"""Records in blocks of near ones, to find the nearest of those left without a look at most of them.

Two lower bounds let whole blocks be passed over: the ball around a block's mean, and the plane across the line from the
mean of the block nearest to the point asked about (beyond which all records of the other block lie). What remains is
measured some columns at a time, sixteen records side by side, and left once all sixteen are too far. Each sum of
squares is added up column by column, as in `distances.py`: a sum that is compared is the very sum that a plain scan
computes, and the bounds are slackened by more than rounding can amount to. So the answer is the plain scan's.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordermade.microaggregation.arrays import Column, Table
from ordermade.microaggregation.compiled import compiled

Rows = NDArray[np.int32]
"""Row numbers, ascending; or, by row, where it is."""
Counts = NDArray[np.int64]

LANES = 16
"""Records measured side by side."""
COLUMNS = 4
"""Columns measured between two looks at whether it is enough."""
NO_ROW = 2**31 - 1
"""In an empty lane: above every row."""
ROUNDING = 16.0 * 2.0**-52
"""Times columns: more than sums of so many squares or products lose, relative to their terms."""
TINY = 1e-150
"""Below it squares lose digits."""


class Means(NamedTuple):
    """What the bounds are computed from; records and means less the `centre`, so that products are exact enough.

    columns: column, block: the mean of a block's records, when they were put there.
    squares: the squared length of each mean.
    reach: the distance of a block's farthest record from the mean.
    length: b, c: the distance between two means.
    beyond: b, c: the least product of a record of c with the mean of c less that of b.
    order: b: all blocks, b itself first, then from its nearest on.
    slack: products of records and means are exact to that.
    """

    centre: Column
    columns: Table
    squares: Column
    reach: Column
    length: Table
    beyond: Table
    order: Counts
    slack: float


class Blocks(NamedTuple):
    """Block b has `left[b]` records, in the chunks from `first[b]` on, sixteen each.

    cells: chunk, column, lane: the numbers of a record are in one lane; what is in an empty lane is infinitely far.
    rows: chunk, lane: the row of each record.
    block_of, lane_of: by row, where it is.
    """

    cells: NDArray[np.float64]
    rows: Rows
    block_of: Rows
    lane_of: Rows
    first: Counts
    left: Counts
    means: Means


@compiled
def blocks_of(X: Table, rows: Rows, block_of: Rows, lane_of: Rows) -> Blocks:
    """These rows in about as many blocks as each has records; the two last are room, a number a row of X."""
    means = means_for(X, rows, block_of)
    count = means.squares.size
    left = np.zeros(count, dtype=np.int64)
    for row in rows:
        lane_of[row] = left[block_of[row]]
        left[block_of[row]] += 1
    first = np.zeros(count, dtype=np.int64)
    chunks = 0
    for block in range(count):
        first[block] = chunks
        chunks += (left[block] + LANES - 1) // LANES
    cells = np.full((chunks, X.shape[1], LANES), np.inf)
    row_of = np.full((chunks, LANES), NO_ROW, dtype=np.int32)
    for row in rows:
        chunk, lane = first[block_of[row]] + lane_of[row] // LANES, lane_of[row] % LANES
        row_of[chunk, lane] = row
        for j in range(X.shape[1]):
            cells[chunk, j, lane] = X[row, j]
    return Blocks(cells, row_of, block_of, lane_of, first, left, means)


@compiled
def means_for(X: Table, rows: Rows, block_of: Rows) -> Means:
    """Puts these rows in blocks around means: those of rows here and there, then those of the rows nearest to them."""
    d, count = X.shape[1], max(1, int(np.sqrt(rows.size)))
    centre = np.zeros(d)
    for row in rows:
        for j in range(d):
            centre[j] += X[row, j] / rows.size
    columns = np.empty((d, count))
    for block in range(count):
        for j in range(d):
            columns[j, block] = X[rows[block * (rows.size // count)], j] - centre[j]
    for _ in range(2):
        put_to_nearest(X, rows, centre, columns, block_of)
        columns = means_of(X, rows, centre, block_of, count)
    squares = np.zeros(count)
    for j in range(d):
        for block in range(count):
            squares[block] += columns[j, block] * columns[j, block]
    length, order = lengths_between(columns)
    reach, beyond, slack = bounds_of(X, rows, centre, columns, block_of)
    return Means(centre, columns, squares, reach, length, beyond, order, slack)


@compiled
def means_of(X: Table, rows: Rows, centre: Column, block_of: Rows, count: int) -> Table:
    """The mean of each block, less the centre; of an empty block the centre."""
    columns = np.zeros((X.shape[1], count))
    sizes = np.zeros(count)
    for row in rows:
        sizes[block_of[row]] += 1.0
        for j in range(X.shape[1]):
            columns[j, block_of[row]] += X[row, j] - centre[j]
    for j in range(X.shape[1]):
        for block in range(count):
            columns[j, block] /= max(sizes[block], 1.0)
    return columns


@compiled
def put_to_nearest(X: Table, rows: Rows, centre: Column, columns: Table, block_of: Rows) -> None:
    """Puts each row in the block of the nearest mean, or of one that is hardly farther."""
    count = columns.shape[1]
    apart = np.empty(count)
    for row in rows:
        apart[:] = 0.0
        for j in range(X.shape[1]):
            value = X[row, j] - centre[j]
            for block in range(count):
                apart[block] += (columns[j, block] - value) ** 2
        block_of[row] = least_of(apart)


@compiled
def least_of(values: Column) -> int:
    """The place of the least value."""
    found = 0
    for place in range(values.size):
        if values[place] < values[found]:
            found = place
    return found


@compiled
def lengths_between(columns: Table) -> tuple[Table, Counts]:
    """How far the means are apart, and for each all of them from the nearest on."""
    count = columns.shape[1]
    length = np.empty((count, count))
    order = np.empty((count, count), dtype=np.int64)
    for one in range(count):
        for other in range(count):
            apart = 0.0
            for j in range(columns.shape[0]):
                apart += (columns[j, one] - columns[j, other]) ** 2
            length[one, other] = np.sqrt(apart)
            place = other
            while place > 0 and length[one, order[one, place - 1]] > length[one, other]:
                order[one, place] = order[one, place - 1]
                place -= 1
            order[one, place] = other
    return length, order


@compiled
def bounds_of(X: Table, rows: Rows, centre: Column, columns: Table, block_of: Rows) -> tuple[Column, Table, float]:
    """`reach`, `beyond` and `slack` of Means."""
    d, count = columns.shape
    reach = np.zeros(count)
    beyond = np.full((count, count), np.inf)
    product, point = np.empty(count), np.empty(d)
    longest = 0.0
    for row in rows:
        block = block_of[row]
        for j in range(d):
            point[j] = X[row, j] - centre[j]
        longest = max(longest, multiply(columns, point, product))
        apart = 0.0
        for j in range(d):
            apart += (point[j] - columns[j, block]) ** 2
        reach[block] = max(reach[block], np.sqrt(apart))
        for other in range(count):
            beyond[other, block] = min(beyond[other, block], product[block] - product[other])
    return reach, beyond, ROUNDING * (d + 4) * longest


@compiled
def multiply(columns: Table, point: Column, product: Column) -> float:
    """The product of a point with every mean; gives that with itself."""
    product[:] = 0.0
    square = 0.0
    for j in range(point.size):
        square += point[j] * point[j]
        for block in range(product.size):
            product[block] += columns[j, block] * point[j]
    return square


@compiled
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


@compiled
def nearest(blocks: Blocks, point: Column) -> int:
    """The row left that is nearest to a point; of equally near ones the lowest."""
    means, d = blocks.means, point.size
    product, sums, centred = np.empty(means.squares.size), np.empty(LANES), np.empty(d)
    for j in range(d):
        centred[j] = point[j] - means.centre[j]
    square = multiply(means.columns, centred, product)
    home = least_of(means.squares - 2.0 * product)
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


@compiled
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
