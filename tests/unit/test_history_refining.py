"""Swaps of customers between clusters, by what is really lost after matching."""

from __future__ import annotations

import numpy as np
import pytest

from ordermade.methods.histories.algorithm.clustering import clusters_by_rank
from ordermade.methods.histories.algorithm.histories import NONE
from ordermade.methods.histories.algorithm.loss_estimate import laid, utility
from ordermade.methods.histories.algorithm.pairing import likest, pair_losses
from ordermade.methods.histories.algorithm.slotted import matched
from ordermade.methods.histories.algorithm.swapping import SLOTS, refined
from ordermade.parallel import WorkerPool
from tests.online_retail import round_1, some_of


@pytest.mark.slow
def test_swaps_lessen_the_loss_and_are_the_same_in_threads() -> None:
    histories = some_of(round_1(), 700, 742)
    clusters = clusters_by_rank(histories.customers, 5)
    partners = likest(pair_losses(laid(histories), 40, WorkerPool(1)), 10)
    found = refined(histories, clusters, partners, 60, WorkerPool(1))
    np.testing.assert_array_equal(refined(histories, clusters, partners, 60, WorkerPool(3)), found)
    assert np.bincount(found[found != NONE]).tolist() == [5] * 8
    before, after = (
        utility(histories, each, matched(histories, each), delete_costly=True).utility for each in (clusters, found)
    )
    assert after < 0.93 * before


def test_clusters_of_few_slots_stay_as_they_are() -> None:
    histories = some_of(round_1(), 985, 1000)
    assert histories.lengths.max() < SLOTS
    clusters = clusters_by_rank(histories.customers, 5)
    partners = likest(pair_losses(laid(histories), 14, WorkerPool(1)), 10)
    np.testing.assert_array_equal(refined(histories, clusters, partners, 14, WorkerPool(1)), clusters)
