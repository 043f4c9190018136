"""The losses of pairs of customers near each other in rank order, and clusters grown from the best pairs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ordermade.compiled import compiled, inner
from ordermade.history.histories import NONE, Clusters
from ordermade.history.likeness import Laid, Members, Room, loss_of_cluster, room
from ordermade.history.progress import Progress, counted, unreported
from ordermade.side_by_side import Crew

PairLosses = NDArray[np.float32]
"""A row a customer: its loss as a pair with each of the next ones in rank order; inf past the last."""
Table = NDArray[np.int32]
"""A row of customers for each customer or each cluster."""
PIECE = 64
"""The number of customers whose pairs are computed at once."""


def pair_losses(laid: Laid, window: int, crew: Crew, progress: Progress = unreported) -> PairLosses:
    """The estimated loss of every customer with each of the next `window` ones (customers, window)."""
    customers = laid.starts.size - 1
    found = np.full((customers, window), np.inf, dtype=np.float32)

    def compute(first: int) -> None:
        end = min(first + PIECE, customers)
        among = np.arange(first, min(end + window, customers))
        _compute_pairs(laid, first, end, found, room(laid, 2, among))

    firsts = range(0, customers - 1, PIECE)
    for _ in counted(crew.each(compute, firsts), len(firsts), progress):
        pass
    return found


@compiled
def _compute_pairs(laid: Laid, first: int, end: int, losses: PairLosses, room: Room) -> None:
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
