"""The changes of the data by a release: means, variances and correlations, before and after.

Every figure is of all records together, none of a group or of a person.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ordermade.errors import InputError
from ordermade.microaggregation.arrays import Column
from ordermade.microaggregation.columns import Numbers, from_lowest
from ordermade.microaggregation.groups import Groups
from ordermade.microaggregation.loss import power
from ordermade.microaggregation.standard import scaled

Sizes: TypeAlias = NDArray[np.int64]
"""The number of records that each value stands for."""

NOISE = 1e-24
"""The share of a variance that rounding leaves at most where all released values should be equal."""


@dataclass(frozen=True, slots=True)
class AttributeChange:
    """One numeric attribute before and after, in its own unit.

    Means of groups keep `mean`; medians and rounding need not. `variance_ratio`: after by before, 1 where it was kept
    and less where groups hide it; None for an attribute with one value.
    """

    mean_before: float
    mean_after: float
    variance_ratio: float | None


@dataclass(frozen=True, slots=True)
class CorrelationChange:
    """Pearson's correlation of the attributes number `one` and `other`; None where one of them has a single value."""

    one: int
    other: int
    before: float | None
    after: float | None

    @property
    def change(self) -> float | None:
        """The change, from 0 to 2; None where it is not known before and after."""
        return None if self.before is None or self.after is None else abs(self.after - self.before)


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes of numeric attributes, in their order, and of every pair of them.

    `most_changed`: the pair whose correlation moved farthest (the first of equal ones), None where there is none.
    """

    attributes: tuple[AttributeChange, ...]
    correlations: tuple[CorrelationChange, ...]
    most_changed: CorrelationChange | None


def changes(originals: Sequence[Numbers], released: Sequence[Numbers], groups: Groups) -> Changes:
    """The changes of means, variances and correlations when values are replaced by the released ones of their groups.

    `originals`: one number a record for each attribute; `released`: one a group (see `aggregates`). Every record
    counts once, before and after. Raises InputError where the two do not go together.
    """
    if len(originals) != len(released):
        raise InputError("attributes before and after are not the same", next_step="Give both in the same order.")
    if any(each.shape != groups.labels.shape for each in originals) or any(
        each.shape != groups.sizes.shape for each in released
    ):
        raise InputError(
            "the values are of other groups", next_step="Give one value a record, and one released a group."
        )
    everyone = np.ones(groups.labels.size, dtype=np.int64)
    before = [_summary(each, everyone) for each in originals]
    after = [_without_noise(_summary(each, groups.sizes), one) for each, one in zip(released, before, strict=True)]
    correlations = tuple(
        CorrelationChange(
            one,
            other,
            _correlation(before[one], before[other], everyone),
            _correlation(after[one], after[other], groups.sizes),
        )
        for one, other in combinations(range(len(originals)), 2)
    )
    return Changes(
        tuple(
            AttributeChange(one.mean, other.mean, _ratio(one, other)) for one, other in zip(before, after, strict=True)
        ),
        correlations,
        max((pair for pair in correlations if pair.change is not None), key=_change, default=None),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Summary:
    """The mean, the variance in units of 4 ** exponent, and the values standardised (None where there is but one)."""

    mean: float
    variance: float
    exponent: int
    standard: Column | None


def _summary(values: Numbers, sizes: Sizes) -> _Summary:
    """The summary of values that stand for so many records each."""
    above, lowest = from_lowest(values)
    numbers, exponent = scaled(above)
    if numbers.min() == numbers.max():
        return _Summary(lowest + power(float(numbers[0]), exponent), 0.0, exponent, None)
    mean = _mean(numbers, sizes)
    left = numbers - mean
    rest = _mean(left, sizes)
    left -= rest
    variance = _mean(np.square(left), sizes)
    return _Summary(lowest + power(mean + rest, exponent), variance, exponent, left / math.sqrt(variance))


def _without_noise(after: _Summary, before: _Summary) -> _Summary:
    """The summary after, as of one value if only the noise of rounding is left of the spread."""
    ratio = _ratio(before, after)
    return after if ratio is not None and ratio > NOISE else _Summary(after.mean, 0.0, after.exponent, None)


def _mean(values: Column, sizes: Sizes) -> float:
    return float((values * sizes).sum() / sizes.sum())


def _ratio(before: _Summary, after: _Summary) -> float | None:
    if before.standard is None:
        return None
    return power(after.variance / before.variance, 2 * (after.exponent - before.exponent))


def _correlation(one: _Summary, other: _Summary, sizes: Sizes) -> float | None:
    if one.standard is None or other.standard is None:
        return None
    return min(1.0, max(-1.0, _mean(one.standard * other.standard, sizes)))


def _change(pair: CorrelationChange) -> float:
    return pair.change or 0.0
