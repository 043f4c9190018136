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

from collections.abc import Callable

import numpy as np

from ordermade.history.histories import NONE, Clusters, Histories, Slots
from ordermade.history.holdings import Rows
from ordermade.history.loss import errors_of_slots
from ordermade.history.slotted import Places, Slotted, ground_of
from ordermade.side_by_side import Crew

ROUNDS = 3
"""So often, at most, every customer is put in again."""
WORTH = 2e-3
"""The share of the loss by which a round must better it, for another to be made."""
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
    (another each time), and records move to slots of their own strip alone. That bounds the memory (8 MiB of losses a
    thread) and the time (from 2^30 pairs on strips are narrower still), and costs a little: a third of a per cent of
    the loss where customers have thousands of records.

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

    ground = ground_of(histories, delete_costly=delete_costly)

    def match(customers: Places) -> Rows:
        cluster = Slotted(ground, customers)
        cluster.build()
        for _ in range(0 if cluster.is_exact else ROUNDS):
            before = cluster.loss
            cluster.put_in_again()
            if before - cluster.loss <= WORTH * cluster.loss:
                break
        return cluster.rows

    for customers, rows in zip(members, Crew(threads).each(match, members), strict=True):
        slots[rows] = np.arange(rows.shape[1], dtype=np.int32)
        done += int(histories.lengths[customers].sum())
        if progress is not None:
            progress(done / histories.rows)
    return slots if delete_costly else _without_costly(histories, clusters, slots)


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
