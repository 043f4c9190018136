"""MHM: of all groups of consecutive records of a path, those of the least sum of squared errors.

Theorem 1 of the FDH-MHM paper (section 4), after Hansen and Mukherjee's optimum for one attribute.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordermade.errors import InputError
from ordermade.microaggregation.arrays import Labels, Path, Table, require_k, table
from ordermade.microaggregation.compiled import compiled
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
    labels = np.empty(len(records), dtype=np.int32)
    labels[order] = _labels_along(starts)
    return labels, report_of(labels, sse=sse)


def _order_of(path: ArrayLike, records: int) -> Path:
    order = np.asarray(path)
    if order.shape != (records,) or not np.issubdtype(order.dtype, np.integer):
        raise InputError("a path is one row a record", next_step="Give the path that npn_path or fdh_path returned.")
    if not np.array_equal(np.sort(order), np.arange(records)):
        raise InputError(
            "a path has every row once, and this one does not",
            next_step="Give the path that npn_path or fdh_path returned for these records.",
        )
    return order.astype(np.int32)


def _labels_along(starts: NDArray[np.int32]) -> Labels:
    """From the best start of a last group that ends at each place: the group of every place."""
    first = np.zeros(len(starts) - 1, dtype=np.int32)
    end = len(starts) - 1
    while end > 0:
        end = int(starts[end])
        first[end] = 1
    labels: Labels = np.cumsum(first, dtype=np.int32) - np.int32(1)
    return labels


@compiled
def best_starts(X: Table, order: Path, k: int) -> tuple[NDArray[np.int32], float]:
    """For every end along the path the best start of its last group, and the least sum of squared errors of all."""
    n, d = X.shape
    cost = np.full(n + 1, np.inf)
    cost[0] = 0.0
    starts = np.zeros(n + 1, dtype=np.int32)
    mean = np.empty(d)
    for end in range(k, n + 1):
        mean[:] = 0.0
        sse = 0.0
        for size in range(1, min(2 * k - 1, end) + 1):
            row = order[end - size]
            for j in range(d):
                apart = X[row, j] - mean[j]
                mean[j] += apart / size
                sse += apart * (X[row, j] - mean[j])
            start = end - size
            if size >= k and cost[start] + sse <= cost[end] and cost[start] < np.inf:
                cost[end] = cost[start] + sse
                starts[end] = start
    return starts, float(cost[n])
