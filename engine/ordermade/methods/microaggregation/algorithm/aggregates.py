"""The released values of each group, and their loss.

A number is replaced by the mean or the median of its group, rounded if whole numbers are requested; a value of a
hierarchy by the most frequent one or by the least common ancestor. The loss counts the released values, so medians,
modes and rounding cost what they cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from ordermade.errors import InputError
from ordermade.methods.microaggregation.algorithm.arrays import Column, Labels
from ordermade.methods.microaggregation.algorithm.columns import (
    Attribute,
    Categorical,
    Codes,
    Numbers,
    Numeric,
    from_lowest,
    levels_apart,
)
from ordermade.methods.microaggregation.algorithm.exact_integers import (
    Whole,
    differences,
    differences_from_floats,
    means,
    midpoints,
)
from ordermade.methods.microaggregation.algorithm.groups import Groups, groups_of
from ordermade.methods.microaggregation.algorithm.loss import centred, power, ratio, scaled, squares
from ordermade.methods.microaggregation.algorithm.methods import ClassAggregate, NumberAggregate, Rounding

Number = TypeVar("Number", np.float64, np.int64)

FAR = 1e280
"""The size beyond which numbers are scaled down before they are added up."""


@dataclass(frozen=True, slots=True, eq=False)
class ReleasedNumbers:
    """`values`: the number released for each group: int64 for whole numbers rounded, else float64.

    `rounding_sse`: the increase by rounding of the sum of the squared differences between records and released values,
    in the attribute's units squared; of medians it may be negative.
    """

    values: Numbers
    rounding_sse: float


@dataclass(frozen=True, slots=True, eq=False)
class ReleasedClasses:
    """The class released for each group: the one that holds the leaf of `leaves` at the level of `levels`.

    A level of the hierarchy's height is `*`; modes are leaves, level 0. `aggregate`: which of the two it was.
    """

    leaves: Codes
    levels: Codes
    aggregate: ClassAggregate


Released: TypeAlias = ReleasedNumbers | ReleasedClasses


@dataclass(frozen=True, slots=True)
class ReleasedLoss:
    """The loss of replacing the records by the released values of their groups.

    `by_attribute`: the sum of the squared differences between values and the released ones (SSE), over the
    same of replacing every value by the aggregate of all records (SST; of numbers always the mean), 0 for an attribute
    with one value. Differences in a hierarchy are levels to the common ancestor, or to the released one, by height.
    `sse_over_sst`: of all attributes with more values than one; standardised, the mean of theirs by their weights, else
    the weighted sum of their SSE over that of their SST. `rounding_over_sst`: the part of it that rounding adds.
    `rounding_sse`: the increase of each attribute's SSE by rounding, in its units squared.
    """

    sse_over_sst: float
    by_attribute: tuple[float, ...]
    rounding_over_sst: float
    rounding_sse: tuple[float, ...]


def released_numbers(
    attribute: Numeric,
    groups: Groups,
    aggregate: NumberAggregate = "mean",
    rounding: Rounding = "keep",
    *,
    units: int = 1,
) -> ReleasedNumbers:
    """The mean or the median of each group (of an even number: the middle of the two in the middle).

    `rounding`: `integer` takes the nearest whole number, of two equally near ones the even one. Where int64 values
    count `units` to the whole (a DECIMAL in units of its last digit), it takes whole multiples of them. Of int64
    values all is exact, whatever their size, and only the result of `keep` is rounded to the nearest float64 (15
    digits). Of float64 values means are right to the last digit or so of a float64, also far from zero: a group's
    values are added up from one of them. Raises InputError for labels of other records.
    """
    _require_its_own(attribute, groups)
    values = attribute.values
    if values.dtype == np.int64:
        return _of_whole(cast("Whole", values), groups, aggregate, rounding, units)
    return _of_floats(cast("Column", values), groups, aggregate, rounding)


def released_classes(attribute: Categorical, groups: Groups, aggregate: ClassAggregate = "mode") -> ReleasedClasses:
    """The most frequent leaf of each group (of equally frequent ones the first of the hierarchy), or its ancestor.

    `ancestor`: the class of the lowest level that holds all of the group. Raises InputError for labels of
    other records.
    """
    _require_its_own(attribute, groups)
    if aggregate == "mode":
        return ReleasedClasses(_modes(attribute, groups), np.zeros(groups.count, dtype=np.int32), aggregate)
    ordered = attribute.codes[groups.order]
    levels = np.full(groups.count, attribute.height, dtype=np.int32)
    for level in reversed(range(attribute.height)):
        classes = attribute.ancestors[ordered, level]
        one = np.minimum.reduceat(classes, groups.starts) == np.maximum.reduceat(classes, groups.starts)
        levels[one] = level
    return ReleasedClasses(np.minimum.reduceat(ordered, groups.starts), levels, aggregate)


def released_loss(
    attributes: Sequence[Attribute], released: Sequence[Released], groups: Groups, *, standardise: bool
) -> ReleasedLoss:
    """The loss of the released values: one of `released` for each attribute, from the same groups.

    Raises InputError where the two do not go together.
    """
    if len(attributes) != len(released):
        raise InputError("there are not as many released as attributes", next_step="Give one for each attribute.")
    parts = [_part(attribute, given, groups) for attribute, given in zip(attributes, released, strict=True)]
    unit = 0 if standardise else max((part.exponent for part in parts if part.spread > 0), default=0)
    weights = [part.weight(unit, standardise=standardise) for part in parts]
    whole = sum(weight * part.spread for weight, part in zip(weights, parts, strict=True))
    return ReleasedLoss(
        sse_over_sst=ratio(sum(w * part.inside for w, part in zip(weights, parts, strict=True)), whole),
        by_attribute=tuple(ratio(part.inside, part.spread) for part in parts),
        rounding_over_sst=ratio(sum(w * part.rounding for w, part in zip(weights, parts, strict=True)), whole),
        rounding_sse=tuple(power(part.rounding, 2 * part.exponent) for part in parts),
    )


@dataclass(frozen=True, slots=True)
class _Part:
    """The SSE and SST of one attribute, and the SSE by rounding, all in units of 4 ** exponent."""

    inside: float
    spread: float
    rounding: float
    exponent: int
    own_weight: float

    def weight(self, unit: int, *, standardise: bool) -> float:
        """The weight of one of the units among those of all attributes, of 4 ** unit each."""
        if self.spread == 0:
            return 0.0
        if standardise:
            return self.own_weight / self.spread
        return power(self.own_weight, 2 * (self.exponent - unit))


def _require_its_own(attribute: Attribute, groups: Groups) -> None:
    if attribute.records != groups.labels.size:
        raise InputError("the labels are of other records", next_step="Give a label for each record.")


def _part(attribute: Attribute, released: Released, groups: Groups) -> _Part:
    _require_its_own(attribute, groups)
    if isinstance(attribute, Numeric) and isinstance(released, ReleasedNumbers):
        return _part_of_numbers(attribute, released, groups.labels)
    if isinstance(attribute, Categorical) and isinstance(released, ReleasedClasses):
        everyone = groups_of(np.zeros_like(groups.labels), attribute.records)
        spread = _squares_apart(attribute, released_classes(attribute, everyone, released.aggregate), everyone.labels)
        return _Part(_squares_apart(attribute, released, groups.labels), spread, 0.0, 0, attribute.weight)
    raise InputError(
        "the released values are of another kind than the attribute", next_step="Give both in the attributes' order."
    )


def _part_of_numbers(attribute: Numeric, released: ReleasedNumbers, labels: Labels) -> _Part:
    values = attribute.values
    numbers, exponent = scaled(from_lowest(values)[0])
    given = released.values[labels]
    if values.dtype == np.float64:
        apart = np.ldexp(values, -exponent) - np.ldexp(given, -exponent)
    elif given.dtype == np.int64:
        apart = np.ldexp(differences(cast("Whole", values), cast("Whole", given)), -exponent)
    else:
        apart = np.ldexp(differences_from_floats(cast("Whole", values), cast("Column", given)), -exponent)
    spread = squares(centred(numbers)) if numbers.min() < numbers.max() else 0.0
    return _Part(squares(apart), spread, power(released.rounding_sse, -2 * exponent), exponent, attribute.weight)


def _squares_apart(attribute: Categorical, released: ReleasedClasses, labels: Labels) -> float:
    """The sum of the squared distances between the records and the classes released for them."""
    levels = released.levels[labels]
    if released.aggregate == "mode":
        levels = levels_apart(attribute.ancestors, attribute.codes, released.leaves[labels])
    return int(np.square(levels.astype(np.int64)).sum()) / attribute.height**2


def _of_whole(
    values: Whole, groups: Groups, aggregate: NumberAggregate, rounding: Rounding, units: int
) -> ReleasedNumbers:
    mean = means(values, groups)
    middle = mean if aggregate == "mean" else midpoints(*_middle_two(values, groups))
    if rounding == "keep":
        return ReleasedNumbers(middle.floats(), 0.0)
    nearest = middle.nearest(units)
    return ReleasedNumbers(nearest, _added(middle.less(nearest), mean.less(nearest), groups))


def _of_floats(values: Column, groups: Groups, aggregate: NumberAggregate, rounding: Rounding) -> ReleasedNumbers:
    down = 2.0**-64 if max(abs(float(values.max())), abs(float(values.min()))) > FAR else 1.0
    numbers = values * down
    first = numbers[groups.order[groups.starts]]
    mean = first + np.bincount(groups.labels, weights=numbers - first[groups.labels]) / groups.sizes
    middle = mean
    if aggregate == "median":
        low, high = _middle_two(numbers, groups)
        middle = low + (high - low) / 2
    if rounding == "keep":
        return ReleasedNumbers(middle / down, 0.0)
    nearest = np.rint(middle / down)
    return ReleasedNumbers(nearest, _added(middle / down - nearest, mean / down - nearest, groups))


def _added(middle: Column, mean: Column, groups: Groups) -> float:
    """The increase of the sum of squares by releasing r for m: n (r - m) ((r - mean) + (m - mean)), over all groups.

    `middle` and `mean`: m - r and mean - r of each group.
    """
    moved = np.flatnonzero(middle)
    with np.errstate(over="ignore"):
        return float((groups.sizes[moved] * -middle[moved] * (middle[moved] - 2 * mean[moved])).sum())


def _middle_two(values: NDArray[Number], groups: Groups) -> tuple[NDArray[Number], NDArray[Number]]:
    """The two values in the middle of each group, which are the same one where its size is odd."""
    ordered = values[np.lexsort((values, groups.labels))]
    return ordered[groups.starts + (groups.sizes - 1) // 2], ordered[groups.starts + groups.sizes // 2]


def _modes(attribute: Categorical, groups: Groups) -> Codes:
    leaves = attribute.ancestors.shape[0]
    pairs, counts = np.unique(groups.labels.astype(np.int64) * leaves + attribute.codes, return_counts=True)
    group, leaf = np.divmod(pairs, leaves)
    # In the order of groups, then of how frequent, then of leaves: the first of each group is the one.
    ranked = np.lexsort((leaf, -counts, group))
    first = np.flatnonzero(np.diff(group, prepend=-1))
    found: Codes = leaf[ranked[first]].astype(np.int32)
    return found
