"""Swaps of customers between clusters that lower the loss, by the estimate and after matching.

The clusters are searched in blocks of neighbours in rank order, each by one thread, then once more in other blocks.
The result depends on the records alone, not on the threads.

The estimate by which clusters are made (see `likeness`) is from above, and some per cent off. Here the records of all
clusters are in slots, and a customer is laid on those of another cluster as an assignment problem solved exactly. That
takes far longer than the estimate: it is done last, of few customers, and where histories are not long.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordermade.machine.compiled import compiled, inner
from ordermade.machine.parallel import WorkerPool
from ordermade.methods.histories.algorithm.histories import (
    NONE,
    Clusters,
    HistoryArrays,
    Progress,
    counted,
    members_of,
    part,
    unreported,
)
from ordermade.methods.histories.algorithm.loss_estimate import (
    EstimateScratch,
    Laid,
    Members,
    Records,
    lay,
    length_of,
    loss_of_cluster,
    slots_of,
    surplus,
    template_of,
)
from ordermade.methods.histories.algorithm.pairing import Table
from ordermade.methods.histories.algorithm.slot_losses import add_errors
from ordermade.methods.histories.algorithm.slotted import Ground, Places, Slotted, ground_of

LEAST = 1e-6
"""The fewest cells that a swap must gain: less is rounding."""


class SwapState(NamedTuple):
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


def standing(laid: Laid, clusters: Clusters, k: int, window: int) -> SwapState:
    """The clusters, each of k customers, before any loss is computed."""
    count = int(clusters.max(initial=NONE)) + 1
    members = np.argsort(clusters, kind="stable")[clusters.size - count * k :].reshape(count, k)
    return SwapState(
        members=members,
        cluster=clusters.astype(np.int64),
        losses=np.full(count, -1.0),
        held=np.zeros(laid.items.size, dtype=np.int32),
        seen=np.full(count, NONE, dtype=np.int64),
        window=window,
    )


@compiled
def swap(
    laid: Laid,
    standing: SwapState,
    likest: Table,
    dropped: Members,
    first: int,
    end: int,
    tries: int,
    room: EstimateScratch,
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
def _settle(laid: Laid, standing: SwapState, cluster: int, room: EstimateScratch) -> None:
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
def _swap_into(laid: Laid, standing: SwapState, customer: int, away: int, tries: int, room: EstimateScratch) -> int:
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
def _swap_dropped(
    laid: Laid, standing: SwapState, customer: int, dropped: Members, place: int, room: EstimateScratch
) -> int:
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
def _more_with(
    laid: Laid, standing: SwapState, cluster: int, place: int, customer: int, room: EstimateScratch
) -> float:
    """The increase of the cluster's loss with the customer in that place, its slots changed if need be."""
    members = standing.members[cluster]
    if template_of(laid, members) != place and length_of(laid, customer) >= slots_of(laid, members):
        _estimate_places(laid, standing, cluster, customer, room, room.back)
        return float(room.back[place])
    for j in range(members.size):
        room.members[j] = customer if j == place else members[j]
    return float(loss_of_cluster(laid, room.members, room) - standing.losses[cluster])


@inner
def _is_within(standing: SwapState, cluster: int, place: int, customer: int) -> bool:
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
    laid: Laid, standing: SwapState, cluster: int, customer: int, room: EstimateScratch, more: NDArray[np.float64]
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


CUSTOMERS = 2_000
"""The most customers whose clusters are refined: for more it would take longer than all the rest (some 10 ms a
customer)."""
SLOTS = 8
"""The fewest slots of a cluster to refine: others lose little, and take as long."""
PAIRS = 1 << 15
"""The most pairs of a record and a slot in an assignment: longer histories stay in their clusters."""
CLUSTERS = 8
"""The number of other clusters that a customer is tried in, those of its likest partners."""
PLACES = 8
"""The number of these places that are tried from the other side too."""
SWEEPS = 4
"""The most times that every customer is tried."""
WORTH = 5e-4
"""The share of the clusters' loss that a sweep must gain for another to be made."""


def is_refined(histories: HistoryArrays) -> bool:
    """Whether there are few enough customers for clusters to be refined."""
    return histories.customers <= CUSTOMERS


def refined(
    histories: HistoryArrays,
    clusters: Clusters,
    partners: Table,
    window: int,
    pool: WorkerPool,
    progress: Progress = unreported,
) -> Clusters:
    """The clusters after swaps that reduce the loss by matching, with cells that cost too much deleted.

    The same for any number of threads. The work is bounded by the data, never by the clock: clusters
    with fewer than 8 slots, or more than 2^15 pairs of a record and a slot, are left as they are; sweeps end with the
    first that gains less than half a per mille.

    Args:
        histories: the records.
        clusters: the cluster of each customer.
        partners: of every customer those with whom it goes best, the best first, NONE where there are no more.
        window: how far apart in rank order two customers of a cluster may be brought.
        pool: who lays customers on clusters.
        progress: called with the share of the sweeps that are done.
    """
    search = _Search(ground_of(histories, delete_costly=True), clusters, partners, window, pool)
    for sweep in range(SWEEPS):
        before = search.loss
        search.sweep(part(progress, sweep / SWEEPS, (sweep + 1) / SWEEPS))
        if before - search.loss <= WORTH * before:
            break
    return search.clusters


class _Search:
    """The current clusters, and the known losses with customers in the places of other clusters.

    Attributes:
        clusters: the cluster of each customer.
        slotted: the clusters among which customers are swapped, by their numbers.
        known: for each of them, how much more it would lose with another customer in each of its places.
    """

    def __init__(self, ground: Ground, clusters: Clusters, partners: Table, window: int, pool: WorkerPool) -> None:
        self.ground, self.clusters, self.partners, self.pool = ground, clusters.copy(), partners, pool
        self.window, self.lengths = window, ground.histories.lengths
        found = pool.each(self._put_in, [members for members in members_of(clusters) if self._is_tried(members)])
        self.slotted = {int(clusters[each.customers[0]]): each for each in found}
        self.known: dict[int, dict[int, NDArray[np.float64]]] = {cluster: {} for cluster in self.slotted}

    @property
    def loss(self) -> float:
        """The loss of the clusters that are tried."""
        return sum(each.loss for each in self.slotted.values())

    def _is_tried(self, customers: Places) -> bool:
        """Whether the cluster has enough slots for its loss to matter, and few enough to be matched often."""
        slots = int(self.lengths[customers].min())
        return slots >= SLOTS and slots * int(self.lengths[customers].max()) <= PAIRS

    def _put_in(self, customers: Places) -> Slotted:
        """The cluster with its records in slots."""
        found = Slotted(self.ground, customers)
        found.build()
        found.put_in_again()
        return found

    def sweep(self, progress: Progress) -> None:
        """Try every customer once in the clusters of its partners.

        Unknown losses are computed for all customers at once, in threads; those that a swap changes, when needed.
        """
        customers = [each for each, home in enumerate(self.clusters.tolist()) if home in self.slotted]
        self._find_out(
            ((customer, cluster) for customer in customers for cluster in self._clusters_for(customer)),
            part(progress, 0.0, 0.4),
        )
        self._find_out(
            ((other, self._home(customer)) for customer in customers for _, other in self._likely_swaps(customer)),
            part(progress, 0.4, 0.8),
        )
        for customer in counted(customers, len(customers), part(progress, 0.8, 1.0)):
            self._swap(customer)

    def _home(self, customer: int) -> int:
        return int(self.clusters[customer])

    def _clusters_for(self, customer: int) -> list[int]:
        """The other clusters of the customer's partners that it may be laid on."""
        found = list[int]()
        for partner in self.partners[customer].tolist():
            cluster = self._home(partner) if partner != NONE else NONE
            if cluster not in self.slotted or cluster == self._home(customer) or cluster in found:
                continue
            if self.slotted[cluster].lengths[0] * self.lengths[customer] <= PAIRS:
                found.append(cluster)
            if len(found) == CLUSTERS:
                break
        return found

    def _find_out(self, pairs: Iterable[tuple[int, int]], progress: Progress = unreported) -> None:
        """Lay each customer on its cluster, where the loss of that is not known yet."""
        unknown = [
            (customer, cluster) for customer, cluster in dict.fromkeys(pairs) if customer not in self.known[cluster]
        ]
        laid = counted(self.pool.each(self._lay, unknown), len(unknown), progress)
        for (customer, cluster), found in zip(unknown, laid, strict=True):
            self.known[cluster][customer] = found

    def _lay(self, pair: tuple[int, int]) -> NDArray[np.float64]:
        """The increase of a cluster's loss with the customer in each of its places, inf if the others are too far."""
        customer, cluster = pair
        slotted = self.slotted[cluster]
        is_far = np.abs(slotted.customers - customer) > self.window
        more = slotted.exchanges(customer).losses - slotted.loss
        return np.where(is_far.sum() > is_far, np.inf, more)

    def _more(self, customer: int, cluster: int) -> NDArray[np.float64]:
        if customer not in self.known[cluster]:
            self.known[cluster][customer] = self._lay((customer, cluster))
        return self.known[cluster][customer]

    def _likely_swaps(self, customer: int) -> list[tuple[float, int]]:
        """The customers whose replacement loses least, and the increase of the loss, the best first."""
        found = [
            (more, other)
            for cluster in self._clusters_for(customer)
            for more, other in zip(
                self._more(customer, cluster).tolist(), self.slotted[cluster].customers.tolist(), strict=True
            )
        ]
        return sorted(found)[:PLACES]

    def _swap(self, customer: int) -> None:
        """Make the best swap of the customer, if any is known to lose less."""
        home = self._home(customer)
        place = int(np.flatnonzero(self.slotted[home].customers == customer)[0])
        swaps = [(more + self._more(other, home)[place], other) for more, other in self._likely_swaps(customer)]
        best, other = min(swaps, default=(0.0, NONE))
        if best > -LEAST:
            return
        away = self._home(other)
        here, there = self.slotted[home].exchanged(customer, other), self.slotted[away].exchanged(other, customer)
        if here.loss + there.loss > self.slotted[home].loss + self.slotted[away].loss - LEAST:
            return
        self.slotted[home], self.slotted[away] = here, there
        self.clusters[customer], self.clusters[other] = away, home
        self.known[home], self.known[away] = {}, {}
