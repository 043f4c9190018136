"""The nearest records of every record: from them a group finds the groups that are near it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from ordermade.compiled import inner
from ordermade.microaggregation.arrays import Table
from ordermade.microaggregation.chance import Chance, one_of

MOST_COLUMNS = 16
"""The most columns for a tree: beyond, it visits nearly every record, and principal components are searched."""
PRINCIPAL = 8
EXACT = 5_000
"""The most values for exact nearest neighbours. Beyond, where that would take most of the time (100,000 x 8 normal
numbers: 25 s), none is nearer than the true one by a factor of 1 + `NEARLY`: two thirds of them are the same, in a
twelfth of the time."""
NEARLY = 2.0
MANY, MORE_NEARLY = 50_000, 4.0
"""The number of values beyond which half as many neighbours are sought, more nearly: in 0.4 of the time, for 0.4 % more
loss after a descent of 100,000 x 8 normal numbers, which takes as long as that."""
AT_ONCE = 1000
"""Rows whose neighbours are sought before the clock is looked at."""


class Vicinity(NamedTuple):
    """Equal records share a value. `value_of`: by record; `near`: by value, the nearest values, itself first.

    The records of value v are `rows[starts[v] : starts[v + 1]]`: neighbours are values, as otherwise the nearest of a
    record that is there a hundred times would be but itself.
    """

    value_of: NDArray[np.int32]
    near: NDArray[np.int32]
    rows: NDArray[np.int32]
    starts: NDArray[np.int64]


def vicinity_of(X: Table, neighbours: int, enough: Callable[[], bool]) -> Vicinity:
    """The vicinity of the records; values not reached until it is `enough` know but themselves."""
    distinct, value_of, counts = np.unique(X, axis=0, return_inverse=True, return_counts=True)
    value_of = value_of.reshape(-1)
    neighbours = min(neighbours if len(distinct) <= MANY else -(-neighbours // 2), len(distinct))
    near = np.repeat(np.arange(len(distinct), dtype=np.int32)[:, None], neighbours, axis=1)
    points = _principal(distinct) if distinct.shape[1] > MOST_COLUMNS else distinct
    tree = cKDTree(points)
    nearly = 0.0 if len(points) <= EXACT else NEARLY if len(points) <= MANY else MORE_NEARLY
    for start in range(0, len(points), AT_ONCE):
        if enough():
            break
        found = tree.query(points[start : start + AT_ONCE], neighbours, eps=nearly)[1]
        near[start : start + AT_ONCE] = np.reshape(found, (-1, neighbours))
    starts = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    return Vicinity(value_of.astype(np.int32), near, np.argsort(value_of, kind="stable").astype(np.int32), starts)


@inner
def neighbour(vicinity: Vicinity, row: int, rank: int, chance: Chance) -> int:
    """A record of the value that is so near to that of a record (0: of its own value)."""
    value = vicinity.near[vicinity.value_of[row], rank]
    start = vicinity.starts[value]
    many = vicinity.starts[value + 1] - start
    return int(vicinity.rows[start + (one_of(chance, many) if many > 1 else 0)])


def _principal(distinct: Table) -> Table:
    """The first principal components, rounded: the last digits of linear algebra differ by machine."""
    left = distinct - distinct.mean(axis=0)
    found = left @ np.linalg.eigh(left.T @ left)[1][:, : -PRINCIPAL - 1 : -1]
    unit = float(np.abs(found).max()) or 1.0
    return np.ascontiguousarray(np.round(found / unit, 9))
