"""Group purchases: assign customers to clusters, and their purchases to slots."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from ordermade.answering.setting import Setting
from ordermade.purchases.placed import cluster_as, cluster_by_rank, place_as, place_by_rank
from ordermade.purchases.records import Purchases
from ordermade.purchases.slots import fill_slots
from ordermade.side_by_side import cores

if TYPE_CHECKING:
    from ordermade.history.histories import Clusters, Histories


@dataclass(frozen=True, slots=True, eq=False)
class Alike:
    """Purchases during the assignment to clusters and slots.

    `histories`: the purchases as arrays; None where clusters and slots go by their order alone, which the database
    knows.
    """

    purchases: Purchases
    histories: Histories | None
    setting: Setting

    @classmethod
    def of(cls, purchases: Purchases, setting: Setting) -> Alike:
        """Load the purchases as arrays if the request needs them. Raises SourceFault."""
        resolved = purchases.resolved
        by_order = resolved.cluster == "rank" and resolved.match != "optimal"
        return cls(purchases, None if by_order else purchases.histories(), setting)

    def fill(self, k: int) -> None:
        """Cluster the customers, assign their purchases to slots, and store the slots' shared values as SLOTS."""
        resolved, progress = self.purchases.resolved, self.setting.progress
        clusters = None
        if self.histories is None:
            cluster_by_rank(self.purchases, k)
        else:
            progress.step(f"clusters ({resolved.cluster})")
            clusters = self._clusters(self.histories, k)
            cluster_as(self.purchases, clusters)
        if resolved.match == "optimal" and self.histories is not None and clusters is not None:
            progress.step("purchases, matched")
            self._match(self.histories, clusters)
        else:
            place_by_rank(self.purchases)
        progress.step("slots")
        fill_slots(self.purchases, delete_costly=resolved.delete_costly)

    def _clusters(self, histories: Histories, k: int) -> Clusters:
        # The compiler of the likeness of histories is slow to import, and clusters by rank do not need it.
        if self.purchases.resolved.cluster == "rank":
            from ordermade.history.ranked import clusters_by_rank

            return clusters_by_rank(histories.customers, k)
        from ordermade.history.clustering import similar

        window = self.purchases.resolved.window
        return similar(histories, k, window=window, threads=self._threads, progress=partial(self._left, histories.rows))

    def _match(self, histories: Histories, clusters: Clusters) -> None:
        from ordermade.history.matching import matched

        slots = matched(
            histories,
            clusters,
            delete_costly=self.purchases.resolved.delete_costly,
            threads=self._threads,
            progress=partial(self._left, histories.rows),
        )
        place_as(self.purchases, slots)

    @property
    def _threads(self) -> int:
        return self.setting.limits.threads or cores()

    def _left(self, rows: int, done: float) -> None:
        """Report progress as records left, from the share `done`."""
        self.setting.progress.records_left(round(rows * (1 - done)))
