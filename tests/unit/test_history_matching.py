"""Matching the records of clusters: what is put into slots, at what loss, in strips and by any number of threads."""

from __future__ import annotations

import numpy as np
import pytest

from ordermade.methods.histories.algorithm import slotted
from ordermade.methods.histories.algorithm.clustering import clusters_by_rank
from ordermade.methods.histories.algorithm.histories import NONE
from ordermade.methods.histories.algorithm.loss_estimate import utility
from ordermade.methods.histories.algorithm.slotted import matched
from tests.online_retail import round_1, some_of
from tests.plain_scans.placed_by_rank import shortest, slots_by_rank


@pytest.mark.slow
@pytest.mark.parametrize(("k", "expected"), [(2, 0.267), (20, 0.596)])
def test_matching_loses_less_than_by_rank_and_is_the_same_in_threads(k: int, expected: float) -> None:
    histories = some_of(round_1(), 440, 540)
    clusters = clusters_by_rank(histories.customers, k)
    slots = matched(histories, clusters)
    assert utility(histories, clusters, slots, delete_costly=True).utility < expected
    by_rank = utility(histories, clusters, slots_by_rank(histories, clusters), delete_costly=True)
    assert expected < 0.93 * by_rank.utility
    np.testing.assert_array_equal(matched(histories, clusters, threads=3), slots)


@pytest.mark.slow
def test_every_slot_has_a_record_of_each_customer_also_in_strips(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first customers have 4,289 and 1,601 records; the 997th to 1,000th one each."""
    histories = round_1()
    clusters = np.full(histories.customers, NONE, dtype=np.int32)
    clusters[[0, 300, 301]], clusters[[20, 21, 22]], clusters[[997, 998, 999]] = 0, 1, 2
    at_once = utility(histories, clusters, matched(histories, clusters), delete_costly=True).utility
    monkeypatch.setattr(slotted, "CELLS", 1 << 12)
    told: list[float] = []
    slots = matched(histories, clusters, progress=told.append)
    owners, kept = histories.owners, slots != NONE
    for cluster, records in enumerate(shortest(histories, clusters)):
        for customer in np.flatnonzero(clusters == cluster):
            assert sorted(slots[kept & (owners == customer)]) == list(range(records))
    assert not kept[clusters[owners] == NONE].any()
    assert told == sorted(told)
    assert utility(histories, clusters, slots, delete_costly=True).utility == pytest.approx(at_once, rel=0.01)


@pytest.mark.slow
def test_deleting_no_cells_loses_more_but_never_more_than_a_slots_records() -> None:
    histories = some_of(round_1(), 700, 740)
    clusters = clusters_by_rank(histories.customers, 4)
    found = {each: matched(histories, clusters, delete_costly=each) for each in (True, False)}
    loss = {each: utility(histories, clusters, slots, delete_costly=each).utility for each, slots in found.items()}
    assert loss[True] < loss[False] < utility(histories, clusters, found[True], delete_costly=False).utility
