"""Pairs of customers for k = 2: partners near in rank order, matched for the least loss together.

The loss of a cluster of two is that of the best assignment of their records, which is exact. The pairs are then made
better by chains of changes: a customer takes another partner, whose partner left behind takes yet another, and so on
until the last one goes with the first one's; after Lin and Kernighan, "An effective heuristic algorithm for the
traveling-salesman problem" (1973).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ordermade.machine.compiled import compiled, inner
from ordermade.machine.parallel import WorkerPool
from ordermade.methods.histories.algorithm.histories import NONE, Clusters, HistoryArrays, Progress, counted, unreported
from ordermade.methods.histories.algorithm.loss_estimate import EstimateScratch, Laid, Members, loss_of_cluster, room
from ordermade.methods.histories.algorithm.slot_losses import Holdings, hold, holdings, losses_together, shared

PairLosses = NDArray[np.float32]
"""A row a customer: its loss as a pair with each of the next ones in rank order; inf past the last."""
Table = NDArray[np.int32]
"""A row of customers for each customer or each cluster."""
PIECE = 64
"""The number of customers whose pairs are computed at once."""


def pair_losses(laid: Laid, window: int, pool: WorkerPool, progress: Progress = unreported) -> PairLosses:
    """The estimated loss of every customer with each of the next `window` ones (customers, window)."""
    customers = laid.starts.size - 1
    found = np.full((customers, window), np.inf, dtype=np.float32)

    def compute(first: int) -> None:
        end = min(first + PIECE, customers)
        among = np.arange(first, min(end + window, customers))
        _compute_pairs(laid, first, end, found, room(laid, 2, among))

    firsts = range(0, customers - 1, PIECE)
    for _ in counted(pool.each(compute, firsts), len(firsts), progress):
        pass
    return found


@compiled
def _compute_pairs(laid: Laid, first: int, end: int, losses: PairLosses, room: EstimateScratch) -> None:
    """Write the losses of the customers from `first` to before `end`."""
    customers, window = losses.shape
    pair = room.members
    for one in range(first, end):
        for place in range(min(window, customers - one - 1)):
            pair[0], pair[1] = one, one + 1 + place
            losses[one, place] = loss_of_cluster(laid, pair, room)


def likest(losses: PairLosses, count: int) -> Table:
    """The `count` partners of every customer with whom a pair loses least (customers, count), the best first.

    They are looked for among those at most a window before or after in rank order; NONE where there are no more.
    """
    customers, window = losses.shape
    found = np.full((customers, count), NONE, dtype=np.int32)
    for first in range(0, customers, 4096):
        ones = np.arange(first, min(first + 4096, customers))
        places = np.arange(1, window + 1)
        before = ones[:, None] - places
        backwards = np.where(before >= 0, losses[np.maximum(before, 0), places - 1], np.inf)
        both = np.concatenate([losses[ones], backwards], axis=1)
        who = np.concatenate([ones[:, None] + places, before], axis=1)
        best = np.argsort(both, axis=1, kind="stable")[:, :count]
        chosen = np.take_along_axis(who, best, axis=1)
        chosen[np.isinf(np.take_along_axis(both, best, axis=1))] = NONE
        found[ones, : chosen.shape[1]] = chosen
    return found


def grown(losses: PairLosses, k: int, dropped: Members) -> Clusters:
    """Clusters of k: the first customer left in rank order takes the likest of those after it, one by one.

    They are looked for within the window (among the next ones left, where there are fewer than k - 1 in it); the next
    is the one whose pairs with all who are in the cluster lose least together. `dropped` are in none.
    """
    customers, window = losses.shape
    clusters = np.full(customers, NONE, dtype=np.int32)
    is_left = np.ones(customers, dtype=np.uint8)
    is_left[dropped] = 0
    _grow(losses, k, is_left, clusters, np.zeros(window + k), np.zeros(window + k, dtype=np.int64))
    return clusters


@compiled
def _grow(
    losses: PairLosses, k: int, is_left: NDArray[np.uint8], clusters: Clusters, sums: NDArray[np.float64], near: Members
) -> None:
    """Write the cluster of each customer that is left, in the order of their first customers."""
    window, cluster = losses.shape[1], 0
    for first in range(is_left.size):
        if is_left[first] == 0:
            continue
        is_left[first] = 0
        clusters[first] = cluster
        count, at = 0, first + 1
        while at < is_left.size and (at - first <= window or count < k - 1):
            if is_left[at] == 1:
                near[count], sums[count] = at, 0.0
                count += 1
            at += 1
        last = first
        for _ in range(k - 1):
            best = -1
            for place in range(count):
                one = near[place]
                if is_left[one] == 1:
                    sums[place] += _pair_loss(losses, one, last)
                    if best < 0 or sums[place] < sums[best]:
                        best = place
            last = near[best]
            is_left[last] = 0
            clusters[last] = cluster
        cluster += 1


@inner
def _pair_loss(losses: PairLosses, one: int, other: int) -> float:
    """The loss of a pair, inf if they are more than a window apart."""
    apart = abs(one - other)
    return np.inf if apart > losses.shape[1] else float(losses[min(one, other), apart - 1])


CELLS = 1 << 20
"""The most pairs of records of two customers who are matched exactly: their loss is estimated beyond that."""
WORK, WORK_EACH = 1 << 27, 1 << 14
"""The most pairs of records of all customers who are matched exactly, and how many more for every customer."""
DEPTH = 10
"""The most changes of a chain."""
ROUNDS = 50
"""The most times that a chain is begun at every customer."""


def sharpen(
    histories: HistoryArrays, losses: PairLosses, partners: Table, pool: WorkerPool, progress: Progress = unreported
) -> None:
    """Write the exact losses of the customers with their `partners`, and scale the estimates of all others."""
    ones = np.repeat(np.arange(len(partners)), partners.shape[1])
    others = partners.ravel()
    pairs = np.unique(np.sort(np.column_stack([ones, others])[others != NONE], axis=1), axis=0)
    pairs = pairs[_affordable(histories, pairs)]
    if pairs.size == 0:
        return
    pieces = np.split(pairs, np.searchsorted(pairs[:, 0], np.arange(PIECE, len(partners), PIECE)))
    found = pool.each(lambda piece: exact_losses(histories, piece), pieces)
    exact = np.concatenate(list(counted(found, len(pieces), progress)))
    places = (pairs[:, 0], pairs[:, 1] - pairs[:, 0] - 1)
    estimated = float(losses[places].sum(dtype=np.float64))
    if estimated > 0:
        losses *= exact.sum() / estimated
    losses[places] = exact


def _affordable(histories: HistoryArrays, pairs: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Choose the pairs to match exactly: those of the least work, as many as are within the bounds."""
    cells = histories.lengths[pairs].prod(axis=1)
    order = np.argsort(cells, kind="stable")
    found: NDArray[np.bool_] = cells <= CELLS
    found[order] &= np.cumsum(cells[order]) <= WORK + WORK_EACH * histories.customers
    return found


def exact_losses(histories: HistoryArrays, pairs: NDArray[np.int64]) -> NDArray[np.float64]:
    """The least loss of each pair of customers (a row each), in cells."""
    from scipy.optimize import linear_sum_assignment

    if pairs.size == 0:
        return np.zeros(0)
    lengths, columns = histories.lengths, histories.sds.size
    longest = int(lengths[pairs].max())
    one, other = holdings(longest, 1, columns), holdings(longest, 1, columns)
    halves = histories.halves
    room = shared(int(histories.items.max()) + 1, longest, 1)
    found = np.zeros(len(pairs))
    last = NONE
    for place, (first, second) in enumerate(pairs.tolist()):
        if first != last:
            _hold(histories, first, one)
            last = first
        _hold(histories, second, other)
        cells = np.empty((lengths[first], lengths[second]))
        losses_together(one, other, 1, 1, halves, 1.0, room, cells)
        surplus = (columns + 1) * abs(lengths[first] - lengths[second])
        found[place] = cells[linear_sum_assignment(cells)].sum() + surplus
    return found


def _hold(histories: HistoryArrays, customer: int, held: Holdings) -> None:
    """A slot for each record of the customer."""
    rows = np.arange(*histories.starts[customer : customer + 2])
    hold(histories.numbers, histories.items, rows[None], held)


def paired(
    histories: HistoryArrays, losses: PairLosses, partners: Table, clusters: Clusters, progress: Progress = unreported
) -> Clusters:
    """Improve the pairs (clusters of two) by chains of changes as long as any is found."""
    customers = histories.customers
    partner = np.full(customers + 1, customers, dtype=np.int64)
    kept = np.flatnonzero(clusters != NONE)
    pairs = kept[np.argsort(clusters[kept], kind="stable")].reshape(-1, 2)
    partner[pairs[:, 0]], partner[pairs[:, 1]] = pairs[:, 1], pairs[:, 0]
    if kept.size < customers:
        partner[customers] = np.flatnonzero(clusters == NONE)[0]
    alone = (histories.lengths * (histories.sds.size + 1)).astype(np.float64)
    chain = np.zeros(2 * DEPTH + 2, dtype=np.int64)
    for _ in counted(range(ROUNDS), ROUNDS, progress):
        if _improve(losses, alone, partners, partner, chain) == 0:
            break
    found = np.minimum(np.arange(customers), partner[:customers])
    found[partner[:customers] == customers] = NONE
    return found.astype(np.int32)


@inner
def _loss(losses: PairLosses, alone: NDArray[np.float64], one: int, other: int) -> float:
    """The loss of a pair; of a customer who is dropped, with the number after the last; inf beyond the window."""
    first, last = min(one, other), max(one, other)
    if last == alone.size:
        return float(alone[first])
    return np.inf if last - first > losses.shape[1] else float(losses[first, last - first - 1])


@compiled
def _improve(losses: PairLosses, alone: NDArray[np.float64], partners: Table, partner: Members, chain: Members) -> int:
    """Begin a chain at every customer, and make the changes of the best; return the number of chains that gain.

    `chain` is room: customers and their new partners, by turns.
    """
    made = 0
    for begin in range(alone.size):
        for place in range(partners.shape[1]):
            if _follow(losses, alone, partners, partner, begin, place, chain):
                made += 1
                break
    return made


@inner
def _follow(
    losses: PairLosses,
    alone: NDArray[np.float64],
    partners: Table,
    partner: Members,
    begin: int,
    place: int,
    chain: Members,
) -> bool:
    """Follow one chain and make its changes; return whether anything is gained by them.

    The first customer takes its likest one in that place, everyone left behind the one with whom most is gained.
    """
    left = int(partner[begin])
    gain, best, best_length = _loss(losses, alone, begin, left), 1e-3, 0
    current, length = begin, 0
    while length < DEPTH:
        taken = NONE
        if length == 0:
            taken = int(partners[begin, place])
            if taken == NONE:
                return False
            if taken == left:
                return False
        else:
            most = -np.inf
            for at in range(partners.shape[1]):
                other = int(partners[current, at])
                if other == NONE:
                    break
                if other == left or _is_in(chain, 2 * length, other) or _is_in(chain, 2 * length, partner[other]):
                    continue
                value = _loss(losses, alone, other, int(partner[other])) - _loss(losses, alone, current, other)
                if value > most:
                    most, taken = value, other
            if taken == NONE:
                break
        behind = int(partner[taken])
        gain += _loss(losses, alone, taken, behind) - _loss(losses, alone, current, taken)
        chain[2 * length], chain[2 * length + 1] = current, taken
        length += 1
        if gain <= 0:
            break
        closed = gain - _loss(losses, alone, behind, left)
        if closed > best:
            best, best_length = closed, length
        if behind == alone.size:
            break
        current = behind
    if best_length == 0:
        return False
    last = partner[chain[2 * best_length - 1]]
    for at in range(best_length):
        one, other = chain[2 * at], chain[2 * at + 1]
        partner[one], partner[other] = other, one
    partner[last], partner[left] = left, last
    return True


@inner
def _is_in(chain: Members, size: int, customer: int) -> bool:
    at = 0
    while at < size and chain[at] != customer:
        at += 1
    return at < size
