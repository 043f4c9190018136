"""Neighbouring groups pooled: nearest records, descent by moves, fresh starts.

With s(i, G) the sum of the squared distances from record i to those of group G, and w(G) the sum over its pairs, the
SSE of G is w(G) / |G|: the effect of a move or a swap takes a few operations, however many columns there are, and
rounding does not add up, since the sums are computed afresh for each pool.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordermade.compiled import inner
from ordermade.methods.microaggregation.algorithm.arrays import Column, Table
from ordermade.methods.microaggregation.algorithm.groups import Membership
from ordermade.methods.microaggregation.algorithm.mdav_groups import squared_distance_of_rows
from ordermade.methods.microaggregation.algorithm.rng import Chance, one_of, share

MOST_COLUMNS = 16
"""The most columns for a tree: beyond, it visits nearly every record, and principal components are searched."""
PRINCIPAL = 8
EXACT = 5_000
"""The most values for exact nearest neighbours. Beyond, where that would take most of the time (100,000 x 8 normal
numbers: 25 s), none is nearer than the true one by a factor of 1 + `NEARLY`: two thirds of them are the same, in a
twelfth of the time."""
NEARLY = 2.0
MANY, MORE_NEARLY = 50_000, 4.0
"""The number of values beyond which half as many neighbours are sought, more nearly: in 0.4 of the time, for 0.4 % more
loss after a descent of 100,000 x 8 normal numbers, which takes as long as that."""
AT_ONCE = 1000
"""Rows whose neighbours are sought before the clock is looked at."""


class Vicinity(NamedTuple):
    """Equal records share a value. `value_of`: by record; `near`: by value, the nearest values, itself first.

    The records of value v are `rows[starts[v] : starts[v + 1]]`: neighbours are values, as otherwise the nearest of a
    record that is there a hundred times would be but itself.
    """

    value_of: NDArray[np.int32]
    near: NDArray[np.int32]
    rows: NDArray[np.int32]
    starts: NDArray[np.int64]


def vicinity_of(X: Table, neighbours: int, enough: Callable[[], bool]) -> Vicinity:
    """The vicinity of the records; values not reached until it is `enough` know but themselves."""
    from scipy.spatial import cKDTree

    # It takes a tenth of a second, and stands in an extra: `compiled` says which where it is missing.
    distinct, value_of, counts = np.unique(X, axis=0, return_inverse=True, return_counts=True)
    value_of = value_of.reshape(-1)
    neighbours = min(neighbours if len(distinct) <= MANY else -(-neighbours // 2), len(distinct))
    near = np.repeat(np.arange(len(distinct), dtype=np.int32)[:, None], neighbours, axis=1)
    points = _principal(distinct) if distinct.shape[1] > MOST_COLUMNS else distinct
    tree = cKDTree(points)
    nearly = 0.0 if len(points) <= EXACT else NEARLY if len(points) <= MANY else MORE_NEARLY
    for start in range(0, len(points), AT_ONCE):
        if enough():
            break
        found = tree.query(points[start : start + AT_ONCE], neighbours, eps=nearly)[1]
        near[start : start + AT_ONCE] = np.reshape(found, (-1, neighbours))
    starts = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    return Vicinity(value_of.astype(np.int32), near, np.argsort(value_of, kind="stable").astype(np.int32), starts)


@inner
def neighbour(vicinity: Vicinity, row: int, rank: int, chance: Chance) -> int:
    """A record of the value that is so near to that of a record (0: of its own value)."""
    value = vicinity.near[vicinity.value_of[row], rank]
    start = vicinity.starts[value]
    many = vicinity.starts[value + 1] - start
    return int(vicinity.rows[start + (one_of(chance, many) if many > 1 else 0)])


def _principal(distinct: Table) -> Table:
    """The first principal components, rounded: the last digits of linear algebra differ by machine."""
    left = distinct - distinct.mean(axis=0)
    found = left @ np.linalg.eigh(left.T @ left)[1][:, : -PRINCIPAL - 1 : -1]
    unit = float(np.abs(found).max()) or 1.0
    return np.ascontiguousarray(np.round(found / unit, 9))


Numbers = NDArray[np.int64]

LEAST_GAIN = 1e-12
"""The least gain, as a share of a pool's SSE: a lesser one may be rounding, and could go on for ever."""
MOST_SWEEPS = 100
"""Ends a descent even where a group so far away that its distances drown the others makes rounding look like a gain."""
NONE, MOVE, SWAP = 0, 1, 2


class Pool(NamedTuple):
    """`groups`: the groups taken together. By record: `rows` and `labels` (a place in `groups`, -1: in none).

    `distances`: squared, between the records; `sums`: s, by record and group; `within`: w, `sizes`: by group.
    """

    groups: Numbers
    rows: Numbers
    labels: Numbers
    distances: Table
    sums: Table
    within: Column
    sizes: Numbers


def pool_of(records: int, groups: int) -> Pool:
    """Room for a pool of so many records and groups."""
    return Pool(
        np.zeros(groups, dtype=np.int64),
        np.zeros(records, dtype=np.int64),
        np.zeros(records, dtype=np.int64),
        np.zeros((records, records)),
        np.zeros((records, groups)),
        np.zeros(groups),
        np.zeros(groups, dtype=np.int64),
    )


@inner
def fill(pool: Pool, X: Table, membership: Membership, groups: int) -> int:
    """Takes the records of the first groups of `pool.groups` in; how many there are."""
    records = 0
    for group in range(groups):
        number = pool.groups[group]
        for place in range(membership.sizes[number]):
            pool.rows[records] = membership.members[number, place]
            pool.labels[records] = group
            records += 1
    for i in range(records):
        pool.distances[i, i] = 0.0
        for j in range(i):
            distance = squared_distance_of_rows(X, pool.rows[i], pool.rows[j])
            pool.distances[i, j] = distance
            pool.distances[j, i] = distance
    return records


@inner
def add_up(pool: Pool, records: int, groups: int) -> None:
    """Sums and sizes of the groups as they are, records in none left out."""
    pool.sizes[:groups] = 0
    pool.within[:groups] = 0.0
    pool.sums[:records, :groups] = 0.0
    for j in range(records):
        group = pool.labels[j]
        if group >= 0:
            pool.sizes[group] += 1
            for i in range(records):
                pool.sums[i, group] += pool.distances[i, j]
    for i in range(records):
        group = pool.labels[i]
        if group >= 0:
            pool.within[group] += 0.5 * pool.sums[i, group]


@inner
def sse_of(pool: Pool, groups: int) -> float:
    """The SSE of the pool's groups."""
    total = 0.0
    for group in range(groups):
        total += pool.within[group] / pool.sizes[group]
    return total


@inner
def descend(pool: Pool, k: int, records: int, groups: int) -> tuple[int, int]:
    """Moves and swaps, for each record in turn the one that gains most, until none gains; how many of each."""
    least = LEAST_GAIN * sse_of(pool, groups)
    moves, swaps = 0, 0
    for _ in range(MOST_SWEEPS):
        changed = False
        for i in range(records):
            kind, target = _best(pool, k, records, groups, i, least)
            if kind == MOVE:
                _move(pool, records, i, target)
                moves += 1
            elif kind == SWAP:
                _swap(pool, records, i, target)
                swaps += 1
            changed |= kind != NONE
        if not changed:
            break
    add_up(pool, records, groups)
    return moves, swaps


@inner
def place_left_over(pool: Pool, k: int, records: int, groups: int) -> None:
    """Each record that is in no group joins the one with room whose SSE it raises least."""
    for i in range(records):
        if pool.labels[i] >= 0:
            continue
        best, chosen = np.inf, -1
        for group in range(groups):
            size = pool.sizes[group]
            if size < 2 * k - 1:
                raised = (pool.within[group] + pool.sums[i, group]) / (size + 1) - pool.within[group] / size
                if raised < best:
                    best, chosen = raised, group
        pool.labels[i] = chosen
        pool.sizes[chosen] += 1
        pool.within[chosen] += pool.sums[i, chosen]
        for other in range(records):
            pool.sums[other, chosen] += pool.distances[other, i]


@inner
def _best(pool: Pool, k: int, records: int, groups: int, i: int, least: float) -> tuple[int, int]:
    """The step for a record by which SSE falls most: none, a move to a group, or a swap with a record."""
    own = pool.labels[i]
    size, within, own_sum = pool.sizes[own], pool.within[own], pool.sums[i, own]
    best, kind, target = -least, NONE, -1
    if size > k:
        left = (within - own_sum) / (size - 1) - within / size
        for group in range(groups):
            room = pool.sizes[group]
            if group != own and room < 2 * k - 1:
                raised = (pool.within[group] + pool.sums[i, group]) / (room + 1) - pool.within[group] / room
                if left + raised < best:
                    best, kind, target = left + raised, MOVE, group
    for j in range(records):
        other = pool.labels[j]
        if other != own:
            apart = pool.distances[i, j]
            change = (pool.sums[j, own] - own_sum - apart) / size
            change += (pool.sums[i, other] - pool.sums[j, other] - apart) / pool.sizes[other]
            if change < best:
                best, kind, target = change, SWAP, j
    return kind, target


@inner
def _move(pool: Pool, records: int, i: int, group: int) -> None:
    own = pool.labels[i]
    pool.within[own] -= pool.sums[i, own]
    pool.within[group] += pool.sums[i, group]
    pool.sizes[own] -= 1
    pool.sizes[group] += 1
    pool.labels[i] = group
    for other in range(records):
        pool.sums[other, own] -= pool.distances[other, i]
        pool.sums[other, group] += pool.distances[other, i]


@inner
def _swap(pool: Pool, records: int, i: int, j: int) -> None:
    one, two = pool.labels[i], pool.labels[j]
    apart = pool.distances[i, j]
    pool.within[one] += pool.sums[j, one] - pool.sums[i, one] - apart
    pool.within[two] += pool.sums[i, two] - pool.sums[j, two] - apart
    pool.labels[i] = two
    pool.labels[j] = one
    for other in range(records):
        nearer = pool.distances[other, j] - pool.distances[other, i]
        pool.sums[other, one] += nearer
        pool.sums[other, two] -= nearer


ANY, FARTHEST = 0, 1


@inner
def rebuild(pool: Pool, k: int, records: int, groups: int, chance: Chance) -> int:
    """Makes groups of the records afresh; how many. As many as there were, or one fewer, or one more, where k allows.

    A group starts with any record left, or the one farthest from any record of the pool, and takes the k - 1 nearest to
    those that it has, or to its first one. A record left over joins the group whose SSE it raises least.
    """
    groups = _how_many(k, records, groups, chance)
    pool.labels[:records] = -1
    way = one_of(chance, 3)
    for group in range(groups):
        first = _first(pool, records, ANY if way == ANY else FARTHEST, chance)
        _grow(pool, k, records, group, first, way == FARTHEST)
    add_up(pool, records, groups)
    place_left_over(pool, k, records, groups)
    return groups


@inner
def _how_many(k: int, records: int, groups: int, chance: Chance) -> int:
    drawn = share(chance)
    if drawn < 0.3:
        groups -= 1
    elif drawn < 0.6:
        groups += 1
    fewest, most = (records + 2 * k - 2) // (2 * k - 1), records // k
    return max(min(groups, most), fewest)


@inner
def _first(pool: Pool, records: int, way: int, chance: Chance) -> int:
    """A record that is in no group."""
    origin = one_of(chance, records)
    best, chosen = -1.0, -1
    for step in range(records):
        i = (origin + step) % records
        if pool.labels[i] < 0:
            if way == ANY:
                return i
            if pool.distances[origin, i] > best:
                best, chosen = pool.distances[origin, i], i
    return chosen


@inner
def _grow(pool: Pool, k: int, records: int, group: int, first: int, around_first: bool) -> None:
    """A group of k: a record and the nearest of those that are in no group."""
    pool.labels[first] = group
    for i in range(records):
        pool.sums[i, 0] = pool.distances[i, first]
    for _ in range(k - 1):
        best, chosen = np.inf, -1
        for i in range(records):
            if pool.labels[i] < 0 and pool.sums[i, 0] < best:
                best, chosen = pool.sums[i, 0], i
        pool.labels[chosen] = group
        if not around_first:
            for i in range(records):
                pool.sums[i, 0] += pool.distances[i, chosen]
