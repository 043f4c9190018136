"""The loss of a placement of records in slots: the contest's utility U, counted anew from the records.

After the PWSCUP paper (section 2), as `shared/papers/README.md` reads it. The lower, the better: 0 where all records
are released as they are, 1 where all are deleted (more where cells are not deleted that would cost less so).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ordermade.history.histories import NONE, Clusters, Histories, Slots

ARTEFACT = (
    "The gain of categories in the paper is an artefact of its scoring, which holds released categories against an "
    "original made of categories. Against the items that were bought, categories lose more."
)
"""The note to show beside every utility that scores categories as the paper does."""


@dataclass(frozen=True, slots=True)
class Utility:
    """U of a placement.

    Attributes:
        utility: the mean over the columns of `by_column`.
        by_column: the mean error of a cell over all records, deleted ones 1, of the day, the item, then the numbers.
        deleted_share: the share of records that are in no slot.
    """

    utility: float
    by_column: tuple[float, ...]
    deleted_share: float


def utility(histories: Histories, clusters: Clusters, slots: Slots, *, delete_costly: bool) -> Utility:
    """U of the records in their slots, over all records there are.

    With `delete_costly`, a cell of a slot whose summed error is greater than the slot's number of records is deleted
    for all of them, and costs 1 a record.
    """
    kept = slots != NONE
    sums = errors_of_slots(histories, clusters, slots, delete_costly=delete_costly).sum(axis=0)
    by_column = (sums + np.count_nonzero(~kept)) / histories.rows
    return Utility(
        utility=float(by_column.mean()),
        by_column=tuple(by_column.tolist()),
        deleted_share=float(np.count_nonzero(~kept) / histories.rows),
    )


def errors_of_slots(
    histories: Histories, clusters: Clusters, slots: Slots, *, delete_costly: bool
) -> NDArray[np.float64]:
    """The summed error of each slot (rows, by cluster, then slot) in each column (the day, the item, the numbers)."""
    rows = np.flatnonzero(slots != NONE)
    keys = clusters[histories.owners[rows]].astype(np.int64) << 32 | slots[rows]
    rows = rows[np.argsort(keys, kind="stable")]
    if rows.size == 0:
        return np.zeros((0, histories.numbers.shape[1] + 1))
    _, firsts, counts = np.unique(np.sort(keys), return_index=True, return_counts=True)
    of_numbers = _errors_of_intervals(histories.numbers[rows], firsts, counts, histories.sds)
    of_items = _errors_of_sets(histories.items[rows], firsts, counts)
    errors = np.column_stack([of_numbers[:, 0], of_items, of_numbers[:, 1:]])
    return np.minimum(errors, counts[:, None]) if delete_costly else errors


def _errors_of_intervals(
    numbers: NDArray[np.float64], firsts: NDArray[np.int64], counts: NDArray[np.int64], sds: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Interval [a;b], x in it: ((a-x)^2 + (b-x)^2 + (b-a)) / (2 (b-a+1) sd), summed over each slot; nothing, sd 0."""
    low = np.minimum.reduceat(numbers, firsts)
    high = np.maximum.reduceat(numbers, firsts)
    above = numbers - np.repeat(low, counts, axis=0)
    below = np.repeat(high, counts, axis=0) - numbers
    squares = np.add.reduceat(above**2 + below**2, firsts)
    width = high - low
    spread = 2 * (width + 1) * np.where(sds > 0, sds, np.inf)
    errors: NDArray[np.float64] = (squares + counts[:, None] * width) / spread
    return errors


def _errors_of_sets(
    items: NDArray[np.int32], firsts: NDArray[np.int64], counts: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Item set S: 1 - 1/|S|, summed over each slot."""
    slot = np.repeat(np.arange(firsts.size), counts)
    order = np.lexsort((items, slot))
    is_new = np.ones(items.size, dtype=bool)
    is_new[1:] = (items[order][1:] != items[order][:-1]) | (slot[1:] != slot[:-1])
    sizes = np.bincount(slot[is_new], minlength=firsts.size)
    return counts * (1 - 1 / sizes)
