"""Clusters made better by swaps: two customers of different clusters change places where both lose less together.

The clusters are searched in blocks of neighbours in rank order, each by one thread, then once more in other blocks.
What is found depends on the records alone, not on the threads.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordermade.compiled import compiled, inner
from ordermade.history.histories import NONE, Clusters
from ordermade.history.likeness import (
    Laid,
    Members,
    Records,
    Room,
    lay,
    length_of,
    loss_of_cluster,
    loss_of_row,
    surplus,
    template_of,
)
from ordermade.history.partners import Table
from ordermade.history.replacing import take_errors

LEAST = 1e-6
"""Cells a swap gains at least: less is rounding."""


class Standing(NamedTuple):
    """The clusters as they are.

    Attributes:
        members: the customers of each cluster (clusters, k).
        cluster: the cluster of each customer, NONE for those who are dropped.
        losses: the estimated loss of each cluster.
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
    """The clusters, each of k customers, before any loss is reckoned."""
    count = int(clusters.max(initial=NONE)) + 1
    members = np.argsort(clusters, kind="stable")[clusters.size - count * k :].reshape(count, k)
    return Standing(
        members=members,
        cluster=clusters.astype(np.int64),
        losses=np.zeros(count),
        held=np.zeros(laid.items.size, dtype=np.int32),
        seen=np.full(count, NONE, dtype=np.int64),
        window=window,
    )


@inner
def _settle_cluster(laid: Laid, standing: Standing, cluster: int, room: Room) -> None:
    """Reckons the loss of a cluster anew, and who holds which slot."""
    members = standing.members[cluster]
    k = members.size
    standing.losses[cluster] = loss_of_cluster(laid, members, room)
    slots = length_of(laid, members[template_of(laid, members)])
    for j in range(k):
        start = laid.starts[members[j]]
        for slot in range(slots):
            standing.held[start + slot] = room.whole[slot * k + j]


@compiled
def swap(
    laid: Laid,
    standing: Standing,
    likest: Table,
    dropped: Members,
    first: int,
    end: int,
    tries: int,
    is_new: bool,
    room: Room,
) -> int:
    """Looks at every customer of the clusters from `first` to before `end` once; how many swaps were made.

    A customer is tried in the place of each customer of the clusters of its likest ones, and of those who are dropped.
    With `is_new` the losses of the clusters are reckoned first.
    """
    if is_new:
        for cluster in range(first, end):
            _settle_cluster(laid, standing, cluster, room)
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
def _swap_dropped(laid: Laid, standing: Standing, customer: int, dropped: Members, place: int, room: Room) -> int:
    """Drops the customer, if in a cluster, in place of one who is dropped, if less is lost so; how many swaps."""
    home, other = int(standing.cluster[customer]), int(dropped[place])
    if home == NONE:
        return 0
    cells = (length_of(laid, other) - length_of(laid, customer)) * (laid.numbers.shape[1] + 1)
    limit = standing.losses[home] + cells - LEAST
    here = _place_of(standing.members[home], customer)
    if limit <= 0 or not _is_within(standing, home, here, other):
        return 0
    if _loss_with(laid, standing, home, here, other, limit, room) >= limit:
        return 0
    standing.members[home, here], dropped[place] = other, customer
    standing.cluster[customer], standing.cluster[other] = NONE, home
    _settle_cluster(laid, standing, home, room)
    return 1


@inner
def _swap_into(laid: Laid, standing: Standing, customer: int, away: int, tries: int, room: Room) -> int:
    """Swaps the customer with one of the cluster `away` if any of the `tries` most promising ones loses less so."""
    home, gains = int(standing.cluster[customer]), room.gains
    here = _place_of(standing.members[home], customer)
    _gains_of_places(laid, standing, away, customer, room)
    for _ in range(tries):
        there = 0
        for j in range(1, gains.size):
            if gains[j] > gains[there]:
                there = j
        gain = gains[there]
        limit = standing.losses[home] + gain - LEAST
        gains[there] = -np.inf
        if limit <= 0:
            return 0
        other = int(standing.members[away, there])
        if not _is_within(standing, home, here, other) or not _is_within(standing, away, there, customer):
            continue
        if _loss_with(laid, standing, home, here, other, limit, room) < limit:
            standing.members[home, here], standing.members[away, there] = other, customer
            standing.cluster[customer], standing.cluster[other] = away, home
            for changed in (home, away):
                _settle_cluster(laid, standing, changed, room)
            return 1
    return 0


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
def _loss_with(
    laid: Laid, standing: Standing, cluster: int, place: int, customer: int, limit: float, room: Room
) -> float:
    """The loss of the cluster with the customer in that place; inf if it is not below the limit."""
    members, others = room.members, standing.members[cluster]
    k = others.size
    at = template_of(laid, others)
    slots = length_of(laid, others[at])
    for j in range(k):
        members[j] = others[j]
    members[place] = customer
    if at == place or length_of(laid, customer) < slots:
        return loss_of_cluster(laid, members, room)
    found = surplus(laid, members, slots)
    if found >= limit:
        return np.inf
    lay(laid, members[at], customer, room.taken, room.fit)
    for slot in range(slots):
        for j in range(k):
            room.row[j] = standing.held[laid.starts[members[j]] + slot]
        room.row[place] = room.fit[slot]
        found += loss_of_row(laid, room.row, k)
        if found >= limit:
            return np.inf
    return found


@inner
def _gains_of_places(laid: Laid, standing: Standing, cluster: int, customer: int, room: Room) -> None:
    """Writes by how much less the cluster would lose with the customer in each place.

    That is reckoned where the slots stay as they are. Else it is -inf: the swap may be found from the other customer.
    """
    members, gains = standing.members[cluster], room.gains
    k, at = members.size, template_of(laid, members)
    slots = length_of(laid, members[at])
    if length_of(laid, customer) < slots:
        gains[:k] = -np.inf
        return
    lay(laid, members[at], customer, room.taken, room.fit)
    before = standing.losses[cluster] - surplus(laid, members, slots)
    for j in range(k):
        rows = length_of(laid, customer) - length_of(laid, members[j])
        gains[j] = before - rows * (laid.numbers.shape[1] + 1)
    for slot in range(slots):
        for j in range(k):
            room.row[j] = standing.held[laid.starts[members[j]] + slot]
        take_errors(laid, room.row, room.fit[slot], k, room)
    gains[at] = -np.inf
