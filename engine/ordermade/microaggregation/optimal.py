"""The optimum for one attribute: of all groups of k or more records, those of the least sum of squared errors.

After Hansen and Mukherjee (2003): best groups hold consecutive values, k to 2k - 1 of them, so that they are a shortest
path over the sorted values. `best_ends.py` makes it linear in practice, and exact at any offset and scale.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordermade.microaggregation.arrays import Column, Labels, column, require_k
from ordermade.microaggregation.best_ends import best_starts, first_places, number_groups, squared_errors
from ordermade.microaggregation.loss import power
from ordermade.microaggregation.report import Report
from ordermade.microaggregation.standard import scaled

Order = NDArray[np.int64]
"""Rows in the order of their values."""


def optimal_1d(x: ArrayLike, k: int) -> tuple[Labels, Report]:
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
    return number_groups(order, first), Report(sizes.size, int(sizes.min()), int(sizes.max()), {"sse": sse})


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
