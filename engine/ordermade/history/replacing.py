"""What a slot would lose with one of its records replaced: for each of them at once."""

from __future__ import annotations

import numpy as np

from ordermade.compiled import inner
from ordermade.history.likeness import Laid, Records, Room


@inner
def take_errors(laid: Laid, row: Records, record: int, k: int, room: Room) -> None:
    """Takes from each place's gain the errors of a slot whose record in that place is replaced by this one."""
    numbers, gains = laid.numbers, room.gains
    for column in range(numbers.shape[1]):
        origin = numbers[record, column]
        low, next_low, high, next_high = np.inf, np.inf, -np.inf, -np.inf
        total, squares = 0.0, 0.0
        for j in range(k):
            value = numbers[row[j], column] - origin
            next_low = min(next_low, max(low, value))
            low = min(low, value)
            next_high = max(next_high, min(high, value))
            high = max(high, value)
            total += value
            squares += value * value
        if low == 0 and high == 0:
            continue
        for j in range(k):
            value = numbers[row[j], column] - origin
            least = min(0.0, next_low if value == low else low)
            most = max(0.0, next_high if value == high else high)
            width = most - least
            if width > 0:
                linear, square = total - value, squares - value * value
                both = 2 * square - 2 * linear * (least + most) + k * (least * least + most * most)
                gains[j] -= min(float(k), (both + k * width) * laid.weights[column] / (2 * (width + 1)))
    _take_errors_of_items(laid, row, record, k, room)


@inner
def _take_errors_of_items(laid: Laid, row: Records, record: int, k: int, room: Room) -> None:
    """As `take_errors`, of the items alone."""
    items, alone, gains = laid.items, room.alone, room.gains
    different, same, match = 0, 0, 0
    for j in range(k):
        item = items[row[j]]
        alone[j] = 1
        if item == items[record]:
            same += 1
            match = j
        for i in range(j):
            if items[row[i]] == item:
                alone[i], alone[j] = 0, 0
                break
        different += alone[j]
    for j in range(k):
        size = different - alone[j]
        if same == 0 or (same == 1 and match == j):
            size += 1
        gains[j] -= k * (1 - 1 / size)
