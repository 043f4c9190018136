"""A pool's records in groups made anew: another start for a descent, from which it may end lower."""

from __future__ import annotations

import numpy as np

from ordermade.compiled import inner
from ordermade.microaggregation.chance import Chance, one_of, share
from ordermade.microaggregation.pool import Pool, add_up, place_left_over

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
