"""Distributions that are shown: no bin, and no edge, is one person's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordermade.errors import InputError
from ordermade.methods.microaggregation.algorithm.figures import distribution
from ordermade.methods.microaggregation.algorithm.groups import groups_of

NUMBERS = st.one_of(
    st.integers(-5, 5).map(float),
    st.floats(-1.7e308, 1.7e308),
    st.floats(1e9, 1e9 + 10),
    st.sampled_from([0.0, 5e-324, 1e-310, -1e-310]),
)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(values=st.lists(NUMBERS, min_size=2, max_size=120), k=st.integers(2, 9))
def test_every_bin_has_k_records_and_none_is_lost(values, k):
    k = min(k, len(values))
    groups = groups_of(np.arange(len(values)) // k % max(len(values) // k, 1), len(values))
    numbers = np.array(values)
    after = numbers[groups.order[groups.starts]]
    found = distribution(numbers, after, groups, k)
    assert min(found.before) >= k
    assert all(count >= k for count in found.after if count)
    assert sum(found.before) == sum(found.after) == len(values)
    assert len(found.before) == len(found.after) == len(found.edges) + 1
    assert list(found.edges) == sorted(set(found.edges))
    for place, count in enumerate(found.before):
        low = -np.inf if place == 0 else found.edges[place - 1]
        high = np.inf if place == len(found.edges) else found.edges[place]
        assert count == ((numbers >= low) & (numbers < high)).sum()


def test_edges_are_round_and_leave_both_ends_open():
    numbers = np.random.default_rng(1).lognormal(10, 0.7, 5_000)
    groups = groups_of(np.arange(5_000) // 5, 5_000)
    found = distribution(numbers, np.zeros(1_000), groups, 5)
    assert all(edge % 5_000 == 0 for edge in found.edges)
    assert 8 <= len(found.edges) <= 18
    assert found.after[0] == 5_000
    assert found.edges[-1] < np.sort(numbers)[-50]


def test_numbers_of_which_most_are_small_are_told_apart_by_powers_of_ten():
    numbers = np.random.default_rng(1).lognormal(10, 1.5, 3_000)
    groups = groups_of(np.arange(3_000, dtype=np.int32) // 50, 3_000)
    found = distribution(numbers, np.zeros(60), groups, 50)
    assert found.edges == (2_000.0, 5_000.0, 10_000.0, 20_000.0, 50_000.0, 100_000.0, 200_000.0)


def test_one_value_for_all_is_one_bin():
    groups = groups_of(np.zeros(4, dtype=np.int32), 4)
    found = distribution(np.full(4, 7.0), np.array([7.0]), groups, 4)
    assert (found.edges, found.before, found.after) == ((), (4,), (4,))


def test_what_does_not_go_together_is_refused():
    groups = groups_of(np.zeros(4, dtype=np.int32), 4)
    with pytest.raises(InputError, match="of other groups"):
        distribution(np.zeros(3), np.zeros(1), groups, 2)
    with pytest.raises(InputError, match="fewer than 5 records"):
        distribution(np.zeros(4), np.zeros(1), groups, 5)
