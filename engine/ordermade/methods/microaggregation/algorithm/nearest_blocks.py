"""Records in blocks of near ones, to find the nearest of those left without a look at most of them.

Two lower bounds let whole blocks be passed over: the ball around a block's mean, and the plane across the line from the
mean of the block nearest to the point (beyond which all records of the other block lie). Remaining records are
measured some columns at a time, sixteen side by side, and left once all sixteen are too far. Each sum of
squares is added up column by column, as in `distances.py`: a sum that is compared is the very sum that a plain scan
computes, and the bounds are slackened by more than rounding can amount to. So the answer is the plain scan's.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordermade.compiled import compiled, inner
from ordermade.methods.microaggregation.algorithm.arrays import NO_ROW, Column, Table

Rows = NDArray[np.int32]
"""Row numbers, ascending; or, by row, where it is."""
Counts = NDArray[np.int64]

LANES = 16
"""Records measured side by side."""
ROUNDING = 16.0 * 2.0**-52
"""Times columns: more than sums of so many squares or products lose, relative to their terms."""
TINY = 1e-150
"""The size below which squares lose digits."""


class Means(NamedTuple):
    """The input of the bounds; records and means less the `centre`, so that products are exact enough.

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

    cells: chunk, column, lane: the numbers of a record are in one lane; an empty lane is infinitely far.
    rows: chunk, lane: the row of each record; NO_ROW in an empty lane.
    block_of, lane_of: by row, where it is.
    product, nearer, centred, sums: room, by block, block, column and lane.
    """

    cells: NDArray[np.float64]
    rows: Rows
    block_of: Rows
    lane_of: Rows
    first: Counts
    left: Counts
    means: Means
    product: Column
    nearer: Column
    centred: Column
    sums: Column


def near_blocks(X: Table, rows: Rows, block_of: Rows, lane_of: Rows) -> Blocks:
    """These rows in about as many blocks as each has records; the two last are room, a number a row of X."""
    count = max(1, int(np.sqrt(rows.size)))
    centre = X[rows].mean(axis=0)
    columns = (X[rows[:: rows.size // count][:count]] - centre).T.copy()
    for _ in range(2):
        put_to_nearest(X, rows, centre, columns, block_of, np.empty(count))
        columns = _means_of(X, rows, centre, block_of[rows], count)
    own = block_of[rows]
    left = np.bincount(own, minlength=count)
    rows = rows[np.argsort(own, kind="stable")]
    own = block_of[rows]
    lane_of[rows] = np.arange(rows.size) - (np.cumsum(left) - left)[own]
    chunks = -(-left // LANES)
    first = np.cumsum(chunks) - chunks
    cells = np.full((chunks.sum(), X.shape[1], LANES), np.inf)
    row_at = np.full((chunks.sum(), LANES), NO_ROW, dtype=np.int32)
    chunk, lane = first[own] + lane_of[rows] // LANES, lane_of[rows] % LANES
    cells[chunk, :, lane] = X[rows]
    row_at[chunk, lane] = rows
    means = _bounds(X, rows, centre, columns, block_of)
    room = np.empty(count), np.empty(count), np.empty(X.shape[1]), np.empty(LANES)
    return Blocks(cells, row_at, block_of, lane_of, first, left, means, *room)


def _means_of(X: Table, rows: Rows, centre: Column, own: Rows, count: int) -> Table:
    """The mean of each block, less the centre; of an empty block the centre."""
    sizes = np.maximum(np.bincount(own, minlength=count), 1)
    sums = [np.bincount(own, weights=X[rows, j] - centre[j], minlength=count) for j in range(X.shape[1])]
    return np.stack(sums) / sizes


def _bounds(X: Table, rows: Rows, centre: Column, columns: Table, block_of: Rows) -> Means:
    """The bounds of the distances to the records of these blocks."""
    d, count = columns.shape
    length = np.stack([np.sqrt(((columns - columns[:, [block]]) ** 2).sum(axis=0)) for block in range(count)])
    order = np.argsort(length, axis=1)
    own = np.arange(count)[:, np.newaxis]
    order = np.concatenate((own, order[order != own].reshape(count, count - 1)), axis=1)
    reach, beyond = np.zeros(count), np.full((count, count), np.inf)
    longest = extend(X, rows, centre, columns, block_of, reach, beyond, np.empty(count), np.empty(d))
    return Means(centre, columns, (columns**2).sum(axis=0), reach, length, beyond, order, ROUNDING * (d + 4) * longest)


@compiled
def extend(
    X: Table,
    rows: Rows,
    centre: Column,
    columns: Table,
    block_of: Rows,
    reach: Column,
    beyond: Table,
    product: Column,
    point: Column,
) -> float:
    """Extends `reach` and `beyond` to these rows; gives the largest squared length of a centred one.

    `product` and `point` are room, by block and by column.
    """
    longest = 0.0
    for row in rows:
        block = block_of[row]
        for j in range(point.size):
            point[j] = X[row, j] - centre[j]
        longest = max(longest, multiply(columns, point, product))
        apart = 0.0
        for j in range(point.size):
            apart += (point[j] - columns[j, block]) ** 2
        reach[block] = max(reach[block], np.sqrt(apart))
        for other in range(product.size):
            beyond[other, block] = min(beyond[other, block], product[block] - product[other])
    return longest


@compiled
def put_to_nearest(X: Table, rows: Rows, centre: Column, columns: Table, block_of: Rows, apart: Column) -> None:
    """Puts each row in the block of the nearest mean, or of one that is hardly farther."""
    count = columns.shape[1]
    for row in rows:
        apart[:] = 0.0
        for j in range(X.shape[1]):
            value = X[row, j] - centre[j]
            for block in range(count):
                apart[block] += (columns[j, block] - value) ** 2
        block_of[row] = least_of(apart)


@inner
def least_of(values: Column) -> int:
    """The place of the least value."""
    found = 0
    for place in range(values.size):
        if values[place] < values[found]:
            found = place
    return found


@inner
def multiply(columns: Table, point: Column, product: Column) -> float:
    """The product of a point with every mean; gives that with itself."""
    product[:] = 0.0
    square = 0.0
    for j in range(point.size):
        square += point[j] * point[j]
        for block in range(product.size):
            product[block] += columns[j, block] * point[j]
    return square
