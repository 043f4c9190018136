"""The losses of slots if one of their records is exchanged for another, for each of them at once: compiled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ordermade.compiled import compiled, inner
from ordermade.history.histories import Items, Numbers
from ordermade.history.holdings import Rows


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
