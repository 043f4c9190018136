"""Improve clusters by swaps of customers, judged by the true loss after matching.

The estimate by which clusters are made (see `likeness`) is from above, and some per cent off. Here the records of all
clusters are in slots, and a customer is laid on those of another cluster as an assignment problem solved exactly. That
takes far longer than the estimate: it is done last, of few customers, and where histories are not long.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ordermade.history.histories import NONE, Clusters, Histories, members_of
from ordermade.history.partners import Table
from ordermade.history.progress import Progress, counted, part, unreported
from ordermade.history.slotted import Ground, Places, Slotted, ground_of
from ordermade.side_by_side import Crew

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
LEAST = 1e-6
"""The fewest cells that a swap must gain: less is rounding."""


def is_refined(histories: Histories) -> bool:
    """Whether there are few enough customers for clusters to be refined."""
    return histories.customers <= CUSTOMERS


def refined(
    histories: Histories, clusters: Clusters, partners: Table, window: int, crew: Crew, progress: Progress = unreported
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
        crew: who lays customers on clusters.
        progress: called with the share of the sweeps that are done.
    """
    search = _Search(ground_of(histories, delete_costly=True), clusters, partners, window, crew)
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

    def __init__(self, ground: Ground, clusters: Clusters, partners: Table, window: int, crew: Crew) -> None:
        self.ground, self.clusters, self.partners, self.crew = ground, clusters.copy(), partners, crew
        self.window, self.lengths = window, ground.histories.lengths
        found = crew.each(self._put_in, [members for members in members_of(clusters) if self._is_tried(members)])
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
        laid = counted(self.crew.each(self._lay, unknown), len(unknown), progress)
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
