"""Attributes of both kinds as columns of numbers: the distance of a hierarchy is a Euclidean one.

Two values of a hierarchy are as far apart as the levels up to their common ancestor, of the `height` levels up to `*`:
d = levels / height, from 0 (the same value) to 1 (only `*` in common). One column for each class of each level below
`*`, with sqrt((2 l + 1) / 2) / height for the records in a class of level l and 0 for the others, puts two records
exactly d apart: they differ in two columns of each level below their common ancestor, and the sum of 2 l + 1 over the
levels below L is L squared. So every method takes mixed data as it takes numbers. Whichever two records are equally
far apart, the same terms are added in the same order, so that ties stay ties.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ordermade.errors import InputError
from ordermade.methods.microaggregation.algorithm.arrays import Column, Table, finite_table, table
from ordermade.methods.microaggregation.algorithm.loss import standardised

MAX_COLUMNS = 2_048
"""The most columns that the classes of all hierarchies may take."""
MAX_NUMBERS = 200_000_000
"""The most numbers that the table may have: 1.6 GB."""

Numbers: TypeAlias = NDArray[np.float64] | NDArray[np.int64]
"""One attribute as it was measured: whole numbers keep all their digits as int64, others the digits of a float64.

A DECIMAL of up to 18 digits keeps all of them as an int64 that counts units of its last digit.
"""
Codes: TypeAlias = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Numeric:
    """A numeric attribute: a finite number a record, and how much its squared distances count.

    Raises InputError for other values than one-dimensional float64 or int64, and for a weight that is not above 0.
    """

    values: Numbers
    weight: float = 1.0

    def __post_init__(self) -> None:
        if self.values.dtype not in (np.float64, np.int64) or self.values.ndim != 1:
            raise InputError("a numeric attribute is one float64 or int64 a record", next_step="Convert the column.")
        finite_table(self.values)
        _require_weight(self.weight)

    @property
    def records(self) -> int:
        """The number of records."""
        return int(self.values.size)


@dataclass(frozen=True, slots=True, eq=False)
class Categorical:
    """An attribute with a hierarchy.

    `codes`: the leaf of each record, from 0, in the hierarchy's order. `ancestors`: one row a leaf, one column a level
    from 0 to the last below `*`: the class of the leaf at the level. Each level's classes lie in the next one's. A
    hierarchy of `*` alone has no column. `weight`: how much its squared distances count.
    Raises InputError for codes without a leaf, classes that do not nest, and a weight that is not above 0.
    """

    codes: Codes
    ancestors: Codes
    weight: float = 1.0

    def __post_init__(self) -> None:
        _require_weight(self.weight)
        if self.ancestors.ndim != 2 or self.ancestors.shape[1] == 0:
            raise InputError(
                "a hierarchy has no level below `*`", next_step="Give one row a leaf, one column a level below `*`."
            )
        if self.codes.ndim != 1 or self.codes.size == 0:
            raise InputError("there are no records", next_step="Give at least one code.")
        if self.codes.min() < 0 or self.codes.max() >= self.ancestors.shape[0]:
            raise InputError("a record has no leaf of the hierarchy", next_step="Code every value by its leaf, from 0.")
        for level in range(1, self.height):
            finer, coarser = self.ancestors[:, level - 1], self.ancestors[:, level]
            if np.unique(np.stack([finer, coarser]), axis=1).shape[1] > np.unique(finer).size:
                raise InputError(
                    f"level {level} of a hierarchy divides a class of level {level - 1}",
                    next_step="Give levels of which each refines the next.",
                )

    @property
    def records(self) -> int:
        """The number of records."""
        return int(self.codes.size)

    @property
    def height(self) -> int:
        """The number of levels below `*`, which is the level of this number."""
        return int(self.ancestors.shape[1])


Attribute: TypeAlias = Numeric | Categorical


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """The table that every method takes, and which of its columns are each attribute's, in the attributes' order.

    An attribute with the same value for all records has none. (Where none has any, the table is one column of zeros.)
    """

    table: Table
    own: tuple[range, ...]


def euclidean(attributes: Sequence[Attribute], *, standardise: bool) -> Columns:
    """The attributes as columns: squared distances in the table are the weighted sums of the attributes' own.

    With `standardise` each attribute's total variance (of all its columns together) is 1 before its weight counts;
    without, numbers have their own units and hierarchies distances from 0 to 1. Raises InputError for no attributes, or
    of different numbers of records, for more columns or numbers than can be worked with, and as `arrays.table`.
    """
    if len({attribute.records for attribute in attributes}) != 1:
        raise InputError("attributes are columns of the same records", next_step="Give one or more, equally long.")
    levels = [_levels(each) if isinstance(each, Categorical) else [] for each in attributes]
    widths = [_width(each, own) for each, own in zip(attributes, levels, strict=True)]
    records = attributes[0].records
    _require_room(records, sum(widths), sum(level.columns for own in levels for level in own))
    found = np.zeros((records, max(sum(widths), 1)))
    own, start = [], 0
    for attribute, shape, width in zip(attributes, levels, widths, strict=True):
        own.append(range(start, start + width))
        if isinstance(attribute, Categorical):
            _place(found, start, shape, attribute, standardise)
        elif width:
            found[:, start] = _numeric(attribute, standardise)
        start += width
    return Columns(found, tuple(own))


def from_lowest(values: Numbers) -> tuple[Column, int]:
    """Numbers as floats above a whole number, and this number: whole ones less the lowest, so that no digit is lost."""
    if values.dtype == np.float64:
        return values.astype(np.float64), 0
    lowest = int(values.min())
    # Unsigned differences cannot overflow, whatever the signs.
    return (values.view(np.uint64) - np.uint64(lowest % 2**64)).astype(np.float64), lowest


def levels_apart(ancestors: Codes, one: Codes, other: Codes) -> Codes:
    """The levels from pairs of leaves up to their common ancestors: 0 where they are the same, at most the height."""
    apart = np.zeros(np.broadcast_shapes(one.shape, other.shape), dtype=np.int32)
    for classes in ancestors.T:
        apart += classes[one] != classes[other]
    return apart


@dataclass(frozen=True, slots=True, eq=False)
class _Level:
    """One or more levels whose classes are the same among the records."""

    classes: Codes  # of each leaf; numbered from 0 among those that occur
    shares: Column  # of the records, by class
    square: float  # the squared distance of two records of different classes

    @property
    def columns(self) -> int:
        """One a class; but two classes are as far apart in one column as in two, and a single class needs none."""
        classes = int(self.shares.size)
        return classes if classes > 2 else classes - 1


def _levels(attribute: Categorical) -> list[_Level]:
    """The levels that distinguish records, from the finest; levels with the same classes are one."""
    counts = np.bincount(attribute.codes, minlength=attribute.ancestors.shape[0])
    occurs = np.flatnonzero(counts)
    found: list[_Level] = []
    for number in range(attribute.height):
        square = (2 * number + 1) / attribute.height**2
        names, among = np.unique(attribute.ancestors[occurs, number], return_inverse=True)
        if found and found[-1].shares.size == names.size:  # they nest: as many classes are the same classes
            found[-1] = _Level(found[-1].classes, found[-1].shares, found[-1].square + square)
            continue
        classes = np.zeros(counts.size, dtype=np.int32)
        classes[occurs] = among
        found.append(_Level(classes, np.bincount(among, weights=counts[occurs]) / attribute.records, square))
    return [level for level in found if level.columns]


def _width(attribute: Attribute, levels: list[_Level]) -> int:
    """The number of columns that the attribute takes."""
    if isinstance(attribute, Categorical):
        return sum(level.columns for level in levels)
    return int(attribute.values.min() < attribute.values.max())


def _place(found: Table, start: int, levels: list[_Level], attribute: Categorical, standardise: bool) -> None:
    """Write the columns of a categorical attribute."""
    variance = sum(level.square / 2 * (1 - float(np.square(level.shares).sum())) for level in levels)
    scale = attribute.weight / variance if standardise and levels else attribute.weight
    rows = np.arange(attribute.records)
    for level in levels:
        classes = level.classes[attribute.codes]
        if level.columns == 1:
            found[:, start] = math.sqrt(level.square * scale) * classes
        else:
            found[rows, start + classes] = math.sqrt(level.square / 2 * scale)
        start += level.columns


def _numeric(attribute: Numeric, standardise: bool) -> Column:
    values = from_lowest(attribute.values)[0]
    numbers: Column = (standardised(values) if standardise else table(values))[:, 0]
    return numbers * math.sqrt(attribute.weight)


def _require_weight(weight: float) -> None:
    if not 0 < weight < math.inf:
        raise InputError("a weight is not above 0", next_step="Give weights such as 1 or 2.5, or leave it out.")


def _require_room(records: int, columns: int, of_classes: int) -> None:
    if of_classes > MAX_COLUMNS:
        raise InputError(
            f"the classes of the hierarchies take {of_classes:,} columns, more than {MAX_COLUMNS:,}",
            next_step="Take a coarser hierarchy, or leave its finest levels out.",
        )
    if records * columns > MAX_NUMBERS:
        raise InputError(
            f"{records:,} records of {columns:,} columns are more numbers than {MAX_NUMBERS:,}",
            next_step="Take coarser hierarchies or fewer attributes, or ask for the records in parts (`where`).",
        )
