"""Descent over all groups, and rounds that take near groups apart, rebuild them and keep improvements.

Many groups are taken at once: pools of up to eight reach in two seconds what those of up to four (`POOL_GROUPS` of
`improving`) reach in six (Census, k = 5, from MDAV: a loss of 7.34 and of 7.35 %).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordermade.compiled import compiled, inner
from ordermade.microaggregation.arrays import Table
from ordermade.microaggregation.chance import Chance, one_of, share
from ordermade.microaggregation.membership import Membership, close_up, join
from ordermade.microaggregation.pool import LEAST_GAIN, Pool, add_up, descend, fill, sse_of
from ordermade.microaggregation.rebuilding import rebuild
from ordermade.microaggregation.vicinity import Vicinity, neighbour

MOVES, SWAPS, DISSOLVED, SPLIT = 0, 1, 2, 3
TRIES = 6
"""Neighbours to look up for each group that a pool is to have, until enough groups are found."""


class Search(NamedTuple):
    """The state of the compiled search. `tally`: the steps kept, by MOVES, SWAPS, DISSOLVED, SPLIT.

    `waiting`: the groups whose neighbourhood is to be descended in, a ring; `ends`: its first place and its length;
    `waits`: by group, whether it is there.
    """

    X: Table
    k: int
    membership: Membership
    vicinity: Vicinity
    pool: Pool
    chance: Chance
    tally: NDArray[np.int64]
    waiting: NDArray[np.int64]
    ends: NDArray[np.int64]
    waits: NDArray[np.bool_]


@compiled
def descend_where_waiting(search: Search, size: int, pools: int) -> float:
    """Moves and swaps around so many of the groups that wait, `size` records at once; by how much SSE changed."""
    membership, pool = search.membership, search.pool
    changed = 0.0
    for _ in range(min(pools, search.ends[1])):
        group = search.waiting[search.ends[0]]
        search.ends[0] = (search.ends[0] + 1) % search.waiting.size
        search.ends[1] -= 1
        search.waits[group] = False
        groups = _nearest_groups(search, group, size)
        records = fill(pool, search.X, membership, groups)
        add_up(pool, records, groups)
        before = sse_of(pool, groups)
        moves, swaps = descend(pool, search.k, records, groups)
        after = sse_of(pool, groups)
        if after < before - LEAST_GAIN * before:
            search.tally[MOVES] += moves
            search.tally[SWAPS] += swaps
            changed += after - before
            _put_back(search, records, groups, groups)
            for each in pool.groups[:groups]:
                let_wait(search, each)
    return changed


@compiled
def rebuild_some(search: Search, size: int, tolerance: float, rebuilds: int) -> float:
    """Takes so many neighbourhoods apart, of up to `size` records; by how much SSE changed.

    A new state is kept if it is better, or worse by no more than a random part of a share `tolerance`.
    """
    pool, k, chance = search.pool, search.k, search.chance
    changed = 0.0
    for _ in range(rebuilds):
        wanted = 2 * k + one_of(chance, size - 2 * k + 1)
        groups = _groups_around(search, one_of(chance, search.X.shape[0]), wanted)
        if groups < 2:
            continue
        records = fill(pool, search.X, search.membership, groups)
        add_up(pool, records, groups)
        before = sse_of(pool, groups)
        made = rebuild(pool, k, records, groups, chance)
        moves, swaps = descend(pool, k, records, made)
        after = sse_of(pool, made)
        better = after < before - LEAST_GAIN * before
        if better or after < before + before * tolerance * share(chance) * share(chance):
            search.tally[MOVES] += moves
            search.tally[SWAPS] += swaps
            search.tally[DISSOLVED] += max(groups - made, 0)
            search.tally[SPLIT] += max(made - groups, 0)
            changed += after - before
            _put_back(search, records, groups, made)
    return changed


@inner
def let_wait(search: Search, group: int) -> None:
    """Has a group's neighbourhood descended in, if it does not wait already."""
    if not search.waits[group]:
        search.waits[group] = True
        search.waiting[(search.ends[0] + search.ends[1]) % search.waiting.size] = group
        search.ends[1] += 1


@inner
def _nearest_groups(search: Search, group: int, size: int) -> int:
    """A group and those that its records' neighbours are in, the nearest neighbours first; how many groups."""
    membership, pool = search.membership, search.pool
    pool.groups[0] = group
    groups, records = 1, membership.sizes[group]
    for rank in range(search.vicinity.near.shape[1]):
        for place in range(membership.sizes[group]):
            near = neighbour(search.vicinity, membership.members[group, place], rank, search.chance)
            other = membership.labels[near]
            if not _among(pool, groups, other):
                pool.groups[groups] = other
                groups, records = groups + 1, records + membership.sizes[other]
                if records >= size:
                    return groups
    return groups


@inner
def _groups_around(search: Search, row: int, size: int) -> int:
    """The group of a record and near ones, found by steps from any record of them to any neighbour; how many."""
    membership, vicinity, pool, chance = search.membership, search.vicinity, search.pool, search.chance
    pool.groups[0] = membership.labels[row]
    groups, records = 1, membership.sizes[pool.groups[0]]
    for _ in range(TRIES * (size // search.k)):
        if records >= size:
            break
        group = pool.groups[one_of(chance, groups)]
        origin = membership.members[group, one_of(chance, membership.sizes[group])]
        other = membership.labels[neighbour(vicinity, origin, one_of(chance, vicinity.near.shape[1]), chance)]
        if not _among(pool, groups, other):
            pool.groups[groups] = other
            groups, records = groups + 1, records + membership.sizes[other]
    return groups


@inner
def _among(pool: Pool, groups: int, group: int) -> bool:
    found = False
    for place in range(groups):
        found |= pool.groups[place] == group
    return found


@inner
def _put_back(search: Search, records: int, groups: int, made: int) -> None:
    """The pool's groups become the groups of their records."""
    membership, pool = search.membership, search.pool
    if made > groups:
        pool.groups[groups] = membership.in_use[0]
        membership.in_use[0] += 1
    for group in range(max(groups, made)):
        membership.sizes[pool.groups[group]] = 0
    for i in range(records):
        join(membership, pool.rows[i], pool.groups[pool.labels[i]])
    if made < groups:
        close_up(membership, pool.groups[groups - 1])
