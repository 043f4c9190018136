"""The reach of rules in the classes of a hierarchy: whether classes have values they mean, and the share of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ordermade.hierarchies.explicit import ExplicitHierarchy
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.mondrian.domains import Codes, Shares
from ordermade.mondrian.guide import NestedReach
from ordermade.multidimensional.axis import Axis, Spans
from ordermade.multidimensional.columns import Column, Numbers
from ordermade.requests.resolve_rules import Condition

Flags: TypeAlias = NDArray[np.bool_]
_Into: TypeAlias = tuple[Flags, Shares]
"""For each rule and class: whether it has a value that the rule means, and the share of it that is meant."""


def nested_reach(
    column: Column, axis: Axis | None, conditions: Sequence[Condition | None], means: Flags
) -> NestedReach:
    """The reach of rules on a column that is split along its hierarchy; `means[rule, value]` is known.

    A class of intervals or of dates has all numbers or moments between its ends: whole numbers and days count, others
    are as probable as they lie far apart. Any other class has the values that the hierarchy lists, or that occur. So it
    is with `*`, which reaches from the least value that occurs to the greatest where it is no list.
    """
    every = _listed(column)
    numbers = [*column.classes, np.zeros(every.size, dtype=np.int32)]
    if axis is None:
        found = [_counted(means, classes, every) for classes in numbers]
    else:
        ends = axis.ends(conditions)
        reaching = [*(_between(axis, column, level) for level in range(len(numbers) - 1)), _all_between(axis, column)]
        found = [
            _counted(means, classes, every) if between is None else _overlapping(axis, ends, between)
            for classes, between in zip(numbers, reaching, strict=True)
        ]
    silent = np.array([condition is None for condition in conditions])
    for meets, inside in found:
        meets[silent], inside[silent] = True, 1.0
    found[-1][0][:] = True  # `*` is met by every rule, whatever values occur
    return NestedReach(
        meets=tuple(meets.astype(np.uint8) for meets, _ in found),
        inside=tuple(inside for _, inside in found),
        means=means,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Between:
    """Classes of all numbers from `low` to `high`, ends included; `end`: where their length ends."""

    low: Numbers
    high: Numbers
    end: Numbers


def _hierarchy(column: Column) -> Hierarchy:
    if column.grounded is None:
        raise TypeError(f"{column.column} has no hierarchy")
    return column.grounded.hierarchy


def _listed(column: Column) -> Flags:
    """Whether values count as values of their classes: NULL only where the hierarchy lists it."""
    found = np.ones(column.values.size, dtype=np.bool_)
    hierarchy = _hierarchy(column)
    if column.null is not None:
        found[column.null] = isinstance(hierarchy, ExplicitHierarchy) and None in hierarchy.leaves
    return found


def _between(axis: Axis, column: Column, level: int) -> _Between | None:
    """The classes of a level as intervals, None where they are the values that are listed or occur."""
    hierarchy = _hierarchy(column)
    spans = [None if label is None else hierarchy.span_of(label, level) for label in column.labels[level]]
    if not any(spans):
        return None
    if axis.whole:
        low = np.array([1 if span is None else axis.unit_at_least(span[0]) for span in spans], dtype=np.int64)
        end = np.array([1 if span is None else axis.unit_at_least(span[1]) for span in spans], dtype=np.int64)
        return _Between(low, end - 1, end)
    starts = np.array([1.0 if span is None else float(span[0]) for span in spans])
    ends = np.array([1.0 if span is None else float(span[1]) for span in spans])
    return _Between(starts, np.nextafter(ends, -np.inf), ends)


def _all_between(axis: Axis, column: Column) -> _Between | None:
    """The class `*` from the least value that occurs to the greatest, None where it is of those that are listed."""
    hierarchy = _hierarchy(column)
    numbers = axis.values[axis.occur]
    if isinstance(hierarchy, ExplicitHierarchy) or not numbers.size:
        return None
    least, greatest = numbers.min(keepdims=True), numbers.max(keepdims=True)
    return _Between(least, greatest, greatest)


def _counted(means: Flags, classes: Codes, every: Flags) -> _Into:
    """The reach into classes of listed values: their share, each value being as probable."""
    number = int(classes.max(initial=-1)) + 1
    sizes = np.bincount(classes[every], minlength=number)
    meant = np.stack([np.bincount(classes[row & every], minlength=number) for row in means])
    return meant > 0, meant / np.maximum(sizes, 1)


def _overlapping(axis: Axis, ends: Spans, classes: _Between) -> _Into:
    """The reach into intervals: their share by counting steps, or by length. A class of no length is in or out."""
    low, high = np.maximum(ends.low[:, None], classes.low), np.minimum(ends.high[:, None], classes.high)
    meets: Flags = low <= high
    least, greatest, end = (each.astype(np.float64) for each in (classes.low, classes.high, classes.end))
    if axis.step:
        common = np.floor(high) - np.ceil(low) + 1.0
        whole: Shares = np.floor(greatest) - np.ceil(least) + 1.0
    else:
        common = np.minimum(ends.high[:, None], end) - low
        whole = end - least
    shares = np.maximum(common, 0.0) / np.where(whole > 0, whole, 1.0)
    return meets, np.where(whole > 0, shares, meets.astype(np.float64))
