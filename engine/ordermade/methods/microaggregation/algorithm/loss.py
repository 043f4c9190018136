"""Information loss SSE/SST, on columns of one scale."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordermade.methods.microaggregation.algorithm.arrays import Column, Labels, Table, finite_table, labels_of


def standardised(X: ArrayLike) -> Table:
    """The records with mean 0 and population standard deviation 1 in every column, a table of their own.

    A column of one value becomes zeros. Any finite number is taken, the largest and the denormal ones too. Shape as
    `X`, but that one dimension becomes one column. Raises InputError for other than finite numbers, and for no records.
    """
    records = finite_table(X)
    for j in range(records.shape[1]):
        records[:, j] = _standardised(records[:, j])
    return records


def scaled(column: Column) -> tuple[Column, int]:
    """A copy of a column times 2 ** -exponent, and the exponent: no number is beyond 1, the largest at least a half.

    A power of two changes no digit, so that figures of the copy can be scaled back exactly, and squares and
    sums of it are neither infinite nor lost. (A number of 2 ** -1022 times the largest one of the column may vanish.)
    """
    exponent = math.frexp(max(abs(float(column.max())), abs(float(column.min()))))[1]
    if -1000 < exponent < 1000:
        return np.ascontiguousarray(column) * 2.0**-exponent, exponent
    far: Column = np.ldexp(column, -exponent)
    return far, exponent


def centred(column: Column) -> Column:
    """A column less its mean. Numbers far from zero lose no digits: the mean of the differences is taken off too."""
    left: Column = column - column.mean()
    left -= left.mean()
    return left


def squares(column: Column) -> float:
    """The sum of the squares of a column, added up pairwise: the same on every machine."""
    return float(np.square(column).sum())


def _standardised(column: Column) -> Column:
    numbers = scaled(column)[0]
    if numbers.min() == numbers.max():
        return np.zeros_like(numbers)
    left = centred(numbers)
    left /= math.sqrt(squares(left) / left.size)
    return left


@dataclass(frozen=True, slots=True)
class GroupingLoss:
    """The loss when every record is replaced by the mean of its group.

    `sse`: the sum of the squared distances to the group's mean, `sst`: to the mean of all records; both over all
    columns, in the columns' units squared (inf where that is beyond 1.8e308). `loss`: SSE / SST, from 0 (nothing) to 1
    (everything), and 0 where SST is 0. `by_attribute`: the same of each column alone.
    """

    sse: float
    sst: float
    loss: float
    by_attribute: tuple[float, ...]


def information_loss(X: ArrayLike, labels: ArrayLike) -> GroupingLoss:
    """The loss of replacing the records by the means of their groups.

    `X`: one row a record, in the units in which columns are to count (see `standardised`); `labels`: the group of each
    record, from 0. Time and memory grow with the numbers in X. Raises InputError for other than finite numbers, and
    for labels that leave a record or a number out.
    """
    records = finite_table(X)
    groups = labels_of(labels, records.shape[0])
    sizes = np.bincount(groups)
    parts = [_of_column(records[:, j], groups, sizes) for j in range(records.shape[1])]
    unit = max((exponent for _, spread, exponent in parts if spread > 0), default=0)
    sse = sum(power(inside, 2 * (exponent - unit)) for inside, _, exponent in parts)
    sst = sum(power(spread, 2 * (exponent - unit)) for _, spread, exponent in parts)
    return GroupingLoss(
        sse=power(sse, 2 * unit),
        sst=power(sst, 2 * unit),
        loss=_share(sse, sst),
        by_attribute=tuple(_share(inside, spread) for inside, spread, _ in parts),
    )


def ratio(part: float, whole: float) -> float:
    """A part of a whole; of nothing, nothing is lost."""
    return part / whole if whole > 0 else 0.0


def power(number: float, exponent: int) -> float:
    """A number times 2 ** exponent, inf where that is beyond a float."""
    with np.errstate(over="ignore"):
        return float(np.ldexp(number, exponent))


def _deviations(column: Column, groups: Labels, sizes: NDArray[np.integer]) -> Column:
    """Each value less the mean of its group.

    Computed relative to one value of the group, so that an offset that its values share costs no digit.
    """
    value = np.empty(sizes.size)
    value[groups] = column
    apart: Column = column - value[groups]
    apart -= (np.bincount(groups, weights=apart, minlength=sizes.size) / sizes)[groups]
    return apart


def _share(sse: float, sst: float) -> float:
    """SSE / SST of means, which is 1 at most: any excess is rounding."""
    return min(ratio(sse, sst), 1.0)


def _of_column(column: Column, groups: Labels, sizes: NDArray[np.integer]) -> tuple[float, float, int]:
    """SSE and SST of one column in units of 4 ** exponent, and the exponent."""
    numbers, exponent = scaled(column)
    if numbers.min() == numbers.max():
        return 0.0, 0.0, exponent
    return squares(_deviations(numbers, groups, sizes)), squares(centred(numbers)), exponent
