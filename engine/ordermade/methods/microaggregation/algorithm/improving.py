"""Improve groups within a budget: descent over all groups, then perturbation.

Many groups are taken at once: pools of up to eight reach in two seconds what those of up to four (`POOL_GROUPS` of
`improving`) reach in six (Census, k = 5, from MDAV: a loss of 7.34 and of 7.35 %).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordermade.machine.compiled import compiled, inner
from ordermade.methods.microaggregation.algorithm.arrays import (
    Column,
    GroupingFigures,
    Labels,
    Table,
    labels_of,
    number_from,
    report_of,
    require_k,
    table,
    whole_number_from,
)
from ordermade.methods.microaggregation.algorithm.groups import numbered
from ordermade.methods.microaggregation.algorithm.loss import information_loss
from ordermade.methods.microaggregation.algorithm.mdav_groups import squared_distance_of_rows
from ordermade.methods.microaggregation.algorithm.membership import Membership, close_up, join, membership_of
from ordermade.methods.microaggregation.algorithm.rng import Chance, chance_of, one_of, share

MAX_COLUMNS = 16
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
    points = _principal(distinct) if distinct.shape[1] > MAX_COLUMNS else distinct
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
MAX_SWEEPS = 100
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
    for _ in range(MAX_SWEEPS):
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


SHORT, LONG = 0.03, 0.1
"""Seconds between two looks at the clock: compiled code comes back so often, and Ctrl-C is heard."""


@dataclass(frozen=True, slots=True)
class RefinementBudget:
    """A budget that began at `began` (of time.monotonic). With neither seconds nor rounds it is used up at once.

    Once `stop` is set its time is used up as well.
    """

    began: float
    seconds: float | None
    rounds: int | None
    stop: threading.Event | None = None

    def used(self, rounds: int) -> float:
        """The share that is used up after so many rounds; 1 or more: all of it."""
        if self.rounds is None and self.seconds is None:
            return 1.0
        if self.rounds is None:
            return self.time_used()
        return max(rounds / self.rounds if self.rounds else 1.0, self.time_used())

    def time_used(self) -> float:
        """The share of the seconds that has passed; 0 if they do not matter."""
        if self.stop is not None and self.stop.is_set():
            return 1.0
        if self.seconds is None:
            return 0.0
        return (time.monotonic() - self.began) / self.seconds if self.seconds > 0 else 1.0


def begin(seconds: float | None, rounds: int | None, stop: threading.Event | None = None) -> RefinementBudget:
    """A budget that begins now. Raises InputError for a negative or infinite budget, or none."""
    time_given = None if seconds is None else number_from(seconds, 0, "the number of seconds", 10)
    rounds_given = None if rounds is None else whole_number_from(rounds, 0, "the number of rounds", 50)
    return RefinementBudget(time.monotonic(), time_given, rounds_given, stop)


@dataclass(slots=True)
class Pace:
    """The amount of work that compiled code is given at once, so that it returns in time."""

    amount: int = 1

    def work(self, most: int, work: Callable[[int], float]) -> tuple[int, float]:
        """Run some of the work; return the amount done, and its result."""
        part = min(self.amount, most)
        began = time.monotonic()
        returned = work(part)
        took = time.monotonic() - began
        if took > LONG:
            self.amount = max(part // 2, 1)
        elif took < SHORT and part == self.amount:
            self.amount *= 2
        return part, returned


MOVES, SWAPS, DISSOLVED, SPLIT = 0, 1, 2, 3
TRIES = 6
"""Neighbours to look up for each group that a pool is to have, until enough groups are found."""


class RefinementSearch(NamedTuple):
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
def descend_where_waiting(search: RefinementSearch, size: int, pools: int) -> float:
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
def rebuild_some(search: RefinementSearch, size: int, tolerance: float, rebuilds: int) -> float:
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
def let_wait(search: RefinementSearch, group: int) -> None:
    """Has a group's neighbourhood descended in, if it does not wait already."""
    if not search.waits[group]:
        search.waits[group] = True
        search.waiting[(search.ends[0] + search.ends[1]) % search.waiting.size] = group
        search.ends[1] += 1


@inner
def _nearest_groups(search: RefinementSearch, group: int, size: int) -> int:
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
def _groups_around(search: RefinementSearch, row: int, size: int) -> int:
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
def _put_back(search: RefinementSearch, records: int, groups: int, made: int) -> None:
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


LARGEST_K = 500
"""The largest k at which all distances between the records of two groups are kept: beyond it they are too many."""
POOL, POOL_GROUPS = 40, 8
"""The number of records of a pool, and of groups of k in it: the smaller of both, at least 4 k."""
TOLERANCE = 0.1
"""The tolerated increase of loss by a rebuilt neighbourhood at first; it falls to nothing as the budget is used up."""
FOR_NEIGHBOURS = 0.6
"""The share of the time to find the neighbours in; to descend by them takes about the rest."""
LEAST_REBUILDS = 100
"""The fewest rebuilds of a round: less would not be worth a call of compiled code."""


def improve(
    X: ArrayLike,
    labels: ArrayLike,
    k: int,
    *,
    seconds: float | None = None,
    rounds: int | None = None,
    rng: np.random.Generator | None = None,
    stop: threading.Event | None = None,
) -> tuple[Labels, GroupingFigures]:
    """Groups with no more SSE than those given, each of k records or more; numbered by their first records.

    First a descent: while SSE falls, a record moves to a near group or swaps places with one of a near group. Then, as
    long as `seconds` (of the whole call) or `rounds` allow, a few near groups at a time are taken apart and made anew,
    one fewer or one more of them now and then, and descended in; a round does so as often as there are groups. With
    neither, the descent is all. With `rounds` alone, the result is the same for an `rng` (None: `default_rng(0)`)
    wherever it runs. Where nothing can be gained (k = 1 or beyond 500, fewer than 2k records, an SSE of 0) the start
    comes back at once, but that k = 1 leaves every record alone. Once `stop` is set (by another thread) the best found
    until then comes back at the next look at the clock.

    Figures: `sse`, `moves` and `swaps` (that were kept), `dissolved` and `split` (groups fewer and more), `rounds`.
    Raises InputError as `table`, `require_k` and `labels_of`, and for a budget that is none.
    """
    records = table(X)
    k = require_k(k, len(records))
    start = labels_of(labels, len(records), k)
    budget = begin(seconds, rounds, stop)
    if k == 1:
        start = np.arange(len(records), dtype=np.int32)
    before = information_loss(records, start).sse
    if before == 0 or len(records) < 2 * k or k > LARGEST_K:
        return start, _report(start, before, _nothing(), 0)
    found, tally, done = _searched(records, start, k, budget, chance_of(rng))
    after = information_loss(records, found).sse
    if not after < before:
        return start, _report(start, before, _nothing(), done)
    return found, _report(found, after, tally, done)


def _searched(
    X: Table, start: Labels, k: int, budget: RefinementBudget, chance: Chance
) -> tuple[Labels, NDArray[np.int64], int]:
    """The best groups found, the counts of the steps, and the number of rounds."""
    left = X - X.mean(axis=0)
    left /= np.abs(left).max()
    size = max(4 * k, min(POOL, POOL_GROUPS * k))
    search = _search(left, start, k, size, budget, chance)
    pace = Pace()
    while search.ends[1] > 0 and budget.time_used() < 1:
        pace.work(int(search.ends[1]), partial(descend_where_waiting, search, size))
    pace, now, least, rounds = Pace(), 0.0, 0.0, 0
    best = search.membership.labels.copy()
    while (used := budget.used(rounds)) < 1:
        to_do = max(int(search.membership.in_use[0]), LEAST_REBUILDS)
        while to_do > 0 and budget.time_used() < 1:
            tolerance = TOLERANCE * (1 - used) ** 2
            done, changed = pace.work(to_do, partial(rebuild_some, search, size, tolerance))
            to_do, now = to_do - done, now + changed
        rounds += 1
        if now < least:
            least, best = now, search.membership.labels.copy()
    return numbered(best), search.tally, rounds


def _search(X: Table, start: Labels, k: int, size: int, budget: RefinementBudget, chance: Chance) -> RefinementSearch:
    membership, halvings = membership_of(X, start, k)
    groups = int(membership.in_use[0])
    search = RefinementSearch(
        X,
        k,
        membership,
        vicinity_of(X, max(16, 2 * k), lambda: budget.time_used() > FOR_NEIGHBOURS),
        pool_of(size + 2 * k, size // k + 4),
        chance,
        tally=_nothing(),
        waiting=np.arange(len(membership.sizes), dtype=np.int64),
        ends=np.array([0, groups], dtype=np.int64),
        waits=np.arange(len(membership.sizes)) < groups,
    )
    search.tally[SPLIT] = halvings
    return search


def _nothing() -> NDArray[np.int64]:
    return np.zeros(4, dtype=np.int64)


def _report(labels: Labels, sse: float, tally: NDArray[np.int64], rounds: int) -> GroupingFigures:
    return report_of(
        labels,
        sse=sse,
        moves=int(tally[MOVES]),
        swaps=int(tally[SWAPS]),
        dissolved=int(tally[DISSOLVED]),
        split=int(tally[SPLIT]),
        rounds=rounds,
    )
