"""Information loss: the share of the spread of the records that lies inside the groups."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordermade.microaggregation.arrays import Column, Labels, finite_table, labels_of
from ordermade.microaggregation.standard import centred, scaled, squares


@dataclass(frozen=True, slots=True)
class Loss:
    """The loss when every record is replaced by the mean of its group.

    `sse`: the sum of the squared distances to the group's mean, `sst`: to the mean of all records; both over all
    columns, in the columns' units squared (inf where that is beyond 1.8e308). `loss`: SSE / SST, from 0 (nothing) to 1
    (everything), and 0 where SST is 0. `by_attribute`: the same of each column alone.
    """

    sse: float
    sst: float
    loss: float
    by_attribute: tuple[float, ...]


def information_loss(X: ArrayLike, labels: ArrayLike) -> Loss:
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
    return Loss(
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
