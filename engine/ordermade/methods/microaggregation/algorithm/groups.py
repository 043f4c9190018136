"""Groups of labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordermade.methods.microaggregation.algorithm.arrays import Labels, labels_of


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """`labels`: the group of each record. `order`: the rows, group after group, within one as they stand.

    `sizes` and `starts`, one a group: how many rows, and from where in `order`.
    """

    labels: Labels
    order: NDArray[np.intp]
    sizes: NDArray[np.int64]
    starts: NDArray[np.int64]

    @property
    def count(self) -> int:
        """The number of groups."""
        return int(self.sizes.size)


def groups_of(labels: ArrayLike, records: int) -> Groups:
    """The groups. Raises InputError as `arrays.labels_of`."""
    found = labels_of(labels, records)
    sizes = np.bincount(found).astype(np.int64)
    return Groups(found, np.argsort(found, kind="stable"), sizes, np.cumsum(sizes) - sizes)


def numbered(labels: Labels) -> Labels:
    """The same groups, numbered in the order of their first records."""
    _, first, numbers = np.unique(labels, return_index=True, return_inverse=True)
    place = np.empty(first.size, dtype=np.int32)
    place[np.argsort(first)] = np.arange(first.size, dtype=np.int32)
    return place[numbers]
