"""Many records cut into blocks of near ones, so that a method that visits every pair visits those of a block alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ordermade.microaggregation.arrays import Column, Labels, Table

LARGEST_BLOCK, LARGEST_BLOCK_OF_PATHS = 50_000, 20_000
"""The most records of a block: a third of a second for MDAV of 8 columns, and for a path."""
VARYING = 32
"""The number of columns, those that vary most, that choose the direction of a cut."""

Rows = NDArray[np.int64]


def largest_block(algorithm: str) -> int:
    """The most records of a block for a method, by its name in the registry."""
    return LARGEST_BLOCK_OF_PATHS if algorithm in ("auto", "npn", "fdh") else LARGEST_BLOCK


def blocks_of(X: Table, rows: Rows, k: int, largest: int, component: int = 0) -> list[Rows]:
    """The rows cut into blocks of at most `largest` records, and of k or more: halved at the median, again and again.

    Each cut is across the direction in which the block varies most (or the next ones: `component` 1, 2, ...): far
    records, of which the loss is made, then lie at its ends, where none is cut from another, which a cut across one
    column does not see to (MDAV of standardised lognormal numbers, 40,000 x 8, in 8 blocks: about 10 % more loss than
    of the whole, not 45 %). Records of one value may part, the lower rows first. Every block's rows ascend.
    """
    if rows.size <= max(largest, 2 * k - 1):
        return [rows]
    order = np.argsort(_along(X[rows], component), kind="stable")
    half = rows.size // 2
    return [
        block
        for part in (order[:half], order[half:])
        for block in blocks_of(X, np.sort(rows[part]), k, largest, component)
    ]


def sides_of(X: Table, labels: Labels, sides: int) -> list[Rows]:
    """The rows in two or more sides, as many records each as can be, so that no group is in two.

    They are cut across another direction than blocks, whose borders so lie inside the sides.
    """
    sizes = np.bincount(labels)
    means = np.stack([np.bincount(labels, weights=column) / sizes for column in X.T], axis=1)
    side = np.empty(sizes.size, dtype=np.int32)
    groups = blocks_of(means, np.arange(sizes.size), 1, -(-sizes.size // sides), component=1)
    for number, block in enumerate(groups):
        side[block] = number
    of_record = side[labels]
    return [np.flatnonzero(of_record == number) for number in range(len(groups))]


def joined(blocks: Sequence[Rows], labels: Sequence[Labels]) -> Labels:
    """The groups of all blocks, each numbered from 0, numbered one block after the other."""
    found = np.empty(sum(rows.size for rows in blocks), dtype=np.int32)
    first = 0
    for rows, own in zip(blocks, labels, strict=True):
        found[rows] = own + first
        first += int(own.max()) + 1
    return found


def _along(values: Table, component: int) -> Column:
    """The place of each record along a principal component (the last one, if there are fewer), in whole steps.

    Steps, since the last digits of linear algebra differ by machine.
    """
    left = values - values.mean(axis=0)
    if left.shape[1] > VARYING:
        left = left[:, np.sort(np.argsort(-left.var(axis=0), kind="stable")[:VARYING])]
    directions = np.linalg.eigh(left.T @ left)[1]
    found: Column = left @ directions[:, max(directions.shape[1] - 1 - component, 0)]
    unit = float(np.abs(found).max()) or 1.0
    return np.round(found / unit, 9)
