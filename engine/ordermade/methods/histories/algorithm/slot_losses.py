"""Losses of slots when a record is added or exchanged: compiled.

A slot's loss follows from a few figures of its holdings: the least and the greatest number of each column, two sums,
and the different items. Numbers are whole, so that all sums are exact, in whatever order they are added up.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordermade.machine.compiled import compiled, inner
from ordermade.methods.histories.algorithm.histories import Items, Numbers

Rows = NDArray[np.int64]
"""Rows of records: one row a customer, one column a slot."""


class Holdings(NamedTuple):
    """The holdings of several slots, all of as many customers. The first axis of four is the column of `numbers`."""

    low: Numbers
    """The least number."""
    width: Numbers
    """The greatest number, less the least."""
    above: Numbers
    """The sum of the numbers above the least."""
    squares: Numbers
    """The sum of their squared distances to the least and to the greatest."""
    items: Items
    """The different items, in a row for each slot."""
    sizes: Items
    """The number of these items."""


class Shared(NamedTuple):
    """The lookup table of items that slots share: written over, but for `first`, which is all -1 in between."""

    first: Items
    """The first entry of an item."""
    following: Items
    """The next entry of the same item."""
    slots: Items
    """The slot of an entry."""
    common: Items
    """The number of items that the slot shares with the current one."""


def holdings(slots: int, customers: int, columns: int) -> Holdings:
    """Memory for the holdings of so many slots of so many customers."""
    low, width, above, squares = np.empty((4, columns, slots))
    return Holdings(
        low=low,
        width=width,
        above=above,
        squares=squares,
        items=np.empty((slots, customers), dtype=np.int32),
        sizes=np.empty(slots, dtype=np.int32),
    )


def shared(items: int, slots: int, customers: int) -> Shared:
    """Memory to look up so many items, in so many slots of so many customers."""
    return Shared(
        first=np.full(items, -1, dtype=np.int32),
        following=np.empty(slots * customers, dtype=np.int32),
        slots=np.empty(slots * customers, dtype=np.int32),
        common=np.empty(slots, dtype=np.int32),
    )


@compiled
def hold(numbers: Numbers, items: Items, rows: Rows, held: Holdings) -> None:
    """Write the holdings of the slots to `held`: `rows[:, j]` are the records of slot j."""
    customers, slots = rows.shape
    for column in range(numbers.shape[1]):
        for slot in range(slots):
            low = numbers[rows[0, slot], column]
            high = low
            for i in range(1, customers):
                low = min(low, numbers[rows[i, slot], column])
                high = max(high, numbers[rows[i, slot], column])
            above, squares = 0.0, 0.0
            for i in range(customers):
                number = numbers[rows[i, slot], column]
                above += number - low
                squares += (number - low) ** 2 + (high - number) ** 2
            held.low[column, slot] = low
            held.width[column, slot] = high - low
            held.above[column, slot] = above
            held.squares[column, slot] = squares
    for slot in range(slots):
        size = 0
        for i in range(customers):
            item = items[rows[i, slot]]
            at = 0
            while at < size and held.items[slot, at] != item:
                at += 1
            if at == size:
                held.items[slot, size] = item
                size += 1
        held.sizes[slot] = size


@compiled
def losses_together(
    one: Holdings,
    other: Holdings,
    customers: int,
    others: int,
    halves: Numbers,
    most: float,
    shared: Shared,
    losses: Numbers,
) -> None:
    """Write to `losses[i, j]` the loss of slot i of `one` and slot j of `other` if they are made one slot.

    Summed over the columns and over the records of both, at most 1 a cell (then the slot is better deleted).

    Args:
        one: the holdings of slots of so many `customers`; as many slots as `losses` has rows.
        other: the holdings of slots of so many `others`; as many slots as `losses` has columns.
        customers: how many records each slot of `one` holds.
        others: how many records each slot of `other` holds.
        halves: 1 / (2 sd) of each column of numbers; 0 where that counts as no error.
        most: the most that the cell of a column costs, for each record (beyond it all are deleted).
        shared: room, as large as all items and as the slots of `other`.
        losses: is written over.
    """
    together = customers + others
    limit = most * together
    entries = 0
    for slot in range(losses.shape[1]):
        for at in range(other.sizes[slot]):
            item = other.items[slot, at]
            shared.slots[entries] = slot
            shared.following[entries] = shared.first[item]
            shared.first[item] = entries
            entries += 1
    for i in range(losses.shape[0]):
        found = losses[i]
        shared.common[: found.size] = 0
        for at in range(one.sizes[i]):
            entry = shared.first[one.items[i, at]]
            while entry >= 0:
                shared.common[shared.slots[entry]] += 1
                entry = shared.following[entry]
        for j in range(found.size):
            different = one.sizes[i] + other.sizes[j] - shared.common[j]
            found[j] = together * (1.0 - 1.0 / different)
        for column in range(halves.size):
            low, width = one.low[column, i], one.width[column, i]
            high, above = low + width, one.above[column, i]
            below, squares = customers * width - above, one.squares[column, i]
            half = halves[column]
            lows, widths = other.low[column], other.width[column]
            aboves, all_squares = other.above[column], other.squares[column]
            for j in range(found.size):
                low_j, high_j = lows[j], lows[j] + widths[j]
                least, greatest = min(low, low_j), max(high, high_j)
                down, up = low - least, greatest - high
                down_j, up_j = low_j - least, greatest - high_j
                error = squares + all_squares[j] + together * (greatest - least)
                error += 2.0 * (down * above + up * below)
                error += 2.0 * (down_j * aboves[j] + up_j * (others * widths[j] - aboves[j]))
                error += customers * (down * down + up * up) + others * (down_j * down_j + up_j * up_j)
                found[j] += min(error * half / (greatest - least + 1.0), limit)
        for j in range(found.size):
            found[j] = min(found[j], (halves.size + 1.0) * together)
    for slot in range(losses.shape[1]):
        for at in range(other.sizes[slot]):
            shared.first[other.items[slot, at]] = -1


@compiled
def losses_in_place(
    numbers: Numbers,
    items: Items,
    rows: Rows,
    records: NDArray[np.int64],
    halves: Numbers,
    most: float,
    losses: NDArray[np.float64],
) -> None:
    """Write to `losses[i]` the loss of all slots together with the records in the place of those of customer i.

    Args:
        numbers: the numbers of all records.
        items: their items.
        rows: the records of the slots: a row a slot, a column a customer.
        records: the other customer's record for each slot.
        halves: 1 / (2 sd) of each column of numbers; 0 where that counts as no error.
        most: the most that the cell of a column costs, for each record.
        losses: is written over.
    """
    losses[:] = 0.0
    for slot in range(rows.shape[0]):
        add_errors(numbers, items, rows[slot], records[slot], halves, most, losses)


@inner
def add_errors(
    numbers: Numbers,
    items: Items,
    row: NDArray[np.int64],
    record: int,
    halves: Numbers,
    most: float,
    losses: NDArray[np.float64],
) -> None:
    """Add to `losses[i]` the loss of one slot with the record in the place of `row[i]`.

    All numbers are taken as distances from the record's own.
    """
    customers = row.size
    for column in range(halves.size):
        origin = numbers[record, column]
        low, next_low, high, next_high = np.inf, np.inf, -np.inf, -np.inf
        total, squares = 0.0, 0.0
        for i in range(customers):
            number = numbers[row[i], column] - origin
            next_low = min(next_low, max(low, number))
            low = min(low, number)
            next_high = max(next_high, min(high, number))
            high = max(high, number)
            total += number
            squares += number * number
        if low == 0.0 and high == 0.0:
            continue
        for i in range(customers):
            number = numbers[row[i], column] - origin
            least = min(0.0, next_low if number == low else low)
            greatest = max(0.0, next_high if number == high else high)
            width = greatest - least
            error = 2.0 * (squares - number * number) - 2.0 * (total - number) * (least + greatest)
            error += customers * (least * least + greatest * greatest + width)
            losses[i] += min(error * halves[column] / (width + 1.0), most * customers)
    _add_errors_of_items(items, row, record, losses)


@inner
def _add_errors_of_items(items: Items, row: NDArray[np.int64], record: int, losses: NDArray[np.float64]) -> None:
    """`add_errors` of the items alone."""
    customers, item = row.size, items[record]
    different, same = 0, 0
    for i in range(customers):
        if not _is_among(items, row, items[row[i]], 0, i):
            different += 1
        if items[row[i]] == item:
            same += 1
    for i in range(customers):
        own, size = items[row[i]], different
        if not _is_among(items, row, own, 0, i) and not _is_among(items, row, own, i + 1, customers):
            size -= 1
        if same == 0 or (same == 1 and own == item):
            size += 1
        losses[i] += customers * (1.0 - 1.0 / size)


@inner
def _is_among(items: Items, row: NDArray[np.int64], item: int, first: int, end: int) -> bool:
    """Whether the item is among the records in the places from `first` to before `end`."""
    at = first
    while at < end and items[row[at]] != item:
        at += 1
    return at < end
