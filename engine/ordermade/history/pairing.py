"""Pairs of customers, for k = 2: those of the least loss together, by the true losses of the likeliest pairs.

The loss of a cluster of two is that of the best assignment of their records, which is exact. The pairs are then made
better by chains of changes: a customer takes another partner, whose partner left behind takes yet another, and so on
until the last one goes with the first one's; after Lin and Kernighan, "An effective heuristic algorithm for the
traveling-salesman problem" (1973).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ordermade.compiled import compiled, inner
from ordermade.history.histories import NONE, Clusters, Histories
from ordermade.history.holdings import Holdings, hold, holdings, losses_together, shared
from ordermade.history.likeness import Members
from ordermade.history.partners import PairLosses, Table
from ordermade.history.progress import Progress, counted, unreported
from ordermade.side_by_side import Crew

CELLS = 1 << 20
"""The most pairs of records of two customers who are matched exactly: their loss is estimated beyond that."""
WORK, WORK_EACH = 1 << 27, 1 << 14
"""The most pairs of records of all customers who are matched exactly, and how many more for every customer."""
DEPTH = 10
"""The most changes of a chain."""
ROUNDS = 50
"""The most times that a chain is begun at every customer."""
PIECE = 64
"""The number of customers whose pairs are matched at once."""


def sharpen(
    histories: Histories, losses: PairLosses, partners: Table, crew: Crew, progress: Progress = unreported
) -> None:
    """Write the exact losses of the customers with their `partners`, and scale the estimates of all others."""
    ones = np.repeat(np.arange(len(partners)), partners.shape[1])
    others = partners.ravel()
    pairs = np.unique(np.sort(np.column_stack([ones, others])[others != NONE], axis=1), axis=0)
    pairs = pairs[_affordable(histories, pairs)]
    if pairs.size == 0:
        return
    pieces = np.split(pairs, np.searchsorted(pairs[:, 0], np.arange(PIECE, len(partners), PIECE)))
    found = crew.each(lambda piece: exact_losses(histories, piece), pieces)
    exact = np.concatenate(list(counted(found, len(pieces), progress)))
    places = (pairs[:, 0], pairs[:, 1] - pairs[:, 0] - 1)
    estimated = float(losses[places].sum(dtype=np.float64))
    if estimated > 0:
        losses *= exact.sum() / estimated
    losses[places] = exact


def _affordable(histories: Histories, pairs: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Choose the pairs to match exactly: those of the least work, as many as are within the bounds."""
    cells = histories.lengths[pairs].prod(axis=1)
    order = np.argsort(cells, kind="stable")
    found: NDArray[np.bool_] = cells <= CELLS
    found[order] &= np.cumsum(cells[order]) <= WORK + WORK_EACH * histories.customers
    return found


def exact_losses(histories: Histories, pairs: NDArray[np.int64]) -> NDArray[np.float64]:
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


def _hold(histories: Histories, customer: int, held: Holdings) -> None:
    """A slot for each record of the customer."""
    rows = np.arange(*histories.starts[customer : customer + 2])
    hold(histories.numbers, histories.items, rows[None], held)


def paired(
    histories: Histories, losses: PairLosses, partners: Table, clusters: Clusters, progress: Progress = unreported
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
