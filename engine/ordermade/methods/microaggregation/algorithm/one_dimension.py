"""One attribute: the optimal groups by shortest path, and the moves of MIL.

Ends are taken k at a time. Every group that ends at one of the k ends from B on starts before B, for it has k values
at least: it is a part below B and a part above. The two are computed once for all such groups, and

    SSE(both) = SSE(below) + SSE(above) + n m / (n + m) (mean above - mean below)^2

has no term below 0. Nothing cancels, whatever the offset; the error of a group's SSE is a few roundings of the SSE
itself, however small it is beside the values or beside that of other groups.

A group that could end later with one start rather than with a lower one always can (the costs are Monge), so that the
best start never moves left as the end moves right: the middle one of the k ends is looked at first, then the quarters
between the starts found, and so on. That is k starts for the first and k + k log2 k for all at most.

After Hansen and Mukherjee (2003): best groups hold consecutive values, k to 2k - 1 of them, so that they are a shortest
path over the sorted values. `best_ends.py` makes it linear in practice, and exact at any offset and scale.

After "k-anonymisation: minimising the information loss" (the MIL paper, section 3): the groups that MDAV or V-MDAV
made, each with every value at most those of the next, give records to their neighbours while SSE falls.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordermade.errors import InputError
from ordermade.machine.compiled import compiled, inner
from ordermade.methods.microaggregation.algorithm.arrays import (
    Column,
    GroupingFigures,
    Labels,
    Table,
    column,
    labels_of,
    require_k,
)
from ordermade.methods.microaggregation.algorithm.loss import power, scaled

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


Order = NDArray[np.int64]
"""Rows in the order of their values."""


def optimal_1d(x: ArrayLike, k: int) -> tuple[Labels, GroupingFigures]:
    """The groups of k or more values whose squared distances to their means are least in sum.

    Any finite numbers, unsorted. Sums of squares are computed between values of one group alone, and never as the
    difference of two sums, so that an offset costs no digit. Values nearer than 1e-154 of the largest number count as
    equal. Of groups equally good the last starts at the lowest place, and so on down; equal values are ordered by their
    rows. Time: that of sorting, and n log k at most.

    Args:
        x: the attribute, a number a record.
        k: the fewest records of a group. With k = 1 every record is alone; up to 2k - 1 records are one group.

    Returns:
        The group of each record (n int32 numbers, ascending by value), and a report with the figure `sse` in the unit
        of x squared (inf beyond 1.8e308).

    Raises:
        InputError: x holds no finite numbers, or k is none of 1 to n.
    """
    numbers = column(x)
    k = require_k(k, numbers.size)
    order, ascending = in_order(numbers)
    values, exponent = scaled(ascending)
    first = first_places(best_starts(values, k))
    sse = power(float(squared_errors(values, first).sum()), 2 * exponent)
    sizes = np.diff(first)
    return number_groups(order, first), GroupingFigures(sizes.size, int(sizes.min()), int(sizes.max()), {"sse": sse})


def in_order(numbers: Column) -> tuple[Order, Column]:
    """The rows by ascending value, equal ones by row, and the values in that order.

    numpy's stable sort takes longer than its default: only the rows of equal values are put in order afterwards.
    """
    order = np.argsort(numbers)
    values = numbers[order]
    like_the_last = values[1:] == values[:-1]
    if like_the_last.any():
        tied = np.concatenate((like_the_last, [False])) | np.concatenate(([False], like_the_last))
        run = np.concatenate(([0], np.cumsum(~like_the_last)))[tied]
        order[tied] = np.sort(run * numbers.size + order[tied]) % numbers.size
    return order, values


CLEARLY = 1e-12
"""A move is made where SSE falls by more than this share of the two groups' gains and losses."""
NOTHING = 1e-280
"""A squared distance of values not beyond 1 whose digits may be lost: no move is made for it."""


def mil(x: ArrayLike, labels: ArrayLike, k: int) -> tuple[Labels, GroupingFigures]:
    """Groups from which no single record can be moved to a neighbouring group, k left, so that SSE falls.

    Sweeps over the pairs of neighbours from left to right. Of each pair the left group gives its greatest value to the
    right one while that lowers SSE and k are left (a), then takes the right one's least (b). It ends with the first
    sweep without a move. A group may grow beyond 2k - 1. Of equal values in one group the lowest row is the least.

    It does end: the differences to the value judged are all of one sign, and are summed with compensation, so that both
    sides of a judgement are known to a few roundings, far less than the 1e-12 by which one must be below the other.
    Every move thus lowers the exact SSE, no groups come twice, and there are finitely many.

    Args:
        x: the attribute, a number a record, in any order.
        labels: the group of each record, numbered in any order.
        k: the fewest records of a group; no group of `labels` has fewer.

    Returns:
        The group of each record (n int32 numbers, ascending by value), and a report with the figures `judgements` (how
        often a move was judged: the paper's measure of time), `moves` and `sweeps` (the last one, without a move,
        too). A judgement takes as long as its two groups are large.

    Raises:
        InputError: x holds no finite numbers, k is none of 1 to n, the labels are no groups of k, or groups overlap:
            the greatest value of one is above the least of the next (condition (1) of the paper).
    """
    numbers = column(x)
    k = require_k(k, numbers.size)
    order, first = _in_order(numbers, labels_of(labels, numbers.size, k))
    judgements, moves, sweeps = improve_ends(scaled(numbers[order])[0], first, k)
    sizes = np.diff(first)
    figures = {"judgements": judgements, "moves": moves, "sweeps": sweeps}
    return number_groups(order, first), GroupingFigures(sizes.size, int(sizes.min()), int(sizes.max()), figures)


def _in_order(numbers: Column, labels: Labels) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The rows group by group, ascending by value, and the place where each group begins (and n)."""
    by_group = np.lexsort((numbers, labels))
    first = np.concatenate(([0], np.cumsum(np.bincount(labels))))
    least, most = numbers[by_group[first[:-1]]], numbers[by_group[first[1:] - 1]]
    groups = np.lexsort((by_group[first[:-1]], most, least))
    if (most[groups[:-1]] > least[groups[1:]]).any():
        raise InputError(
            "the groups overlap: one has values on both sides of another's",
            next_step="Give groups of neighbouring values, as mdav and optimal_1d make them of one attribute; those of "
            "vmdav may overlap where values are equal.",
        )
    rank = np.empty(groups.size, dtype=np.int64)
    rank[groups] = np.arange(groups.size)
    order = np.lexsort((numbers, rank[labels]))
    return order, np.concatenate(([0], np.cumsum(np.diff(first)[groups]))).astype(np.int32)


@compiled
def improve_ends(values: Column, first: NDArray[np.int32], k: int) -> tuple[int, int, int]:
    """Move the places where groups begin, in place; return the numbers of judgements, moves and sweeps."""
    judgements, moves, sweeps = 0, 0, 0
    moved = True
    while moved:
        moved = False
        sweeps += 1
        for i in range(first.size - 2):
            while first[i + 1] - first[i] > k:
                judgements += 1
                end = first[i + 1]
                if not _is_better(values, first[i], end, first[i + 2], end - 1, 1):
                    break
                first[i + 1] -= 1
                moves += 1
                moved = True
            while first[i + 2] - first[i + 1] > k:
                judgements += 1
                end = first[i + 1]
                if not _is_better(values, first[i], end, first[i + 2], end, -1):
                    break
                first[i + 1] += 1
                moves += 1
                moved = True
    return judgements, moves, sweeps


@inner
def _is_better(values: Column, start: int, middle: int, end: int, place: int, to_right: int) -> bool:
    """Whether SSE clearly falls when the value at a place moves to the right (1) or left (-1) of two neighbours.

    Inequalities (7) and (8) of the paper, the value itself being the origin of both means.
    """
    left, right = middle - start, end - middle
    below = _mean_from(values, start, middle, values[place])
    above = _mean_from(values, middle, end, values[place])
    with_left, with_right = left / (left - to_right), right / (right + to_right)
    of_left, of_right = with_left * (below * below), with_right * (above * above)
    lost, gained = (of_left, of_right) if to_right == 1 else (of_right, of_left)
    return lost > NOTHING and gained < lost - CLEARLY * (lost + gained)


@inner
def _mean_from(values: Column, start: int, end: int, origin: float) -> float:
    """The mean of the values from start to end less the origin, summed with compensation (Kahan)."""
    total, missed = 0.0, 0.0
    for place in range(start, end):
        term = (values[place] - origin) - missed
        more = total + term
        missed = (more - total) - term
        total = more
    return total / (end - start)
