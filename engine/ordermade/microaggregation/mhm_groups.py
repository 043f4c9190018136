"""MHM: of all groups of consecutive records of a path, those of the least sum of squared errors.

Theorem 1 of the FDH-MHM paper (section 4), after Hansen and Mukherjee's optimum for one attribute.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordermade.compiled import compiled, inner
from ordermade.errors import InputError
from ordermade.microaggregation.arrays import Column, Labels, Path, Table, require_k, table, whole_numbers
from ordermade.microaggregation.best_ends import first_places, number_groups
from ordermade.microaggregation.report import Report, report_of


def mhm(X: ArrayLike, path: ArrayLike, k: int) -> tuple[Labels, Report]:
    """The groups of k to 2k - 1 consecutive records of a path whose squared distances to their means are least in sum.

    Ties go to the start nearest to the path's beginning. Time grows with records times k times columns.

    Args:
        X: the records, taken as they come: see `standardised`.
        path: every row once, such as `npn_path` and `fdh_path` give.
        k: the fewest records of a group.

    Returns:
        The group of each record (n int32 numbers, numbered along the path), and a report with the figure `sse`.

    Raises:
        InputError: X is no table of numbers, the path is no order of its rows, or k is none of 1 to n.
    """
    records = table(X)
    order = _order_of(path, len(records))
    starts, sse = best_starts(records, order, require_k(k, len(records)))
    labels = number_groups(order, first_places(starts))
    return labels, report_of(labels, sse=sse)


def _order_of(path: ArrayLike, records: int) -> Path:
    order = whole_numbers(path)
    if order is None or order.shape != (records,):
        raise InputError("a path is one row a record", next_step="Give the path that npn_path or fdh_path returned.")
    if not np.array_equal(np.sort(order), np.arange(records)):
        raise InputError(
            "a path has every row once, and this one does not",
            next_step="Give the path that npn_path or fdh_path returned for these records.",
        )
    return order.astype(np.int32)


def best_starts(X: Table, order: Path, k: int) -> tuple[NDArray[np.int32], float]:
    """For every end along the path the best start of its last group, and the least sum of squared errors of all.

    A group that ends within k records after a border begins before it. Its sum is that of the part before, that of the
    part after, and the increase by the distance between their means: the last alone is of every pair of start and end,
    and only where the rest does not exceed the least found.
    """
    n, d = X.shape
    cost = np.full(n + 1, np.inf)
    cost[0] = 0.0
    starts = np.zeros(n + 1, dtype=np.int32)
    find_starts(X, order, k, cost, starts, np.empty((2 * k, d)), np.empty(2 * k), np.empty(d))
    return starts, float(cost[n])


@compiled
def find_starts(
    X: Table, order: Path, k: int, cost: Column, starts: Path, before: Table, without: Column, after: Column
) -> None:
    """Writes the starts and the least costs of all up to each end. The last three are room."""
    n = order.size
    for border in range(0, n, k):
        look_back(X, order, border, cost, before, without)
        after[:] = 0.0
        sse = 0.0
        for end in range(border + 1, min(border + k, n) + 1):
            sse += include(X, order[end - 1], after, end - border)
            cost[end], starts[end] = best_start(border, end, k, before, without, after, sse, starts[end - 1])


@inner
def look_back(X: Table, order: Path, border: int, cost: Column, before: Table, without: Column) -> None:
    """The mean of a last group before a border, and the least cost of all up to the border, by its size."""
    before[0] = 0.0
    without[0] = cost[border]
    sse = 0.0
    for size in range(1, min(without.size - 1, border) + 1):
        for j in range(X.shape[1]):
            before[size, j] = before[size - 1, j]
        sse += include(X, order[border - size], before[size], size)
        without[size] = cost[border - size] + sse


@inner
def include(X: Table, row: int, mean: Column, size: int) -> float:
    """Include a record in the mean of now `size` ones; return the increase of their sum of squared errors."""
    added = 0.0
    for j in range(mean.size):
        apart = X[row, j] - mean[j]
        mean[j] += apart / size
        added += apart * (X[row, j] - mean[j])
    return added


@inner
def best_start(
    border: int, end: int, k: int, before: Table, without: Column, after: Column, sse: float, likely: int
) -> tuple[float, int]:
    """The least cost of all up to an end, and the lowest start of the last group that has it. `likely`: tried first."""
    least, found = np.inf, 0
    beyond = end - border
    fewest, most = k - beyond, min(2 * k - 1 - beyond, border)
    if fewest > most:
        return least, found
    first = min(max(border - likely, fewest), most)
    for turn in range(fewest - 1, most + 1):
        size = first if turn < fewest else turn
        total = without[size] + sse
        if total > least or total == np.inf:
            continue
        apart = 0.0
        for j in range(after.size):
            apart += (before[size, j] - after[j]) ** 2
        total += apart * (size * beyond / (size + beyond))
        if total < least or (total == least and border - size < found):
            least, found = total, border - size
    return least, found
