"""Purchase histories as arrays, customer after customer; progress as a share of 1."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Done = TypeVar("Done")

Progress = Callable[[float], None]
"""Called with the share of the work that is done."""


def unreported(share: float) -> None:
    """The progress of work that nobody watches: ignored."""


def part(progress: Progress, first: float, end: float) -> Progress:
    """The progress of a part of the work: maps its own share, from 0 to 1, to one from `first` to `end`."""
    return lambda share: progress(first + (end - first) * share)


def counted(done: Iterable[Done], count: int, progress: Progress) -> Iterator[Done]:
    """Yield pieces of work as they are done, and report each as one of `count`."""
    for number, each in enumerate(done, start=1):
        progress(number / count)
        yield each


Starts = NDArray[np.int64]
"""The beginning of each customer's records, and the number of records."""
Numbers = NDArray[np.float64]
"""One row a record: the day, then the other numbers, each a whole number of units."""
Items = NDArray[np.int32]
"""The code of each record's item."""
Clusters = NDArray[np.int32]
"""The cluster of each customer, from 0; every number up to the largest is in use. NONE: the customer is dropped."""
Slots = NDArray[np.int32]
"""The slot of each record within its cluster, from 0; a slot holds a record of each of its customers, or none. NONE:
the record is deleted."""

NONE = -1
"""The mark of no cluster and of no slot."""


@dataclass(frozen=True, slots=True, eq=False)
class HistoryArrays:
    """The records of all customers.

    Customers lie in rank order (purchases descending, ties by their first day, then by the customer's own value), the
    records of a customer in the order in which `match: rank` takes them.

    Attributes:
        starts: where the records of each customer begin, and at the end the number of records (customers + 1, int64).
        numbers: a row a record, contiguous: its day first, then the other numbers, in whole units (float64).
        items: the code of each record's item, from 0 (int32).
        sds: the population standard deviation of each column of `numbers` over all records, in units (float64).
    """

    starts: Starts
    numbers: Numbers
    items: Items
    sds: NDArray[np.float64]

    @property
    def customers(self) -> int:
        """The number of customers."""
        return self.starts.size - 1

    @property
    def rows(self) -> int:
        """The number of records."""
        return self.items.size

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The number of records of each customer."""
        return np.diff(self.starts)

    @property
    def halves(self) -> NDArray[np.float64]:
        """1 / (2 sd) of each column of `numbers`; 0 where the sd is 0, as that counts as no error."""
        return np.divide(0.5, self.sds, out=np.zeros_like(self.sds), where=self.sds > 0)

    @property
    def owners(self) -> NDArray[np.int64]:
        """The customer of each record."""
        return np.repeat(np.arange(self.customers), self.lengths)


def members_of(clusters: Clusters) -> list[NDArray[np.int64]]:
    """The customers of each cluster, in the order of the clusters' numbers."""
    kept = np.flatnonzero(clusters != NONE)
    kept = kept[np.argsort(clusters[kept], kind="stable")]
    return np.split(kept, np.cumsum(np.bincount(clusters[kept]))[:-1]) if kept.size > 0 else []
