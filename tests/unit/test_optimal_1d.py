"""The optimum for one attribute: order kept at any offset, and what it makes of bad and odd input."""

from __future__ import annotations

import numpy as np
import pytest

from ordermade.errors import InputError
from ordermade.methods.microaggregation.algorithm.one_dimension import optimal_1d


def _sse(x, k):
    return optimal_1d(x, k)[1].figures["sse"]


def test_an_offset_and_a_scale_change_no_group():
    x = np.round(np.random.default_rng(5).normal(size=3000) * 2**20)
    labels, report = optimal_1d(x, 7)
    for moved in (x + 2.0**50, -(2.0**50) + x, x * 2.0**1000, x * 2.0**-1074):
        assert np.array_equal(optimal_1d(moved, 7)[0], labels)
    assert _sse(x + 2.0**50, 7) == pytest.approx(report.figures["sse"], rel=1e-12)


def test_groups_are_numbered_by_value_and_equal_values_go_by_row():
    labels, report = optimal_1d([5, 1, 5, 5, 1, 5, 1, 1], 2)
    assert labels.dtype == np.int32
    assert labels.tolist() == [2, 0, 2, 3, 0, 3, 1, 1]
    assert (report.groups, report.smallest, report.largest, report.figures) == (4, 2, 2, {"sse": 0.0})


def test_equal_values_in_long_runs_go_by_row():
    x = np.random.default_rng(0).integers(0, 3, 3000)
    labels, _ = optimal_1d(x, 4)
    by_row = np.argsort(x, kind="stable")
    assert (np.diff(labels[by_row]) >= 0).all()


@pytest.mark.parametrize(("n", "sizes"), [(6, [3, 3]), (11, [3, 3, 5]), (12, [3, 4, 5]), (20, [5, 5, 5, 5])])
def test_of_equally_good_groups_the_last_starts_at_the_lowest_place(n, sizes):
    assert np.bincount(optimal_1d(np.full(n, 7.25), 3)[0]).tolist() == sizes


def test_with_k_1_every_record_is_alone_and_below_2k_there_is_one_group():
    labels, report = optimal_1d([3.0, 1.0, 2.0], 1)
    assert labels.tolist() == [2, 0, 1]
    assert report.figures == {"sse": 0.0}
    for n in range(4, 8):
        labels, report = optimal_1d(np.arange(n), 4)
        assert (report.groups, set(labels.tolist())) == (1, {0})


def test_the_widest_range_there_is_has_groups_though_its_sum_is_infinite():
    most = np.finfo(float).max
    labels, report = optimal_1d([most, -most, most, -most, 0.0], 2)
    assert labels.tolist() == [1, 0, 1, 0, 1]
    assert report.figures["sse"] == np.inf


@pytest.mark.parametrize("x", [[1.0, np.nan, 2.0], [1.0, np.inf, 2.0], [], [[1.0, 2.0], [3.0, 4.0]], ["a", "b"]])
def test_what_is_no_attribute_is_refused(x):
    with pytest.raises(InputError):
        optimal_1d(x, 1)


@pytest.mark.parametrize("k", [0, -1, 4, 2.0, True])
def test_what_is_no_k_is_refused(k):
    with pytest.raises(InputError):
        optimal_1d([1.0, 2.0, 3.0], k)
