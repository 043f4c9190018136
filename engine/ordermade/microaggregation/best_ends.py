"""The shortest path over sorted values, compiled: for every end the best start of the last group before it.

Ends are taken k at a time. Every group that ends at one of the k ends from B on starts before B, for it has k values
at least: it is a part below B and a part above. The two are computed once for all such groups, and

    SSE(both) = SSE(below) + SSE(above) + n m / (n + m) (mean above - mean below)^2

has no term below 0. Nothing cancels, whatever the offset; the error of a group's SSE is a few roundings of the SSE
itself, however small it is beside the values or beside that of other groups.

A group that could end later with one start rather than with a lower one always can (the costs are Monge), so that the
best start never moves left as the end moves right: the middle one of the k ends is looked at first, then the quarters
between the starts found, and so on. That is k starts for the first and k + k log2 k for all at most.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ordermade.compiled import compiled, inner
from ordermade.microaggregation.arrays import Column, Labels, Table

Places = NDArray[np.int32]
"""Places among the sorted values."""


def best_starts(values: Column, k: int) -> Places:
    """For every end (a place of `values`, ascending, of squares that are numbers) the best start of the last group.

    Below 2k that is 0, there being one group only. Among equally good starts it is the lowest. The costs of the places
    before an end are stored less the least of them, so that they do not grow with n.
    """
    starts = np.zeros(values.size + 1, dtype=np.int32)
    find_starts(values, k, starts, np.zeros(3 * k), np.zeros(k, dtype=np.int64), np.zeros((5, 2 * k)))
    return starts


@compiled
def find_starts(values: Column, k: int, starts: Places, cost: Column, best: NDArray[np.int64], room: Table) -> None:
    """Write the `starts`. The rest is scratch memory for sums before an end and after it: all zeros."""
    n, sizes = values.size, 2 * k
    share, below, inside, above, beyond = room[0], room[1], room[2], room[3], room[4]
    for size in range(1, sizes):
        share[size] = 1.0 / size
    _upwards(values, 0, min(sizes - 1, n), values[0], share, above, beyond)
    for size in range(k, sizes):
        cost[size] = beyond[size]
    for end in range(sizes, n + 1, k):
        rows, lowest = min(k, n + 1 - end), k if end == sizes else 1
        _downwards(values, end, share, below, inside)
        _upwards(values, end, rows - 1, values[end - 1], share, above, beyond)
        base = np.inf
        for start in range(lowest, sizes):
            base = min(base, cost[start])
        for start in range(lowest, sizes):
            cost[start] -= base
            inside[start] += cost[start]
        step = 1
        while step < rows:
            step *= 2
        while step > 0:
            for row in range(step - 1, rows, 2 * step):
                low, high = max(lowest, row + 1), k + row
                if row >= step:
                    low = max(low, best[row - step])
                if row + step < rows:
                    high = min(high, best[row + step])
                found, least = low, np.inf
                for start in range(low, high + 1):
                    apart = above[row] + below[start]
                    weight = float((sizes - start) * row) * share[sizes - start + row]
                    whole = inside[start] + weight * (apart * apart)
                    if whole < least:
                        found, least = start, whole
                best[row] = found
                starts[end + row] = end - sizes + found
                cost[sizes + row] = least + beyond[row]
            step //= 2
        for start in range(sizes):
            cost[start] = cost[start + k]


@inner
def _downwards(values: Column, end: int, share: Column, below: Column, inside: Column) -> None:
    """The SSE of the last 1, 2, ... 2k - 1 values before an end, and how far their mean lies below the very last.

    Those from place end - 2k + i on are stored at i.
    """
    sizes, total, sse = share.size, 0.0, 0.0
    for size in range(1, sizes):
        apart = values[end - 1] - values[end - size]
        away = apart - total * share[size - 1]
        sse += (size - 1) * share[size] * (away * away)
        total += apart
        below[sizes - size] = total * share[size]
        inside[sizes - size] = sse


@inner
def _upwards(
    values: Column, start: int, most: int, origin: float, share: Column, above: Column, beyond: Column
) -> None:
    """The SSE of the first 1, 2, ... `most` values from a start, and how far their mean lies above the origin."""
    total = sse = 0.0
    for size in range(1, most + 1):
        apart = values[start + size - 1] - origin
        away = apart - total * share[size - 1]
        sse += (size - 1) * share[size] * (away * away)
        total += apart
        above[size] = total * share[size]
        beyond[size] = sse


def first_places(starts: Places) -> Places:
    """The beginning of each group, and the number of values: from the best start of a last group at each end."""
    first = np.empty(starts.size, dtype=np.int32)
    return first[trace_back(starts, first) :].copy()


@compiled
def trace_back(starts: Places, first: Places) -> int:
    """Writes where each group begins at the end of `first`; the place from which on that is."""
    end = place = starts.size - 1
    first[place] = end
    while end > 0:
        end = int(np.int64(starts[end]))
        place -= 1
        first[place] = end
    return place


def squared_errors(values: Column, first: Places) -> Column:
    """The sum of squared errors of each group."""
    found = np.empty(first.size - 1)
    add_up_errors(values, first, found)
    return found


@compiled
def add_up_errors(values: Column, first: Places, found: Column) -> None:
    """Writes the sum of squared errors of each group."""
    for group in range(first.size - 1):
        origin, size = values[first[group]], first[group + 1] - first[group]
        total = 0.0
        for place in range(first[group], first[group + 1]):
            total += values[place] - origin
        mean = total / size
        sse = 0.0
        for place in range(first[group], first[group + 1]):
            away = (values[place] - origin) - mean
            sse += away * away
        found[group] = sse


def number_groups(order: NDArray[np.integer], first: Places) -> Labels:
    """The group of each row, where `order` holds the rows by place."""
    labels = np.empty(order.size, dtype=np.int32)
    labels[order] = np.repeat(np.arange(first.size - 1, dtype=np.int32), np.diff(first))
    return labels
