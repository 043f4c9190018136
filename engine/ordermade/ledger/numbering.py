"""Numbers of classes and the persons of each, over many cells. Pure."""

from __future__ import annotations

import numpy as np

from ordermade.tables.cells import Whole

_DENSE = 4_000_000
"""The most numbers of classes that are counted in an array of them; more are sorted first."""


def paired(first: Whole, most: int, second: Whole, number: int) -> tuple[Whole, int]:
    """A number of each pair of two numbers, below `most` and `number`; and what all are below."""
    if most * number > _DENSE and most > len(first):
        first = np.unique(first, return_inverse=True)[1].reshape(-1)
        most = int(first.max(initial=0)) + 1
    return first * number + second, most * number


def sums(numbers: Whole, most: int, persons: Whole) -> Whole:
    """The persons of the class of each cell, by the number of its class, below `most`."""
    if most > _DENSE:
        numbers = np.unique(numbers, return_inverse=True)[1].reshape(-1)
    found: Whole = np.bincount(numbers, persons).astype(np.int64)[numbers]
    return found
