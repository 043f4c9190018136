"""Improve clusters by swaps: two customers of different clusters change places where both lose less together.

The clusters are searched in blocks of neighbours in rank order, each by one thread, then once more in other blocks.
The result depends on the records alone, not on the threads.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordermade.compiled import compiled, inner
from ordermade.history.exchanges import add_errors
from ordermade.history.histories import NONE, Clusters
from ordermade.history.likeness import (
    Laid,
    Members,
    Records,
    Room,
    lay,
    length_of,
    loss_of_cluster,
    slots_of,
    surplus,
    template_of,
)
from ordermade.history.partners import Table

LEAST = 1e-6
"""The fewest cells that a swap must gain: less is rounding."""


class Standing(NamedTuple):
    """The current clusters.

    Attributes:
        members: the customers of each cluster (clusters, k).
        cluster: the cluster of each customer, NONE for those who are dropped.
        losses: the estimated loss of each cluster, -1 before it is computed.
        held: the record of each customer in each slot of its cluster, from where the customer's records start.
        seen: of each cluster the customer for whom it was looked at last.
        window: how far apart in rank order two customers of a cluster may be brought.
    """

    members: NDArray[np.int64]
    cluster: NDArray[np.int64]
    losses: NDArray[np.float64]
    held: Records
    seen: Members
    window: int


def standing(laid: Laid, clusters: Clusters, k: int, window: int) -> Standing:
    """The clusters, each of k customers, before any loss is computed."""
    count = int(clusters.max(initial=NONE)) + 1
    members = np.argsort(clusters, kind="stable")[clusters.size - count * k :].reshape(count, k)
    return Standing(
        members=members,
        cluster=clusters.astype(np.int64),
        losses=np.full(count, -1.0),
        held=np.zeros(laid.items.size, dtype=np.int32),
        seen=np.full(count, NONE, dtype=np.int64),
        window=window,
    )


@compiled
def swap(
    laid: Laid, standing: Standing, likest: Table, dropped: Members, first: int, end: int, tries: int, room: Room
) -> int:
    """Look at every customer of the clusters from `first` to before `end` once; return the number of swaps.

    A customer is tried in the place of each customer of the clusters of its likest ones, and of those who are dropped.
    Missing losses of clusters are computed first.
    """
    for cluster in range(first, end):
        if standing.losses[cluster] < 0:
            _settle(laid, standing, cluster, room)
    made = 0
    for home in range(first, end):
        for j in range(standing.members.shape[1]):
            customer = int(standing.members[home, j])
            for other in likest[customer]:
                if other != NONE and standing.cluster[other] != NONE:
                    standing.seen[standing.cluster[other]] = NONE
            for other in likest[customer]:
                away = NONE if other == NONE else int(standing.cluster[other])
                if away == standing.cluster[customer] or not first <= away < end or standing.seen[away] == customer:
                    continue
                standing.seen[away] = customer
                made += _swap_into(laid, standing, customer, away, tries, room)
            for place in range(dropped.size):
                made += _swap_dropped(laid, standing, customer, dropped, place, room)
    return made


@inner
def _settle(laid: Laid, standing: Standing, cluster: int, room: Room) -> None:
    """Compute the loss of a cluster anew, and the customers' records in its slots."""
    members = standing.members[cluster]
    k = members.size
    standing.losses[cluster] = loss_of_cluster(laid, members, room)
    slots = slots_of(laid, members)
    for j in range(k):
        start = laid.starts[members[j]]
        for slot in range(slots):
            standing.held[start + slot] = room.whole[slot * k + j]


@inner
def _swap_into(laid: Laid, standing: Standing, customer: int, away: int, tries: int, room: Room) -> int:
    """Swap the customer with one of the cluster `away` if any of the `tries` most promising swaps loses less."""
    home, there = int(standing.cluster[customer]), 0
    here = _place_of(standing.members[home], customer)
    _estimate_places(laid, standing, away, customer, room, room.there)
    for _ in range(tries):
        for j in range(room.there.size):
            if room.there[j] < room.there[there]:
                there = j
        more = room.there[there]
        if more >= standing.losses[home] - LEAST:
            return 0
        room.there[there] = np.inf
        other = int(standing.members[away, there])
        if not _is_within(standing, home, here, other) or not _is_within(standing, away, there, customer):
            continue
        if more + _more_with(laid, standing, home, here, other, room) < -LEAST:
            standing.members[home, here], standing.members[away, there] = other, customer
            standing.cluster[customer], standing.cluster[other] = away, home
            for changed in (home, away):
                _settle(laid, standing, changed, room)
            return 1
    return 0


@inner
def _swap_dropped(laid: Laid, standing: Standing, customer: int, dropped: Members, place: int, room: Room) -> int:
    """Drop the customer, if in a cluster, in place of a dropped one, if that loses less; return the number of swaps."""
    home, other = int(standing.cluster[customer]), int(dropped[place])
    if home == NONE:
        return 0
    here = _place_of(standing.members[home], customer)
    more = (length_of(laid, customer) - length_of(laid, other)) * (laid.numbers.shape[1] + 1.0)
    if more >= standing.losses[home] - LEAST or not _is_within(standing, home, here, other):
        return 0
    if more + _more_with(laid, standing, home, here, other, room) >= -LEAST:
        return 0
    standing.members[home, here], dropped[place] = other, customer
    standing.cluster[customer], standing.cluster[other] = NONE, home
    _settle(laid, standing, home, room)
    return 1


@inner
def _more_with(laid: Laid, standing: Standing, cluster: int, place: int, customer: int, room: Room) -> float:
    """The increase of the cluster's loss with the customer in that place, its slots changed if need be."""
    members = standing.members[cluster]
    if template_of(laid, members) != place and length_of(laid, customer) >= slots_of(laid, members):
        _estimate_places(laid, standing, cluster, customer, room, room.back)
        return float(room.back[place])
    for j in range(members.size):
        room.members[j] = customer if j == place else members[j]
    return float(loss_of_cluster(laid, room.members, room) - standing.losses[cluster])


@inner
def _is_within(standing: Standing, cluster: int, place: int, customer: int) -> bool:
    """Whether all but the one in that place are at most a window from the customer in rank order."""
    for j in range(standing.members.shape[1]):
        if j != place and abs(standing.members[cluster, j] - customer) > standing.window:
            return False
    return True


@inner
def _place_of(members: Members, customer: int) -> int:
    found = 0
    while members[found] != customer:
        found += 1
    return found


@inner
def _estimate_places(
    laid: Laid, standing: Standing, cluster: int, customer: int, room: Room, more: NDArray[np.float64]
) -> None:
    """Write the increase of the cluster's loss with the customer in each place.

    The loss is computed if the slots stay as they are. Else it is inf: the swap may be found from the other customer.
    """
    members = standing.members[cluster]
    k, at = members.size, template_of(laid, members)
    slots = length_of(laid, members[at])
    if length_of(laid, customer) < slots:
        more[:] = np.inf
        return
    lay(laid, members[at], customer, room.taken, room.fit)
    before = standing.losses[cluster] - surplus(laid, members, slots)
    for j in range(k):
        rows = length_of(laid, customer) - length_of(laid, members[j])
        more[j] = rows * (laid.numbers.shape[1] + 1) - before
    for slot in range(slots):
        for j in range(k):
            room.row[j] = standing.held[laid.starts[members[j]] + slot]
        add_errors(laid.numbers, laid.items, room.row, room.fit[slot], laid.halves, 1.0, more)
    more[at] = np.inf
