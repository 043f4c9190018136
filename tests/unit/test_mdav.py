from __future__ import annotations

import numpy as np
import pytest

from ordermade.errors import InputError
from ordermade.methods.microaggregation.algorithm.arrays import GroupingFigures
from ordermade.methods.microaggregation.algorithm.mdav_groups import mdav
from ordermade.methods.microaggregation.algorithm.vmdav_groups import vmdav


@pytest.mark.parametrize("method", [mdav, vmdav])
def test_few_records_are_one_group_and_k_of_one_leaves_every_record_alone(method):
    labels, report = method([[1, 2], [3, 4], [9, 9]], 2)
    assert labels.tolist() == [0, 0, 0]
    assert labels.dtype == np.int32
    assert (report.groups, report.smallest, report.largest) == (1, 3, 3)
    assert method([5, 1, 3], 1)[0].tolist() == [0, 1, 2]
    assert method([5], 1)[0].tolist() == [0]


@pytest.mark.parametrize("method", [mdav, vmdav])
@pytest.mark.parametrize(("X", "k"), [([1, 2], 3), ([1, 2], 0), ([1.0, float("nan")], 1), ([[]], 1)])
def test_what_cannot_be_grouped_is_refused(method, X, k):
    with pytest.raises(InputError):
        method(X, k)


@pytest.mark.parametrize("gamma", [-0.1, float("nan"), float("inf")])
def test_a_gamma_that_is_no_factor_is_refused(gamma):
    with pytest.raises(InputError, match="gamma"):
        vmdav([1, 2, 3], 2, gamma)


def test_groups_are_numbered_as_they_are_made_from_the_far_ends_and_ties_go_to_the_lowest_row():
    labels, _ = mdav([[4], [5], [0], [1], [9], [8], [3]], 2)
    # The mean is 30 / 7, so 9 is the farthest, then 0 from it; of 4, 5 and 3 a group is left.
    assert labels.tolist() == [2, 2, 1, 1, 0, 0, 2]
    labels, _ = mdav([3, 0, 0, 3, 0, 3], 2)
    # All are as far from the mean: row 0, with the first equal one; then the lowest row of the others, and so on.
    assert labels.tolist() == [0, 1, 1, 0, 2, 2]


def test_equal_records_are_grouped_by_row():
    assert mdav(np.ones((9, 3)), 2)[0].tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 3]
    labels, report = vmdav(np.ones((8, 3)), 3)
    assert labels.tolist() == [0, 0, 0, 1, 1, 1, 0, 0]
    assert report.figures == {"leftovers": 2}


def test_a_group_takes_in_what_is_nearer_to_it_than_gamma_times_to_the_others():
    # 0 is the farthest from the mean. 3 is 1 from its group and 3 from the others: less than a half, not than a third.
    x = [0, 1, 2, 3, 6, 7, 8, 9, 10]
    assert vmdav(x, 3, 0.5)[0].tolist() == [0, 0, 0, 0, 1, 1, 1, 1, 1]
    assert vmdav(x, 3, 1 / 3)[0].tolist() == [0, 0, 0, 2, 2, 2, 1, 1, 1]


def test_the_last_record_has_no_other_to_be_nearer_to():
    x = [0, 1, 2, 90, 300, 310, 320]
    assert vmdav(x, 3, 0.2) == (
        pytest.approx(np.array([1, 1, 1, 1, 0, 0, 0])),
        GroupingFigures(2, 3, 4, {"leftovers": 0}),
    )
    assert vmdav(x, 3, 0.0)[1].figures == {"leftovers": 1}


def test_many_equal_records_are_grouped_by_row_and_do_not_go_on_for_ever():
    by_row = np.arange(20_000) // 5
    assert (mdav(np.zeros((20_000, 2)), 5)[0] == by_row).all()
    assert (vmdav(np.zeros((20_000, 2)), 5)[0] == by_row).all()
