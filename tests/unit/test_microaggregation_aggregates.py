"""What is released for groups, against Python's exact arithmetic, and what it costs."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from statistics import median

import numpy as np
import pytest

from ordermade.errors import InputError
from ordermade.methods.microaggregation.algorithm.aggregates import (
    ReleasedNumbers,
    released_classes,
    released_loss,
    released_numbers,
)
from ordermade.methods.microaggregation.algorithm.columns import Categorical, Numeric
from ordermade.methods.microaggregation.algorithm.groups import groups_of
from ordermade.methods.microaggregation.algorithm.loss import information_loss

RNG = np.random.default_rng(3)
LABELS = RNG.permutation(np.repeat(np.arange(40), RNG.integers(1, 7, 40))).astype(np.int32)
GROUPS = groups_of(LABELS, LABELS.size)
WHOLE = {
    "small": RNG.integers(-5, 6, LABELS.size),
    "large": RNG.integers(-(2**63), 2**63 - 1, LABELS.size, endpoint=True),
    "far": 2**62 + RNG.integers(0, 4, LABELS.size),
}


def members(values):
    return [values[group == LABELS].tolist() for group in range(GROUPS.count)]


def exact(aggregate, values):
    if aggregate == "mean":
        return Fraction(sum(values), len(values))
    ordered = sorted(values)
    return Fraction(ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2], 2)


@pytest.mark.parametrize("aggregate", ["mean", "median"])
@pytest.mark.parametrize("values", WHOLE.values(), ids=WHOLE)
def test_whole_numbers_are_aggregated_without_an_error(values, aggregate):
    expected = [exact(aggregate, each) for each in members(values)]
    kept = released_numbers(Numeric(values), GROUPS, aggregate)
    assert kept.values == pytest.approx([float(each) for each in expected], rel=1e-15)
    rounded = released_numbers(Numeric(values), GROUPS, aggregate, "integer")
    assert rounded.values.dtype == np.int64
    assert rounded.values.tolist() == [round(each) for each in expected]  # Python's round, too, takes the even one
    added = sum(
        sum((x - round(middle)) ** 2 - (x - middle) ** 2 for x in each)
        for each, middle in zip(members(values), expected, strict=True)
    )
    assert rounded.rounding_sse == pytest.approx(float(added), rel=1e-9)


def test_floats_are_aggregated_as_well_and_far_from_zero():
    values = 1e9 + RNG.normal(size=LABELS.size)
    for aggregate, by_hand in (("mean", np.mean), ("median", median)):
        expected = [1e9 + by_hand([x - 1e9 for x in each]) for each in members(values)]
        assert released_numbers(Numeric(values), GROUPS, aggregate).values == pytest.approx(expected, rel=1e-15)
    rounded = released_numbers(Numeric(values), GROUPS, "mean", "integer")
    assert rounded.values.tolist() == [round(exact("mean", [Fraction(x) for x in each])) for each in members(values)]


def test_the_largest_and_the_smallest_numbers_have_means_and_equal_ones_keep_theirs():
    pairs = groups_of([0, 0, 1, 1, 2, 2], 6)
    for aggregate in ("mean", "median"):
        huge = released_numbers(
            Numeric(np.array([1.7e308, 1.7e308, -1.7e308, 1.7e308, 1e308, 1.5e308])), pairs, aggregate
        )
        assert huge.values.tolist() == [1.7e308, 0, 1.25e308]
        tiny = released_numbers(Numeric(np.array([5e-324, 5e-324, 0.1, 0.1, 0, 1e-323])), pairs, aggregate)
        assert tiny.values.tolist() == [5e-324, 0.1, 5e-324]


def test_medians_and_rounding_cost_what_they_cost():
    first, second = RNG.normal(size=(2, LABELS.size)) * [[3], [50]]
    attributes = [Numeric(first), Numeric(second, 2.0)]
    means = [released_numbers(each, GROUPS) for each in attributes]
    loss = released_loss(attributes, means, GROUPS, standardise=True)
    plain = [information_loss(each.values, LABELS) for each in attributes]
    assert loss.by_attribute == pytest.approx([each.loss for each in plain])
    assert loss.sse_over_sst == pytest.approx((plain[0].loss + 2 * plain[1].loss) / 3)
    raw = released_loss(attributes, means, GROUPS, standardise=False)
    assert raw.sse_over_sst == pytest.approx((plain[0].sse + 2 * plain[1].sse) / (plain[0].sst + 2 * plain[1].sst))
    rounded = [released_numbers(each, GROUPS, "median", "integer") for each in attributes]
    costs = released_loss(attributes, rounded, GROUPS, standardise=True)
    unrounded = released_loss(
        attributes, [released_numbers(a, GROUPS, "median") for a in attributes], GROUPS, standardise=True
    )
    apart = [np.square(a.values - r.values[LABELS]).sum() for a, r in zip(attributes, rounded, strict=True)]
    assert costs.by_attribute == pytest.approx([apart[0] / plain[0].sst, apart[1] / plain[1].sst])
    assert costs.rounding_over_sst == pytest.approx(costs.sse_over_sst - unrounded.sse_over_sst)
    assert costs.rounding_sse == tuple(each.rounding_sse for each in rounded)


def test_whole_numbers_far_from_zero_cost_as_near_it():
    near, far = Numeric(WHOLE["far"] - 2**62), Numeric(WHOLE["far"])
    found = [
        released_loss([each], [released_numbers(each, GROUPS, "mean", "integer")], GROUPS, standardise=True)
        for each in (near, far)
    ]
    assert found[0].rounding_over_sst > 0
    assert found[0].sse_over_sst == pytest.approx(found[1].sse_over_sst)


@pytest.mark.parametrize("lowest", [2**63 - 13, -(2**63), -6])
def test_whole_numbers_that_floats_cannot_tell_apart_are_lost_where_floats_are_released(lowest):
    values = np.array([lowest + each for each in range(13)], dtype=np.int64)
    groups = groups_of(np.repeat([0, 1], [6, 7]), 13)
    given = released_numbers(Numeric(values), groups)
    found = released_loss([Numeric(values)], [given], groups, standardise=True).by_attribute[0]
    apart = [Fraction(int(x)) - Fraction(float(r)) for x, r in zip(values, given.values[groups.labels], strict=True)]
    assert found == pytest.approx(float(sum(each**2 for each in apart) / 182), rel=1e-12)


def test_an_attribute_with_one_value_has_no_part_in_the_loss():
    spread, constant = Numeric(RNG.normal(size=LABELS.size)), Numeric(np.full(LABELS.size, 1e300))
    for standardise in (True, False):
        alone, both = (
            released_loss(each, [released_numbers(a, GROUPS) for a in each], GROUPS, standardise=standardise)
            for each in ([spread], [spread, constant])
        )
        assert both.sse_over_sst == alone.sse_over_sst
        assert both.by_attribute == (*alone.by_attribute, 0.0)


ANCESTORS = np.array([[0, 0], [1, 0], [2, 1], [3, 1]], dtype=np.int32)


def test_modes_are_the_most_frequent_leaves_and_the_first_of_equal_ones():
    codes = RNG.integers(0, 4, LABELS.size).astype(np.int32)
    released = released_classes(Categorical(codes, ANCESTORS), GROUPS)
    counts = [Counter(each) for each in members(codes)]
    assert released.leaves.tolist() == [min(c, key=lambda leaf, c=c: (-c[leaf], leaf)) for c in counts]
    assert not released.levels.any()


def test_modes_cost_distances_by_those_of_the_mode_of_all():
    job = Categorical(np.array([0, 0, 1, 2, 2, 0], dtype=np.int32), ANCESTORS)
    groups = groups_of([0, 0, 0, 1, 1, 1], 6)
    loss = released_loss([job], [released_classes(job, groups)], groups, standardise=True)
    # Released 0 0 0 2 2 2: one is a level of two away, one two; from 0, the mode of all: one, and two times two.
    assert loss.sse_over_sst == pytest.approx((1 / 4 + 1) / (1 / 4 + 1 + 1))


def test_what_does_not_go_together_is_refused():
    job = Categorical(np.array([0, 1], dtype=np.int32), ANCESTORS)
    numbers = Numeric(np.array([1.0, 2.0]))
    for aggregate in (lambda: released_numbers(numbers, GROUPS), lambda: released_classes(job, GROUPS)):
        with pytest.raises(InputError, match="other records"):
            aggregate()
    two = groups_of([0, 1], 2)
    with pytest.raises(InputError, match="not as many"):
        released_loss([job], [], two, standardise=True)
    with pytest.raises(InputError, match="another kind"):
        released_loss([job], [ReleasedNumbers(numbers.values, 0.0)], two, standardise=True)
