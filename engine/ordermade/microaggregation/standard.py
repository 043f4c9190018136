"""Columns on one scale, so that a yen and a year count the same in a distance."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from ordermade.microaggregation.arrays import Column, Table, finite_table


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
