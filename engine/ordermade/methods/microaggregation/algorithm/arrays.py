"""Arguments of every grouping method: finite records, numbers, generators; and its report."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordermade.errors import InputError
from ordermade.privacy.least_k import numbered


def number_from(value: object, least: float, what: str, example: float) -> float:
    """A finite number of at least `least`. Raises InputError for anything else; `what` is its name in the message."""
    if isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool):
        try:
            found = float(value)
        except OverflowError:
            found = math.inf
        if least <= found < math.inf:
            return found
    raise InputError(f"{what} is no number of at least {least:g}", next_step=f"Give a number such as {example:g}.")


def whole_number_from(value: object, least: int, what: str, example: int) -> int:
    """A whole number of at least `least`. Raises InputError for anything else; `what` is its name in the message."""
    if isinstance(value, int | np.integer) and not isinstance(value, bool) and value >= least:
        return int(value)
    raise InputError(f"{what} is no whole number of at least {least}", next_step=f"Give a number such as {example}.")


def generator_from(rng: object) -> np.random.Generator:
    """The generator; that of seed 0 for None. Raises InputError for anything else."""
    if rng is None:
        return np.random.default_rng(0)
    if isinstance(rng, np.random.Generator):
        return rng
    raise InputError("rng is no random generator of numpy", next_step="Give numpy.random.default_rng(1), or nothing.")


Table = NDArray[np.float64]
"""Records: one row a record, one column an attribute, contiguous rows."""
Column = NDArray[np.float64]
"""One attribute: a number a record."""
Labels = NDArray[np.int32]
"""The group of each record, from 0; every number up to the largest is in use."""
Path = NDArray[np.int32]
"""Every row once, in the order in which a path visits them."""

NO_ROW = 2**31 - 1
"""The mark of no row: it comes after every row in comparisons, so that any is taken before it."""
LARGEST = 1e150
"""The largest number whose squares, and sums of squares, are finite. Beyond it columns are to be scaled first."""


def table(X: ArrayLike) -> Table:
    """The records as a table of numbers (one dimension: one column), a copy of its own.

    Raises InputError for values that are no numbers, for NaN, infinities, numbers beyond 1e150, and no records or
    columns.
    """
    numbers = finite_table(X)
    if max(abs(float(numbers.max())), abs(float(numbers.min()))) > LARGEST:
        raise InputError(
            "a number is beyond 1e150, so that its square is none", next_step="Standardise the columns first."
        )
    return numbers


def finite_table(X: ArrayLike) -> Table:
    """`table` for numbers of any size: for callers that scale the columns before they square them."""
    numbers = _numbers(X)
    if numbers.ndim == 1:
        numbers = numbers.reshape(-1, 1)
    if numbers.ndim != 2:
        raise InputError(
            f"the records have {numbers.ndim} dimensions", next_step="Give one row a record, one column an attribute."
        )
    if numbers.shape[0] == 0 or numbers.shape[1] == 0:
        raise InputError("there are no records", next_step="Give at least one record with one attribute.")
    return np.ascontiguousarray(numbers)


def column(x: ArrayLike) -> Column:
    """One attribute as numbers, of any size. Raises InputError as `table`, and for more dimensions than one."""
    numbers = _numbers(x)
    if numbers.ndim == 2 and numbers.shape[1] == 1:
        numbers = numbers.reshape(-1)
    if numbers.ndim != 1:
        raise InputError("this method takes one attribute", next_step="Give one number a record.")
    if numbers.size == 0:
        raise InputError("there are no records", next_step="Give at least one record.")
    return np.ascontiguousarray(numbers)


def require_k(k: object, records: int) -> int:
    """k, if so many records can be in one group. Raises InputError for other than a whole number, or a k too large."""
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
        raise InputError("k is not a whole number of at least 1", next_step="Write a k such as 3.")
    if k > records:
        raise InputError(
            f"k of {int(k)} is greater than the {numbered(records, 'record', 'records')}",
            next_step="Ask for a smaller k, or of more records.",
        )
    return int(k)


def labels_of(labels: ArrayLike, records: int, k: int = 1) -> Labels:
    """Labels, if they put every record in a group, numbered from 0 without a gap, each of k records or more.

    Raises InputError.
    """
    found = whole_numbers(labels)
    if found is None or found.shape != (records,):
        raise InputError("labels are one whole number a record", next_step="Give the labels that a method returned.")
    if found.min() < 0 or found.max() >= records:
        raise InputError("labels are not numbered from 0", next_step="Give the labels that a method returned.")
    sizes = np.bincount(found)
    if sizes.min() < max(k, 1):
        what = (
            "a number is left out"
            if sizes.min() == 0
            else f"a group has {numbered(sizes.min(), 'record', 'records')}, fewer than {k}"
        )
        raise InputError(f"the labels are no groups of k: {what}", next_step="Give the labels that a method returned.")
    return found.astype(np.int32)


def whole_numbers(values: ArrayLike) -> NDArray[Any] | None:
    """The values as an array of whole numbers; None for other values: texts, missing values, rows not as long."""
    try:
        found: NDArray[Any] = np.asarray(values)
    except ValueError:
        return None
    whole = np.issubdtype(found.dtype, np.integer) and not np.issubdtype(found.dtype, np.timedelta64)
    return found if whole and not np.any(np.ma.getmask(values)) else None


def _is_number(value: object) -> bool:
    """Whether an object is a number, or a missing one."""
    if isinstance(value, np.timedelta64):  # which is an integer to Python
        return False
    return value is None or isinstance(value, Real | Decimal | np.bool_)


def _numbers(values: ArrayLike) -> NDArray[np.float64]:
    try:
        found = np.asarray(values)
        if found.dtype == object and not all(_is_number(each) for each in found.flat):
            raise TypeError  # float() would read a text such as "12", and a date of numpy
        if found.dtype.kind not in "iufb" and found.dtype != object:
            raise TypeError
        with np.errstate(over="ignore"):  # of numbers of 16 bytes; they are reported as infinities below
            numbers: NDArray[np.float64] = found.astype(np.float64)
    except (TypeError, ValueError):
        raise InputError(
            "a column holds values that are no numbers",
            next_step="Give numbers; leave out texts, dates and missing values.",
        ) from None
    except OverflowError:
        raise InputError("a number is beyond 1.8e308", next_step="Give the column in a larger unit.") from None
    if np.any(np.ma.getmask(values)) or not np.isfinite(numbers).all():
        raise InputError(
            "a column holds NaN, an infinity or a missing value",
            next_step="Leave these records out, or put numbers in their place.",
        )
    return numbers


@dataclass(frozen=True, slots=True)
class GroupingFigures:
    """The number of groups, and of the records of the smallest and the largest of them.

    `figures`: the method's own figures by name: `judgements`, `sse`, `moves`, ...
    """

    groups: int
    smallest: int
    largest: int
    figures: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PathReport:
    """The length of a path: the sum of the distances from each record to the next. `figures`: of `GroupingFigures`."""

    length: float
    figures: Mapping[str, float] = field(default_factory=dict)


def report_of(labels: Labels, **figures: float) -> GroupingFigures:
    """The report of labels."""
    sizes = np.bincount(labels)
    return GroupingFigures(int(sizes.size), int(sizes.min()), int(sizes.max()), figures)
