"""Paths through all records (NPN, FDH), and MHM: the best groups of consecutive records of a path.

From the FDH-MHM paper (Tanaka, Kamidoi, Wakabayashi, DEIM 2015, sections 3.1 to 3.3). `mhm` makes groups of a path.

Theorem 1 of the FDH-MHM paper (section 4), after Hansen and Mukherjee's optimum for one attribute.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordermade.errors import InputError
from ordermade.machine.compiled import compiled, inner
from ordermade.methods.microaggregation.algorithm.arrays import (
    NO_ROW,
    Column,
    GroupingFigures,
    Labels,
    Path,
    PathReport,
    Table,
    generator_from,
    number_from,
    report_of,
    require_k,
    table,
    whole_numbers,
)
from ordermade.methods.microaggregation.algorithm.mdav_groups import (
    squared_distance,
    squared_distance_of_rows,
    squared_distances,
)
from ordermade.methods.microaggregation.algorithm.methods import Radius
from ordermade.methods.microaggregation.algorithm.one_dimension import first_places, number_groups
from ordermade.privacy.least_k import numbered

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


MAX_ANCHORS = 62
"""The bits of a region are those of one whole number."""
FEW = 64
"""So few records are not worth putting in blocks."""


def npn_path(X: ArrayLike) -> tuple[Path, PathReport]:
    """The path that starts at the record farthest from the mean and goes on to the nearest record not yet visited.

    "Nearest point next": section 3.1 of the FDH-MHM paper. Ties go to the lowest row. X is taken as it comes: see
    `standardised`. Time grows with the square of the records.

    Returns:
        Every row once (n int32 numbers), and the length of the path in the units of X.

    Raises:
        InputError: X is no table of numbers.
    """
    records = table(X)
    everywhere = np.zeros(len(records), dtype=np.int64)
    path = _through_regions(records, everywhere)
    return path, PathReport(length_of(records, path))


def fdh_path(
    X: ArrayLike,
    anchors: int | ArrayLike,
    radius_divisor: float = 1.0,
    rng: np.random.Generator | None = None,
    *,
    radius: Radius = "mean",
) -> tuple[Path, PathReport]:
    """The path that goes on to the nearest record of the same region, and on to a similar region when one is used up.

    "Flexible distance-based hashing": sections 3.2 and 3.3 of the FDH-MHM paper. Around each of A anchors a ball is
    drawn; records inside and outside of the same balls are one region. The next region is the one of those left that
    differs in the fewest balls; then the one whose mean (of all its records) is nearest to the path's end; then the
    one of the lowest code, where outside of ball a weighs 2^a. The smaller the largest region, the faster.

    Args:
        X: the records, taken as they come: see `standardised`.
        anchors: how many (drawn from the rows by `rng`, without replacement), or the rows themselves; at most 62.
        radius_divisor: m of the paper, at least 1: the balls' radius is divided by it.
        rng: draws the anchors; None: `numpy.random.default_rng(0)`.
        radius: the radius of a ball before division: the mean of the distances from its anchor to the other records
            (the paper), or their median, which keeps regions balanced where the data are skewed.

    Returns:
        Every row once (n int32 numbers), and the length of the path in the units of X, with the figures `regions` and
        `largest_share` (the share of the records that are in the largest region).

    Raises:
        InputError: X is no table of numbers, the anchors are none of its rows or twice the same, the divisor is below
            1, or the radius is of neither kind.
    """
    records = table(X)
    divisor = number_from(radius_divisor, 1, "the radius divisor", 3)
    if str(radius) not in ("mean", "median"):
        raise InputError("the radius is of neither kind", next_step="Write `mean` or `median`.")
    rows = _anchor_rows(anchors, len(records), rng)
    codes = region_codes(records, rows, divisor, radius)
    path = _through_regions(records, codes)
    sizes = np.unique(codes, return_counts=True)[1]
    figures = {"regions": float(sizes.size), "largest_share": float(sizes.max() / len(records))}
    return path, PathReport(length_of(records, path), figures)


def region_codes(
    records: Table, anchors: NDArray[np.int64], radius_divisor: float, radius: Radius
) -> NDArray[np.int64]:
    """The balls that each record is outside of: ball a weighs 2^a."""
    codes = np.zeros(len(records), dtype=np.int64)
    others, apart = np.ones(len(records), dtype=np.bool_), np.empty(len(records))
    for place, anchor in enumerate(anchors):
        squared_distances(records, records[anchor], apart)
        np.sqrt(apart, out=apart)
        others[anchor] = False
        if others.any():
            reach = np.mean(apart[others]) if radius == "mean" else np.median(apart[others])
            codes |= (apart > reach / radius_divisor).astype(np.int64) << place
        others[anchor] = True
    return codes


def _anchor_rows(anchors: int | ArrayLike, records: int, rng: np.random.Generator | None) -> NDArray[np.int64]:
    """The anchors as rows, drawn if only their number is given."""
    if isinstance(anchors, int | np.integer) and not isinstance(anchors, bool):
        if not 1 <= anchors <= min(records, MAX_ANCHORS):
            raise InputError(
                f"{int(anchors)} anchors cannot be drawn from {numbered(records, 'record', 'records')}",
                next_step=f"Ask for 1 to {min(records, MAX_ANCHORS)}.",
            )
        drawn: NDArray[np.int64] = generator_from(rng).choice(records, int(anchors), replace=False)
        return drawn
    rows = whole_numbers(anchors)
    if rows is None or rows.ndim != 1 or not 1 <= rows.size <= MAX_ANCHORS:
        raise InputError(
            f"anchors are neither a number nor 1 to {MAX_ANCHORS} rows",
            next_step="Write 3, or rows such as [0, 5, 9].",
        )
    if rows.min() < 0 or rows.max() >= records:
        raise InputError(
            f"an anchor is none of the {numbered(records, 'row', 'rows')}",
            next_step=f"Write rows from 0 to {records - 1}.",
        )
    if np.unique(rows).size < rows.size:
        raise InputError("a row is an anchor twice", next_step="Write each row once.")
    return rows.astype(np.int64)


def _through_regions(records: Table, code_of: NDArray[np.int64]) -> Path:
    """The path through the regions of these codes, from the record farthest from the mean."""
    codes, region_of = np.unique(code_of, return_inverse=True)
    rows = np.argsort(region_of, kind="stable").astype(np.int32)
    sizes = np.bincount(region_of)
    bounds = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    sums = np.stack([np.bincount(region_of, weights=values) for values in records.T], axis=1)
    means = sums / sizes[:, np.newaxis]
    left = np.ones(codes.size, dtype=np.bool_)
    path = np.empty(len(records), dtype=np.int32)
    path[0] = farthest(records, records.mean(axis=0))
    region, at = int(region_of[path[0]]), 1
    members = rows[bounds[region] : bounds[region + 1]]
    members = members[members != path[0]]
    while True:
        left[region] = False
        _walk(records, members, path[at - 1 : at + members.size])
        at += members.size
        if at == len(path):
            return path
        region = region_after(records, path[at - 1], codes[region], codes, means, left)
        members = rows[bounds[region] : bounds[region + 1]]


def _walk(records: Table, members: Path, stretch: Path) -> None:
    """Fills a stretch of a path, whose first row is there, with these rows, each the nearest of those left.

    When half of them are left they are put in blocks anew: records left behind by a path have other neighbours.
    """
    if members.size > FEW:
        block_of, lane_of = np.empty(len(records), dtype=np.int32), np.empty(len(records), dtype=np.int32)
    while members.size > FEW:
        blocks = near_blocks(records, members, block_of, lane_of)
        steps = members.size // 2
        walk(records, blocks, stretch[: steps + 1])
        members, stretch = members[lane_of[members] != GONE], stretch[steps:]
    walk_few(records, members.copy(), stretch)


def mhm(X: ArrayLike, path: ArrayLike, k: int) -> tuple[Labels, GroupingFigures]:
    """The groups of k to 2k - 1 consecutive records of a path whose squared distances to their means are least in sum.

    Ties go to the start nearest to the path's beginning. Time grows with records times k times columns.

    Args:
        X: the records, taken as they come: see `standardised`.
        path: every row once, such as `npn_path` and `fdh_path` give.
        k: the fewest records of a group.

    Returns:
        The group of each record (n int32 numbers, numbered along the path), and a report with the figure `sse`.

    Raises:
        InputError: X is no table of numbers, the path is no order of its rows, or k is none of 1 to n.
    """
    records = table(X)
    order = _order_of(path, len(records))
    starts, sse = best_starts(records, order, require_k(k, len(records)))
    labels = number_groups(order, first_places(starts))
    return labels, report_of(labels, sse=sse)


def _order_of(path: ArrayLike, records: int) -> Path:
    order = whole_numbers(path)
    if order is None or order.shape != (records,):
        raise InputError("a path is one row a record", next_step="Give the path that npn_path or fdh_path returned.")
    if not np.array_equal(np.sort(order), np.arange(records)):
        raise InputError(
            "a path has every row once, and this one does not",
            next_step="Give the path that npn_path or fdh_path returned for these records.",
        )
    return order.astype(np.int32)


def best_starts(X: Table, order: Path, k: int) -> tuple[NDArray[np.int32], float]:
    """For every end along the path the best start of its last group, and the least sum of squared errors of all.

    A group that ends within k records after a border begins before it. Its sum is that of the part before, that of the
    part after, and the increase by the distance between their means: the last alone is of every pair of start and end,
    and only where the rest does not exceed the least found.
    """
    n, d = X.shape
    cost = np.full(n + 1, np.inf)
    cost[0] = 0.0
    starts = np.zeros(n + 1, dtype=np.int32)
    find_starts(X, order, k, cost, starts, np.empty((2 * k, d)), np.empty(2 * k), np.empty(d))
    return starts, float(cost[n])


@compiled
def find_starts(
    X: Table, order: Path, k: int, cost: Column, starts: Path, before: Table, without: Column, after: Column
) -> None:
    """Writes the starts and the least costs of all up to each end. The last three are room."""
    n = order.size
    for border in range(0, n, k):
        look_back(X, order, border, cost, before, without)
        after[:] = 0.0
        sse = 0.0
        for end in range(border + 1, min(border + k, n) + 1):
            sse += include(X, order[end - 1], after, end - border)
            cost[end], starts[end] = best_start(border, end, k, before, without, after, sse, starts[end - 1])


@inner
def look_back(X: Table, order: Path, border: int, cost: Column, before: Table, without: Column) -> None:
    """The mean of a last group before a border, and the least cost of all up to the border, by its size."""
    before[0] = 0.0
    without[0] = cost[border]
    sse = 0.0
    for size in range(1, min(without.size - 1, border) + 1):
        for j in range(X.shape[1]):
            before[size, j] = before[size - 1, j]
        sse += include(X, order[border - size], before[size], size)
        without[size] = cost[border - size] + sse


@inner
def include(X: Table, row: int, mean: Column, size: int) -> float:
    """Include a record in the mean of now `size` ones; return the increase of their sum of squared errors."""
    added = 0.0
    for j in range(mean.size):
        apart = X[row, j] - mean[j]
        mean[j] += apart / size
        added += apart * (X[row, j] - mean[j])
    return added


@inner
def best_start(
    border: int, end: int, k: int, before: Table, without: Column, after: Column, sse: float, likely: int
) -> tuple[float, int]:
    """The least cost of all up to an end, and the lowest start of the last group that has it. `likely`: tried first."""
    least, found = np.inf, 0
    beyond = end - border
    fewest, most = k - beyond, min(2 * k - 1 - beyond, border)
    if fewest > most:
        return least, found
    first = min(max(border - likely, fewest), most)
    for turn in range(fewest - 1, most + 1):
        size = first if turn < fewest else turn
        total = without[size] + sse
        if total > least or total == np.inf:
            continue
        apart = 0.0
        for j in range(after.size):
            apart += (before[size, j] - after[j]) ** 2
        total += apart * (size * beyond / (size + beyond))
        if total < least or (total == least and border - size < found):
            least, found = total, border - size
    return least, found
