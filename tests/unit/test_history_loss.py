"""U as the readings have it, on the PWSCUP 2018 round 1 and on a slot that is counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from ordermade.methods.histories.algorithm.clustering import clusters_by_rank
from ordermade.methods.histories.algorithm.histories import HistoryArrays
from ordermade.methods.histories.algorithm.loss_estimate import utility
from tests.online_retail import round_1
from tests.plain_scans.placed_by_rank import slots_by_rank


@pytest.mark.slow
@pytest.mark.parametrize(
    ("order", "expected"), [("file", [0.3482, 0.6151, 0.8329]), ("rank", [0.3481, 0.6151, 0.8329])]
)
def test_the_papers_placement_has_the_utility_of_the_readings(order: str, expected: list[float]) -> None:
    histories = round_1(order)
    assert (histories.rows, histories.customers) == (81_776, 1_000)
    found = []
    for k in (2, 6, 20):
        clusters = clusters_by_rank(histories.customers, k)
        found.append(utility(histories, clusters, slots_by_rank(histories, clusters), delete_costly=False).utility)
    assert found == pytest.approx(expected, abs=5e-5)


def test_a_cell_that_costs_more_than_its_deletion_is_deleted_for_the_whole_slot() -> None:
    """Three customers with a purchase each and the first with another: days 0, 1, 10 in [0, 10], items {7, 8}."""
    histories = HistoryArrays(
        starts=np.array([0, 2, 3, 4]),
        numbers=np.array([[0.0, 5], [9, 5], [1, 5], [10, 5]]),
        items=np.array([7, 7, 8, 7], dtype=np.int32),
        sds=np.array([2.0, 0.0]),
    )
    clusters = np.zeros(3, dtype=np.int32)
    slots = slots_by_rank(histories, clusters)
    assert slots.tolist() == [0, -1, 0, 0]
    days = ((100 + 10) + (1 + 81 + 10) + (100 + 10)) / (2 * 11 * 2)
    as_it_is = utility(histories, clusters, slots, delete_costly=False)
    assert as_it_is.by_column == pytest.approx([(days + 1) / 4, (3 * 0.5 + 1) / 4, 1 / 4])
    assert as_it_is.deleted_share == 1 / 4
    costly = utility(histories, clusters, slots, delete_costly=True)
    assert costly.by_column == pytest.approx([(3 + 1) / 4, (3 * 0.5 + 1) / 4, 1 / 4])
    assert costly.utility == pytest.approx(np.mean(costly.by_column))
