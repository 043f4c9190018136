"""The loss of slots: the contest's utility U exactly, and a fast upper estimate for clusters.

After the PWSCUP paper (section 2), as `shared/papers/README.md` reads it. The lower, the better: 0 where all records
are released as they are, 1 where all are deleted (more where cells are not deleted that would cost less so).

The cluster's shortest customer is its template: each of its records is a slot. Every other customer's records are laid
on the template's: first those of the same item that are near in time, then the rest in the order of their days, the
nearest where there are more than slots. That takes a time in proportion to the records, whatever their number.

The loss is in cells: the summed error of each slot's cells, none more than if it were deleted, and the cells of records
without a slot (see `loss`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordermade.machine.compiled import inner
from ordermade.methods.histories.algorithm.histories import NONE, Clusters, HistoryArrays, Items, Numbers, Slots, Starts


@dataclass(frozen=True, slots=True)
class Utility:
    """U of a placement.

    Attributes:
        utility: the mean over the columns of `by_column`.
        by_column: the mean error of a cell over all records, deleted ones 1, of the day, the item, then the numbers.
        deleted_share: the share of records that are in no slot.
    """

    utility: float
    by_column: tuple[float, ...]
    deleted_share: float


def utility(histories: HistoryArrays, clusters: Clusters, slots: Slots, *, delete_costly: bool) -> Utility:
    """U of the records in their slots, over all records there are.

    With `delete_costly`, a cell of a slot whose summed error is greater than the slot's number of records is deleted
    for all of them, and costs 1 a record.
    """
    kept = slots != NONE
    sums = errors_of_slots(histories, clusters, slots, delete_costly=delete_costly).sum(axis=0)
    by_column = (sums + np.count_nonzero(~kept)) / histories.rows
    return Utility(
        utility=float(by_column.mean()),
        by_column=tuple(by_column.tolist()),
        deleted_share=float(np.count_nonzero(~kept) / histories.rows),
    )


def errors_of_slots(
    histories: HistoryArrays, clusters: Clusters, slots: Slots, *, delete_costly: bool
) -> NDArray[np.float64]:
    """The summed error of each slot (rows, by cluster, then slot) in each column (the day, the item, the numbers)."""
    rows = np.flatnonzero(slots != NONE)
    keys = clusters[histories.owners[rows]].astype(np.int64) << 32 | slots[rows]
    rows = rows[np.argsort(keys, kind="stable")]
    if rows.size == 0:
        return np.zeros((0, histories.numbers.shape[1] + 1))
    _, firsts, counts = np.unique(np.sort(keys), return_index=True, return_counts=True)
    of_numbers = _errors_of_intervals(histories.numbers[rows], firsts, counts, histories.sds)
    of_items = _errors_of_sets(histories.items[rows], firsts, counts)
    errors = np.column_stack([of_numbers[:, 0], of_items, of_numbers[:, 1:]])
    return np.minimum(errors, counts[:, None]) if delete_costly else errors


def _errors_of_intervals(
    numbers: NDArray[np.float64], firsts: NDArray[np.int64], counts: NDArray[np.int64], sds: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Interval [a, b], x in it: ((a-x)^2 + (b-x)^2 + (b-a)) / (2 (b-a+1) sd), summed over each slot; nothing, sd 0."""
    low = np.minimum.reduceat(numbers, firsts)
    high = np.maximum.reduceat(numbers, firsts)
    above = numbers - np.repeat(low, counts, axis=0)
    below = np.repeat(high, counts, axis=0) - numbers
    squares = np.add.reduceat(above**2 + below**2, firsts)
    width = high - low
    spread = 2 * (width + 1) * np.where(sds > 0, sds, np.inf)
    errors: NDArray[np.float64] = (squares + counts[:, None] * width) / spread
    return errors


def _errors_of_sets(
    items: NDArray[np.int32], firsts: NDArray[np.int64], counts: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Item set S: 1 - 1/|S|, summed over each slot."""
    slot = np.repeat(np.arange(firsts.size), counts)
    order = np.lexsort((items, slot))
    is_new = np.ones(items.size, dtype=bool)
    is_new[1:] = (items[order][1:] != items[order][:-1]) | (slot[1:] != slot[:-1])
    sizes = np.bincount(slot[is_new], minlength=firsts.size)
    return counts * (1 - 1 / sizes)


Records = NDArray[np.int32]
"""Places of records, as they are kept."""
Rows = NDArray[np.int64]
"""Places of records, while they are looked at."""
Members = NDArray[np.int64]
"""Customers."""
NEAR = 1.0
"""The most standard deviations of the day between records of one item that are laid on each other."""


class Laid(NamedTuple):
    """The records as they are compared: within a customer by day, then by the other numbers, then by item.

    Attributes:
        starts: where the records of each customer begin, and their number (customers + 1).
        numbers: a row a record, its day first.
        items: the code of each record's item.
        by_item: the places of each customer's records, by item, then by day.
        halves: 1 / (2 sd) of each column, 0 where it has one value.
    """

    starts: Starts
    numbers: Numbers
    items: Items
    by_item: Records
    halves: NDArray[np.float64]


class EstimateScratch(NamedTuple):
    """Scratch memory of one thread.

    Attributes:
        taken: of each record whether it is laid on a slot already; all 0 between two calls.
        fit: the record of one customer in each slot.
        whole: the records of all customers of a cluster: k for each slot.
        row: the records of one slot.
        members: the customers of one cluster.
        there: how much more one cluster would lose with another customer in each place.
        back: the same of the cluster with which it would be exchanged.
    """

    taken: NDArray[np.uint8]
    fit: Rows
    whole: Rows
    row: Rows
    members: Members
    there: NDArray[np.float64]
    back: NDArray[np.float64]


def laid(histories: HistoryArrays) -> Laid:
    """The histories, prepared for comparison."""
    owners = histories.owners
    order = np.lexsort((histories.items, *histories.numbers.T[::-1], owners))
    numbers, items = np.ascontiguousarray(histories.numbers[order]), histories.items[order]
    by_item = np.lexsort((numbers[:, 0], items, owners)).astype(np.int32)
    return Laid(histories.starts, numbers, items, by_item, histories.halves)


def room(laid: Laid, k: int, customers: Members) -> EstimateScratch:
    """Scratch memory to estimate the losses of clusters of k of the customers."""
    lengths = np.sort(laid.starts[customers + 1] - laid.starts[customers])
    slots = int(lengths[-2]) if lengths.size > 1 else 0
    return EstimateScratch(
        taken=np.zeros(laid.items.size, dtype=np.uint8),
        fit=np.zeros(slots, dtype=np.int64),
        whole=np.zeros(int(lengths[-k]) * k, dtype=np.int64),
        row=np.zeros(k, dtype=np.int64),
        members=np.zeros(k, dtype=np.int64),
        there=np.zeros(k),
        back=np.zeros(k),
    )


@inner
def length_of(laid: Laid, customer: int) -> int:
    """The number of a customer's records."""
    return int(laid.starts[customer + 1] - laid.starts[customer])


@inner
def lay(laid: Laid, template: int, customer: int, taken: NDArray[np.uint8], fit: Rows) -> None:
    """Write the customer's record in each slot of the template, which has as many records at most."""
    starts, numbers = laid.starts, laid.numbers
    first, slots = starts[template], length_of(laid, template)
    for slot in range(slots):
        fit[slot] = -1
    _lay_shared(laid, template, customer, taken, fit)
    spare, end = length_of(laid, customer) - slots, starts[customer + 1]
    at = _next_free(taken, starts[customer], end)
    for slot in range(slots):
        if fit[slot] >= 0:
            continue
        day = numbers[first + slot, 0]
        while spare > 0:
            after = _next_free(taken, at + 1, end)
            if after >= end or not _is_nearer(day, numbers[at, 0], numbers[after, 0]):
                break
            at = after
            spare -= 1
        fit[slot] = at
        at = _next_free(taken, at + 1, end)
    for record in range(starts[customer], end):
        taken[record] = 0


@inner
def _lay_shared(laid: Laid, template: int, customer: int, taken: NDArray[np.uint8], fit: Rows) -> None:
    """Lay records of one item on each other, in the order of their days, where they are near in time."""
    starts, numbers, items, by_item = laid.starts, laid.numbers, laid.items, laid.by_item
    one, other = starts[template], starts[customer]
    while one < starts[template + 1] and other < starts[customer + 1]:
        slot, record = by_item[one], by_item[other]
        if items[slot] != items[record]:
            if items[slot] < items[record]:
                one += 1
            else:
                other += 1
            continue
        apart = (numbers[slot, 0] - numbers[record, 0]) * 2.0 * laid.halves[0]
        if abs(apart) <= NEAR:
            fit[slot - starts[template]] = record
            taken[record] = 1
        if apart <= NEAR:
            one += 1
        if apart >= -NEAR:
            other += 1


@inner
def _next_free(taken: NDArray[np.uint8], at: int, end: int) -> int:
    """The first record from `at` on that is laid on no slot."""
    while at < end and taken[at] != 0:
        at += 1
    return at


@inner
def _is_nearer(day: float, one: float, later: float) -> bool:
    """Whether the later of two days is the better one for a slot of that day: nearer, or as near as can be so far."""
    return one < day and (later <= day or later - day < day - one)


@inner
def loss_of_row(laid: Laid, row: Rows, k: int) -> float:
    """The errors of the k records of a slot, summed over its cells, each no more than its deletion costs."""
    numbers, items, found = laid.numbers, laid.items, 0.0
    for column in range(numbers.shape[1]):
        low = numbers[row[0], column]
        high = low
        for j in range(1, k):
            value = numbers[row[j], column]
            low, high = min(low, value), max(high, value)
        width = high - low
        if width > 0:
            squares = 0.0
            for j in range(k):
                value = numbers[row[j], column]
                squares += (value - low) * (value - low) + (high - value) * (high - value)
            found += min(float(k), (squares + k * width) * laid.halves[column] / (width + 1))
    different = 0
    for j in range(k):
        item, is_new = items[row[j]], 1
        for i in range(j):
            if items[row[i]] == item:
                is_new = 0
                break
        different += is_new
    return found + k * (1 - 1 / different)


@inner
def template_of(laid: Laid, members: Members) -> int:
    """The place of the shortest customer among them, the first of several."""
    found = 0
    for j in range(1, members.size):
        if length_of(laid, members[j]) < length_of(laid, members[found]):
            found = j
    return found


@inner
def slots_of(laid: Laid, members: Members) -> int:
    """The number of slots of a cluster of these customers: of the records of the shortest."""
    return length_of(laid, members[template_of(laid, members)])


@inner
def surplus(laid: Laid, members: Members, slots: int) -> float:
    """The cells of the customers' records without a slot."""
    rows = 0
    for j in range(members.size):
        rows += length_of(laid, members[j]) - slots
    return float(rows * (laid.numbers.shape[1] + 1))


@inner
def loss_of_cluster(laid: Laid, members: Members, room: EstimateScratch) -> float:
    """The loss of a cluster of these customers. Their records in each slot are in the room's `whole` then."""
    k, at = members.size, template_of(laid, members)
    template = members[at]
    slots = length_of(laid, template)
    whole, fit = room.whole, room.fit
    for j in range(k):
        if j == at:
            for slot in range(slots):
                whole[slot * k + j] = laid.starts[template] + slot
        else:
            lay(laid, template, members[j], room.taken, fit)
            for slot in range(slots):
                whole[slot * k + j] = fit[slot]
    found = surplus(laid, members, slots)
    for slot in range(slots):
        found += loss_of_row(laid, whole[slot * k : slot * k + k], k)
    return found
