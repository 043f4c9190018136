"""Figures of microaggregated data: means, variances, correlations and distributions before and after.

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
from ordermade.methods.microaggregation.algorithm.arrays import Column
from ordermade.methods.microaggregation.algorithm.columns import Numbers, from_lowest
from ordermade.methods.microaggregation.algorithm.groups import Groups
from ordermade.methods.microaggregation.algorithm.loss import power, scaled

MAX_BINS = 18
"""The number of bins, about, before any are merged."""
DECADES = 4
"""The powers of ten with edges of their own where most records are in one bin of equal ones."""
ENDS = 0.02
"""The share of the records, at each end, that lies beyond the outermost edges."""


@dataclass(frozen=True, slots=True)
class Distribution:
    """The records in each bin, `before` and `after`. Between the bins are the `edges`, ascending round numbers.

    There is one bin more than there are edges: the first has no lower end and the last no upper end. A number on an
    edge is in the bin above it. Before, every bin holds k records or more.
    """

    edges: tuple[float, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]


def distribution(before: Column, after: Column, groups: Groups, k: int) -> Distribution:
    """The distribution of one number a record, and of the one number a group that is released for it.

    No edge is taken from a single record: edges are multiples of 1, 2 or 5 times a power of ten (where one bin would
    have most records: 1, 2, 5, 10, 20, ...), and bins with fewer than k of them are merged with the next ones. Raises
    InputError for numbers of other groups, and for fewer than k records.
    """
    if before.shape != groups.labels.shape or after.shape != groups.sizes.shape:
        raise InputError(
            "the values are of other groups", next_step="Give one value a record, and one released a group."
        )
    if before.size < k:
        raise InputError(f"there are fewer than {k} records", next_step="Give a smaller k.")
    low, high = _middle(before, k)
    fine = _round_edges(low, high)
    counts = _counted(fine, before)
    if 2 * max(counts) > before.size:
        ladder = _ladder(low, high)
        of_ladder = _counted(ladder, before)
        if max(of_ladder) < max(counts):
            fine, counts = ladder, of_ladder
    edges = fine[_kept(counts, k)]
    shown = np.searchsorted(edges, after, side="right")
    released = np.bincount(shown, weights=groups.sizes, minlength=edges.size + 1).astype(np.int64)
    return Distribution(tuple(edges.tolist()), tuple(_counted(edges, before)), tuple(released.tolist()))


def _counted(edges: Column, numbers: Column) -> list[int]:
    """The number of values in each bin."""
    found: list[int] = np.bincount(np.searchsorted(edges, numbers, side="right"), minlength=edges.size + 1).tolist()
    return found


def _middle(numbers: Column, k: int) -> tuple[float, float]:
    """The range that holds most records, with some of them at each end left out: k at least."""
    last = numbers.size - 1
    out = min(max(k, int(ENDS * numbers.size)), last // 2)
    ordered = np.partition(numbers, sorted({out, last - out}))
    return float(ordered[out]), float(ordered[last - out])


def _round_edges(low: float, high: float) -> Column:
    """Round numbers from `low` to `high`, ascending, each once; none where the two are as good as one."""
    step = _round_up((high / 2 - low / 2) / (MAX_BINS / 2))
    if step == 0 or not math.isfinite(low / step) or not math.isfinite(high / step):
        return np.empty(0)
    first, last = math.ceil(low / step), math.floor(high / step)
    # Fifteen digits: 0.3 and not three times the float that is nearest to 0.1.
    return np.unique([float(f"{number * step:.15g}") for number in range(first, last + 1)])


def _ladder(low: float, high: float) -> Column:
    """1, 2, 5, 10, 20, ... from `low` to `high`, on both sides of 0: for numbers of which most are small."""
    top = max(abs(low), abs(high))
    if top == 0:
        return np.empty(0)
    decade = math.floor(math.log10(top))
    steps = [float(f"{each}e{power}") for power in range(decade - DECADES, decade + 1) for each in (1, 2, 5)]
    return np.unique([each for each in (*steps, *(-each for each in steps), 0.0) if low <= each <= high])


def _round_up(number: float) -> float:
    """The least of 1, 2, 5, 10 times a power of ten that is not below a number; 0 of 0."""
    if number == 0:
        return 0.0
    power = float(f"1e{math.floor(math.log10(number))}")  # the nearest float, where 10.0 ** -5 is not
    return next((each * power for each in (1, 2, 5) if each * power >= number), 10 * power)


def _kept(counts: list[int], k: int) -> list[int]:
    """The indices of the edges to keep, so that no bin has fewer than k: records left over at the end join the last."""
    kept, held = [], 0
    for edge, count in enumerate(counts[:-1]):
        held += count
        if held >= k:
            kept.append(edge)
            held = 0
    if kept and held + counts[-1] < k:
        kept.pop()
    return kept


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
