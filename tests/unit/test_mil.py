"""MIL: moves between neighbours, as told in the readings; on every input it ends."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordermade.errors import InputError
from ordermade.methods.microaggregation.algorithm.one_dimension import mil
from tests.plain_scans.one_dimension import exact_sse


def test_the_left_group_gives_its_greatest_value_first():
    """By hand, k = 2: 5 goes to the right (5.33 > 0.67 of SSE); then the left has k, and the right one's 5 stays."""
    labels, report = mil([0, 1, 5, 6, 7], [0, 0, 0, 1, 1], 2)
    assert labels.tolist() == [0, 0, 1, 1, 1]
    assert report.figures == {"judgements": 3, "moves": 1, "sweeps": 2}


def test_values_in_any_order_and_groups_numbered_anyhow_come_back_by_value():
    labels, report = mil([7, 0, 5, 6, 1], [0, 1, 1, 0, 1], 2)
    assert labels.dtype == np.int32
    assert labels.tolist() == [1, 0, 1, 1, 0]
    assert (report.groups, report.smallest, report.largest) == (2, 2, 3)


def test_a_group_of_one_value_lies_beside_another_that_ends_with_it():
    labels, _ = mil([1, 1, 1, 1, 2, 0], [0, 0, 1, 2, 1, 2], 2)
    assert labels.tolist() == [1, 1, 2, 0, 2, 0]


@pytest.mark.slow
@given(st.data())
def test_sse_never_rises_and_no_single_move_is_left_that_lowers_it(data):
    numbers = st.one_of(st.integers(-30, 30).map(lambda tenths: tenths / 10), st.floats(-1e9, 1e9))
    k, sizes = data.draw(st.integers(1, 3)), data.draw(st.lists(st.integers(0, 4), min_size=1, max_size=4))
    before = np.repeat(np.arange(len(sizes)), [size + k for size in sizes])
    x = sorted(data.draw(st.lists(numbers, min_size=before.size, max_size=before.size)))
    after, report = mil(x, before, k)
    assert report.smallest >= k
    assert (np.diff(after) >= 0).all()
    least = exact_sse(x, after.tolist())
    assert least <= exact_sse(x, before.tolist())
    assert least < exact_sse(x, before.tolist()) or report.figures["moves"] == 0
    for place in np.flatnonzero(np.diff(after)):
        for giver, taker in ((place, place + 1), (place + 1, place)):
            moved = after.copy()
            moved[giver] = after[taker]
            if np.count_nonzero(moved == after[giver]) >= k:
                whole = (Fraction(max(map(abs, x))) ** 2) / 10**270 + least / 10**11
                assert exact_sse(x, moved.tolist()) >= least - whole


@pytest.mark.slow
@pytest.mark.parametrize(("offset", "runs"), [(0.0, 5_000), (1e9, 2_500)])
def test_many_runs_on_multiples_of_a_tenth_end(offset, runs):
    """Where both sides of a judgement are equal but for rounding, means carried along move a record to and fro."""
    rng = np.random.default_rng(0)
    for _ in range(runs):
        k = int(rng.integers(1, 6))
        before = np.repeat(np.arange(8), rng.integers(k, 2 * k + 4, 8))
        x = np.sort(rng.integers(0, 200, before.size)) * 0.1 + offset
        assert mil(x, before, k)[1].figures["sweeps"] <= before.size


@pytest.mark.parametrize("scale", [1e-310, 1.7e308])
def test_the_smallest_and_the_largest_numbers_are_told_apart(scale):
    labels, _ = mil(np.array([0, 0.1, 0.7, 0.8, 1]) * scale, [0, 0, 0, 1, 1], 2)
    assert labels.tolist() == [0, 0, 1, 1, 1]


@pytest.mark.parametrize(
    ("x", "labels", "k"),
    [
        ([1, 2, 3, 4], [0, 1, 0, 1], 2),
        ([1, 2, 3, 4], [0, 0, 0, 1], 2),
        ([1, 2, 3, 4], [0, 0, 2, 2], 2),
        ([1, 2, 3, np.nan], [0, 0, 1, 1], 2),
        ([1, 2, 3, 4], [0, 0, 1, 1], 5),
        ([1, 1, 1, 1, 2, 2], [0, 0, 1, 1, 0, 1], 2),
    ],
    ids=["overlap", "fewer than k", "gap in numbers", "nan", "k above n", "two groups that both have two values"],
)
def test_what_mil_cannot_take_is_refused(x, labels, k):
    with pytest.raises(InputError):
        mil(x, labels, k)
