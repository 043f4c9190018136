"""Clusters of customers whose histories are alike: their sizes, their partners, and what they lose."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from ordermade.methods.histories.algorithm import clustering
from ordermade.methods.histories.algorithm.clustering import clusters_by_rank, similar
from ordermade.methods.histories.algorithm.histories import NONE, Clusters, HistoryArrays
from ordermade.methods.histories.algorithm.loss_estimate import (
    EstimateScratch,
    Laid,
    Members,
    errors_of_slots,
    laid,
    loss_of_row,
    room,
    utility,
)
from ordermade.methods.histories.algorithm.slotted import matched
from tests.long import sampled


def histories(lengths: list[int], seed: int = 0, habits: int = 5) -> HistoryArrays:
    """Made-up customers of so many records each, longest first, each of one of a few habits."""
    random = np.random.default_rng(seed)
    starts = np.concatenate([[0], np.cumsum(np.sort(lengths)[::-1])]).astype(np.int64)
    habit = np.repeat(random.integers(0, habits, len(lengths)), np.diff(starts))
    days = 60 * habit + random.integers(0, 9, habit.size)
    numbers = np.column_stack([days, random.integers(1, 500, habit.size)]).astype(np.float64)
    items = (20 * habit + random.integers(0, 20, habit.size)).astype(np.int32)
    return HistoryArrays(starts, numbers, items, numbers.std(axis=0))


def loss(made_up: HistoryArrays, clusters: Clusters) -> float:
    return utility(made_up, clusters, matched(made_up, clusters), delete_costly=True).utility


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 7])
def test_clusters_of_k_lose_less_than_those_by_rank_for_any_number_of_threads(k: int) -> None:
    made_up = histories(np.random.default_rng(1).geometric(0.08, 80).tolist())
    told: list[float] = []
    found = similar(made_up, k, progress=told.append)
    assert told == sorted(told)
    assert 0 < told[0] < told[-1] <= 1
    kept = found[found != NONE]
    assert set(np.bincount(kept).tolist()) == {k}
    assert np.count_nonzero(found == NONE) == 80 % k
    assert (np.diff(np.unique(kept, return_index=True)[1]) > 0).all()
    assert (similar(made_up, k, threads=2) == found).all()
    assert loss(made_up, found) < 0.95 * loss(made_up, clusters_by_rank(80, k))


def test_a_window_of_the_next_customers_alone_makes_clusters_by_rank() -> None:
    made_up = histories([9] * 12)
    assert (similar(made_up, 12, window=1) == 0).all()
    assert (similar(made_up, 2, window=1) == clusters_by_rank(12, 2)).all()


@pytest.mark.parametrize(
    "lengths", sampled([[1], [1, 1], [1] * 9, [5000] + [1] * 6, [3, 3, 3, 2], [40] * 3 + [1] * 2], 2), ids=str
)
def test_extreme_histories_are_clustered(lengths: list[int]) -> None:
    found = similar(histories(lengths, habits=1), 2)
    assert np.count_nonzero(found == NONE) == (len(lengths) % 2 if len(lengths) > 1 else 1)


def test_those_are_dropped_who_cost_least() -> None:
    alike = histories([4, 4, 4, 4, 4], habits=1)
    numbers, items = alike.numbers.copy(), alike.items.copy()
    numbers[:], items[:] = 0, 0
    numbers[4:8, 0], items[4:8] = 100, 9
    found = similar(HistoryArrays(alike.starts, numbers, items, numbers.std(axis=0)), 2)
    assert found.tolist() == [0, NONE, 0, 1, 1]


def test_the_error_of_a_slot_is_that_of_the_loss() -> None:
    made_up = histories([1] * 6, seed=4)
    errors = errors_of_slots(made_up, np.zeros(6, np.int32), np.zeros(6, np.int32), delete_costly=True)
    row = np.arange(6)
    assert loss_of_row.py_func(laid(made_up), row, 6) == pytest.approx(errors.sum())


def test_nothing_is_written_past_the_room_where_long_histories_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    rooms: list[NDArray[np.int64]] = []

    def guarded(records: Laid, k: int, customers: Members) -> EstimateScratch:
        given = room(records, k, customers)
        held = np.full(given.whole.size + 8 * records.items.size, -7, dtype=np.int64)
        rooms.append(held[given.whole.size :])
        return given._replace(whole=held[: given.whole.size])

    monkeypatch.setattr(clustering, "room", guarded)
    for seed in range(4):
        made_up = histories(np.random.default_rng(seed).geometric(0.03, 30).tolist(), seed)
        similar(made_up, 20, window=29)
    assert all((beyond == -7).all() for beyond in rooms)
