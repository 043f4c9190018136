"""Attributes of both kinds as columns: distances in the table are the attributes' own, on random trees."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordermade.methods.microaggregation.algorithm.aggregates import released_classes, released_loss
from ordermade.methods.microaggregation.algorithm.columns import Categorical, Columns, Numeric, euclidean, levels_apart
from ordermade.methods.microaggregation.algorithm.groups import groups_of
from ordermade.methods.microaggregation.algorithm.mdav_groups import mdav


@st.composite
def categoricals(draw: st.DrawFn, records: int) -> Categorical:
    """A random tree: each class of a level lies in a random one of the next; not every leaf occurs."""
    height, leaves = draw(st.integers(1, 4)), draw(st.integers(1, 8))
    levels = [list(range(leaves))]
    for _ in range(height - 1):
        into = draw(st.lists(st.integers(0, 5), min_size=8, max_size=8))
        levels.append([into[each] for each in levels[-1]])
    codes = draw(st.lists(st.integers(0, leaves - 1), min_size=records, max_size=records))
    weight = draw(st.sampled_from([0.5, 1.0, 3.0]))
    return Categorical(np.array(codes, dtype=np.int32), np.array(levels, dtype=np.int32).T, weight)


@st.composite
def mixed(draw: st.DrawFn) -> tuple[list[Categorical], Numeric]:
    records = draw(st.integers(1, 9))
    numbers = draw(st.lists(st.integers(-4, 4), min_size=records, max_size=records))
    kinds = [draw(categoricals(records)) for _ in range(draw(st.integers(1, 2)))]
    return kinds, Numeric(2**60 + np.array(numbers, dtype=np.int64), draw(st.sampled_from([1.0, 2.0])))


def squared(columns: Columns, own: range) -> np.ndarray:
    """The squared distances of all pairs, added up column by column as the methods do."""
    total = np.zeros((columns.table.shape[0],) * 2)
    for j in own:
        total += np.square(columns.table[:, j, None] - columns.table[None, :, j])
    return total


def levels_of_pairs(each: Categorical) -> np.ndarray:
    """By the definition, pair by pair: the first level at which two leaves have one class."""
    paths = [[*each.ancestors[code].tolist(), "*"] for code in each.codes]
    return np.array(
        [[next(i for i, (a, b) in enumerate(zip(p, q, strict=True)) if a == b) for q in paths] for p in paths]
    )


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(mixed())
def test_distances_in_the_table_are_the_weighted_sums_of_the_attributes_own(case):
    kinds, numeric = case
    columns = euclidean([*kinds, numeric], standardise=False)
    numbers = numeric.values - 2**60
    whole = numeric.weight * np.square(numbers[:, None] - numbers[None, :])
    for each, own in zip(kinds, columns.own, strict=False):
        levels = levels_of_pairs(each)
        found = squared(columns, own)
        assert found == pytest.approx(each.weight * (levels / each.height) ** 2, abs=1e-12)
        # Equally far apart is equally far apart to the last bit: ties go to the lowest row.
        assert all(np.unique(found[levels == level]).size == 1 for level in np.unique(levels))
        assert (levels_apart(each.ancestors, each.codes[:, None], each.codes[None, :]) == levels).all()
        whole = whole + found
    assert squared(columns, range(columns.table.shape[1])) == pytest.approx(whole, abs=1e-9)


@settings(max_examples=20, deadline=None)
@given(mixed())
def test_each_standardised_attribute_has_a_total_variance_of_its_weight(case):
    kinds, numeric = case
    attributes = [*kinds, numeric]
    columns = euclidean(attributes, standardise=True)
    for each, own in zip(attributes, columns.own, strict=True):
        total = columns.table[:, own.start : own.stop].var(axis=0).sum()
        assert total == pytest.approx(each.weight if len(own) else 0.0)
    assert columns.table.shape[1] == max(1, sum(len(own) for own in columns.own))


@settings(max_examples=20, deadline=None)
@given(mixed())
def test_ancestors_of_groups_are_the_least_and_cost_their_level(case):
    kinds, _ = case
    for each in kinds:
        labels = (np.arange(each.records) // 2).astype(np.int32)
        groups = groups_of(labels, each.records)
        released = released_classes(each, groups, "ancestor")
        pairs = levels_of_pairs(each)
        by_hand = [pairs[np.ix_(labels == group, labels == group)].max() for group in range(groups.count)]
        assert released.levels.tolist() == by_hand
        sse = sum((by_hand[label] / each.height) ** 2 for label in labels)
        sst = each.records * (pairs.max() / each.height) ** 2
        loss = released_loss([each], [released], groups, standardise=True)
        assert loss.sse_over_sst == pytest.approx(sse / sst if sst else 0.0)


@pytest.mark.slow
def test_mixed_groups_hold_records_of_one_branch():
    ancestors = np.array([[0, 0], [1, 0], [2, 1], [3, 1]], dtype=np.int32)
    job = Categorical(np.array([0, 2, 1, 3, 0, 2], dtype=np.int32), ancestors, weight=4.0)
    age = Numeric(np.array([30.0, 31, 30, 31, 31, 30]))
    labels, report = mdav(euclidean([job, age], standardise=True).table, 3)
    assert report.groups == 2
    assert [labels[0] == each for each in labels] == [True, False, True, False, True, False]
