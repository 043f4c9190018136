"""MDAV and V-MDAV of one sorted attribute as they are told, and exact sums of squares: no tree, no shortcut.

On one attribute the farthest record is the first or the last of those unassigned, its nearest are next to it, and what
is left lies between two places.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numba
import numpy as np


def exact_sse(x: Sequence[float], labels: Sequence[int]) -> Fraction:
    """The sum of squared errors without any rounding."""
    total = Fraction(0)
    for group in set(labels):
        values = [Fraction(value) for value, label in zip(x, labels, strict=True) if label == group]
        mean = sum(values) / len(values)
        total += sum((value - mean) ** 2 for value in values)
    return total


def least_sse(x: Sequence[float], k: int) -> Fraction:
    """The least sum of squared errors of groups of k or more consecutive sorted values, every division tried."""
    values = sorted(x)
    best: dict[int, Fraction] = {0: Fraction(0)}
    for end in range(k, len(values) + 1):
        starts = [start for start in best if end - start >= k]
        best[end] = min(best[start] + exact_sse(values[start:end], [0] * (end - start)) for start in starts)
    return best[len(values)]


@numba.njit(cache=True)
def mdav_sizes(x, k, low_end=False):
    """Sizes of the groups that MDAV makes of sorted values, from left to right.

    Every step takes k from both ends; only the last one, with 2k to 3k - 1 values left, has to choose. `low_end`: it
    takes the lowest k, as the MIL paper's program seems to do.
    """
    start, end = 0, x.size
    while end - start >= 3 * k:
        start, end = start + k, end - k
    sizes = np.full(2 * (start // k) + 1 + (end - start) // (2 * k), k)
    odd_one = start // k
    if end - start >= 2 * k and (low_end or _is_low_end_farther(x, start, end, x[start:end].mean())):
        odd_one += 1
    sizes[odd_one] += x.size - k * sizes.size
    return sizes


@numba.njit(cache=True)
def vmdav_sizes(x, k, gamma):
    """Sizes of the groups that V-MDAV makes of sorted values, from left to right."""
    start, end, mean = 0, x.size, x.mean()
    left, right = [0 for _ in range(0)], [0 for _ in range(0)]
    while end - start >= k:
        size = k
        if _is_low_end_farther(x, start, end, mean):
            start += k
            while size < 2 * k - 1 and start < end:
                out = x[start + 1] - x[start] if start + 1 < end else np.inf
                if not x[start] - x[start - 1] < gamma * out:
                    break
                start, size = start + 1, size + 1
            left.append(size)
        else:
            end -= k
            while size < 2 * k - 1 and start < end:
                out = x[end - 1] - x[end - 2] if end - 2 >= start else np.inf
                if not x[end] - x[end - 1] < gamma * out:
                    break
                end, size = end - 1, size + 1
            right.append(size)
    for place in range(start, end):
        to_left = x[place] - x[start - 1] if left else np.inf
        if right and x[end] - x[place] < to_left:
            right[-1] += 1
        else:
            left[-1] += 1
    return np.array(left + right[::-1])


@numba.njit(cache=True)
def _is_low_end_farther(x, start, end, mean):
    return abs(x[start] - mean) >= abs(x[end - 1] - mean)
