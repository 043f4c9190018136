"""The FDH-MHM paper's example, and its methods on real data: the figures of the readings, to every digit they give."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from ordermade.methods.microaggregation.algorithm.loss import information_loss, standardised
from ordermade.methods.microaggregation.algorithm.mdav_groups import mdav
from ordermade.methods.microaggregation.algorithm.paths import fdh_path, mhm, npn_path
from tests.papers.real_records import DATA, real_records

AREA = (790, 710, 730, 810, 950, 510, 400, 330, 510, 760, 50)
EMPLOYEES = (55, 44, 32, 17, 3, 25, 45, 50, 5, 52, 12)
PUBLISHED_PATH = [10, 5, 2, 1, 6, 7, 9, 0, 3, 4, 8]

LOSSES = {
    ("census", 3): (6.210589, 6.789237, 6.489457, 6.509027),
    ("census", 5): (11.054090, 11.907386, 11.313965, 11.177295),
    ("census", 10): (20.227175, 19.497192, 20.237924, 19.633540),
    ("tarragona", 3): (17.525753, 17.872722, 17.516098, 17.627248),
    ("tarragona", 5): (28.166630, 27.559543, 27.427647, 27.279230),
    ("tarragona", 10): (38.718449, 39.059210, 38.798693, 38.582489),
    ("eia", 3): (0.499448, 0.510096, 0.473436, 0.468298),
    ("eia", 5): (0.998961, 1.043906, 0.957973, 1.040066),
    ("eia", 10): (2.493100, 2.659564, 2.413744, 2.516991),
}
"""IL %, by data and k: NPN-MHM, and FDH-MHM of 3 anchors and m = 1, of 3 and m = 2, of 10 and m = 3."""


@pytest.fixture(scope="module")
def toy():
    return standardised(np.array([AREA, EMPLOYEES]).T)


def test_nearest_point_next_gives_the_published_path_groups_and_loss(toy):
    path, _ = npn_path(toy)
    assert path.tolist() == [10, 8, 5, 2, 1, 9, 0, 6, 7, 3, 4]
    assert _groups(toy, path) == [[10, 8, 5], [2, 1, 9, 0, 6], [7, 3, 4]]
    assert _loss(toy, path) == 55.1027


def test_the_published_path_gives_the_published_groups_and_loss(toy):
    assert _groups(toy, PUBLISHED_PATH) == [[10, 5, 2], [1, 6, 7, 9, 0], [3, 4, 8]]
    assert _loss(toy, PUBLISHED_PATH) == 43.7401


@pytest.mark.parametrize(("anchors", "m"), [((0, 3, 4, 8), 3), ((0, 3, 4, 8), 4), ((3, 4, 8, 9), 4)])
def test_four_anchors_give_the_published_path(toy, anchors, m):
    assert fdh_path(toy, anchors, m)[0].tolist() == PUBLISHED_PATH


def test_no_three_anchors_give_the_published_path_but_most_do_better_than_nearest_point_next(toy):
    paths = [fdh_path(toy, anchors)[0] for anchors in combinations(range(11), 3)]
    losses = np.array([_loss(toy, path) for path in paths])
    assert len(paths) == 165
    assert PUBLISHED_PATH not in [path.tolist() for path in paths]
    assert (round(losses.mean(), 1), round(losses.min(), 1), round(losses.max(), 1)) == (47.1, 35.0, 69.2)
    assert round(100 * np.mean(losses < 55.1027)) == 82


def test_the_path_around_anchors_3_4_6(toy):
    path, _ = fdh_path(toy, [3, 4, 6])
    assert path.tolist() == [10, 6, 7, 9, 0, 1, 2, 5, 8, 3, 4]
    assert _loss(toy, path) == 35.5514


def test_the_groups_of_table_3_and_of_mdav(toy):
    table_3 = np.array([0, 0, 0, 1, 1, 2, 2, 2, 1, 0, 2])
    assert round(100 * information_loss(toy, table_3).loss, 4) == 34.0218
    assert round(100 * information_loss(toy, mdav(toy, 3)[0]).loss, 4) == 54.9450


@pytest.mark.slow
@pytest.mark.skipif(not DATA.exists(), reason=f"no data in {DATA}")
@pytest.mark.parametrize("name", ["census", "tarragona", "eia"])
def test_losses_of_real_data(name):
    records = real_records(name)
    n = len(records)
    drawn = {a: np.random.default_rng(0).choice(n, a, replace=False) for a in (3, 10)}
    by_rows = [fdh_path(records, drawn[3], 1)[0], fdh_path(records, drawn[3], 2)[0], fdh_path(records, drawn[10], 3)[0]]
    by_number = [fdh_path(records, a, m, np.random.default_rng(0))[0] for a, m in ((3, 1), (3, 2), (10, 3))]
    assert np.array_equal(by_rows, by_number)
    for k in (3, 5, 10):
        found = tuple(round(_loss(records, path, k, digits=6), 6) for path in (npn_path(records)[0], *by_rows))
        assert found == LOSSES[name, k]


def _groups(records, path, k=3):
    labels, report = mhm(records, path, k)
    order = np.asarray(path)
    return [order[labels[order] == group].tolist() for group in range(report.groups)]


def _loss(records, path, k=3, digits=4):
    return round(100 * information_loss(records, mhm(records, path, k)[0]).loss, digits)
