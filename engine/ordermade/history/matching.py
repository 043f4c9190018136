"""Which records of the customers of a cluster go together: `match: optimal`.

A cluster has a slot for each record of its shortest customer, and every customer puts one of its records into each
slot. What the slots lose together is to be the least: a multidimensional assignment problem, hard from three customers
on. Customers are put in one after another, the shortest first, and then again and again one of them is taken out and
put back, each time in the best way there is (an assignment problem, solved exactly), until nothing is gained by it: the
"dimensionwise" search of Gutin and Karapetyan, "Local search heuristics for the multidimensional assignment problem"
(2009). With two customers it is exact. What a slot would lose with a record is its true loss: of the whole set of
items, and with the cells deleted that cost more than that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import ceil, sqrt

import numpy as np
from numpy.typing import NDArray

from ordermade.history.histories import NONE, Clusters, Histories, Numbers, Slots
from ordermade.history.holdings import Holdings, Rows, hold, holdings, losses_together, shared
from ordermade.history.loss import errors_of_slots
from ordermade.side_by_side import Crew

ROUNDS = 3
"""So often, at most, every customer is put in again."""
WORTH = 2e-3
"""The share of the loss by which a round must better it, for another to be made."""
CELLS = 1 << 20
"""The most pairs of a record and a slot among which an assignment is looked for at once (8 MiB of losses)."""

Places = NDArray[np.int64]
"""Numbers of customers, of slots or of records."""
Progress = Callable[[float], None]
"""Told of the share of the work that is done."""


def matched(
    histories: Histories,
    clusters: Clusters,
    *,
    delete_costly: bool = True,
    threads: int = 1,
    progress: Progress | None = None,
) -> Slots:
    """The slot of each record, so that as little as possible is lost.

    Every slot of a cluster holds exactly one record of each of its customers; what is in no slot is deleted. The same
    for any number of threads.

    Where a customer's records and the slots make more than 2^20 pairs, both are parted into strips along one column
    (another each time), and records move to slots of their own strip alone: that bounds the memory (8 MiB a thread) and
    the time, and costs a little: a third of a per cent of the loss where customers have thousands of records.

    Args:
        histories: the records.
        clusters: the cluster of each customer.
        delete_costly: whether a cell of a slot is deleted, for all its records, where that costs less.
        threads: how many clusters are worked on at once.
        progress: told of the share of the records that are done with.
    """
    kept = np.flatnonzero(clusters != NONE)
    members = np.split(kept[np.argsort(clusters[kept], kind="stable")], np.cumsum(np.bincount(clusters[kept]))[:-1])
    slots = np.full(histories.rows, NONE, dtype=np.int32)
    done = 0

    def match(customers: Places) -> Rows:
        return _Cluster(histories, customers, delete_costly).matched()

    for customers, rows in zip(members, Crew(threads).each(match, members), strict=True):
        slots[rows] = np.arange(rows.shape[1], dtype=np.int32)
        done += int(histories.lengths[customers].sum())
        if progress is not None:
            progress(done / histories.rows)
    return slots if delete_costly else _without_costly(histories, clusters, slots)


class _Cluster:
    """The records of a cluster's customers, the shortest first, and which of them are in its slots.

    `rows[i, j]` is the record of customer i in slot j, among those of the cluster (`origins` has their rows).
    """

    def __init__(self, histories: Histories, customers: Places, delete_costly: bool) -> None:
        customers = customers[np.lexsort((-customers, histories.lengths[customers]))]
        self.lengths = histories.lengths[customers]
        self.starts = np.cumsum(self.lengths) - self.lengths
        self.origins = np.concatenate([np.arange(*histories.starts[each : each + 2]) for each in customers])
        self.numbers: Numbers = histories.numbers[self.origins]
        different, items = np.unique(histories.items[self.origins], return_inverse=True)
        self.items = items.astype(np.int32)
        self.halves = 0.5 / np.where(histories.sds > 0, histories.sds, np.inf)
        self.most = 1.0 if delete_costly else np.inf

        slots, longest, columns = int(self.lengths[0]), int(self.lengths[-1]), histories.sds.size
        places = np.arange(slots)
        self.rows: Rows = self.starts[:, None] + places * self.lengths[:, None] // slots
        self.turns = 0
        self.held = holdings(slots, customers.size, columns)
        self.alone = holdings(longest, 1, columns)
        self.shared = shared(different.size, longest, 1)

    def matched(self) -> Rows:
        """The rows of the records in the slots: a row a customer, a column a slot."""
        customers = self.lengths.size
        loss = 0.0
        for customer in range(1, customers):
            loss = self._put_in(customer, np.arange(customer))
        is_exact = customers == 2 and self._strips(int(self.lengths[1])) == 1
        rounds = 0 if customers == 1 or is_exact else ROUNDS
        for _ in range(rounds):
            before = loss
            for customer in range(customers):
                loss = self._put_in(customer, np.delete(np.arange(customers), customer))
            if before - loss <= WORTH * loss:
                break
        return self.origins[self.rows]

    def _put_in(self, customer: int, others: Places) -> float:
        """Puts a customer's records into the slots of the others, the best way. Returns what is then lost."""
        from scipy.optimize import linear_sum_assignment

        lost = 0.0
        for slots, records in self._parted(customer, others):
            self._hold(others, slots, self.held)
            hold(self.numbers, self.items, records[None], self.alone)
            losses = np.empty((slots.size, records.size))
            losses_together(self.held, self.alone, others.size, 1, self.halves, self.most, self.shared, losses)
            _, chosen = linear_sum_assignment(losses)
            self.rows[customer, slots] = records[chosen]
            lost += float(losses[np.arange(slots.size), chosen].sum())
        return lost

    def _hold(self, customers: Places, slots: Places, held: Holdings) -> None:
        hold(self.numbers, self.items, np.ascontiguousarray(self.rows[np.ix_(customers, slots)]), held)

    def _parted(self, customer: int, others: Places) -> Iterator[tuple[Places, Places]]:
        """Slots, and the customer's records that may go there: all, or strip by strip of a column.

        A strip has the records that lie in its slots, and its share of those that lie in none.
        """
        records = self.starts[customer] + np.arange(self.lengths[customer])
        slots = np.arange(self.rows.shape[1])
        strips = self._strips(records.size)
        if strips == 1:
            yield slots, records
            return
        column = self.turns % self.halves.size
        self.turns += 1
        self._hold(others, slots, self.held)
        slots = np.argsort(2 * self.held.low[column] + self.held.width[column], kind="stable")
        now = self.rows[customer].copy()
        free = np.setdiff1d(records, now)
        free = free[np.argsort(self.numbers[free, column], kind="stable")]
        for strip, others_free in zip(np.array_split(slots, strips), np.array_split(free, strips), strict=True):
            yield strip, np.concatenate((now[strip], others_free))

    def _strips(self, records: int) -> int:
        """Into how many strips the slots and so many records are parted."""
        slots: int = self.rows.shape[1]
        return min(ceil(sqrt(slots * records / CELLS)), slots)


def _without_costly(histories: Histories, clusters: Clusters, slots: Slots) -> Slots:
    """The slots, but for those that lose more than their records do if deleted: a cell of theirs may cost any sum."""
    rows = np.flatnonzero(slots != NONE)
    errors = errors_of_slots(histories, clusters, slots, delete_costly=False)
    keys = clusters[histories.owners[rows]].astype(np.int64) << 32 | slots[rows]
    _, which, records = np.unique(keys, return_inverse=True, return_counts=True)
    costly = errors.sum(axis=1) > errors.shape[1] * records
    found = slots.copy()
    found[rows[costly[which]]] = NONE
    return found
