"""What the slots of a cluster lose if one customer is exchanged for another: compiled."""

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
    """Writes to `losses[i]` what all slots lose together with the records in the place of those of customer i.

    Args:
        numbers: the numbers of all records.
        items: their items.
        rows: the records of the slots: a row a customer, a column a slot.
        records: the other customer's record for each slot.
        halves: 1 / (2 sd) of each column of numbers; 0 where that counts as no error.
        most: the most that the cell of a column costs, for each record.
        losses: is written over.
    """
    losses[:] = 0.0
    for slot in range(rows.shape[1]):
        for column in range(halves.size):
            _add_intervals(numbers[:, column], rows[:, slot], records[slot], halves[column], most, losses)
        _add_sets(items, rows[:, slot], records[slot], losses)


@inner
def _add_intervals(
    column: Numbers, rows: NDArray[np.int64], record: int, half: float, most: float, losses: NDArray[np.float64]
) -> None:
    """Adds the errors of a slot's cells in one column: all numbers are taken as distances from the record's own."""
    customers, origin = rows.size, column[record]
    low, next_low, high, next_high = np.inf, np.inf, -np.inf, -np.inf
    total, squares = 0.0, 0.0
    for i in range(customers):
        number = column[rows[i]] - origin
        next_low = min(next_low, max(low, number))
        low = min(low, number)
        next_high = max(next_high, min(high, number))
        high = max(high, number)
        total += number
        squares += number * number
    if low == 0.0 and high == 0.0:
        return
    for i in range(customers):
        number = column[rows[i]] - origin
        least = min(0.0, next_low if number == low else low)
        greatest = max(0.0, next_high if number == high else high)
        width = greatest - least
        error = 2.0 * (squares - number * number) - 2.0 * (total - number) * (least + greatest)
        error += customers * (least * least + greatest * greatest + width)
        losses[i] += min(error * half / (width + 1.0), most * customers)


@inner
def _add_sets(items: Items, rows: NDArray[np.int64], record: int, losses: NDArray[np.float64]) -> None:
    """Adds the errors of a slot's items."""
    customers, item = rows.size, items[record]
    different, same = 0, 0
    for i in range(customers):
        if _times(items, rows, items[rows[i]], i) == 0:
            different += 1
        if items[rows[i]] == item:
            same += 1
    for i in range(customers):
        size = different
        own = items[rows[i]]
        if _times(items, rows, own, customers) == 1:
            size -= 1
        if same == 0 or (same == 1 and own == item):
            size += 1
        losses[i] += customers * (1.0 - 1.0 / size)


@inner
def _times(items: Items, rows: NDArray[np.int64], item: int, before: int) -> int:
    """How often the item is among the first records."""
    found = 0
    for i in range(before):
        if items[rows[i]] == item:
            found += 1
    return found
