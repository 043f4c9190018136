"""A few near groups taken together: their records, all distances between them, and descent by moves and swaps.

With s(i, G) the sum of the squared distances from record i to those of group G, and w(G) the sum over its pairs, the
SSE of G is w(G) / |G|: the effect of a move or a swap takes a few operations, however many columns there are, and
rounding does not add up, since the sums are computed afresh for each pool.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordermade.compiled import inner
from ordermade.microaggregation.arrays import Column, Table
from ordermade.microaggregation.distances import squared_distance_of_rows
from ordermade.microaggregation.membership import Membership

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
