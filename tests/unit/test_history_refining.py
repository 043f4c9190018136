"""Swaps of customers between clusters, by what is really lost after matching."""

from __future__ import annotations

import numpy as np
import pytest

from ordermade.machine.parallel import WorkerPool
from ordermade.methods.histories.algorithm.clustering import clusters_by_rank
from ordermade.methods.histories.algorithm.histories import NONE
from ordermade.methods.histories.algorithm.loss_estimate import laid, utility
from ordermade.methods.histories.algorithm.pairing import grown, likest, pair_losses
from ordermade.methods.histories.algorithm.slotted import matched
from ordermade.methods.histories.algorithm.swapping import SLOTS, refined
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


def test_a_cluster_takes_the_partner_that_loses_least() -> None:
    """Of six customers, the losses with the next three. The first takes the third, and with it the fourth."""
    far = np.inf
    losses = np.array([[5, 1, 4], [2, 9, 3], [1, 8, 7], [9, 9, far], [1, far, far], [far, far, far]], dtype=np.float32)
    nobody = np.array([], dtype=np.int64)
    assert grown(losses, 2, nobody).tolist() == [0, 1, 0, 2, 1, 2]
    assert grown(losses, 3, nobody).tolist() == [0, 1, 0, 0, 1, 1]
    assert grown(losses, 2, np.array([0, 2])).tolist() == [NONE, 0, NONE, 1, 0, 1]
