"""Paths: what they refuse, and what they do at the edges."""

from __future__ import annotations

import numpy as np
import pytest

from ordermade.errors import InputError
from ordermade.methods.microaggregation.algorithm.paths import fdh_path, npn_path

SQUARE = [[0, 0], [0, 4], [4, 0], [4, 4], [1, 1]]


def test_a_path_goes_from_the_record_farthest_from_the_mean_to_the_nearest_left():
    path, report = npn_path([3, 0, 1, 10, 2])
    assert path.tolist() == [3, 0, 4, 2, 1]
    assert path.dtype == np.int32
    assert report.length == 10.0


def test_ties_go_to_the_lowest_row():
    assert npn_path([[0.0], [2.0], [1.0]])[0].tolist() == [0, 2, 1]
    assert npn_path([5, 5, 5, 5])[0].tolist() == [0, 1, 2, 3]
    assert npn_path(np.ones((300, 2)))[0].tolist() == list(range(300))


def test_one_record_is_a_path_of_no_length():
    for path, report in (npn_path([7]), fdh_path([7], 1), fdh_path([7], [0], radius="median")):
        assert path.tolist() == [0]
        assert report.length == 0.0


def test_regions_are_finished_one_after_the_other():
    near, far = [0.0, 1.0, 2.0], [100.0, 101.0]
    path, report = fdh_path([*near, *far], [0])
    assert path.tolist() == [4, 3, 2, 1, 0]
    assert report.figures == {"regions": 2, "largest_share": 0.6}


def test_the_radius_may_be_the_median_of_the_distances_to_the_others():
    x = [0.0, 1.0, 2.0, 3.0, 1000.0]
    assert fdh_path(x, [0])[1].figures["largest_share"] == 0.8
    assert fdh_path(x, [0], radius="median")[1].figures["largest_share"] == 0.6


def test_equal_records_are_one_region():
    path, report = fdh_path(np.zeros((9, 2)), 4)
    assert path.tolist() == list(range(9))
    assert report.figures == {"regions": 1, "largest_share": 1.0}


def test_as_many_anchors_as_bits():
    x = np.random.default_rng(0).normal(size=(80, 2))
    path, _ = fdh_path(x, 62, 3)
    assert sorted(path.tolist()) == list(range(80))
    assert path.tolist() == fdh_path(x, np.random.default_rng(0).choice(80, 62, replace=False), 3)[0].tolist()


@pytest.mark.parametrize(
    ("anchors", "message"),
    [
        (0, "0 anchors cannot be drawn from 5 record"),
        (6, "6 anchors cannot be drawn from 5 record"),
        (True, "neither a number nor"),
        (2.0, "neither a number nor"),
        ([], "neither a number nor"),
        ([[0, 1]], "neither a number nor"),
        (["0"], "neither a number nor"),
        ([0, 5], "none of the 5 row"),
        ([-1], "none of the 5 row"),
        ([1, 1], "an anchor twice"),
    ],
)
def test_anchors_that_are_none(anchors, message):
    with pytest.raises(InputError, match=message):
        fdh_path(SQUARE, anchors)


def test_more_anchors_than_bits_are_refused():
    with pytest.raises(InputError, match="63 anchors"):
        fdh_path(np.arange(100), 63)


@pytest.mark.parametrize("divisor", [0.99, 0, -1, float("nan"), float("inf"), "3"])
def test_a_divisor_below_1(divisor):
    with pytest.raises(InputError, match="divisor"):
        fdh_path(SQUARE, 2, divisor)


def test_a_radius_of_no_kind():
    with pytest.raises(InputError, match="mean"):
        fdh_path(SQUARE, 2, radius="mode")
