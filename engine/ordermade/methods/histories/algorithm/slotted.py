"""Records of a cluster in slots: matched at the least loss, customers put in, taken out, changed.

Losses are counted in cells: the summed errors of the slots (see `holdings`), and 1 for each cell of a record without a
slot.

A cluster has a slot for each record of its shortest customer, and every customer puts one of its records into each
slot. The total loss of the slots is to be the least: a multidimensional assignment problem, hard from three customers
on. Customers are put in one after another, the shortest first, and then again and again one of them is taken out and
put back, each time in the best way there is (an assignment problem, solved exactly), until nothing is gained by it: the
"dimensionwise" search of Gutin and Karapetyan, "Local search heuristics for the multidimensional assignment problem"
(2009). With two customers it is exact; with more, the records are left in the order in which they lie, or
by their days, where that loses less. The loss of a slot with a record is its true loss: of the whole set of items, and
with the cells deleted that cost more than that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from math import ceil, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from ordermade.machine.parallel import WorkerPool
from ordermade.methods.histories.algorithm.histories import (
    NONE,
    Clusters,
    HistoryArrays,
    Numbers,
    Progress,
    Slots,
    members_of,
    unreported,
)
from ordermade.methods.histories.algorithm.loss_estimate import errors_of_slots
from ordermade.methods.histories.algorithm.slot_losses import (
    Rows,
    hold,
    holdings,
    losses_in_place,
    losses_together,
    shared,
)

Places = NDArray[np.int64]
"""Numbers of customers, of slots or of records."""
CELLS = 1 << 20
"""The most pairs of a record and a slot in one assignment (8 MiB of losses)."""
LEAST_CELLS, PAIRS = 1 << 14, 1 << 25
"""Fewer (at least LEAST_CELLS) if the assignments of all strips would compare more than PAIRS pairs in all."""


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """All records, and the parameters of their losses.

    Attributes:
        histories: the records.
        halves: 1 / (2 sd) of each column of numbers; 0 where the sd is 0.
        most: the most that a cell costs for each record: 1 if it is deleted then, else no bound.
        codes: one more than the largest code of an item.
    """

    histories: HistoryArrays
    halves: Numbers
    most: float
    codes: int

    def records_of(self, customer: int) -> Places:
        """The rows of a customer's records."""
        return np.arange(self.histories.starts[customer], self.histories.starts[customer + 1])


def ground_of(histories: HistoryArrays, *, delete_costly: bool) -> Ground:
    """The records, and whether cells that cost more than their deletion are deleted."""
    return Ground(
        histories, histories.halves, 1.0 if delete_costly else np.inf, int(histories.items.max(initial=0)) + 1
    )


class Exchanges(NamedTuple):
    """The losses of a cluster with a customer in the place of each of its own, and the customer's slots.

    Its record `records[i]` lies in slot `slots[i]`; the cluster's other slots are deleted.
    """

    losses: NDArray[np.float64]
    slots: Places
    records: Places


class Slotted:
    """The records of a cluster's customers in its slots, as many as its shortest customer has records.

    Attributes:
        customers: the customers, the shortest first.
        rows: the records in the slots: a row a customer, a column a slot.
        loss: the loss of the cluster; not known before customers were put in.
    """

    def __init__(self, ground: Ground, customers: Places) -> None:
        lengths = ground.histories.lengths[customers]
        order = np.lexsort((-customers, lengths))
        self.ground, self.customers, self.lengths = ground, customers[order], lengths[order]
        starts, slots = ground.histories.starts[self.customers], int(self.lengths[0])
        self.rows: Rows = starts[:, None] + np.arange(slots) * self.lengths[:, None] // slots
        self.loss = 0.0
        self._turns = 0

    def build(self) -> None:
        """Put the customers in one after another, each the best way."""
        for count in range(1, self.customers.size):
            self._put_in(count, np.arange(count))

    def put_in_again(self) -> None:
        """Take every customer out and put it back the best way, one after another."""
        for place in range(self.customers.size):
            self._put_in(place, np.delete(np.arange(self.customers.size), place))

    def put_in_order(self) -> None:
        """Put all records in the order in which they lie, or by their days, if that loses less."""
        histories, ground, slots = self.ground.histories, self.ground, self.rows.shape[1]
        records = [ground.records_of(customer) for customer in self.customers.tolist()]
        by_day = [each[np.argsort(histories.numbers[each, 0], kind="stable")] for each in records]
        for order in (records, by_day):
            rows = np.stack([each[:slots] for each in order])
            loss = self._losses_with(rows, rows[0])[0] + self._cells_beyond(slots)
            if loss < self.loss:
                self.rows, self.loss = rows, float(loss)

    @property
    def is_exact(self) -> bool:
        """Whether a cluster that is built loses the least that it can."""
        return self.customers.size < 3 and self._strips(int(self.lengths[-1])) == 1

    def exchanges(self, customer: int) -> Exchanges:
        """The losses of the cluster with another customer in the place of each of its own.

        The other's records are put where they go best with all who are in the cluster, so that it may lose less.
        """
        records = self.ground.records_of(customer)
        slots, chosen = linear_sum_assignment(self._losses(self.rows, records))
        losses = self._losses_with(self.rows[:, slots], records[chosen])
        without = self._cells_beyond(slots.size) + (records.size - self.lengths) * (self.ground.halves.size + 1)
        return Exchanges(losses + without, slots, records[chosen])

    def exchanged(self, customer: int, other: int) -> Slotted:
        """The cluster with another customer in the place of one of its own, all put in again."""
        place = int(np.flatnonzero(self.customers == customer)[0])
        customers = self.customers.copy()
        customers[place] = other
        found = Slotted(self.ground, customers)
        lies = self.exchanges(other)
        if found.rows.shape[1] == lies.slots.size:
            rows = self.rows[:, lies.slots]
            rows[place] = lies.records
            order = np.argsort(customers)
            found.rows[np.argsort(found.customers)] = rows[order]
        else:
            found.build()
        found.put_in_again()
        return found

    def _put_in(self, place: int, others: Places) -> None:
        """Put a customer's records into the slots of the others the best way, and set their total loss."""
        lost = 0.0
        for slots, records in self._parted(place, others):
            losses = self._losses(np.ascontiguousarray(self.rows[np.ix_(others, slots)]), records)
            _, chosen = linear_sum_assignment(losses)
            self.rows[place, slots] = records[chosen]
            lost += float(losses[np.arange(slots.size), chosen].sum())
        self.loss = lost + self._cells_beyond(self.rows.shape[1])

    def _cells_beyond(self, slots: int) -> int:
        """The cells of the customers' records that are in none of so many slots."""
        return (int(self.lengths.sum()) - self.customers.size * slots) * (self.ground.halves.size + 1)

    def _losses_with(self, rows: Rows, records: Places) -> NDArray[np.float64]:
        """The losses of the slots with these rows if the records took the place of those of each customer."""
        histories, ground = self.ground.histories, self.ground
        found = np.empty(self.customers.size)
        by_slot = np.ascontiguousarray(rows.T)
        losses_in_place(histories.numbers, histories.items, by_slot, records, ground.halves, ground.most, found)
        return found

    def _losses(self, rows: Rows, records: Places) -> NDArray[np.float64]:
        """The loss of each slot with these rows with each of the records (slots, records)."""
        numbers, items, halves = self.ground.histories.numbers, self.ground.histories.items, self.ground.halves
        customers, slots = rows.shape
        held, alone = holdings(slots, customers, halves.size), holdings(records.size, 1, halves.size)
        hold(numbers, items, rows, held)
        hold(numbers, items, records[None], alone)
        losses = np.empty((slots, records.size))
        room = shared(self.ground.codes, records.size, 1)
        losses_together(held, alone, customers, 1, halves, self.ground.most, room, losses)
        return losses

    def _parted(self, place: int, others: Places) -> Iterator[tuple[Places, Places]]:
        """Slots, and the customer's records that may go there: all, or strip by strip of a column.

        A strip has the records that lie in its slots, and its share of those that lie in none.
        """
        records = self.ground.records_of(int(self.customers[place]))
        strips = self._strips(records.size)
        if strips == 1:
            yield np.arange(self.rows.shape[1]), records
            return
        column = self.ground.histories.numbers[:, self._turns % self.ground.halves.size]
        self._turns += 1
        middles = column[self.rows[others]]
        slots = np.argsort(middles.min(axis=0) + middles.max(axis=0), kind="stable")
        now = self.rows[place].copy()
        free = np.setdiff1d(records, now)
        free = free[np.argsort(column[free], kind="stable")]
        for strip, share in zip(np.array_split(slots, strips), np.array_split(free, strips), strict=True):
            yield strip, np.concatenate((now[strip], share))

    def _strips(self, records: int) -> int:
        """The number of strips into which the slots and so many records are divided."""
        slots: int = self.rows.shape[1]
        pairs = slots * records
        cells = min(CELLS, max(LEAST_CELLS, PAIRS**2 // pairs))
        return min(ceil(sqrt(pairs / cells)), slots)


ROUNDS = 3
"""The most times that every customer is put in again."""
WORTH = 2e-3
"""The share of the loss that a round must gain for another to be made."""


def matched(
    histories: HistoryArrays,
    clusters: Clusters,
    *,
    delete_costly: bool = True,
    threads: int = 1,
    progress: Progress = unreported,
) -> Slots:
    """The slot of each record, at the least loss.

    Every slot of a cluster holds exactly one record of each of its customers; records in no slot are deleted. The
    result is the same for any number of threads.

    Where a customer's records and the slots make more than 2^20 pairs, both are parted into strips along one column
    (another each time), and records move to slots of their own strip alone. That bounds the memory (8 MiB of losses a
    thread) and the time (from 2^30 pairs on strips are narrower still), and costs a little: a third of a per cent of
    the loss where customers have thousands of records.

    Args:
        histories: the records.
        clusters: the cluster of each customer.
        delete_costly: whether a cell of a slot is deleted, for all its records, where that costs less.
        threads: how many clusters are worked on at once.
        progress: called with the share of the records that are done with.
    """
    members, ground = members_of(clusters), ground_of(histories, delete_costly=delete_costly)
    slots = np.full(histories.rows, NONE, dtype=np.int32)
    done = 0
    for customers, rows in zip(members, WorkerPool(threads).each(partial(_match, ground), members), strict=True):
        slots[rows] = np.arange(rows.shape[1], dtype=np.int32)
        done += int(histories.lengths[customers].sum())
        progress(done / histories.rows)
    return slots if delete_costly else _without_costly(histories, clusters, slots)


def _match(ground: Ground, customers: Places) -> Rows:
    """The records of a cluster's slots: a row a customer, a column a slot."""
    cluster = Slotted(ground, customers)
    cluster.build()
    if cluster.is_exact:
        return cluster.rows
    for _ in range(ROUNDS):
        before = cluster.loss
        cluster.put_in_again()
        if before - cluster.loss <= WORTH * cluster.loss:
            break
    cluster.put_in_order()
    return cluster.rows


def _without_costly(histories: HistoryArrays, clusters: Clusters, slots: Slots) -> Slots:
    """The slots without those that lose more than their records do if deleted: a cell of theirs may cost any sum."""
    rows = np.flatnonzero(slots != NONE)
    errors = errors_of_slots(histories, clusters, slots, delete_costly=False)
    keys = clusters[histories.owners[rows]].astype(np.int64) << 32 | slots[rows]
    _, which, records = np.unique(keys, return_inverse=True, return_counts=True)
    costly = errors.sum(axis=1) > errors.shape[1] * records
    found = slots.copy()
    found[rows[costly[which]]] = NONE
    return found
