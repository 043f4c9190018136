"""Many records cut into blocks of near ones, so that a method that visits every pair visits those of a block alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ordermade.microaggregation.arrays import Table

LARGEST_BLOCK = 40_000
"""The records of a block at most: beyond it the whole is cut."""

Rows = NDArray[np.int64]


def blocks_of(X: Table, rows: Rows, k: int, largest: int = LARGEST_BLOCK) -> list[Rows]:
    """The rows cut into blocks of at most `largest` records, and of k or more: halved at the median, again and again.

    Each cut is across the column that varies most in its block; records of one value may part, the lower rows first.
    Every block's rows ascend.
    """
    if rows.size <= max(largest, 2 * k - 1):
        return [rows]
    values = X[rows]
    across = values[:, int(np.argmax(values.var(axis=0)))]
    half = rows.size // 2
    order = np.argsort(across, kind="stable")
    lower, upper = np.sort(rows[order[:half]]), np.sort(rows[order[half:]])
    return [*blocks_of(X, lower, k, largest), *blocks_of(X, upper, k, largest)]
