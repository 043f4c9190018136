"""MHM: what it refuses, what it does at the edges, and the optimum that it is on sorted values."""

from __future__ import annotations

import numpy as np
import pytest

from ordermade.errors import InputError
from ordermade.methods.microaggregation.algorithm.loss import information_loss
from ordermade.methods.microaggregation.algorithm.mdav_groups import mdav
from ordermade.methods.microaggregation.algorithm.one_dimension import mil, optimal_1d
from ordermade.methods.microaggregation.algorithm.paths import mhm
from ordermade.methods.microaggregation.algorithm.vmdav_groups import vmdav


def test_labels_are_numbered_along_the_path():
    labels, report = mhm([5, 0, 1, 6], [0, 3, 2, 1], 2)
    assert labels.tolist() == [0, 1, 1, 0]
    assert labels.dtype == np.int32
    assert (report.groups, report.smallest, report.largest, report.figures) == (2, 2, 2, {"sse": 1.0})


def test_below_twice_k_there_is_one_group():
    for n in (3, 4, 5):
        labels, report = mhm(np.arange(n), np.arange(n), 3)
        assert labels.tolist() == [0] * n
        assert report.figures["sse"] == pytest.approx(np.var(np.arange(n)) * n)


def test_k_of_1_leaves_every_record_alone():
    labels, report = mhm([[1, 2], [3, 4], [1, 2]], [2, 0, 1], 1)
    assert labels.tolist() == [1, 2, 0]
    assert report.figures["sse"] == 0.0


def test_of_equal_sums_the_lowest_start_is_taken():
    assert np.bincount(mhm(np.zeros(7), np.arange(7), 2)[0]).tolist() == [2, 2, 3]
    assert np.bincount(mhm(np.zeros(10), np.arange(10), 3)[0]).tolist() == [5, 5]


@pytest.mark.parametrize("k", [2, 5, 30])
def test_on_sorted_values_it_is_the_optimum_and_never_above_mdav_or_vmdav_with_mil(k):
    x = np.random.default_rng(k).lognormal(size=200).round(2)
    sse = mhm(x, np.argsort(x, kind="stable"), k)[1].figures["sse"]
    assert sse == pytest.approx(optimal_1d(x, k)[1].figures["sse"], rel=1e-9)
    for labels in (mdav(x, k)[0], vmdav(x, k, 1.0)[0]):
        assert sse <= information_loss(x, mil(x, labels, k)[0]).sse * (1 + 1e-9)


@pytest.mark.parametrize("path", [[0, 1], [0, 1, 1], [0, 1, 3], [-1, 0, 1], [0.0, 1.0, 2.0], [[0, 1, 2]]])
def test_what_is_no_path_of_the_records(path):
    with pytest.raises(InputError, match="a path"):
        mhm([1, 2, 3], path, 2)


@pytest.mark.parametrize("k", [0, 4, 2.0])
def test_a_k_that_is_none(k):
    with pytest.raises(InputError, match="k "):
        mhm([1, 2, 3], [0, 1, 2], k)
