"""Matching the records of a few customers, against every way there is to do it; and their exchange for another."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ordermade.methods.histories.algorithm.histories import NONE, HistoryArrays
from ordermade.methods.histories.algorithm.loss_estimate import errors_of_slots, utility
from ordermade.methods.histories.algorithm.slotted import Slotted, ground_of, matched
from tests.plain_scans.placed_by_rank import slots_by_rank


@st.composite
def few_histories(draw, customers):
    """A few customers with one to four records each: many ties, sds small enough for cells to be deleted."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    lengths = np.sort(rng.integers(1, 5, customers))[::-1]
    rows = int(lengths.sum())
    numbers = rng.integers(0, [[4, 30]], (rows, 2)).astype(np.float64)
    return HistoryArrays(
        starts=np.concatenate(([0], np.cumsum(lengths))),
        numbers=numbers,
        items=rng.integers(0, 3, rows).astype(np.int32),
        sds=draw(st.sampled_from([numbers.std(axis=0), np.array([0.5, 2]), np.array([0.0, 8])])),
    )


def least(histories, delete_costly):
    """The least U of all ways to put the records of one cluster's customers into slots."""
    lengths, clusters = histories.lengths, np.zeros(histories.customers, dtype=np.int32)
    shortest = int(lengths.min())
    ways = [permutations(range(length), shortest) for length in lengths[:-1]]
    found = np.inf
    for places in product(*ways, [range(shortest)]):
        slots = np.full(histories.rows, NONE, dtype=np.int32)
        for start, chosen in zip(histories.starts[:-1], places, strict=True):
            slots[start + np.array(chosen)] = np.arange(len(chosen))
        found = min(found, utility(histories, clusters, slots, delete_costly=delete_costly).utility)
    return found


@settings(deadline=None, max_examples=25)
@given(few_histories(2))
def test_two_customers_are_matched_at_the_least_loss(histories):
    clusters = np.zeros(2, dtype=np.int32)
    slots = matched(histories, clusters)
    assert abs(utility(histories, clusters, slots, delete_costly=True).utility - least(histories, True)) < 1e-12


@settings(deadline=None, max_examples=15)
@given(few_histories(3))
def test_three_customers_are_matched_nearly_so(histories):
    clusters = np.zeros(3, dtype=np.int32)
    slots = matched(histories, clusters)
    found, best = utility(histories, clusters, slots, delete_costly=True).utility, least(histories, True)
    assert best - 1e-12 <= found <= 1.1 * best + 1e-12


@settings(deadline=None, max_examples=20)
@given(few_histories(2))
def test_without_deletion_of_cells_a_slot_never_loses_more_than_its_records(histories):
    clusters = np.zeros(2, dtype=np.int32)
    slots = matched(histories, clusters, delete_costly=False)
    assert utility(histories, clusters, slots, delete_costly=False).utility < 1 + 1e-12
    if (slots != NONE).sum() == 2 * histories.lengths.min():
        found = utility(histories, clusters, slots, delete_costly=False).utility
        assert abs(found - least(histories, False)) < 1e-12


@settings(deadline=None, max_examples=25)
@given(few_histories(5))
def test_the_losses_of_exchanges_are_those_of_the_placements(histories):
    """The customers 0, 2, 3 and 4 in a cluster, and 1 in the place of each."""
    cluster = Slotted(ground_of(histories, delete_costly=True), np.array([0, 2, 3, 4]))
    cluster.build()
    cluster.put_in_again()
    exchanges = cluster.exchanges(1)
    for place, customer in enumerate(cluster.customers):
        clusters = np.zeros(5, dtype=np.int32)
        clusters[customer] = NONE
        rows = cluster.rows[:, exchanges.slots].copy()
        rows[place] = exchanges.records
        slots = np.full(histories.rows, NONE, dtype=np.int32)
        slots[rows] = np.arange(rows.shape[1])
        surplus = (histories.lengths[clusters != NONE].sum() - rows.size) * 3
        lost = errors_of_slots(histories, clusters, slots, delete_costly=True).sum() + surplus
        assert abs(exchanges.losses[place] - lost) < 1e-9
        assert cluster.exchanged(int(customer), 1).loss <= lost + 1e-9 or histories.lengths[customer] < rows.shape[1]


@settings(deadline=None, max_examples=25)
@given(few_histories(4), st.booleans())
def test_matching_never_loses_more_than_the_order_of_the_records_or_their_days(histories, delete_costly):
    clusters = np.zeros(4, dtype=np.int32)
    slots = matched(histories, clusters, delete_costly=delete_costly)
    found = utility(histories, clusters, slots, delete_costly=delete_costly).utility
    by_day = np.lexsort((histories.numbers[:, 0], histories.owners))
    dated = HistoryArrays(histories.starts, histories.numbers[by_day], histories.items[by_day], histories.sds)
    for order in (histories, dated):
        placed = slots_by_rank(order, clusters)
        assert found <= utility(order, clusters, placed, delete_costly=delete_costly).utility + 1e-12
