"""The MIL paper's algorithm on its data sets: the figures of the readings, to every digit they give."""

from __future__ import annotations

import numpy as np
import pytest

from ordermade.methods.microaggregation.algorithm.loss import information_loss
from ordermade.methods.microaggregation.algorithm.mdav_groups import mdav
from ordermade.methods.microaggregation.algorithm.one_dimension import mil, optimal_1d
from ordermade.methods.microaggregation.algorithm.vmdav_groups import vmdav
from tests.plain_scans.mil_data import data_set
from tests.plain_scans.one_dimension import mdav_sizes, vmdav_sizes

CHECKS = {
    ("DS0", 0, 12): ((0.04869819, 0.04666335, 6), (0.04734335, 0.04647481, 7), 0.04542239),
    ("DS1", 0, 7): ((0.00269405, 0.00175283, 37), (0.00170752, 0.00161288, 91), 0.00159464),
    ("DS1", 1, 30): ((0.05350922, 0.02760254, 38), (0.03022268, 0.02760254, 29), 0.02737498),
    ("DS9", 0, 7): ((0.00140997, 0.00140072, 18), (0.00150458, 0.00136188, 192), 0.00123440),
}
"""By data set, seed and k: SSE / SST, the same after MIL, judgements, of MDAV and of V-MDAV; and of the optimum."""


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: f"{check[0]}-seed-{check[1]}-k-{check[2]}")
def test_losses_and_judgements_of_the_paper_s_data_sets(check):
    name, seed, k = check
    x = data_set(name, seed)
    found = []
    for labels in (mdav(x, k)[0], vmdav(x, k, 1.0)[0]):
        better, report = mil(x, labels, k)
        found.append((_loss(x, labels), _loss(x, better), report.figures["judgements"]))
    assert (*found, _loss(x, optimal_1d(x, k)[0])) == CHECKS[check]


@pytest.mark.parametrize(
    ("name", "seed", "k", "sizes"),
    [("DS0", 0, 12, [13, 12, 12, 12, 12, 12, 15, 12]), ("DS1", 1, 30, [30, 39, 30, 30, 41, 30])],
)
def test_a_group_may_grow_beyond_what_mdav_and_vmdav_allow(name, seed, k, sizes):
    x = data_set(name, seed)
    assert np.bincount(mil(x, vmdav(x, k, 1.0)[0], k)[0]).tolist() == sizes


def test_where_k_divides_n_mdav_leaves_nothing_to_judge():
    x = data_set("DS9", 0)
    labels = mdav(x, 12)[0]
    better, report = mil(x, labels, 12)
    assert report.figures == {"judgements": 0, "moves": 0, "sweeps": 1}
    assert information_loss(x, better) == information_loss(x, labels)


@pytest.mark.parametrize("name", ["DS0", "DS1", "DS9"])
def test_groups_of_sorted_values_have_the_sizes_that_the_ends_give(name):
    for seed in range(3):
        x = data_set(name, seed)
        for k in range(2, x.size // 2 + 1, 7):
            assert _sizes(mdav(x, k)[0]) == mdav_sizes(x, k).tolist()
            assert _sizes(vmdav(x, k, 1.0)[0]) == vmdav_sizes(x, k, 1.0).tolist()


def _loss(x, labels):
    return round(information_loss(x, labels).loss, 8)


def _sizes(labels):
    """Of groups that are runs of sorted values, from left to right."""
    ends = np.flatnonzero(np.diff(labels)) + 1
    return np.diff([0, *ends, labels.size]).tolist()
