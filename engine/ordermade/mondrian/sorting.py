"""Sort whole numbers in place, in a time that no order of them makes long."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ordermade.compiled import inner


@inner
def ascending(numbers: NDArray[np.int64], size: int) -> None:
    """Sort the first `size` numbers: the greatest is taken from a heap, again and again."""
    place, end = size // 2, size
    while end > 1:
        if place > 0:
            place -= 1
        else:
            end -= 1
            numbers[0], numbers[end] = numbers[end], numbers[0]
        sink(numbers, place, end)


@inner
def sink(heap: NDArray[np.int64], place: int, size: int) -> None:
    """Let a number sink below all greater ones, in a heap of which all else is in place."""
    number = heap[place]
    child = 2 * place + 1
    while child < size:
        if child + 1 < size and heap[child + 1] > heap[child]:
            child += 1
        if heap[child] <= number:
            break
        heap[place] = heap[child]
        place, child = child, 2 * child + 1
    heap[place] = number
