"""Clusters made better by swaps of customers, judged by what is really lost after matching.

The estimate by which clusters are made (see `likeness`) is from above, and some per cent off. Here the records of all
clusters are in slots, and a customer is laid on those of another cluster as an assignment problem solved exactly. That
takes far longer than the estimate: it is done last, of few customers, and where histories are not long.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ordermade.history.histories import NONE, Clusters, Histories
from ordermade.history.slotted import Ground, Places, Slotted, ground_of
from ordermade.side_by_side import Crew

CUSTOMERS = 5_000
"""Where there are more customers, clusters stay as they are: it would take as long as all the rest."""
PAIRS = 1 << 15
"""The most pairs of a record and a slot among which an assignment is looked for: longer histories stay where they
are."""
CLUSTERS = 8
"""A customer is tried in so many other clusters, those of its likest partners."""
PLACES = 8
"""So many places of them are looked at from the other side too."""
SWEEPS = 4
"""Every customer is tried so often at most."""
LEAST = 1e-6
"""Cells a swap gains at least: less is rounding."""


def refined(histories: Histories, clusters: Clusters, partners: NDArray[np.int32], window: int, crew: Crew) -> Clusters:
    """The clusters after swaps that lessen what is lost by matching, cells that cost too much deleted.

    The same for any number of threads. More than 5,000 customers are left as they are.

    Args:
        histories: the records.
        clusters: the cluster of each customer.
        partners: of every customer those with whom it goes best, the best first, NONE where there are no more.
        window: how far apart in rank order two customers of a cluster may be brought.
        crew: who lays customers on clusters.
    """
    if histories.customers > CUSTOMERS:
        return clusters
    search = _Search(ground_of(histories, delete_costly=True), clusters, partners, window, crew)
    for _ in range(SWEEPS):
        if search.sweep() == 0:
            break
    return search.clusters


class _Search:
    """The clusters as they stand, and what is known of each customer in the places of another cluster."""

    def __init__(
        self, ground: Ground, clusters: Clusters, partners: NDArray[np.int32], window: int, crew: Crew
    ) -> None:
        self.ground, self.clusters, self.partners, self.crew = ground, clusters.copy(), partners, crew
        self.window = window
        self.lengths = ground.histories.lengths
        self.slotted: dict[int, Slotted] = {}
        self.known: dict[tuple[int, int], NDArray[np.float64]] = {}
        kept = np.flatnonzero(clusters != NONE)
        members = np.split(kept[np.argsort(clusters[kept], kind="stable")], np.cumsum(np.bincount(clusters[kept]))[:-1])
        for cluster, slotted in enumerate(crew.each(self._put_in, members)):
            if slotted is not None:
                self.slotted[cluster] = slotted

    def _put_in(self, customers: Places) -> Slotted | None:
        """The cluster with its records in slots, None if its histories are too long."""
        lengths = self.lengths[customers]
        if lengths.min() * lengths.max() > PAIRS:
            return None
        found = Slotted(self.ground, customers)
        found.build()
        found.put_in_again()
        return found

    def sweep(self) -> int:
        """Tries every customer once in the clusters of its partners; how many swaps were made.

        What is not known is found out for all customers at once, in threads; what a swap changes, when it is asked for.
        """
        customers = [each for each, home in enumerate(self.clusters.tolist()) if home in self.slotted]
        self._find_out((customer, cluster) for customer in customers for cluster in self._clusters_for(customer))
        self._find_out(
            (other, self._home(customer)) for customer in customers for _, other in self._likely_swaps(customer)
        )
        return sum(self._swap(customer) for customer in customers)

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

    def _find_out(self, asked: Iterable[tuple[int, int]]) -> None:
        """Lays each customer on its cluster, where what that loses is not known yet."""
        unknown = [each for each in dict.fromkeys(asked) if each not in self.known]
        for each, found in zip(unknown, self.crew.each(self._lay, unknown), strict=True):
            self.known[each] = found

    def _lay(self, asked: tuple[int, int]) -> NDArray[np.float64]:
        """How much more a cluster would lose with the customer in each of its places, inf if the others are too far."""
        customer, cluster = asked
        slotted = self.slotted[cluster]
        is_far = np.abs(slotted.customers - customer) > self.window
        more = slotted.exchanges(customer).losses - slotted.loss
        return np.where(is_far.sum() > is_far, np.inf, more)

    def _more(self, customer: int, cluster: int) -> NDArray[np.float64]:
        self._find_out([(customer, cluster)])
        return self.known[customer, cluster]

    def _likely_swaps(self, customer: int) -> list[tuple[float, int]]:
        """The customers whose places would lose least, and how much more that is, the best first."""
        found = [
            (more, other)
            for cluster in self._clusters_for(customer)
            for more, other in zip(
                self._more(customer, cluster).tolist(), self.slotted[cluster].customers.tolist(), strict=True
            )
        ]
        return sorted(found)[:PLACES]

    def _swap(self, customer: int) -> int:
        """Makes the best swap of the customer, if any is known to lose less; how many were made."""
        home = self._home(customer)
        place = int(np.flatnonzero(self.slotted[home].customers == customer)[0])
        swaps = [(more + self._more(other, home)[place], other) for more, other in self._likely_swaps(customer)]
        best, other = min(swaps, default=(0.0, NONE))
        if best > -LEAST:
            return 0
        away = self._home(other)
        here, there = self.slotted[home].exchanged(customer, other), self.slotted[away].exchanged(other, customer)
        if here.loss + there.loss > self.slotted[home].loss + self.slotted[away].loss - LEAST:
            return 0
        self.slotted[home], self.slotted[away] = here, there
        self.clusters[customer], self.clusters[other] = away, home
        self.known = {asked: more for asked, more in self.known.items() if asked[1] not in (home, away)}
        return 1
