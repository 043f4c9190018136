"""Match the records of the customers of a cluster into slots: `match: optimal`.

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

from functools import partial

import numpy as np

from ordermade.history.histories import NONE, Clusters, Histories, Slots, members_of
from ordermade.history.holdings import Rows
from ordermade.history.loss import errors_of_slots
from ordermade.history.progress import Progress, unreported
from ordermade.history.slotted import Ground, Places, Slotted, ground_of
from ordermade.side_by_side import Crew

ROUNDS = 3
"""The most times that every customer is put in again."""
WORTH = 2e-3
"""The share of the loss that a round must gain for another to be made."""


def matched(
    histories: Histories,
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
    for customers, rows in zip(members, Crew(threads).each(partial(_match, ground), members), strict=True):
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


def _without_costly(histories: Histories, clusters: Clusters, slots: Slots) -> Slots:
    """The slots without those that lose more than their records do if deleted: a cell of theirs may cost any sum."""
    rows = np.flatnonzero(slots != NONE)
    errors = errors_of_slots(histories, clusters, slots, delete_costly=False)
    keys = clusters[histories.owners[rows]].astype(np.int64) << 32 | slots[rows]
    _, which, records = np.unique(keys, return_inverse=True, return_counts=True)
    costly = errors.sum(axis=1) > errors.shape[1] * records
    found = slots.copy()
    found[rows[costly[which]]] = NONE
    return found
